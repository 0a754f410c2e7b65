import fc from 'fast-check'
import { expect, test } from 'vitest'
import { csvLine, sheetLayout, sheetValue } from '../../src/csv.js'
import { detailNames, exportRecords } from '../../src/ingest/export.js'
import { csvRecords } from '../../src/ingest/files/csv.js'
import { readSheet } from '../../src/ingest/files/sheet.js'
import { importRecords } from '../../src/ingest/importers.js'
import type { ImportResult } from '../../src/ingest/run.js'
import { derivedColumns, SHEETS } from '../../src/nouns.js'
import { erasePerson } from '../../src/personnel/erasure.js'
import { inOneWrite } from '../../src/store/shortWrites.js'
import type { Store } from '../../src/store/store.js'
import type { NounPlural } from '../../src/vocabulary.js'
import { idOf, type Members, type RandomProjects, randomProjects } from '../ingest/randomProjects.js'
import { NOW } from '../support/harness.js'
import { runs } from '../support/properties.js'
import { newStore } from '../support/stores.js'
import { workbookOf } from '../support/workbooks.js'

/** In the order of foreign keys. */
const ORDER = ['groups', 'people', 'projects', 'risks', 'issues'] as const satisfies readonly NounPlural[]
const FORMATS = ['csv', 'xlsx', 'ndjson'] as const
type Format = (typeof FORMATS)[number]

const WORDING = { place: String, createProjects: '', createGroups: '', closeLimit: '' }
const ALL_RIGHT = { violations: [], warnings: [] }
const LATER = new Date(NOW.getTime() + 60_000)

async function withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
  const own = newStore()
  const store = own.open()
  try {
    return await work(store)
  } finally {
    await store.close()
    own.remove()
  }
}

async function takeIn(store: Store, noun: NounPlural, values: readonly Members[], at = NOW): Promise<ImportResult> {
  const sourceRecords = values.map((one, index) => ({ index, values: one }))
  const options = { wording: WORDING, matchPeople: true }
  return store.write({ by: 'cli', at: () => at }, (write) => importRecords(write, noun, sourceRecords, options))
}

async function fill(store: Store, projects: Partial<RandomProjects>): Promise<void> {
  for (const noun of ORDER) {
    const records = projects[noun] ?? []
    const { counts, violations, warnings } = await takeIn(store, noun, records)
    expect({ violations, warnings }).toEqual(ALL_RIGHT)
    expect(counts.created).toBe(records.length)
  }
}

/** The rows of an export, by the functions that write its lines; a workbook is made of those of CSV. */
async function exported(store: Store, noun: NounPlural, format: Format): Promise<string> {
  const { columns } = SHEETS[noun]
  return store.snapshot(async (read) => {
    const { header, cells } = sheetLayout(columns, await detailNames(read, noun, false))
    let text = format === 'ndjson' ? '' : csvLine(header)
    for await (const page of exportRecords(read, noun, false)) {
      for (const row of page) {
        const members = columns.map((column) => [column, sheetValue(row[column])])
        text += format === 'ndjson' ? `${JSON.stringify(Object.fromEntries(members))}\n` : csvLine(cells(row))
      }
    }
    return text
  })
}

async function everything(store: Store, format: Format): Promise<Record<NounPlural, string>> {
  const texts: Partial<Record<NounPlural, string>> = {}
  for (const noun of ORDER) texts[noun] = await exported(store, noun, format)
  return texts as Record<NounPlural, string>
}

/** The records of an export, as an import reads them. */
function read(noun: NounPlural, format: Format, text: string): Members[] {
  const plan = SHEETS[noun]
  const rows = format === 'xlsx' ? Array.from(csvRecords(text, ','), ({ cells }) => cells) : []
  const { records, ignored } = readSheet(format === 'xlsx' ? workbookOf(rows) : Buffer.from(text), {
    name: noun,
    format,
    fields: Object.keys(plan.inputs),
    derived: derivedColumns(plan),
    ignoreUnknown: false,
  })
  expect({ violations: records.flatMap(({ violations }) => violations), ignored }).toEqual({
    violations: [],
    ignored: [],
  })
  return records.map(({ values }) => values)
}

/** The fields without timestamps, and details in the order of their names: columns have one order for all rows. */
async function lasting(store: Store): Promise<unknown> {
  const texts = await everything(store, 'ndjson')
  return ORDER.map((noun) =>
    texts[noun]
      .split('\n')
      .slice(0, -1)
      .map((line) => {
        const { createdAt: _, updatedAt: __, syncedAt: ___, details, ...rest } = JSON.parse(line)
        return {
          ...rest,
          details: new Map(details?.map((one: { name: string; text: string }) => [one.name, one.text])),
        }
      }),
  )
}

/** An export has the imported values; groups are tested by the round trip, since they are matched by name. */
async function requireExported(store: Store, projects: RandomProjects): Promise<void> {
  const trimmed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(({ name, text }) => ({ name: name.trim(), text: text.trim() }))
    return typeof value === 'string' ? value.trim() : value
  }
  for (const noun of ORDER) {
    const records = read(noun, 'ndjson', await exported(store, noun, 'ndjson'))
    const outcome = new Map(records.map((record) => [record['id'], record]))
    for (const { groups: _, ...given } of projects[noun]) {
      const stored = Object.entries(given).map(([name, value]) => [name, trimmed(value)])
      expect(outcome.get(given['id'])).toMatchObject(Object.fromEntries(stored))
    }
  }
}

async function changesIn({ read: { db, t } }: Store): Promise<number> {
  return db.$count(t.change)
}

/** Imports the exports of a store into itself, each of which must change nothing. */
async function takeInAgain(store: Store, format: Format): Promise<void> {
  for (const noun of ORDER) {
    const values = read(noun, format, await exported(store, noun, format))
    const { counts, violations, warnings } = await takeIn(store, noun, values, LATER)
    expect({ noun, counts, violations, warnings }).toEqual({
      noun,
      counts: { created: 0, updated: 0, closed: 0, unchanged: values.length },
      ...ALL_RIGHT,
    })
  }
}

/** Copies one store into another by its exports. */
async function move(from: Store, to: Store, format: Format): Promise<void> {
  for (const noun of ORDER) {
    const values = read(noun, format, await exported(from, noun, format))
    const { counts, violations, warnings } = await takeIn(to, noun, values, LATER)
    expect({ noun, violations, warnings }).toEqual({ noun, ...ALL_RIGHT })
    expect(counts.created).toBe(values.length)
  }
}

test('whatever is stored, its export is taken in again and changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(randomProjects, (stored) =>
      withStore(async (store) => {
        await fill(store, stored)
        await requireExported(store, stored)
        const [before, changes] = [await everything(store, 'csv'), await changesIn(store)]
        for (const format of FORMATS) await takeInAgain(store, format)
        const after = await everything(store, 'csv')
        expect(await changesIn(store)).toBe(changes)
        // Only the confirmation time of the projects changes.
        const projects = after.projects.replaceAll(LATER.toISOString(), NOW.toISOString())
        expect({ ...after, projects }).toEqual(before)
      }),
    ),
    runs(4),
  )
})

test.each(FORMATS)('a store is moved to an empty one by its exports as %s, ids included', async (format) => {
  await fc.assert(
    fc.asyncProperty(randomProjects, (projects) =>
      withStore((from) =>
        withStore(async (to) => {
          await fill(from, projects)
          await move(from, to, format)
          expect(await lasting(to)).toEqual(await lasting(from))
        }),
      ),
    ),
    runs(2),
  )
})

test('more than a page is moved, and taken in again', async () => {
  const many = (values: (n: number) => Members) => Array.from({ length: 1_001 }, (_, n) => values(n))
  await withStore((from) =>
    withStore(async (to) => {
      await fill(from, {
        groups: [{ name: 'One; two' }],
        people: many((n) => ({ name: 'Same name', email: `p${n}@example.com`, groups: ['One; two'] })),
        projects: [{ key: 'APOLLO', name: 'Apollo' }],
        risks: many((n) => ({ project: 'APOLLO', reference: n, title: '=1', owner: `p${n}@example.com` })),
        issues: many((n) => ({ project: 'APOLLO', reference: n, title: '=1', severity: 'LOW', risk: String(n) })),
      })
      await takeInAgain(from, 'csv')
      await move(from, to, 'csv')
      expect(await lasting(to)).toEqual(await lasting(from))
    }),
  )
})

/** A store in which the owner of a risk was erased. */
async function fillAndErase(store: Store): Promise<void> {
  const id = idOf('person', 0)
  await fill(store, {
    groups: [{ name: 'Inspectors' }],
    people: [{ id, name: 'Ada', email: 'ada@example.com', groups: ['Inspectors'] }],
    projects: [{ key: 'APOLLO', name: 'Apollo' }],
    risks: [{ project: 'APOLLO', reference: 'R-1', title: 'Steel', ownerId: id, ownerName: 'Ada' }],
    issues: [{ project: 'APOLLO', reference: 'I-1', title: 'Crane', severity: 'LOW' }],
  })
  await store.write({ by: 'cli', at: () => NOW }, (write) => erasePerson(inOneWrite(write), id))
}

test.each(FORMATS)('who was erased is exported as %s, and taken in again as they are', async (format) => {
  await withStore(async (store) => {
    await fillAndErase(store)
    await takeInAgain(store, format)
  })
})

test('who was erased is moved to another store, and stays erased there', async () => {
  await withStore((from) =>
    withStore(async (to) => {
      await fillAndErase(from)
      await move(from, to, 'csv')
      expect(await lasting(to)).toEqual(await lasting(from))
      const [person] = await to.read.db.select().from(to.read.t.person)
      expect(person?.erasedAt).not.toBeNull()
    }),
  )
})
