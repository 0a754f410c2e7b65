import { expect, onTestFinished, test } from 'vitest'
import { importRecords, requireDecided } from '../../src/ingest/importers.js'
import type { ImportOptions, ImportResult } from '../../src/ingest/run.js'
import type { Write } from '../../src/store/store.js'
import { engine } from '../support/engine.js'
import { NOW } from '../support/harness.js'
import { newStore } from '../support/stores.js'

type Row = Readonly<Record<string, unknown>>
type Sheet = readonly [
  noun: Parameters<typeof importRecords>[1],
  rows: readonly Row[],
  options?: Partial<ImportOptions>,
]

/** More than one batch. */
const ROWS = 510
const sheet = (row: (i: number) => Row, rows = ROWS) => Array.from({ length: rows }, (_, i) => row(i))

const person = (i: number) => ({
  name: `Person ${i}`,
  externalId: `HR-${i}`,
  email: `p${i}@example.com`,
  groups: i % 5 === 0 ? [] : [`Group ${i % 7}`, `group ${Math.floor(i / 100)}`],
  status: i % 4 === 0 ? 'INACTIVE' : 'ACTIVE',
})
const risk = (i: number) => ({
  project: `P-${i % 90}`,
  reference: `R-${i}`,
  title: `Risk ${i}`,
  likelihood: 1 + (i % 5),
  impact: 3,
  ...(i % 3 === 0 && { owner: `HR-${i}` }),
})
const PROJECTS = { createProjects: true }
const CLOSING = { closeMissing: true, closeLimit: ROWS }

/** Each sheet after the others, and whether its draft is stored. */
const SHEETS: Readonly<Record<string, { sheet: Sheet; isDrafted: boolean }>> = {
  people: { sheet: ['people', sheet(person), { createGroups: true }], isDrafted: true },
  'other groups and statuses': {
    sheet: ['people', sheet((i) => ({ ...person(i + 1), externalId: `HR-${i}`, email: `p${i}@example.com` }))],
    isDrafted: true,
  },
  'the same again': { sheet: ['people', sheet(person), { createGroups: true }], isDrafted: true },
  'an e-mail that passes on': {
    sheet: [
      'people',
      sheet((i) => ({ externalId: `HR-${i}`, email: i === 0 ? 'new@example.com' : `p${i % (ROWS - 1)}@example.com` })),
    ],
    isDrafted: false,
  },
  'an unknown group': { sheet: ['people', sheet((i) => ({ ...person(i), groups: ['None'] }))], isDrafted: false },
  risks: { sheet: ['risks', sheet(risk), PROJECTS], isDrafted: true },
  'fewer risks': {
    sheet: ['risks', sheet((i) => ({ ...risk(i), impact: 1 + (i % 4) }), ROWS - 9), { ...PROJECTS, ...CLOSING }],
    isDrafted: true,
  },
  'all risks again': { sheet: ['risks', sheet(risk), { ...PROJECTS, ...CLOSING }], isDrafted: true },
  issues: {
    sheet: [
      'issues',
      sheet((i) => ({
        project: `P-${i % 90}`,
        reference: `I-${i}`,
        title: 'Shut',
        severity: 'HIGH',
        risk: `R-${i}`,
        assignee: `HR-${i}`,
      })),
    ],
    isDrafted: true,
  },
}

const WORDING = { place: String, createProjects: '', createGroups: '', closeLimit: '' }

class NotStored extends Error {}

/** A store and an import into it; `dump` has every row in the order of storing, with numbers for ids. */
function openStore() {
  const own = newStore()
  const store = own.open()
  onTestFinished(async () => {
    await store.close()
    own.remove()
  })
  const drafts: boolean[] = []
  return {
    drafts,
    async run([noun, rows, options]: Sheet, isLate: boolean) {
      drafts.length = 0
      let result: ImportResult | undefined
      const records = rows.map((values, index) => ({ index, values }))
      const work = async (write: Write, isDraft = false) => {
        drafts.push(isDraft)
        result = await importRecords(write, noun, records, { matchPeople: true, wording: WORDING, ...options })
        if (isDraft) requireDecided(result)
        if (result.flaws.length > 0) throw new NotStored()
      }
      const as = { by: 'cli', at: () => NOW }
      await (isLate ? store.writeLate(as, work) : store.write(as, work)).catch((error) => {
        if (!(error instanceof NotStored)) throw error
      })
      const { counts, flaws, warnings, unclosed, made } = result ?? {}
      return numbered({ counts, flaws, warnings, unclosed, made })
    },
    dump: () =>
      numbered(
        own
          .tables()
          .map((table) =>
            own
              .rows(`select * from "${table}" order by rowid`)
              .map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !name.includes('nonce')))),
          ),
      ),
    indexes: () => own.values("select name from sqlite_master where type = 'index' order by name"),
  }
}

function numbered(value: unknown): unknown {
  const numbers = new Map<string, number>()
  const text = JSON.stringify(value).replaceAll(/\b(usr|grp|prj|rsk|iss)_[0-9a-z]{26}\b/g, (id) => {
    numbers.set(id, numbers.get(id) ?? numbers.size)
    return `id ${numbers.get(id)}`
  })
  return JSON.parse(text)
}

test.runIf(engine === 'sqlite')('an import that is drafted stores exactly what one in a transaction does', async () => {
  const [plain, late] = [openStore(), openStore()]
  const indexes = late.indexes()
  for (const [name, { sheet: one, isDrafted }] of Object.entries(SHEETS)) {
    const expected = await plain.run(one, false)
    expect([name, await late.run(one, true)]).toEqual([name, expected])
    expect([name, late.drafts]).toEqual([name, isDrafted ? [true] : [true, false]])
  }
  expect(late.dump()).toEqual(plain.dump())
  expect(late.indexes()).toEqual(indexes)
})
