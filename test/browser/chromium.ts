import { existsSync } from 'node:fs'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { onTestFinished } from 'vitest'

/** An installed Chromium; undefined if there is none, and the tests that need it are skipped. */
export const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
)
if (!CHROMIUM)
  console.warn('No Chromium is installed, so the pages are not tried out. On Debian: apt-get install chromium')

// Chromium's own background requests, such as for updates, are disabled.
export const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A page, with console messages, violations of its policy, errors, and requests to other hosts while it was open. */
export interface Visit {
  readonly page: Page
  readonly outside: string[]
  readonly complaints: string[]
}

export async function open(origin: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const browser: Browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: QUIET })
  onTestFinished(() => browser.close())
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...options })
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
  return { page, outside, complaints }
}

/** Under which a tab keeps its key. */
export const TAB_KEY_NAME = 'operations.key'

/** Opens the overview with this key, as if it had been pasted before, and waits until it is shown. */
export async function openOverview(address: string, key: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const visit = await open(new URL(address).origin, options)
  await visit.page.addInitScript(
    ([name = '', secret = '']) => sessionStorage.setItem(name, secret),
    [TAB_KEY_NAME, key],
  )
  await visit.page.goto(address)
  await visit.page.locator('#register .more').waitFor()
  await visit.page.locator('#moved .body > :not(.loading)').first().waitFor({ state: 'attached' })
  return visit
}
