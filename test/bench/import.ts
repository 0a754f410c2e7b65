/**
 * Imports 100,000 people, and 100,000 risks of 200 projects in turn, with `operations import`, compared with the sqlite3
 * shell's `.import` of the same rows into the same table with the same indexes. Then clients read from and write to a
 * server while people are imported into its store.
 *
 *   npm run bench -- import [ROWS [ROUNDS]]
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { csvLine } from '../../src/csv.js'
import { openDatabase } from '../../src/store/sqlite/driver.js'

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const rows = Number(process.argv[2] ?? 100_000)
const rounds = Number(process.argv[3] ?? 3)
const folder = mkdtempSync(join(tmpdir(), 'operations-bench-'))

interface Sheet {
  readonly noun: 'people' | 'risks'
  readonly table: string
  readonly file: string
  readonly flags: readonly string[]
}

const PROJECTS = 200

/** Writes a sheet; its columns are those of `row`. */
function sheetOf(
  noun: Sheet['noun'],
  table: string,
  flags: readonly string[],
  row: (i: number) => Readonly<Record<string, string | number>>,
): Sheet {
  const file = join(folder, `${noun}.csv`)
  const lines = Array.from({ length: rows }, (_, i) => csvLine(Object.values(row(i)).map(String)))
  writeFileSync(file, csvLine(Object.keys(row(0))) + lines.join(''))
  return { noun, table, file, flags }
}

const PEOPLE = sheetOf('people', 'person', [], (i) => ({
  name: `Person Number ${(i * 7919) % rows}`,
  email: `person${i}@example.com`,
  externalId: `HR-${i}`,
  title: `Engineer ${i % 50}`,
  department: `Department ${i % 20}`,
  status: 'ACTIVE',
}))

const RISKS = sheetOf('risks', 'risk', ['--create-projects'], (i) => ({
  project: `PROJECT-${i % PROJECTS}`,
  reference: `R-${Math.floor(i / PROJECTS)}`,
  title: `Risk number ${(i * 7919) % rows} of the register`,
  description: `What may happen if risk ${i} becomes true, and what it would mean.`,
  category: `Category ${i % 12}`,
  likelihood: 1 + (i % 5),
  impact: 1 + (Math.floor(i / 7) % 5),
  status: ['OPEN', 'OPEN', 'OCCURRED', 'CLOSED'][i % 4] ?? '',
  response: ['AVOID', 'MITIGATE', 'TRANSFER', 'ACCEPT'][i % 4] ?? '',
  ownerName: `Owner ${i % 500}`,
  url: `https://projects.example.com/${i % PROJECTS}/risks/${i}`,
  raisedOn: `2026-0${1 + (i % 9)}-1${i % 10}`,
  reviewOn: `2027-0${1 + (i % 9)}-1${i % 10}`,
}))

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
function prepareShell(store: string, name: string): string {
  const db = openDatabase(store, { readonly: true })
  const full = join(folder, 'full.csv')
  const reading = db.prepare(`select * from ${name}`).raw()
  const lines = reading.all() as (string | number | null)[][]
  writeFileSync(full, lines.map((cells) => csvLine(cells.map((cell) => String(cell ?? '')))).join(''))
  const statements = db
    .prepare('select sql from sqlite_master where tbl_name = ? and sql is not null order by type desc')
    .pluck()
    .all(name) as string[]
  const blank = reading.columns().filter((_, place) => lines.some((cells) => cells[place] === null))
  db.close()
  const [table = '', ...indexes] = statements
  // The shell imports an empty cell as an empty text, which the CHECK of such a column would reject.
  const isRejecting = (line: string) => line.includes('CHECK(') && blank.some((one) => line.includes(`."${one.name}"`))
  const parts = table.replace(/\n\)$/, '').split(',\n')
  const taking = `${parts.filter((line) => !isRejecting(line)).join(',\n')}\n)`
  const script = join(folder, 'shell.sql')
  writeFileSync(
    script,
    [`${taking};`, '.mode csv', `.import ${full} ${name}`, ...indexes.map((sql) => `${sql};`)].join('\n'),
  )
  return script
}

function runShell(script: string, name: string): number {
  const target = join(folder, 'shell.db')
  rmSync(target, { force: true })
  const began = performance.now()
  execFileSync('sqlite3', ['-bail', target], { input: readFileSync(script) })
  const ms = performance.now() - began
  const count = execFileSync('sqlite3', [target, `select count(*) from ${name}`], { encoding: 'utf8' }).trim()
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

async function compare({ noun, table, file, flags }: Sheet): Promise<void> {
  const ours: number[] = []
  const again: number[] = []
  const shells: number[] = []
  let peakBytes = 0
  for (let round = 0; round < rounds; round++) {
    const cwd = mkdtempSync(join(folder, 'round-'))
    const first = await run(['import', noun, file, '--json', ...flags], cwd)
    ours.push(first.ms)
    const second = await run(['import', noun, file, '--json', ...flags], cwd)
    again.push(second.ms)
    peakBytes = Math.max(peakBytes, first.peakBytes, second.peakBytes)
    shells.push(runShell(prepareShell(join(cwd, 'data', 'operations.db'), table), table))
  }
  console.log(`${rows.toLocaleString('en')} ${noun}, medians of ${rounds} rounds`)
  console.log(`  operations import        ${seconds(median(ours))}, peak memory ${(peakBytes / 1e6).toFixed(0)} MB`)
  const share = (median(again) / median(ours)).toFixed(2)
  console.log(`  the same file again      ${seconds(median(again))}, ${share} of the first time`)
  console.log(`  sqlite3 .import, indexes ${seconds(median(shells))}`)
  console.log(`  ratio                    ${(median(ours) / median(shells)).toFixed(2)}`)
}

try {
  await compare(PEOPLE)
  await compare(RISKS)
  const cwd = mkdtempSync(join(folder, 'served-'))
  const longest = await waits(cwd, () => run(['import', 'people', PEOPLE.file, '--json'], cwd))
  console.log(
    `served meanwhile: ${longest.reads} reads, the longest ${longest.readMs.toFixed(0)} ms; ` +
      `${longest.writes} writes, the longest ${longest.writeMs.toFixed(0)} ms, ${longest.refusedWrites} refused with 503`,
  )
} finally {
  rmSync(folder, { recursive: true })
}
