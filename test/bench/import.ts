/**
 * Imports 100,000 people with `operations import`, compared with the sqlite3 shell's `.import` of the same rows into
 * the same table with the same indexes. Meanwhile clients read from and write to a server on the same store.
 *
 *   npm run bench:import [-- ROWS [ROUNDS]]
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { csvLine } from '../../src/ingest/files/csv.js'
import { openDatabase } from '../../src/store/sqlite/driver.js'

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const rows = Number(process.argv[2] ?? 100_000)
const rounds = Number(process.argv[3] ?? 3)
const folder = mkdtempSync(join(tmpdir(), 'operations-bench-'))
const sheet = join(folder, 'people.csv')

const columns = ['name', 'email', 'externalId', 'title', 'department', 'status']
const people = Array.from({ length: rows }, (_, i) =>
  csvLine([
    `Person Number ${(i * 7919) % rows}`,
    `person${i}@example.com`,
    `HR-${i}`,
    `Engineer ${i % 50}`,
    `Department ${i % 20}`,
    'ACTIVE',
  ]),
)
writeFileSync(sheet, csvLine(columns) + people.join(''))

/** Runs the command; returns its duration and peak memory. */
async function run(args: readonly string[], cwd: string): Promise<{ ms: number; peakBytes: number }> {
  const began = performance.now()
  const child = spawn(process.execPath, [MAIN, ...args], { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
  let peakBytes = 0
  const watch = setInterval(() => {
    peakBytes = Math.max(peakBytes, peakOf(child.pid))
  }, 20)
  const [code] = await once(child, 'close')
  clearInterval(watch)
  if (code !== 0) throw new Error(`operations ${args.join(' ')} ended with ${code}`)
  return { ms: performance.now() - began, peakBytes }
}

function peakOf(pid: number | undefined): number {
  try {
    return 1024 * Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

/** The same rows as CSV, and the table with its indexes, for the shell. */
function prepareShell(store: string): string {
  const db = openDatabase(store, { readonly: true })
  const full = join(folder, 'full.csv')
  const lines = db.prepare('select * from person').raw().all() as (string | null)[][]
  writeFileSync(full, lines.map((cells) => csvLine(cells.map((cell) => cell ?? ''))).join(''))
  const statements = db
    .prepare("select sql from sqlite_master where tbl_name = 'person' and sql is not null order by type desc")
    .pluck()
    .all() as string[]
  db.close()
  const [table = '', ...indexes] = statements
  // The shell imports an empty cell as an empty text, which this CHECK would reject.
  const taking = table.replace(/,\s*CONSTRAINT "person_erased_at" CHECK\([^)]*\)/, '')
  const script = join(folder, 'shell.sql')
  writeFileSync(
    script,
    [`${taking};`, '.mode csv', `.import ${full} person`, ...indexes.map((sql) => `${sql};`)].join('\n'),
  )
  return script
}

function runShell(script: string): number {
  const target = join(folder, 'shell.db')
  rmSync(target, { force: true })
  const began = performance.now()
  execFileSync('sqlite3', ['-bail', target], { input: readFileSync(script) })
  const ms = performance.now() - began
  const count = execFileSync('sqlite3', [target, 'select count(*) from person'], { encoding: 'utf8' }).trim()
  if (Number(count) !== rows) throw new Error(`The shell has ${count} rows.`)
  return ms
}

/** The longest latency of a read and of a write during the work. */
async function waits(cwd: string, work: () => Promise<unknown>) {
  const { key } = JSON.parse(
    execFileSync(
      process.execPath,
      [MAIN, 'keys', 'create', '--json', '--name', 'bench', '--scope', 'personnel.manage'],
      {
        cwd,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    ),
  )
  const server = spawn(process.execPath, [MAIN, 'serve', '--port', '0', '--log-level', 'silent'], { cwd })
  const origin = await new Promise<string>((resolve) => {
    server.stderr.on('data', (chunk) => {
      const [found] = /http:\/\/[\w.:]+/.exec(String(chunk)) ?? []
      if (found) resolve(found.replace(/\/$/, ''))
    })
  })
  let isOver = false
  const longest = { readMs: 0, writeMs: 0, reads: 0, writes: 0, refusedWrites: 0 }
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const reading = async () => {
    while (!isOver) {
      const began = performance.now()
      const answer = await fetch(`${origin}/v1/personnel?limit=50`, { headers })
      await answer.text()
      if (answer.status !== 200) throw new Error(`A read was answered ${answer.status}.`)
      longest.readMs = Math.max(longest.readMs, performance.now() - began)
      longest.reads += 1
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  const writing = async () => {
    while (!isOver) {
      const began = performance.now()
      const body = JSON.stringify({ name: 'Extra', externalId: `X-${longest.writes}-${began}` })
      const answer = await fetch(`${origin}/v1/personnel`, { method: 'POST', headers, body })
      await answer.text()
      if (answer.status === 503 && answer.headers.has('retry-after')) longest.refusedWrites += 1
      else if (answer.status !== 201) throw new Error(`A write was answered ${answer.status}.`)
      longest.writeMs = Math.max(longest.writeMs, performance.now() - began)
      longest.writes += 1
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  const callers = [reading(), writing()]
  await work()
  isOver = true
  await Promise.all(callers)
  server.kill('SIGTERM')
  await once(server, 'close')
  return longest
}

const median = (values: readonly number[]) => [...values].sort((one, other) => one - other)[values.length >> 1] ?? 0
const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`

try {
  const ours: number[] = []
  const again: number[] = []
  const shells: number[] = []
  let peakBytes = 0
  for (let round = 0; round < rounds; round++) {
    const cwd = mkdtempSync(join(folder, 'round-'))
    const first = await run(['import', 'people', sheet, '--json'], cwd)
    ours.push(first.ms)
    peakBytes = Math.max(peakBytes, first.peakBytes)
    again.push((await run(['import', 'people', sheet, '--json'], cwd)).ms)
    shells.push(runShell(prepareShell(join(cwd, 'data', 'operations.db'))))
  }
  const cwd = mkdtempSync(join(folder, 'served-'))
  const longest = await waits(cwd, () => run(['import', 'people', sheet, '--json'], cwd))
  console.log(`${rows.toLocaleString('en')} people, medians of ${rounds} rounds`)
  console.log(`  operations import        ${seconds(median(ours))}, peak memory ${(peakBytes / 1e6).toFixed(0)} MB`)
  console.log(`  the same file again      ${seconds(median(again))}`)
  console.log(`  sqlite3 .import, indexes ${seconds(median(shells))}`)
  console.log(`  ratio                    ${(median(ours) / median(shells)).toFixed(2)}`)
  console.log(
    `  served meanwhile: ${longest.reads} reads, the longest ${longest.readMs.toFixed(0)} ms; ` +
      `${longest.writes} writes, the longest ${longest.writeMs.toFixed(0)} ms, ${longest.refusedWrites} refused with 503`,
  )
} finally {
  rmSync(folder, { recursive: true })
}
