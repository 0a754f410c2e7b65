import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { addProject, addRisks, project, risk } from '../support/fixtures.js'
import { newFolder, serve } from '../support/process.js'
import { CHROMIUM, open, openOverview } from './chromium.js'
import { serveFilled } from './company.js'

const PDFTOTEXT = '/usr/bin/pdftotext'
const canRead = existsSync(PDFTOTEXT)
if (!canRead) console.warn('What is printed is not read. On Debian: apt-get install poppler-utils')

/** The words of each printed page. */
async function printed(page: Page): Promise<string[]> {
  await page.locator('#late .body > :not(.loading)').first().waitFor({ state: 'attached' })
  const file = join(newFolder(), 'overview.pdf')
  writeFileSync(file, await page.pdf({ preferCSSPageSize: true, printBackground: true }))
  const text = execFileSync(PDFTOTEXT, ['-layout', file, '-'], { encoding: 'utf8' })
  // A form feed ends every page.
  return text
    .split('\f')
    .slice(0, -1)
    .map((one) => one.replaceAll(/\s+/g, ' '))
}

describe.skipIf(!CHROMIUM || !canRead)('for a meeting, the overview prints on at most three pages of A4', () => {
  test('the demo: the register begins on the first page, with what is done about each of 20 risks', async () => {
    const { origin } = await serve(newFolder(), ['--demo'])
    const { page } = await open(origin, { colorScheme: 'dark' })
    await page.goto(`${origin}/?level=CRITICAL,HIGH,MEDIUM`)
    await page.locator('#register .more').waitFor()
    const pages = await printed(page)
    const words = pages.join(' ')
    expect(pages.length).toBeLessThanOrEqual(3)
    const titles = await page.locator('#register div.title a').allTextContents()
    for (const title of titles.slice(0, 20)) expect(words).toContain(title.slice(0, 20))
    expect(pages[0]).toContain(`Risk register`)
    expect(pages[0]?.split('Risk register')[1]).toContain(titles[0]?.slice(0, 20))
    const today = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' }).format(new Date())
    const asked = ['Filter: level critical, level high, level medium', `Printed ${today}`, 'As of ', 'Refreshed ']
    const parts = ['Risk matrix', 'What moved', 'Overdue by person', 'What is done about it: ']
    for (const part of [...asked, ...parts]) expect(words).toContain(part)
    expect(words).toMatch(/ 20 of \d+ risks /)
    expect(words).toMatch(/ 10 of \d+ people /)
    for (const [index, one] of pages.entries()) expect(one).toMatch(new RegExp(`${index + 1} ?/ ?${pages.length} `))
    expect(words).not.toContain('Forget the key')
  }, 60_000)

  test('30 risks with titles of 200 characters and long measures', async () => {
    const long = (start: string, length: number) =>
      `${start} ${'that is described at length '.repeat(20)}`.slice(0, length)
    const { origin, keys } = await serveFilled(async (write) => {
      const projectId = await addProject(write, project())
      const risks = Array.from({ length: 30 }, (_, i) =>
        risk(projectId, { reference: `R-${i}`, title: long(`Risk ${i}`, 200), mitigation: long('A measure', 400) }),
      )
      await addRisks(write, risks)
    }, onTestFinished)
    const { page } = await openOverview(`${origin}/`, keys.all)
    const pages = await printed(page)
    expect(pages.length).toBeLessThanOrEqual(3)
    expect(pages.join(' ')).toContain('20 of 30 risks')
  }, 60_000)
})
