import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { type ExportFlags, exportTo } from '../../src/cli/export.js'
import { ROUTES } from '../../src/http/rest/routes.js'
import { type ExportRecord, exportRecords } from '../../src/ingest/export.js'
import { importRecords } from '../../src/ingest/importers.js'
import { SHEETS } from '../../src/nouns.js'
import type { Write } from '../../src/store/store.js'
import { NOUN_PLURALS, type NounPlural, nounOfPlural } from '../../src/vocabulary.js'
import { addGroup, addIssue, addProject, addRisk, issue, project, risk } from '../support/fixtures.js'
import { type Gateway, NOW, type Office, openGateway, openOffice } from '../support/harness.js'
import { newFolder } from '../support/process.js'

const AT = NOW.toISOString()
/** More than a page holds. */
const MANY = 1_001
const LARGE: readonly NounPlural[] = ['people', 'risks', 'issues']

/** The file and the output of `operations export`. */
async function exported({ own }: Gateway, noun: NounPlural, flags: Partial<ExportFlags> = {}) {
  const output = join(newFolder(), 'export')
  const messages: string[] = []
  const stderr = vi.spyOn(process.stderr, 'write').mockImplementation((words) => messages.push(String(words)) > 0)
  try {
    await exportTo(noun, { format: 'csv', output, database: own.url, ...flags })
  } finally {
    stderr.mockRestore()
  }
  return { text: readFileSync(output, 'utf8'), messages, output }
}

/** The header of an export without details. */
function header(noun: NounPlural): string {
  return SHEETS[noun].columns.filter((column) => column !== 'details').join(',')
}

/** Each line of an NDJSON export. */
async function records(gateway: Gateway, noun: NounPlural, flags: Partial<ExportFlags> = {}) {
  const { text } = await exported(gateway, noun, { ...flags, format: 'ndjson' })
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}

/** More people, risks and issues than a page holds, many of a kind in a row, with cells that are hard on a spreadsheet. */
async function openLargeOffice(): Promise<Office> {
  const stage = await openOffice()
  const many = (values: (index: number) => Record<string, unknown>) =>
    Array.from({ length: MANY }, (_, index) => values(index))
  const title = (index: number) => ['=1+1', 'Steel, "late"', 'Zeile\r\nzwei', 'Größe; 😀'][index % 4]
  const line = (index: number) => title(index)?.replace('\r\n', ' ;=')
  await stage.gateway.write(async (write) => {
    await take(write, 'groups', [{ name: 'One; two', externalId: '+49', description: '@home' }])
    await take(
      write,
      'people',
      many((i) => ({ name: 'Same name', externalId: `S-${i}`, title: line(i), groups: ['One; two'] })),
    )
    await take(
      write,
      'risks',
      many((i) => ({ project: 'OLD', reference: i, title: title(i), ownerName: line(i + 1) })),
    )
    await take(
      write,
      'issues',
      many((i) => ({ project: 'APOLLO', reference: i, title: title(i), severity: 'low' })),
    )
  })
  return stage
}

async function idsOf({ store }: Gateway, noun: NounPlural): Promise<string[]> {
  const { db, t } = store.read
  const table = t[nounOfPlural(noun)]
  return (await db.select({ id: table.id }).from(table)).map(({ id }) => id).sort()
}

function pathOf(noun: NounPlural): string {
  return ROUTES.find(({ sheet }) => sheet === noun)?.path ?? ''
}

test('many pages have each entry once, and with --live equal the CSV of the list byte for byte', async () => {
  const { gateway, caller } = await openLargeOffice()
  for (const noun of NOUN_PLURALS) {
    const all = await records(gateway, noun)
    expect(all.length > MANY).toBe(LARGE.includes(noun))
    expect(all.map(({ id }) => id).sort()).toEqual(await idsOf(gateway, noun))
    const list = await caller.get(pathOf(noun), { accept: 'text/csv' })
    const { text } = await exported(gateway, noun, { live: true })
    expect(list.status).toBe(200)
    // Not compared by a matcher, which would print both texts.
    expect(text === list.text, `${noun}: ${text.slice(0, 500)}\n---\n${list.text.slice(0, 500)}`).toBe(true)
  }
})

describe('an export', () => {
  test('has everything, and with --live what the list shows', async () => {
    const { gateway, caller } = await openOffice()
    for (const noun of NOUN_PLURALS) {
      const everything = await records(gateway, noun)
      expect(everything.map(({ id }) => id).sort()).toEqual(await idsOf(gateway, noun))
      const shown = (await caller.get(pathOf(noun))).body.data
      const live = await records(gateway, noun, { live: true })
      expect(live.map(({ id }) => id)).toEqual(shown.map(({ id }: { id: string }) => id))
      const hasHidden = noun === 'people' || noun === 'risks' || noun === 'issues'
      expect(everything.length > live.length).toBe(hasHidden)
    }
    const closed = (await records(gateway, 'risks')).filter(({ status }) => status === 'CLOSED')
    expect(new Set(closed.map(({ rank }) => rank))).toEqual(new Set([null]))
  })

  test('prints how much it wrote, and where; only the owner can read the file', async () => {
    const { gateway } = await openOffice()
    const { messages, output } = await exported(gateway, 'groups')
    expect(messages).toEqual([`Wrote 3 groups to ${output}.\n`])
    expect(statSync(output).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(output, '..'))).toEqual(['export'])
  })

  test('begins with a byte order mark if requested, as CSV', async () => {
    const { gateway } = await openOffice()
    const plain = await exported(gateway, 'people')
    expect((await exported(gateway, 'people', { bom: true })).text).toBe(`\ufeff${plain.text}`)
    const lines = await exported(gateway, 'people', { format: 'ndjson' })
    expect((await exported(gateway, 'people', { format: 'ndjson', bom: true })).text).toBe(lines.text)
  })

  test('of nothing is a line of names, or no line at all', async () => {
    const gateway = openGateway()
    for (const noun of NOUN_PLURALS) {
      expect((await exported(gateway, noun)).text).toBe(`${header(noun)}\r\n`)
      expect((await exported(gateway, noun, { format: 'ndjson' })).text).toBe('')
    }
  })

  test('as NDJSON has the same columns, lists as lists, numbers as numbers, and null for nothing', async () => {
    const gateway = openGateway()
    const id = await gateway.write(async (write) => {
      const odd = await addGroup(write, { name: 'One; two', description: '=1' })
      const plain = await addGroup(write, { name: 'Bau "Süd"' })
      const projectId = await addProject(write, project())
      await take(write, 'people', [{ name: 'Ärzte', externalId: '007', 'details.Site': 'Süd', groups: [odd, plain] }])
      const riskId = await addRisk(write, risk(projectId, { ownerName: '-x', likelihood: 5, impact: 4 }))
      return { odd, riskId, issueId: await addIssue(write, issue(projectId, { riskId, title: 'Zeile\nzwei' })) }
    })
    const timestamps = { createdAt: AT, updatedAt: AT }
    const [person] = await records(gateway, 'people')
    expect(person).toEqual({
      id: person.id,
      name: 'Ärzte',
      email: null,
      externalId: '007',
      title: null,
      department: null,
      status: 'ACTIVE',
      groups: ['Bau "Süd"', id.odd],
      details: [{ name: 'Site', text: 'Süd' }],
      ...timestamps,
    })
    expect(Object.keys(person)).toEqual(SHEETS.people.columns)
    const [first] = await records(gateway, 'risks')
    expect(first).toMatchObject({
      id: id.riskId,
      project: 'APOLLO',
      likelihood: 5,
      score: 20,
      rank: 1,
      ownerName: '-x',
    })
    const [only] = await records(gateway, 'issues')
    expect(only).toMatchObject({
      id: id.issueId,
      project: 'APOLLO',
      riskId: id.riskId,
      title: 'Zeile\nzwei',
      dueOn: null,
    })
  })

  test('shows the store as of the request, before the first row is read', async () => {
    const { gateway } = await openOffice()
    const names = await gateway.store.snapshot(async (read) => {
      await gateway.write((write) => addGroup(write, { name: 'Latecomers' }))
      return (await read.db.select().from(read.t.group)).map(({ name }) => name)
    })
    expect(names).not.toContain('Latecomers')
  })

  test('shows the store as of its start, despite writes meanwhile', async () => {
    const { gateway } = await openLargeOffice()
    const gather = (noun: NounPlural, meanwhile: () => Promise<void>) =>
      gateway.store.snapshot(async (read) => {
        const rows: ExportRecord[] = []
        for await (const page of exportRecords(read, noun, false)) {
          expect(page.length).toBeLessThanOrEqual(1_000)
          if (rows.length === 0) await meanwhile()
          rows.push(...page)
        }
        return rows
      })
    for (const [index, noun] of LARGE.entries()) {
      const before = await gather(noun, async () => undefined)
      expect(await gather(noun, () => addLast(gateway, index))).toEqual(before)
      expect((await gather(noun, async () => undefined)).length).toBe(before.length + 1)
    }
  })
})

/** One more of each noun, last in its export or with the highest score. */
function addLast(gateway: Gateway, index: number): Promise<void> {
  return gateway.write(async (write) => {
    await take(write, 'people', [{ name: 'zzz', externalId: `Z-${index}`, groups: [] }])
    await take(write, 'projects', [{ key: `ZZZ-${index}`, name: 'Last' }])
    await take(write, 'risks', [{ project: `ZZZ-${index}`, reference: 'R', title: 'x', likelihood: 5, impact: 5 }])
    await take(write, 'issues', [{ project: `ZZZ-${index}`, reference: 'I', title: 'x', severity: 'LOW' }])
  })
}

/** Imports records, all of which must be valid. */
async function take(write: Write, noun: NounPlural, values: readonly Record<string, unknown>[]): Promise<void> {
  const wording = { place: String, createProjects: '', createGroups: '', closeLimit: '' }
  const sourceRecords = values.map((one, index) => ({ index, values: one }))
  expect((await importRecords(write, noun, sourceRecords, { wording, matchPeople: true })).violations).toEqual([])
}
