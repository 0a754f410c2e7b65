import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { newFolder, operations, serve } from '../support/process.js'
import { violations } from './axe.js'
import { CHROMIUM, open } from './chromium.js'

const shown = (page: Page) => page.locator('main').innerText()

describe.skipIf(!CHROMIUM)('the first minutes with the overview', { timeout: 60_000 }, () => {
  test('an empty store says what to do next, in order, and is followed by what was imported', async () => {
    const folder = newFolder()
    await operations(folder, ['migrate'])
    const scopes = ['--scope', 'personnel.read', '--scope', 'projects.manage']
    const { stdout } = await operations(folder, ['keys', 'create', '--name', 'me', ...scopes])
    const key = /ops_\w+/.exec(stdout)?.[0] ?? ''
    const { origin } = await serve(folder)
    const { page, complaints } = await open(origin)
    await page.goto(`${origin}/`)
    await page.getByLabel('API key').fill(key)
    await page.keyboard.press('Enter')
    const commands = ['import people', 'import risks', 'import issues', 'keys create']
    await expect.poll(() => shown(page)).toMatch(new RegExp(`Nothing is here yet.*${commands.join('.*')}`, 's'))
    expect(await shown(page)).not.toMatch(/Live risks|No live risk/)
    expect(await violations(page)).toEqual([])
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const risks = [{ reference: 'R-1', title: 'Crane late', likelihood: 2, impact: 3 }]
    const body = JSON.stringify({ key: 'APOLLO', name: 'Apollo', risks })
    await fetch(`${origin}/v1/projects`, { method: 'POST', headers, body })
    await page.evaluate(() => dispatchEvent(new Event('online')))
    await expect.poll(() => shown(page)).toMatch(/Live risks\s+1.*Crane late/s)
    expect(await page.locator('#start').isVisible()).toBe(false)
    expect(complaints).toEqual([])
  })

  test('shows nothing but that it is loading until the figures are there, and then they add up', async () => {
    const { origin } = await serve(newFolder(), ['--demo'])
    const { page } = await open(origin)
    let answer = () => {}
    const waiting = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route('**/graphql?*', async (route) => {
      await waiting
      await route.continue()
    })
    await page.goto(`${origin}/`)
    await page.getByText('Loading…').first().waitFor()
    expect(await shown(page)).toBe('Loading…')
    answer()
    await page.locator('#register .more').waitFor()
    const tiles = await page.locator('.tile:has(.parts)').evaluateAll((all) =>
      all.map((tile) => ({
        whole: Number(tile.querySelector('.figure')?.textContent),
        parts: Array.from(tile.querySelectorAll('.parts strong'), ({ textContent }) => Number(textContent)),
      })),
    )
    expect(tiles.length).toBe(3)
    for (const { whole, parts } of tiles) expect(parts.reduce((sum, part) => sum + part, 0)).toBe(whole)
    const cells = await page.locator('#matrix td strong').allInnerTexts()
    expect(cells.reduce((sum, cell) => sum + Number(cell), 0)).toBe(tiles[0]?.whole)
  })
})
