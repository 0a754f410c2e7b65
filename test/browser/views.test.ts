import type { BrowserContextOptions } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newFolder, serve } from '../support/process.js'
import { violations } from './axe.js'
import { CHROMIUM, open } from './chromium.js'

/** What each view of the demo must say, in this order. */
const VIEWS: Readonly<Record<string, RegExp>> = {
  'risk=APOLLO/R-1':
    /Risk R-1 · APOLLO.*Helion Antennas ships.*Status\s+occurred\s+Score\s+16 high \(4 × 4\) → residual 6 medium \(2 × 3\)\s+Owner\s+Beatriz Carvalho\s+Due\s+.*Trend\s+.*What is done about it\s+Mitigate: A spare drive.*new tab.*Description.*Cause.*Trigger\s+Factory test.*Open issues caused by it.*Second azimuth drive.*History.*: added on the command line.*rsk_/s,
  'issue=APOLLO/I-1':
    /Issue I-1 · APOLLO.*Second azimuth drive.*critical.*open.*Beatriz Carvalho.*overdue.*Came from\s+Helion Antennas.*History.*iss_/s,
  'person=beatriz.carvalho@meridian.example':
    /Person.*Beatriz Carvalho.*beatriz\.carvalho@.*Head of Procurement.*Procurement.*Crisis Team, Procurement Board.*Risks owned.*Helion Antennas.*Issues assigned.*Second azimuth.*History.*usr_/s,
  'project-view=APOLLO':
    /Project APOLLO.*active.*\d+ high.*\d+ open, \d+ overdue.*less than an hour ago.*Two antennas.*Risk register.*Helion Antennas.*Open issues.*prj_/s,
  'group-view=Crisis%20Team':
    /Group.*Crisis Team.*Members\s+\d+.*Can be reached day and night.*Beatriz Carvalho.*grp_/s,
}

const MODES: Readonly<Record<string, BrowserContextOptions>> = {
  light: {},
  'dark, 320 px': { colorScheme: 'dark', viewport: { width: 320, height: 700 } },
  'forced colours': { forcedColors: 'active' },
}

describe.skipIf(!CHROMIUM)('a view on top of the overview', { timeout: 120_000 }, () => {
  let origin: string
  const ends: (() => void)[] = []
  beforeAll(async () => {
    const atEnd = (end: () => void) => ends.push(end)
    origin = (await serve(newFolder(atEnd), ['--demo'], { atEnd })).origin
  }, 60_000)
  afterAll(() => {
    for (const end of ends) end()
  })

  test.each(Object.entries(MODES))('says the important things first, for everyone: %s', async (_, options) => {
    const { page, outside, complaints } = await open(origin, options)
    for (const [address, words] of Object.entries(VIEWS)) {
      // A small project below: axe-core takes seconds for every hundred elements.
      await page.goto(`${origin}/?project=APOLLO&${address}`)
      const dialog = page.getByRole('dialog')
      await dialog.getByText('Ids and times').waitFor()
      expect(await dialog.innerText()).toMatch(words)
      expect(await violations(page, 'dialog')).toEqual([])
      expect(await dialog.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)).toBe(true)
      expect(await page.title()).toMatch(/. · Operations Gateway$/)
    }
    expect([outside, complaints]).toEqual([[], []])
  })

  test('has an address; Back, Forward, Escape and Close move between it and the list, which stays as it was', async () => {
    const { page } = await open(origin)
    await page.goto(`${origin}/`)
    await page.locator('#more-risks').click()
    const opener = page.locator('#register').getByText('Helion Antennas ships the second azimuth drive late')
    const rows = () => page.locator('#register tbody tr').count()
    await expect.poll(rows).toBeGreaterThan(50)
    const all = await rows()
    const dialog = page.getByRole('dialog')
    const title = () => dialog.getByRole('heading', { level: 2 }).innerText()
    const query = () => decodeURIComponent(new URL(page.url()).search)
    await opener.click()
    await expect.poll(query).toBe('?risk=APOLLO/R-1')
    await dialog.getByRole('link', { name: 'Beatriz Carvalho' }).press('Enter')
    await expect.poll(title).toBe('Beatriz Carvalho')
    await dialog.getByRole('link', { name: 'Crisis Team' }).click()
    await expect.poll(title).toBe('Crisis Team')
    await page.goBack()
    await page.goBack()
    await expect.poll(title).toMatch(/^Helion/)
    await page.goBack()
    await expect.poll(() => dialog.count()).toBe(0)
    expect(await opener.evaluate((one) => one.closest('a, button') === document.activeElement)).toBe(true)
    await page.goForward()
    await page.goForward()
    await expect.poll(title).toBe('Beatriz Carvalho')
    await dialog.getByRole('button', { name: 'Close' }).press('Enter')
    await expect.poll(query).toBe('')
    expect([await dialog.count(), await rows(), await page.title()]).toEqual([0, all, 'Overview · Operations Gateway'])
    await page.goto(`${origin}/?level=HIGH&risk=APOLLO/R-1`)
    await expect.poll(title).toMatch(/^Helion/)
    await page.keyboard.press('Escape')
    await expect.poll(query).toBe('?level=HIGH')
    await page.goto(`${origin}/?level=HIGH#register`)
    const row = page.locator('#register tr:nth-child(15) div.title a')
    await row.press('Enter')
    await expect.poll(query).toMatch('&risk=')
    const top = await page.evaluate(() => scrollY)
    await page.keyboard.press('Escape')
    await expect.poll(query).toBe('?level=HIGH')
    await expect.poll(() => row.evaluate((one) => one === document.activeElement)).toBe(true)
    expect(await page.evaluate(() => scrollY)).toBe(top)
    await page.goto(`${origin}/?project-view=CORAL`)
    await dialog.getByRole('link', { name: /\d+ critical/ }).click()
    await expect.poll(query).toBe('?project=CORAL&level=CRITICAL')
    expect(await dialog.count()).toBe(0)
    await page.goto(`${origin}/?risk=APOLLO/R-999`)
    await dialog.getByText('Risk APOLLO/R-999 does not exist').waitFor()
  })
})
