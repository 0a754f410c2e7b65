import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { serve } from '../support/process.js'
import { CHROMIUM } from './chromium.js'

/** Takes the pictures of the pages in docs, from the demo. */
const folder = mkdtempSync(join(tmpdir(), 'screenshots-'))
const { origin, child } = await serve(folder, ['--demo'], { atEnd: () => undefined })
const browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: ['--no-sandbox', '--disable-gpu'] })
const PICTURES = [
  { name: 'light', width: 1280, height: 980, colorScheme: 'light' },
  { name: 'dark', width: 1280, height: 980, colorScheme: 'dark' },
  { name: 'phone', width: 360, height: 780, colorScheme: 'light', section: '#register' },
  { name: 'risk', width: 1100, height: 860, colorScheme: 'light', query: '?risk=APOLLO/R-1' },
] as const
try {
  for (const { name, width, height, colorScheme, ...of } of PICTURES) {
    const page = await browser.newPage({ viewport: { width, height }, colorScheme, locale: 'en-GB' })
    await page.goto(`${origin}/${'query' in of ? of.query : ''}`)
    await page.locator('#trend svg').waitFor()
    if ('section' in of) await page.locator(of.section).evaluate((one) => one.scrollIntoView())
    if ('query' in of) await page.getByText('Ids and times').waitFor()
    await page.screenshot({ path: `docs/images/overview-${name}.png` })
    await page.close()
  }
  const graphiql = await browser.newPage({ viewport: { width: 1200, height: 640 } })
  await graphiql.goto(`${origin}/graphql`)
  await graphiql.getByRole('button', { name: 'Execute query' }).click()
  await graphiql.locator('.graphiql-response').getByText('totalCount').waitFor()
  await graphiql.getByRole('button', { name: 'Hide editor tools' }).click()
  await graphiql.mouse.move(0, 0)
  // Its scroll bars fade out.
  await graphiql.waitForTimeout(2_000)
  await graphiql.screenshot({ path: 'docs/images/graphiql.png' })
} finally {
  await browser.close()
  child.kill('SIGTERM')
  rmSync(folder, { recursive: true, force: true })
}
