import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { newFolder, operations, serve } from '../support/process.js'

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
)
if (!CHROMIUM)
  console.warn('No Chromium is installed, so GraphiQL is not tried out. On Debian: apt-get install chromium')

// Chromium's own background requests, such as for updates, are disabled.
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Console messages, failed requests and errors while the page was open. */
interface Visit {
  readonly page: Page
  readonly outside: string[]
  readonly complaints: string[]
}

async function visit(origin: string): Promise<Visit> {
  const browser: Browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: QUIET })
  onTestFinished(() => browser.close())
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  const outside: string[] = []
  const complaints: string[] = []
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(`${origin}/`) && !url.startsWith(`blob:${origin}/`) && !url.startsWith('data:'))
      outside.push(url)
  })
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.goto(`${origin}/graphql`)
  await page.getByRole('button', { name: 'Execute query' }).waitFor()
  return { page, outside, complaints }
}

/** The text of a part of the page, with normalized white space, as the editors use their own. */
async function words(page: Page, selector: string): Promise<string> {
  return (await page.locator(selector).innerText()).replaceAll(/\s+/g, ' ')
}

function seen(page: Page, selector: string) {
  return expect.poll(() => words(page, selector), { timeout: 15_000 })
}

test.skipIf(!CHROMIUM)('in the demo, the first query runs as it stands and the documentation is there', async () => {
  const { origin } = await serve(newFolder(), ['--demo'])
  const { page, outside, complaints } = await visit(origin)
  await page.getByRole('button', { name: 'Execute query' }).click()
  await seen(page, '.graphiql-response').toMatch(/"totalCount": 77/)
  await seen(page, '.graphiql-response').toMatch(/"rank": 1/)
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click()
  await page.getByRole('link', { name: 'Query', exact: true }).click()
  await expect.poll(() => page.locator('.graphiql-doc-explorer').innerText()).toMatch(/Everyone on the roster/)
  expect({ outside, complaints }).toEqual({ outside: [], complaints: [] })
})

test.skipIf(!CHROMIUM)('without a key, the page says in words what to do', async () => {
  const folder = newFolder()
  await operations(folder, ['migrate'])
  const { origin } = await serve(folder)
  const { page, outside } = await visit(origin)
  await seen(page, '.graphiql-editors').toContain('Bearer <API_KEY>')
  await page.getByRole('button', { name: 'Execute query' }).click()
  await seen(page, '.graphiql-response').toMatch(/Replace <API_KEY> by your API key/)
  await seen(page, '.graphiql-response').toMatch(/operations keys create/)
  expect(outside).toEqual([])
})
