import { execFile } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { BrowserContextOptions } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newFolder, serve } from '../support/process.js'
import { violations } from './axe.js'
import { CHROMIUM, open } from './chromium.js'

const run = promisify(execFile)

/** The Nu HTML checker, if its file is named and Java is installed. */
const CHECKER = process.env['VNU_JAR']
const hasChecker = CHECKER !== undefined && existsSync(CHECKER) && existsSync('/usr/bin/java')
if (!hasChecker) console.warn('The HTML is not checked: VNU_JAR names no vnu.jar, or Java is not installed.')

let origin: string
const ends: (() => void)[] = []
const atEnd = (end: () => void) => ends.push(end)
beforeAll(async () => {
  if (CHROMIUM) origin = (await serve(newFolder(atEnd), ['--demo'], { atEnd })).origin
}, 60_000)
afterAll(() => {
  for (const end of ends) end()
})

const MODES: Readonly<Record<string, BrowserContextOptions & { readonly media?: 'print' }>> = {
  light: { colorScheme: 'light' },
  dark: { colorScheme: 'dark' },
  'forced colours': { forcedColors: 'active' },
  print: { media: 'print' },
  '320 px': { viewport: { width: 320, height: 700 } },
}

// A small project: axe-core takes seconds for every hundred elements.
describe.skipIf(!CHROMIUM)('the overview for everyone', { timeout: 180_000 }, () => {
  test.each(Object.entries(MODES))('axe-core finds nothing wrong: %s', async (_, { media, ...options }) => {
    const { page } = await open(origin, options)
    await page.goto(`${origin}/?project=APOLLO`)
    await page.locator('#register .more').waitFor({ state: 'attached' })
    await page.locator('#trend svg').waitFor()
    if (media) await page.emulateMedia({ media })
    expect(await violations(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    if (media) return
    await page.locator('#trend-table summary').click()
    await page.locator('#register div.title a').first().click()
    await page.getByRole('dialog').getByText('History').waitFor()
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Forget the key' }).click()
    await page.getByLabel('API key').waitFor()
    expect(await violations(page)).toEqual([])
  })

  test.skipIf(!hasChecker)('the Nu HTML checker finds no error in what is sent and in what is shown', async () => {
    const { page } = await open(origin)
    await page.goto(`${origin}/?project=APOLLO`)
    await page.locator('#register div.title a').first().click()
    await page.getByRole('dialog').getByText('History').waitFor()
    const folder = newFolder()
    const files = ['sent.html', 'shown.html'].map((name) => join(folder, name))
    writeFileSync(files[0] ?? '', await (await fetch(`${origin}/`)).text())
    writeFileSync(files[1] ?? '', `<!doctype html>${await page.evaluate(() => document.documentElement.outerHTML)}`)
    const { stderr } = await run('java', ['-jar', CHECKER ?? '', '--errors-only', '--format', 'text', ...files]).catch(
      (error: { stderr: string }) => error,
    )
    expect(stderr.trim()).toMatch(/^(Document checking completed\. No errors found\.)?$/)
  })
})
