/** The generated company to measure on: the same rows in every run, imported by the gateway's own importer. */
import { execFileSync } from 'node:child_process'
import { closeSync, copyFileSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { csvLine } from '../../../src/csv.js'
import { openDatabase } from '../../../src/store/sqlite/driver.js'
import { MAIN, mint, newFolder } from '../../campaigns/served.js'

export interface Sizes {
  readonly people: number
  readonly groups: number
  readonly projects: number
  readonly risks: number
  readonly issues: number
}

export const COMPANY: Sizes = { people: 10_000, groups: 200, projects: 300, risks: 20_000, issues: 20_000 }

/** A store and a key with all scopes that the workloads need. */
export interface Filled {
  readonly folder: string
  readonly key: string
}

const GIVEN = ['Ada', 'Beatriz', 'Chidi', 'Dagmar', 'Emeka', 'Fatima', 'Goran', 'Hanna', 'Ingrid', 'João', 'Katalin']
const FAMILY = ['Adeyemi', 'Brandt', 'Carvalho', 'Dvořák', 'El Amrani', 'Fischer', 'Grünwald', 'Haugen', 'Ivanova']
const TITLES = ['Project Manager', 'Lead Engineer', 'Site Supervisor', 'Buyer', 'Safety Officer', 'Data Engineer']
const DEPARTMENTS = ['Engineering', 'Delivery', 'Construction', 'Procurement', 'Finance']
const CATEGORIES = ['Supply', 'Technical', 'Security', 'Legal', 'Weather', 'Staffing']
const RESPONSES = ['AVOID', 'MITIGATE', 'TRANSFER', 'ACCEPT']
const SEVERITIES = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL']

const pick = (values: readonly string[], index: number) => values[index % values.length] ?? ''
/** A number below `bound`: the same in every run, without a pattern that an index could benefit from. */
function scattered(index: number, salt: number, bound: number): number {
  let mixed = Math.imul(index + 1, 0x9e3779b1) ^ Math.imul(salt, 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d)
  return ((mixed ^ (mixed >>> 13)) >>> 0) % bound
}
const day = (index: number) => new Date(Date.UTC(2025, 0, 1) + (index % 600) * 86_400_000).toISOString().slice(0, 10)

const emailOf = (index: number) => `person${index}@company.example`
const groupOf = (index: number) => `Group ${String(index).padStart(3, '0')}`
const projectOf = (index: number) => `PRJ-${String(index).padStart(3, '0')}`

export function* peopleRows({ people, groups }: Sizes) {
  for (let i = 0; i < people; i++) {
    const name = `${pick(GIVEN, scattered(i, 1, 997))} ${pick(FAMILY, scattered(i, 2, 991))} ${i}`
    const memberships = i % 3 === 0 ? [i, i + 7] : [i]
    const title = i % 10 === 0 ? '' : pick(TITLES, i)
    const belongs = memberships.map((one) => groupOf(one % groups)).join(';')
    yield [name, emailOf(i), i % 5 === 0 ? '' : `HR-${i}`, title, pick(DEPARTMENTS, i), 'ACTIVE', belongs]
  }
}

export function* riskRows({ people, projects, risks }: Sizes) {
  for (let i = 0; i < risks; i++) {
    const isAssessed = i % 20 !== 0
    const likelihood = isAssessed ? String(1 + scattered(i, 3, 5)) : ''
    const impact = isAssessed ? String(1 + scattered(i, 4, 5)) : ''
    const owner = scattered(i, 5, people)
    const project = projectOf(i % projects)
    const status = i % 10 === 9 ? 'CLOSED' : i % 10 === 8 ? 'OCCURRED' : 'OPEN'
    const words = `Delivery ${i} arrives later than the plan allows`
    const description = 'Countermeasures are in the project plan and reported every month.'
    yield [
      ...[project, `R-${i}`, words, i % 4 === 0 ? '' : description, pick(CATEGORIES, i), likelihood, impact, status],
      ...[pick(RESPONSES, i), emailOf(owner), `Owner ${owner}`, `https://projects.example.com/${project}/risks/${i}`],
      ...[day(scattered(i, 6, 600)), i % 3 === 0 ? '' : day(scattered(i, 7, 600))],
    ]
  }
}

function* issueRows({ people, projects, issues }: Sizes) {
  for (let i = 0; i < issues; i++) {
    const project = projectOf(i % projects)
    const status = pick(['OPEN', 'IN_PROGRESS', 'BLOCKED', 'RESOLVED', 'CLOSED'], i)
    const assignee = scattered(i, 8, people)
    yield [
      ...[project, `I-${i}`, `Permit ${i} was refused`, i % 2 === 0 ? '' : 'A new traffic plan is wanted first.'],
      ...[pick(SEVERITIES, scattered(i, 9, 4)), status, i % 6 === 0 ? '' : emailOf(assignee), `Assignee ${assignee}`],
      ...[`https://projects.example.com/${project}/issues/${i}`, day(scattered(i, 10, 600)), day(i)],
    ]
  }
}

const SHEETS = {
  groups: {
    columns: ['name', 'externalId', 'description'],
    rows: function* ({ groups }: Sizes) {
      for (let i = 0; i < groups; i++) yield [groupOf(i), `DIR-${i}`, 'Whoever may sign off an inspection.']
    },
  },
  people: {
    columns: ['name', 'email', 'externalId', 'title', 'department', 'status', 'groups'],
    rows: peopleRows,
  },
  projects: {
    columns: ['key', 'name', 'description', 'url', 'status'],
    rows: function* ({ projects }: Sizes) {
      for (let i = 0; i < projects; i++) {
        yield [projectOf(i), `Renewal of site ${i}`, '', `https://projects.example.com/${projectOf(i)}`, 'ACTIVE']
      }
    },
  },
  risks: {
    columns: [
      ...['project', 'reference', 'title', 'description', 'category', 'likelihood', 'impact', 'status', 'response'],
      ...['owner', 'ownerName', 'url', 'raisedOn', 'reviewOn'],
    ],
    rows: riskRows,
  },
  issues: {
    columns: [
      ...['project', 'reference', 'title', 'description', 'severity', 'status', 'assignee', 'assigneeName', 'url'],
      ...['raisedOn', 'dueOn'],
    ],
    rows: issueRows,
  },
} as const

/** A new store with this many rows of each noun. */
export function fill(sizes: Sizes): Filled {
  const folder = newFolder()
  const key = mint(folder, 'personnel.manage', 'projects.read')
  importAll(folder, sizes)
  return { folder, key }
}

/** Imports this many rows of each noun into the store of a folder, by this build. */
export function importAll(folder: string, sizes: Sizes, main = MAIN): void {
  for (const [noun, { columns, rows }] of Object.entries(SHEETS)) {
    const sheet = join(folder, `${noun}.csv`)
    writeSheet(sheet, columns, rows(sizes))
    execFileSync(process.execPath, [main, 'import', noun, sheet, '--json'], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    rmSync(sheet)
  }
  settle(storeOf(folder))
}

const LINES_AT_ONCE = 5_000

function writeSheet(file: string, columns: readonly string[], rows: Iterable<readonly string[]>): void {
  const sheet = openSync(file, 'w')
  let lines = [csvLine([...columns])]
  for (const row of rows) {
    lines.push(csvLine([...row]))
    if (lines.length >= LINES_AT_ONCE) {
      writeSync(sheet, lines.join(''))
      lines = []
    }
  }
  writeSync(sheet, lines.join(''))
  closeSync(sheet)
}

export function storeOf(folder: string): string {
  return join(folder, 'data', 'operations.db')
}

/** Checkpoints the WAL into the file, so that it can be copied. */
export function settle(file: string): void {
  const db = openDatabase(file)
  db.pragma('wal_checkpoint(truncate)')
  db.close()
}

/** A copy of a store to write to, in its own folder. */
export function copyOf({ folder, key }: Filled): Filled {
  const copy = mkdtempSync(join(folder, 'copy-'))
  mkdirSync(join(copy, 'data'))
  copyFileSync(storeOf(folder), storeOf(copy))
  return { folder: copy, key }
}

export function countPeople({ folder }: Filled): number {
  const db = openDatabase(storeOf(folder), { readonly: true })
  const count = Number(db.prepare('select count(*) from person').pluck().get())
  db.close()
  return count
}
