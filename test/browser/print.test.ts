import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder, serve } from '../support/process.js'
import { CHROMIUM, open } from './chromium.js'

const PDFTOTEXT = '/usr/bin/pdftotext'
const canRead = existsSync(PDFTOTEXT)
if (!canRead) console.warn('What is printed is not read. On Debian: apt-get install poppler-utils')

test.skipIf(!CHROMIUM || !canRead)(
  'the demo prints on at most three pages of A4 in landscape, for a meeting',
  async () => {
    const folder = newFolder()
    const { origin } = await serve(folder, ['--demo'])
    const { page } = await open(origin, { colorScheme: 'dark' })
    await page.goto(`${origin}/?level=CRITICAL,HIGH,MEDIUM`)
    await page.locator('#register .more').waitFor()
    await page.locator('#trend svg').waitFor()
    const top = await page.locator('#register button.title').first().innerText()
    const file = join(folder, 'overview.pdf')
    writeFileSync(file, await page.pdf({ preferCSSPageSize: true, printBackground: true }))
    const text = execFileSync(PDFTOTEXT, ['-layout', file, '-'], { encoding: 'utf8' })
    const words = text.replaceAll(/\s+/g, ' ')
    // A form feed ends every page.
    expect(text.split('\f').length - 1).toBeLessThanOrEqual(3)
    const today = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' }).format(new Date())
    const asked = ['Filter: level critical, level high, level medium', `Printed ${today}`, 'As of ', 'Refreshed ']
    for (const part of [...asked, 'Risk matrix', 'What moved', 'Risk register', top]) expect(words).toContain(part)
    const printed = await page
      .locator('#register button.title')
      .evaluateAll((all) => all.map((one) => one.textContent ?? ''))
    const isThere = printed.map((title) => words.includes(title.slice(0, 20)))
    expect(isThere.slice(0, 20)).toEqual(Array(20).fill(true))
    expect(words).not.toContain('Forget the key')
  },
)
