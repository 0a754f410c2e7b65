import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { newFolder, operations, serve } from '../support/process.js'
import { CHROMIUM, open, openOverview, TAB_KEY_NAME } from './chromium.js'
import { NASTY, serveRandom } from './company.js'

const STEPS = [1, 2, 3, 4, 5]
const CELLS = STEPS.flatMap((likelihood) => STEPS.map((impact) => [likelihood, impact] as const))

/** A list over REST. */
async function listed(origin: string, key: string, list: string, query: string) {
  const response = await fetch(`${origin}/v1/${list}?${query}`, { headers: { authorization: `Bearer ${key}` } })
  expect(response.status).toBe(200)
  return response.json()
}

/** The ids of the risks that the register shows. */
const rows = (page: Page) => page.locator('#register div.title a').evaluateAll((all) => all.map(({ id }) => id))

const isShown = (page: Page, ids: readonly string[]) => expect.poll(() => rows(page), { timeout: 10_000 }).toEqual(ids)

/** Numbers of the demo, and the sections that they lead to. */
const NUMBERS = [
  ['.tile a:has-text("high")', 'register'],
  ['.tile:nth-child(2) a:has-text("medium")', 'issues'],
  ['.tile:nth-child(1) a:has-text("overdue")', 'register'],
  ['.tile:nth-child(1) a:has-text("of closed projects")', 'register'],
  ['.tile:nth-child(2) a:has-text("overdue")', 'issues'],
  ['#late td:nth-child(2) a', 'issues'],
  ['#late td:nth-child(3) a', 'register'],
  ['.tile a:has-text("on hold")', 'projects'],
  ['#moved a:has-text("closed")', 'moved'],
  ['#moved a:has-text("resolved")', 'moved'],
  ['#projects td:nth-child(2) a', 'register'],
  ['#projects td:nth-child(3) a', 'issues'],
  ['#groups td a:text-matches("^[0-9]+$")', 'roster'],
] as const

/** How many entries a section has; not all of them may be shown. */
async function counted(page: Page, section: string): Promise<number> {
  const of = page.locator(`#${section} .more span`)
  if ((await of.count()) === 0) return page.locator(`#${section} tbody tr`).count()
  return Number(/of (\d+)/.exec(await of.innerText())?.[1])
}

describe.skipIf(!CHROMIUM)('the overview', () => {
  const seed = 1
  let company: Awaited<ReturnType<typeof serveRandom>>
  beforeAll(async () => {
    company = await serveRandom(seed, (end) => ends.push(end))
  }, 60_000)
  const ends: (() => void)[] = []
  afterAll(() => {
    for (const end of ends) end()
  })

  test(`counts in its cells what REST lists, and a cell opens exactly those risks (seed ${seed})`, async () => {
    const { origin, keys } = company
    const { page, outside, complaints } = await openOverview(`${origin}/`, keys.all)
    const shown = await Promise.all(
      CELLS.map(async ([likelihood, impact]) => {
        const text = page.locator(`#cell-${likelihood}-${impact} strong`)
        return (await text.count()) === 0 ? 0 : Number(await text.innerText())
      }),
    )
    const counted = await Promise.all(
      CELLS.map(([likelihood, impact]) =>
        listed(origin, keys.all, 'risks', `likelihood=${likelihood}&impact=${impact}&limit=1&total=true`),
      ),
    )
    expect(shown).toEqual(counted.map(({ page: { total } }) => total))
    const [likelihood, impact] = CELLS.find((_, index) => (shown[index] ?? 0) > 1) ?? [5, 5]
    const { data } = await listed(origin, keys.all, 'risks', `likelihood=${likelihood}&impact=${impact}`)
    const ids = data.map(({ id }: { id: string }) => id)
    const cell = page.locator(`#cell-${likelihood}-${impact}`)
    expect(await cell.locator('small').innerText()).toMatch(/^(low|medium|high|critical)$/)
    const name = `Likelihood ${likelihood}, impact ${impact}: ${ids.length} risks, score ${likelihood * impact}, `
    await page.getByRole('button', { name }).focus()
    await page.keyboard.press('Enter')
    await isShown(page, ids)
    // The other cells still say what they count.
    expect(await page.locator('#matrix td.cell:not(.dimmed) button').count()).toBe(1)
    expect(await page.locator('#matrix td.dimmed button').count()).toBe(shown.filter((count) => count > 0).length)
    expect(await page.locator('#register h2:focus').count()).toBe(1)
    expect(page.url()).toBe(`${origin}/?likelihood=${likelihood}&impact=${impact}#register`)
    const shared = await openOverview(page.url(), keys.all)
    await isShown(shared.page, ids)
    await page.goBack()
    await expect.poll(() => page.locator('#register .more').innerText()).toContain('50 of ')
    await page.locator('#more-risks').click()
    await expect.poll(async () => (await rows(page)).length).toBe(100)
    expect([outside, complaints]).toEqual([[], []])
  })

  test('filters by links, controls and several at once, as REST does with the same parameters', async () => {
    const { origin, keys } = company
    const { page } = await openOverview(`${origin}/`, keys.all)
    await page.locator('.headline .parts a').filter({ hasText: 'high' }).first().click()
    await page.getByLabel('Project', { exact: true }).selectOption('BRIDGE')
    await page.getByLabel('Owner').fill('No owner at all')
    const same = async () => {
      const { search } = new URL(page.url())
      const { data } = await listed(origin, keys.all, 'risks', `${search.slice(1)}&limit=50`)
      await isShown(
        page,
        data.map(({ id }: { id: string }) => id),
      )
    }
    await expect.poll(() => new URL(page.url()).search).toBe('?project=BRIDGE&level=HIGH&ownership=NONE')
    await same()
    await page.getByRole('button', { name: 'Clear the filter' }).click()
    await page.getByLabel('Search').fill('r-12')
    await page.keyboard.press('Enter')
    await expect.poll(() => new URL(page.url()).search).toBe('?search=r-12')
    await same()
    await page.getByRole('button', { name: 'Clear the filter' }).click()
    await page.getByRole('link', { name: '1 more risk' }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('?unplaced=true')
    await same()
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#csv-risks').click()])
    expect(download.suggestedFilename()).toMatch(/^risks-\d{4}-\d\d-\d\d\.csv$/)
    await page.getByText('as GraphQL').click()
    await page.getByRole('button', { name: 'Execute query' }).click()
    await expect.poll(() => page.locator('.graphiql-response').innerText(), { timeout: 15_000 }).toMatch(/"riskMatrix"/)
  })

  test('leads from a number to what it counts, by keyboard too, and says what a section does not follow', async () => {
    const { origin } = await serve(newFolder(), ['--demo'])
    const { page, complaints } = await open(origin)
    for (const [link, section] of NUMBERS) {
      await page.goto(`${origin}/`)
      await page.locator('#moved .counts').waitFor()
      const number = page.locator(link).first()
      const [count] = /[1-9]\d*/.exec(await number.innerText()) ?? []
      await number.focus()
      await page.keyboard.press('Enter')
      await expect.poll(() => counted(page, section), { timeout: 10_000 }).toBe(Number(count))
      expect(await page.locator(`#${section} :focus`).count()).toBe(1)
      expect(new URL(page.url()).hash).toBe(`#${section}`)
    }
    await page.goto(`${origin}/?owner=none`)
    await page.locator('#moved').getByText('Not narrowed by owner nobody on the roster.').waitFor()
    expect(complaints).toEqual([])
  })

  test('shows markup, right-to-left and very long titles as text, and everything about one risk', async () => {
    const { origin, keys } = company
    const { page, complaints } = await openOverview(`${origin}/`, keys.all, { viewport: { width: 320, height: 700 } })
    for (const title of Object.values(NASTY)) {
      expect(await page.locator('#issues').getByText(title, { exact: true }).count()).toBe(1)
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
    expect(await page.evaluate(() => document.querySelectorAll('main img, main script').length)).toBe(0)
    const first = page.locator('#register div.title a').first()
    const id = (await first.getAttribute('id')) ?? ''
    await first.click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('History').waitFor()
    const risk = await (
      await fetch(`${origin}/v1/risks/${id}`, { headers: { authorization: `Bearer ${keys.all}` } })
    ).json()
    const said = (await dialog.innerText()).toLowerCase()
    const { title, reference, level, ownerId, category } = risk
    for (const value of [title, reference, level, ownerId, category, id]) {
      if (value !== null)
        expect(said.replaceAll(/\s+/g, ' ')).toContain(value.toLowerCase().replaceAll(/\s+/g, ' ').trim())
    }
    await page.keyboard.press('Escape')
    expect(await dialog.count()).toBe(0)
    expect(await first.evaluate((one) => one === document.activeElement)).toBe(true)
    expect(complaints).toEqual([])
  })

  test('asks for a key once in a tab, says which scope is missing, and forgets the key', async () => {
    const { origin, keys } = await serveRandom(seed, onTestFinished, ['--base-path', '/ops'])
    const { page, outside } = await open(origin)
    await page.goto(`${origin}/ops/`)
    await page.getByLabel('API key').fill('ops_wrong')
    await page.keyboard.press('Enter')
    await expect
      .poll(() => page.locator('#key-why').innerText())
      .toMatch(/^This key is not valid, or no longer[^.]*\.$/)
    await page.getByLabel('API key').fill(keys.personnel)
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('#key-why').innerText()).toContain('projects.read')
    await page.getByLabel('API key').fill(keys.projects)
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('#roster').innerText()).toContain('People need the scope personnel.read: ')
    await page.reload()
    await page.locator('#register .more').waitFor()
    // An owner whose name the key may not read is not nobody.
    expect(await page.locator('#register').innerText()).toContain('hidden from this key')
    await page.goto(`${origin}/ops/graphql`)
    await expect.poll(() => page.locator('.graphiql-editors').innerText(), { timeout: 15_000 }).toContain(keys.projects)
    await page.goto(`${origin}/ops/`)
    await page.getByRole('button', { name: 'Forget the key' }).click()
    await page.reload()
    await page.getByLabel('API key').waitFor()
    expect(page.url()).not.toContain('ops_')
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain(keys.projects)
    expect(outside).toEqual([])
  })

  test('heeds only the key that was entered last, whatever responds late to another', async () => {
    const { origin, keys } = company
    const { page } = await open(origin)
    await page.goto(`${origin}/`)
    const enter = async (key: string) => {
      await page.getByLabel('API key').fill(key)
      await page.keyboard.press('Enter')
    }
    const held = new Promise<Route>((resolve) => void page.route('**/v1/key', resolve, { times: 1 }))
    await enter(keys.personnel)
    const late = await held
    await enter(keys.all)
    await page.locator('#register .more').waitFor()
    await late.continue()
    await (await late.request().response())?.finished()
    await page.waitForTimeout(100)
    expect(await page.locator('#register').isVisible()).toBe(true)
  })

  test('keeps what it shows while the service is away, says so, and polls what has not changed with 304', async () => {
    const { origin, keys } = company
    const { page } = await openOverview(`${origin}/`, keys.all)
    const statuses: number[] = []
    page.on('response', (response) => statuses.push(response.status()))
    const again = () => page.evaluate(() => dispatchEvent(new Event('online')))
    await again()
    await expect.poll(() => statuses.length).toBe(3)
    expect(statuses).toEqual([304, 304, 304])
    const looks = () => page.locator('main').evaluate((one) => getComputedStyle(one).filter)
    await page.context().setOffline(true)
    await expect.poll(() => page.locator('.notice').innerText()).toMatch(/cannot be reached.*keeps trying/)
    expect(await page.locator('#register tbody tr').count()).toBe(50)
    expect([await looks(), await page.locator('.freshness').innerText()]).toEqual([
      'grayscale(1)',
      expect.stringMatching(/Not refreshed since \d/),
    ])
    await page.locator('.headline .parts a').first().click()
    await expect.poll(() => page.locator('.notice').innerText()).toContain('before the filter changed')
    expect(await page.locator('main').getAttribute('aria-busy')).toBe('true')
    await page.context().setOffline(false)
    await expect.poll(looks).toBe('none')
    expect(await page.locator('.notice').innerText()).toBe('')
    // A key that ended meanwhile is asked for on a page that looks fresh.
    await page.context().setOffline(true)
    await again()
    await expect.poll(looks).toBe('grayscale(1)')
    await page.evaluate((name) => sessionStorage.setItem(name, 'ops_over'), TAB_KEY_NAME)
    await page.context().setOffline(false)
    await page.getByLabel('API key').waitFor()
    expect(await looks()).toBe('none')
  })

  test('asks for as many movements as it shows, says how many there are, and shows more of them', async () => {
    const { origin } = await serve(newFolder(), ['--demo'])
    const { page, complaints } = await open(origin)
    const asked: string[] = []
    page.on('request', (request) => {
      const query = request.postDataJSON()?.query ?? new URL(request.url()).searchParams.get('query') ?? ''
      const variables = request.postDataJSON()?.variables ?? new URL(request.url()).searchParams.get('variables')
      if (query.includes('movements(')) asked.push(`${request.method()} ${JSON.stringify(variables)}`)
    })
    await page.goto(`${origin}/`)
    const extent = page.locator('#moved .more span')
    await extent.waitFor()
    const all = Number(/^8 of (\d+) risks$/.exec(await extent.innerText())?.[1])
    const marks = () => page.locator('#register .moved').count()
    const marked = await marks()
    await page.locator('#more-moved').click()
    await expect.poll(() => page.locator('#moved tbody tr').count()).toBe(all)
    expect(await marks()).toBe(marked)
    await page.locator('#more-risks').click()
    await expect.poll(marks).toBeGreaterThan(marked)
    expect(asked.map((one) => /first[^\d]*\d+/.exec(one)?.[0].replace(/\D+/, ''))).toEqual(['8', '58', '58'])
    expect(complaints).toEqual([])
  })

  test('in the demo it needs no key, and its modules are kept by the browser for good', async () => {
    const { origin } = await serve(newFolder(), ['--demo'])
    const { page, outside, complaints } = await open(origin)
    const modules: (string | undefined)[] = []
    page.on('response', (response) => {
      if (response.url().includes('/assets/')) modules.push(response.headers()['cache-control'])
    })
    const whole = await page.goto(`${origin}/`)
    await page.locator('#register .more').waitFor()
    await expect.poll(() => page.locator('#moved').innerText()).toMatch(/\d+ new, \d+ closed, \d+ up, \d+ down/)
    expect(await page.locator('#trend svg rect').count()).toBeGreaterThan(100)
    expect(new Set(modules)).toEqual(new Set(['public, max-age=31536000, immutable']))
    expect(whole?.headers()['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    expect([outside, complaints]).toEqual([[], []])
  })

  test('can be shown in a frame of the named origins only, and switched off', async () => {
    const folder = newFolder()
    await operations(folder, ['migrate'])
    const { origin } = await serve(folder, ['--frame-ancestors', 'https://intranet.example.com'])
    const { headers } = await fetch(`${origin}/`)
    expect(headers.get('content-security-policy')).toMatch(/frame-ancestors https:\/\/intranet\.example\.com$/)
    const off = await serve(folder, ['--no-overview'])
    expect(await (await fetch(`${off.origin}/`)).text()).toContain('/v1/personnel')
  })
})
