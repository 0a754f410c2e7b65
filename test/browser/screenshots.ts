import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { serve } from '../support/process.js'
import { CHROMIUM } from './chromium.js'

/** Takes the pictures of the overview in docs/images, from the demo. */
const folder = mkdtempSync(join(tmpdir(), 'screenshots-'))
const { origin, child } = await serve(folder, ['--demo'], { atEnd: () => undefined })
const browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: ['--no-sandbox', '--disable-gpu'] })
const PICTURES = [
  { name: 'light', width: 1280, height: 980, colorScheme: 'light' },
  { name: 'dark', width: 1280, height: 980, colorScheme: 'dark' },
  { name: 'phone', width: 360, height: 780, colorScheme: 'light' },
] as const
try {
  for (const { name, width, height, colorScheme } of PICTURES) {
    const page = await browser.newPage({ viewport: { width, height }, colorScheme, locale: 'en-GB' })
    await page.goto(`${origin}/`)
    await page.locator('#trend svg').waitFor()
    if (name === 'phone') await page.locator('#matrix').scrollIntoViewIfNeeded()
    await page.screenshot({ path: `docs/images/overview-${name}.png` })
    await page.close()
  }
} finally {
  await browser.close()
  child.kill('SIGTERM')
  rmSync(folder, { recursive: true, force: true })
}
