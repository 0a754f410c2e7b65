/**
 * Reads and writes per second of one PostgreSQL on this machine: compared with a SQLite file, and through 1, 2 and 3
 * instances of the service. TEST_DATABASE_URL names a server (with an empty database); otherwise one is started and
 * removed. BENCH_SQLITE_MAIN names the `dist/main.js` of another build to serve the file.
 *
 *   npm run bench -- scaling [PEOPLE [RISKS [SECONDS [COPIES]]]]
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { csvLine } from '../../src/csv.js'
import { Client, median } from '../campaigns/client.js'
import { MAIN, newFolder, type Served, serve } from '../campaigns/served.js'
import { newServer } from '../postgres/server.js'

const [people = 0, risks = 0, seconds = 0, copiesMax = 0] = [10_000, 10_000, 5, 3].map((fallback, i) =>
  Number(process.argv[2 + i] ?? fallback),
)
/** Rows per sheet: a million are more than one import accepts. */
const SHEET_ROWS = 100_000
const PROJECTS = 100
const CALLERS = 16
/** The engines alternate, so that other load on the machine affects both alike. */
const ROUNDS = 3

/** A filled store, and the program that serves it. */
interface Filled {
  readonly main: string
  readonly database: string
  readonly key: string
}

const folder = newFolder()
const server = process.env['TEST_DATABASE_URL'] ? undefined : await newServer({ isDurable: true })

function operations({ main, database }: Omit<Filled, 'key'>, ...args: string[]): string {
  return execFileSync(process.execPath, [main, ...args, '--database', database], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

/** A sheet to import. */
interface Sheets {
  readonly noun: string
  readonly columns: readonly string[]
  readonly rows: number
  readonly row: (i: number) => unknown[]
  readonly flags?: readonly string[]
}

/** Imports rows sheet by sheet, and prints the duration. */
function importSheet(store: Omit<Filled, 'key'>, { noun, columns, rows, row, flags = [] }: Sheets): void {
  const began = performance.now()
  for (let start = 0; start < rows; start += SHEET_ROWS) {
    const file = join(folder, `${noun}.csv`)
    const length = Math.min(SHEET_ROWS, rows - start)
    const lines = Array.from({ length }, (_, i) => csvLine(row(start + i).map(String)))
    writeFileSync(file, csvLine(columns) + lines.join(''))
    operations(store, 'import', noun, file, ...flags)
  }
  console.log(`${rows} ${noun} imported in ${((performance.now() - began) / 1000).toFixed(1)} s`)
}

function filled(main: string, database: string): Filled {
  const store = { main, database }
  const scopes = ['--scope', 'personnel.manage', '--scope', 'projects.manage']
  const minted = operations(store, 'keys', 'create', '--json', '--name', 'bench', '--expires', '1d', ...scopes)
  importSheet(store, {
    noun: 'people',
    columns: ['name', 'email', 'title'],
    rows: people,
    row: (i) => [`Person ${(i * 7919) % people}`, `p${i}@example.com`, `Engineer ${i % 50}`],
  })
  importSheet(store, {
    noun: 'risks',
    columns: ['project', 'reference', 'title', 'likelihood', 'impact', 'owner', 'category'],
    rows: risks,
    row: (i) => [
      ...[`P-${i % PROJECTS}`, `R-${i}`, `Risk ${i}`, 1 + (i % 5), 1 + ((i >> 3) % 5)],
      ...[`p${(i * 31) % people}@example.com`, `Category ${i % 40}`],
    ],
    flags: ['--create-projects'],
  })
  return { ...store, key: JSON.parse(minted).key }
}

type Call = (client: Client, i: number) => Promise<void>

interface Rate {
  readonly perSecond: number
  readonly words: string
}

/** Sends as many requests as complete in the time, distributed over all instances. */
async function rate(copies: readonly Served[], key: string, call: Call, callers = CALLERS): Promise<Rate> {
  const clients = copies.map(({ origin }) => new Client(origin, key, callers))
  const times: number[] = []
  const began = performance.now()
  const endsAt = began + seconds * 1_000
  const work = async (caller: number) => {
    for (let i = caller; performance.now() < endsAt; i += callers) {
      const sentAt = performance.now()
      await call(clients[i % clients.length] as Client, i)
      times.push(performance.now() - sentAt)
    }
  }
  await Promise.all(Array.from({ length: callers }, (_, caller) => work(caller)))
  for (const client of clients) client.close()
  const perSecond = Math.round((times.length * 1_000) / (performance.now() - began))
  const p99 = [...times].sort((one, other) => one - other)[Math.floor(times.length * 0.99)] ?? 0
  const words = `${String(perSecond).padStart(6)}/s  median ${median(times).toFixed(1)} ms  p99 ${p99.toFixed(1)} ms`
  return { perSecond, words }
}

async function expecting(status: number, answer: Promise<{ status: number; text: string }>): Promise<void> {
  const { status: got, text } = await answer
  if (got !== status) throw new Error(`${got} ${text}`)
}

const reading =
  (path: string): Call =>
  (client) =>
    expecting(200, client.request(path))

let rounds = 0

/** People that do not exist yet. */
function adding(): Call {
  const round = rounds++
  return (client, i) => {
    const body = JSON.stringify({ name: 'Ada', externalId: `${round}-${i}` })
    return expecting(201, client.request('/v1/personnel', { method: 'POST', body }))
  }
}

const WORKS: Readonly<Record<string, () => Call>> = {
  '50 people': () => reading('/v1/personnel?limit=50'),
  '50 risks': () => reading('/v1/risks?limit=50'),
  'one key': () => reading('/v1/key'),
  'add person': adding,
}

function start({ main, database }: Filled): Promise<Served> {
  return serve(folder, ['--database', database, '--rate-limit', '0', '--log-level', 'silent'], [], main)
}

/** The rate of PostgreSQL divided by that of SQLite. */
async function compare(sqlite: Filled, postgres: Filled): Promise<void> {
  const stores = [sqlite, postgres]
  const served = await Promise.all(stores.map(start))
  for (const [name, work] of Object.entries(WORKS)) {
    for (const callers of [CALLERS, 1]) {
      const found = stores.map((): number[] => [])
      for (let round = 0; round < ROUNDS; round++) {
        for (const [at, { key }] of stores.entries()) {
          const { perSecond } = await rate([served[at] as Served], key, work(), callers)
          found[at]?.push(perSecond)
        }
      }
      const [file = 0, database = 0] = found.map(median)
      const ratio = (database / file).toFixed(2)
      const words = `SQLite ${String(file).padStart(6)}/s  PostgreSQL ${String(database).padStart(6)}/s  ${ratio}`
      console.log(`  ${name.padEnd(11)} ${String(callers).padStart(2)} callers  ${words}`)
    }
  }
  await Promise.all(served.map((one) => one.end('SIGTERM')))
}

async function measure(store: Filled, copies: number): Promise<void> {
  const served = await Promise.all(Array.from({ length: copies }, () => start(store)))
  console.log(`${copies} copies`)
  for (const [name, work] of Object.entries(WORKS)) {
    console.log(`  ${name.padEnd(11)} ${(await rate(served, store.key, work())).words}`)
  }
  await Promise.all(served.map((one) => one.end('SIGTERM')))
}

try {
  const database = process.env['TEST_DATABASE_URL'] ?? server?.url('postgres') ?? ''
  const postgres = filled(MAIN, database)
  const sqlite = filled(process.env['BENCH_SQLITE_MAIN'] ?? MAIN, `file:${join(folder, 'scaling.db')}`)
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  await client.query('analyze')
  await client.end()
  await compare(sqlite, postgres)
  for (let copies = 1; copies <= copiesMax; copies++) await measure(postgres, copies)
} finally {
  await server?.remove()
}
