/**
 * What one PostgreSQL on this machine carries: reads and writes a second through 1, 2 and 3 copies of the service,
 * filled by the importer. Names a server by TEST_DATABASE_URL (an empty database), or starts one and throws it away.
 *
 *   npm run bench:scaling [-- PEOPLE [RISKS [SECONDS]]]
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { csvLine } from '../../src/sheets/csv.js'
import { Client, median } from '../campaigns/client.js'
import { MAIN, newFolder, type Served, serve } from '../campaigns/served.js'
import { newServer } from '../postgres/server.js'

const [people, risks, seconds] = [10_000, 10_000, 5].map((fallback, i) => Number(process.argv[2 + i] ?? fallback))
/** A sheet of a million rows is more than an import takes at once. */
const SHEET_ROWS = 100_000
const PROJECTS = 100
const CALLERS = 16

const folder = newFolder()
const server = process.env['TEST_DATABASE_URL'] ? undefined : await newServer({ isDurable: true })
const database = process.env['TEST_DATABASE_URL'] ?? server?.url('postgres') ?? ''

function operations(...args: string[]): string {
  return execFileSync(process.execPath, [MAIN, ...args, '--database', database], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

/** Brings rows in by the importer, sheet by sheet, and tells how long that took. */
function bring(
  noun: string,
  columns: readonly string[],
  rows: number,
  row: (i: number) => unknown[],
  ...flags: string[]
) {
  const began = performance.now()
  for (let start = 0; start < rows; start += SHEET_ROWS) {
    const file = join(folder, `${noun}.csv`)
    const length = Math.min(SHEET_ROWS, rows - start)
    const lines = Array.from({ length }, (_, i) => csvLine(row(start + i).map(String)))
    writeFileSync(file, csvLine(columns) + lines.join(''))
    operations('import', noun, file, ...flags)
  }
  console.log(`${rows} ${noun} imported in ${((performance.now() - began) / 1000).toFixed(1)} s`)
}

function fill(): void {
  bring('people', ['name', 'email', 'title'], people ?? 0, (i) => [
    `Person ${(i * 7919) % (people ?? 1)}`,
    `p${i}@example.com`,
    `Engineer ${i % 50}`,
  ])
  const columns = ['project', 'reference', 'title', 'likelihood', 'impact', 'owner', 'category']
  const risk = (i: number) => [
    ...[`P-${i % PROJECTS}`, `R-${i}`, `Risk ${i}`, 1 + (i % 5), 1 + ((i >> 3) % 5)],
    ...[`p${(i * 31) % (people ?? 1)}@example.com`, `Category ${i % 40}`],
  ]
  bring('risks', columns, risks ?? 0, risk, '--create-projects')
}

/** As many requests as can be answered in the time, through all copies in turn. */
async function rate(copies: readonly Served[], key: string, ask: (client: Client, i: number) => Promise<unknown>) {
  const clients = copies.map(({ origin }) => new Client(origin, key, CALLERS))
  const times: number[] = []
  const began = performance.now()
  const endsAt = began + (seconds ?? 0) * 1_000
  const work = async (caller: number) => {
    for (let i = caller; performance.now() < endsAt; i += CALLERS) {
      const askedAt = performance.now()
      await ask(clients[i % clients.length] as Client, i)
      times.push(performance.now() - askedAt)
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, (_, caller) => work(caller)))
  for (const client of clients) client.close()
  const perSecond = Math.round((times.length * 1_000) / (performance.now() - began))
  const p99 = [...times].sort((one, other) => one - other)[Math.floor(times.length * 0.99)] ?? 0
  return `${String(perSecond).padStart(6)}/s  median ${median(times).toFixed(1)} ms  p99 ${p99.toFixed(1)} ms`
}

async function expecting(status: number, answer: Promise<{ status: number; text: string }>): Promise<void> {
  const { status: got, text } = await answer
  if (got !== status) throw new Error(`${got} ${text}`)
}

async function measure(copies: number, key: string): Promise<void> {
  const args = ['--database', database, '--rate-limit', '0', '--log-level', 'silent']
  const served = await Promise.all(Array.from({ length: copies }, () => serve(folder, args)))
  const read = (path: string) => rate(served, key, (client) => expecting(200, client.ask(path)))
  console.log(`${copies} copies`)
  console.log(`  50 people   ${await read('/v1/personnel?limit=50')}`)
  console.log(`  50 risks    ${await read('/v1/risks?limit=50')}`)
  console.log(`  one key     ${await read('/v1/key')}`)
  const added = await rate(served, key, (client, i) => {
    const body = JSON.stringify({ name: 'Ada', externalId: `${copies}-${i}` })
    return expecting(201, client.ask('/v1/personnel', { method: 'POST', body }))
  })
  console.log(`  add person  ${added}`)
  await Promise.all(served.map((one) => one.end('SIGTERM')))
}

try {
  const scopes = ['--scope', 'personnel.manage', '--scope', 'projects.manage']
  const { key } = JSON.parse(operations('keys', 'create', '--json', '--name', 'bench', '--expires', '1d', ...scopes))
  fill()
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  await client.query('analyze')
  await client.end()
  for (const copies of [1, 2, 3]) await measure(copies, key)
} finally {
  await server?.remove()
}
