import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addPerson, changePerson } from '../../src/personnel/people.js'
import type { Write } from '../../src/store/store.js'
import { addIssues, addProject, addRisks, issue, project, risk } from '../support/fixtures.js'
import { CHROMIUM, openOverview } from './chromium.js'
import { serveFilled } from './company.js'

const day = (from: number) => new Date(Date.now() + from * 86_400_000).toISOString().slice(0, 10)

/** Titles of all lengths and scripts, in the order of their scores. */
const TITLES = [
  'A supplier of the main contractor stops its deliveries before the foundation is finished',
  'A long sentence that goes on. '.repeat(7).slice(0, 200),
  'W'.repeat(80),
  'تأخر وصول الصلب إلى الموقع بسبب إغلاق الميناء وعدم وجود مورد آخر في المنطقة كلها',
  '钢材到货延迟并且没有其他供应商可以在规定的时间内交货因此整个项目的进度都会受到影响'.repeat(4),
  'An even longer sentence that nobody reads. '.repeat(10).slice(0, 400),
]

async function fill(write: Write): Promise<void> {
  const ada = await addPerson(write, { name: 'Ada Lovelace', email: 'ada@example.com', department: 'Analysis' })
  const bob = await addPerson(write, { name: 'Bob Leaver', email: 'bob@example.com' })
  await changePerson(write, bob.id, { status: 'INACTIVE' })
  for (let i = 0; i < 60; i++) await addPerson(write, { name: `Aaron ${i}`, externalId: `HR-${i}` })
  const coral = await addProject(write, project({ key: 'CORAL', name: 'Coral platform' }))
  const old = await addProject(write, project({ key: 'OLD', name: 'Old harbour', status: 'CLOSED' }))
  const known = { category: 'Supply', mitigation: 'A second mill is on contract.', ownerId: ada.id }
  const facts = [
    { ...known, status: 'OCCURRED', residualLikelihood: 2, residualImpact: 3, dueOn: day(-5) },
    { ...known, ownerId: null, ownerName: 'Carol, outside', dueOn: day(5) },
    { ownerId: null },
    { ownerId: bob.id, dueOn: day(60) },
    { ...known, dueOn: day(30), category: 'Weather, Baltic' },
    known,
  ] as const
  const risks = TITLES.map((title, i) =>
    risk(coral, { reference: `R-${i}`, title, likelihood: 5, impact: 5 - Math.min(i, 4), ...facts[i] }),
  )
  await addRisks(write, [...risks, risk(old, { reference: 'R-9', title: 'Closed harbour sinks' })])
  await addIssues(write, [
    issue(coral, {
      reference: 'I-1',
      title: 'Coral crane refused',
      status: 'BLOCKED',
      dueOn: day(-3),
      assigneeId: ada.id,
    }),
    issue(coral, { reference: 'I-2', title: 'Paint peels', severity: 'CRITICAL' }),
    issue(old, { reference: 'I-3', title: 'Closed thing' }),
  ])
}

const references = (page: Page, section = 'register') =>
  page.locator(`#${section} td.place .meta`).evaluateAll((all) => all.map((one) => one.textContent?.trim()))

const isShown = (page: Page, expected: readonly string[], section = 'register') =>
  expect.poll(() => references(page, section), { timeout: 10_000 }).toEqual(expected)

const parameters = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams)

describe.skipIf(!CHROMIUM)('the register and the filter of the overview', { timeout: 60_000 }, () => {
  let company: Awaited<ReturnType<typeof serveFilled>>
  const ends: (() => void)[] = []
  beforeAll(async () => {
    company = await serveFilled(fill, (end) => ends.push(end))
  }, 60_000)
  afterAll(() => {
    for (const end of ends) end()
  })
  const visit = (query = '', options = {}) => openOverview(`${company.origin}/${query}`, company.keys.all, options)

  test('has what a board asks for, in columns that do not break whatever the titles are', async () => {
    const { page, complaints } = await visit()
    const cells = await page.locator('#register tbody tr').first().locator('td').allInnerTexts()
    expect(cells.slice(2)).toEqual([
      'CORAL R-0',
      'occurred',
      '5 × 5',
      '25 critical → 6',
      'Ada Lovelace',
      expect.stringMatching(/, overdue$/),
      '● new',
    ])
    const owners = await page.locator('#register td.holder').allInnerTexts()
    expect(owners.slice(1, 4)).toEqual(['Carol, outside (not on the roster)', 'no owner', 'Bob Leaver left'])
    const lines = await page.locator('#register tbody td').evaluateAll((all) =>
      all.map((cell) => {
        const style = getComputedStyle(cell)
        const height = Math.max(0, ...[...cell.children].map((one) => one.getBoundingClientRect().height))
        return [cell.className, Math.round(height / Number.parseFloat(style.fontSize) / 1.5)] as const
      }),
    )
    for (const [kind, count] of lines) expect([kind, count <= (kind === 'title' ? 2 : 1)]).toEqual([kind, true])
    for (const width of [1280, 1000, 640, 320]) {
      await page.setViewportSize({ width, height: 800 })
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
    }
    // On a phone: score, status and trend stand below the title, and the figures two by two.
    const row = page.locator('#register tbody tr').first()
    const top = async (cell: string) => (await row.locator(cell).boundingBox())?.y ?? 0
    for (const cell of ['td.level', 'td.short:has(.mark)', 'td.trend']) {
      expect(await top(cell)).toBeGreaterThan(await top('td.title'))
    }
    expect(await page.locator('#register td.rank').first().isVisible()).toBe(false)
    const tiles = await page.locator('.tile').evaluateAll((all) => all.map((one) => one.getBoundingClientRect().left))
    expect(tiles[0]).toBe(tiles[2])
    expect(tiles[1]).toBe(tiles[3])
    expect(complaints).toEqual([])
  })

  test('is ordered by its headings, by keyboard too, and the address keeps the order', async () => {
    const { page } = await visit()
    await page.locator('#register th').getByRole('link', { name: 'Due' }).focus()
    await page.keyboard.press('Enter')
    await isShown(page, ['R-0', 'R-1', 'R-4', 'R-3', 'R-2', 'R-5'])
    expect(parameters(page)).toEqual({ order: 'DUE' })
    expect(await page.locator('#register th[aria-sort=ascending]').innerText()).toBe('Due')
    await page.locator('#issues th').getByRole('link', { name: 'Due' }).click()
    await isShown(page, ['I-1', 'I-2'], 'issues')
    await page.reload()
    await isShown(page, ['R-0', 'R-1', 'R-4', 'R-3', 'R-2', 'R-5'])
    expect(parameters(page)).toEqual({ order: 'DUE', issueOrder: 'DUE' })
  })

  test('shows what remains after the response, in the matrix and in the register, and a cell leads to it', async () => {
    const { page } = await visit()
    await page.locator('#matrix').getByRole('link', { name: 'residual' }).click()
    await page.locator('#matrix').getByText('5 without a residual score').waitFor()
    const first = page.locator('#register tbody tr').first()
    expect(await first.locator('td.level').innerText()).toBe('25 → 6 medium')
    expect(await first.locator('td.factors').innerText()).toBe('2 × 3')
    await page.locator('#cell-2-3').click()
    await isShown(page, ['R-0'])
    expect(parameters(page)).toEqual({ likelihood: '2', impact: '3', residual: 'true' })
  })

  test('takes every filter of the API in its address, shows it as chosen, and says which list does not follow it', async () => {
    const { page, complaints } = await visit('?ownerDepartment=Analysis&minResidualScore=6&assigneeDepartment=Analysis')
    await isShown(page, ['R-0'])
    await isShown(page, ['I-1'], 'issues')
    await page.locator('#issues').getByText('ownerDepartment: Analysis').waitFor()
    expect(await page.locator('#csv-risks').getAttribute('href')).toContain(
      'minResidualScore=6&ownerDepartment=Analysis',
    )
    await page.getByRole('button', { name: 'minResidualScore: 6' }).click()
    await isShown(page, ['R-0', 'R-4', 'R-5'])
    expect(parameters(page)).toEqual({ ownerDepartment: 'Analysis', assigneeDepartment: 'Analysis' })
    expect(complaints).toEqual([])
  })

  test('searches risks, issues, projects and people as one types, in one step of the history', async () => {
    const { page } = await visit()
    const before = await page.evaluate(() => history.length)
    await page.getByLabel('Search').pressSequentially('ada lov', { delay: 20 })
    await expect.poll(() => page.locator('#roster .people').innerText()).toMatch(/^Ada Lovelace\s+Analysis$/)
    await page.locator('#projects').getByText('No project matches.').waitFor()
    expect(await page.locator('#moved').isVisible()).toBe(false)
    await page.getByLabel('Search').fill('coral')
    await page.keyboard.press('Enter')
    await isShown(page, ['I-1'], 'issues')
    expect(await page.locator('#projects tbody tr').count()).toBe(1)
    expect(await page.evaluate(() => history.length)).toBe(before + 1)
    expect(parameters(page)).toEqual({ search: 'coral' })
    // What is typed after Back is another step.
    await page.goBack()
    await expect.poll(() => parameters(page)).toEqual({})
    const unfiltered = page.url()
    await page.getByLabel('Search').fill('steel')
    await expect.poll(() => parameters(page)).toEqual({ search: 'steel' })
    await page.goBack()
    expect(page.url()).toBe(unfiltered)
  })

  test('finds an owner who is not among the loaded rows, and those who are nobody or have left', async () => {
    const { page } = await visit('?search=R-')
    const owner = page.getByLabel('Owner', { exact: true })
    await owner.fill('bob')
    const option = page.locator('#owners option[value^="Bob"]')
    await option.waitFor({ state: 'attached' })
    await owner.fill((await option.getAttribute('value')) ?? '')
    await isShown(page, ['R-3'])
    expect(parameters(page)).toMatchObject({ owner: 'bob@example.com' })
    for (const [words, expected] of [
      ['No owner at all', ['R-2']],
      ['People who left', ['R-3']],
      ['Names that are not on the roster', ['R-1']],
    ] as const) {
      await owner.fill(words)
      await isShown(page, expected)
    }
    await owner.fill('Ada Lovelace')
    await page.keyboard.press('Enter')
    await isShown(page, ['R-0', 'R-4', 'R-5'])
  })

  test('keeps a value with a comma in links, after a reload and in the CSV, and names what it does not know', async () => {
    const { page } = await visit('?level=CRITICAL&colour=red&level=TALL')
    await expect.poll(() => page.locator('.filters .note').innerText()).toMatch(/: level “TALL”, colour “red”\.$/)
    await page.getByText('More filters').click()
    await page.getByLabel('Category', { exact: true }).fill('Weather, Baltic')
    await page.getByLabel('Category', { exact: true }).press('Tab')
    await page.getByLabel('Level', { exact: true }).selectOption('')
    await isShown(page, ['R-4'])
    await page.reload()
    await isShown(page, ['R-4'])
    expect(parameters(page)).toEqual({ category: 'Weather\\, Baltic' })
    expect(await page.locator('.filters .note').count()).toBe(0)
    const downloaded = page.waitForEvent('download')
    await page.locator('#register').getByText('as CSV').click()
    const lines = readFileSync(await (await downloaded).path(), 'utf8')
      .trim()
      .split('\n')
    expect(lines.map((line) => line.split(',')[2])).toEqual(['reference', 'R-4'])
  })

  test('filters by status, category, due days and missing mitigation', async () => {
    const { page } = await visit()
    await page.getByText('More filters').click()
    await page.getByLabel('Without mitigation', { exact: true }).check()
    await isShown(page, ['R-2', 'R-3'])
    await page.getByLabel('Without mitigation', { exact: true }).uncheck()
    await page.getByLabel('Status', { exact: true }).selectOption('OCCURRED')
    await isShown(page, ['R-0'])
    await page.getByLabel('Status', { exact: true }).selectOption('')
    await page.getByLabel('Category', { exact: true }).fill('weather, baltic')
    await page.keyboard.press('Enter')
    await isShown(page, ['R-4'])
    await page.getByRole('button', { name: 'Clear the filter' }).click()
    await page.getByLabel('Due after', { exact: true }).fill(day(0))
    await page.getByLabel('Due before', { exact: true }).fill(day(45))
    await isShown(page, ['R-1', 'R-4'])
    expect(parameters(page)).toEqual({ dueAfter: day(0), dueBefore: day(45) })
  })

  test('leaves closed projects out, says how many risks that hides, and leads to them', async () => {
    const { page } = await visit()
    expect(await references(page)).not.toContain('R-9')
    expect(await references(page, 'issues')).not.toContain('I-3')
    expect(await page.locator('#trend .values').innerText()).toContain(': 6 live (')
    await page.getByRole('link', { name: '1 risk of closed projects' }).click()
    await isShown(page, ['R-9'])
    await page.goto(`${company.origin}/?project=OLD`)
    await isShown(page, ['R-9'])
  })

  test('drops what an address says wrongly, with a word, and follows the rest', async () => {
    const { page, complaints } = await visit(
      '?level=HUGE,critical&project=NOPE,CORAL&dueBefore=soon&owner=Known,%20Nobody',
    )
    await page.locator('.filters [role=status] p').waitFor()
    const words = ['project “NOPE”', 'level “HUGE”', 'owner “Known”', 'dueBefore “soon”']
    for (const word of words) expect(await page.locator('.filters [role=status]').innerText()).toContain(word)
    await isShown(page, ['R-0', 'R-1'])
    await page.getByRole('button', { name: 'Remove: level critical' }).click()
    await expect.poll(() => parameters(page)).toEqual({ project: 'CORAL' })
    await expect.poll(() => page.locator('.filters [role=status]').innerText()).toBe('')
    expect(complaints).toEqual([])
  })

  test('keeps the filter and the links to its sections in sight', async () => {
    const { page } = await visit()
    for (const width of [1280, 320]) {
      await page.setViewportSize({ width, height: 800 })
      await page.locator('.sections').getByRole('link', { name: 'Overdue' }).click()
      const heading = page.locator('#late h2')
      await expect.poll(async () => (await heading.boundingBox())?.y).toBeGreaterThan(0)
      const { y = 0, height = 0 } = (await page.locator('.sections').boundingBox()) ?? {}
      expect(y).toBeGreaterThanOrEqual(0)
      expect((await heading.boundingBox())?.y).toBeGreaterThan(y + height)
    }
  })

  test('says who has something overdue, and leads to it', async () => {
    const { page } = await visit()
    expect(await page.locator('#late tbody tr').allInnerTexts()).toEqual([
      expect.stringMatching(/^Ada Lovelace\s+1 of 1\s+1 of 3$/),
    ])
    await page.locator('#late').getByRole('link', { name: '1 of 3' }).click()
    await isShown(page, ['R-0'])
    await isShown(page, ['I-1'], 'issues')
  })

  test('names the values of a day of its chart on hover and by keyboard, the last one first', async () => {
    const { page } = await visit()
    const values = page.locator('#trend .values')
    const today = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date())
    expect(await values.innerText()).toBe(`${today}: 6 live (2 critical, 2 high, 2 medium, 0 low, 0 unassessed)`)
    expect(await page.locator('#trend .axis span').allInnerTexts()).toEqual(['10', '5', '0'])
    await page.getByLabel('Day', { exact: true }).focus()
    await page.keyboard.press('ArrowLeft')
    expect(await values.innerText()).toContain(': 0 live')
    expect(await page.getByLabel('Day', { exact: true }).getAttribute('aria-valuetext')).toContain(': 0 live')
    await page.locator('#trend svg').hover({ position: { x: 2, y: 20 } })
    await expect.poll(() => values.innerText()).toContain(': 0 live')
    await page.locator('#trend h2').hover()
    await expect.poll(() => values.innerText()).toContain(': 6 live')
  })

  test('explains its words as the document does', async () => {
    const { page } = await visit()
    await page.locator('.sections').getByRole('link', { name: 'Words' }).click()
    const lines = await page
      .locator('#glossary dl > div')
      .evaluateAll((all) => all.map((one) => `| ${one.children[0]?.textContent} | ${one.children[1]?.textContent} |`))
    for (const word of ['live', 'unassessed', 'residual', 'roster']) expect(lines.join()).toContain(`| ${word} |`)
    expect(readFileSync('docs/overview.md', 'utf8')).toContain(lines.join('\n'))
  })

  test('downloads issues and people with the same filter, in a file with a date', async () => {
    const { page } = await visit('?search=ada')
    for (const list of ['issues', 'personnel']) {
      const [download] = await Promise.all([page.waitForEvent('download'), page.locator(`#csv-${list}`).click()])
      expect(download.suggestedFilename()).toBe(`${list}-${day(0)}.csv`)
      const chunks: Buffer[] = []
      for await (const chunk of await download.createReadStream()) chunks.push(chunk)
      const lines = Buffer.concat(chunks).toString().trim().split('\n')
      expect(lines.length).toBe(list === 'issues' ? 1 : 2)
    }
  })
})
