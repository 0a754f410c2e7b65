/**
 * A day's traffic in minutes: readers and writers of both APIs, invalid requests and slow clients, concurrently.
 * Samples the resources of the server every five seconds, and reports at the end whether any of them grows beyond its
 * bound. It fails for wrong responses and lost writes alone. The server has the memory settings of the documented unit, or
 * with `--plain` none.
 *
 *   npm run campaign -- soak [--minutes 10 --slow-readers 200 --plain --seed N]
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openDatabase } from '../../src/store/sqlite/driver.js'
import { WORKERS_MAX } from '../../src/store/sqlite/readWorkers.js'
import { WAL_BYTES_MAX } from '../../src/store/sqlite/walLimit.js'
import { MEMORY_BYTES_MAX, MEMORY_SETTINGS } from '../support/unit.js'
import { Client, median, sleep } from './client.js'
import { MAIN, mint, newFolder, serve } from './served.js'
import { additions, type Tally, traffic } from './traffic.js'

const SAMPLE_MS = 5_000
/** All of them make a response of 9 MB, of which the kernel buffers less than half for a slow reader. */
const PEOPLE = 14_000
const TITLE = 'Lead engineer '.repeat(14).trim()
const CROWD = { readers: 4, writers: 2, wrong: 1, slow: 3, pauseMs: 20 }
/** Each key may take a quarter of the budget in flight: the fourth quarter is for the others. */
const HOLDERS = 3
const ROWS_SHOWN = 20
const SETTINGS = Object.entries(MEMORY_SETTINGS).map((setting) => setting.join('='))

/** After the first quarter all code is compiled and every cache is full; later growth is a leak. */
const GROWTH_MAX = 1.2
/** Tolerance for garbage between two samples. */
const SLACK_BYTES = 24e6
/** Beyond the limit the log is emptied; a running transaction or read may extend it before that. */
const LOG_BYTES_MAX = 1.5 * WAL_BYTES_MAX
/** Descriptors of a lazily started read worker: store and WAL, and epoll, eventfd and pipe of its event loop. */
const DESCRIPTORS_OF_WORKER = 6
/** Besides those and one for each connection, the process needs no more descriptors than after its start. */
const WORKERS = Math.min(WORKERS_MAX, availableParallelism())
const DESCRIPTORS_SPARE = 5 + WORKERS * DESCRIPTORS_OF_WORKER

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    'slow-readers': { type: 'string', default: '200' },
    plain: { type: 'boolean', default: false },
    seed: { type: 'string' },
  },
})
const endsAt = performance.now() + Number(values.minutes) * 60_000

interface Sample {
  readonly atS: number
  readonly rss: number
  readonly heap: number
  readonly descriptors: number
  readonly log: number
  readonly store: number
  readonly lagMs: number
  readonly requests: number
  readonly unexpected: number
}

const folder = newFolder()
const file = join(folder, 'data', 'operations.db')
const sheet = join(folder, 'people.csv')
const people = Array.from({ length: PEOPLE }, (_, i) => `Person ${i},HR-${i},${TITLE},${TITLE}\n`)
writeFileSync(sheet, `name,externalId,title,department\n${people.join('')}`)
execFileSync(process.execPath, [MAIN, 'import', 'people', sheet], { cwd: folder, stdio: 'ignore' })
const key = mint(folder, 'personnel.manage', 'projects.manage')
const holders = Array.from({ length: HOLDERS }, () => mint(folder, 'personnel.read'))
const options = ['--rate-limit', '0', '--log-level', 'silent', '--metrics-port', '0']
const server = await serve(folder, options, values.plain ? [] : ['env', ...SETTINGS])
const watching = new Client(new URL(server.metrics ?? '').origin, undefined, 1)
const tally: Tally = { requests: 0, statuses: new Map(), unexpected: [], slow: new Map() }
const began = performance.now()

async function sample(): Promise<Sample> {
  const { text } = await watching.request('/metrics')
  const metric = (name: string) => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1])
  return {
    atS: Math.round((performance.now() - began) / 1000),
    rss: 1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]),
    heap: metric('nodejs_heap_size_used_bytes'),
    descriptors: readdirSync(`/proc/${server.pid}/fd`).length,
    log: sizeOf(`${file}-wal`),
    store: sizeOf(file),
    lagMs: 1000 * metric('nodejs_eventloop_lag_p99_seconds'),
    requests: tally.requests,
    unexpected: tally.unexpected.length,
  }
}

/** The peak memory of the process. */
function peakBytes(): number {
  return 1024 * Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1])
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

const first = await sample()
const samples: Sample[] = []
const parties = { origin: server.origin, key, holders, tally, isOver: () => performance.now() > endsAt }
const crowd = traffic(parties, { ...CROWD, slowReaders: Number(values['slow-readers']) })
while (!parties.isOver()) {
  await sleep(Math.min(SAMPLE_MS, Math.max(1, endsAt - performance.now())))
  samples.push(await sample())
}
await crowd
const peak = peakBytes()
await sleep(1_000)
const last = await sample()
watching.close()
const code = await server.end('SIGTERM')

const MB = (bytes: number) => `${(bytes / 1e6).toFixed(1)}`
const cells = (s: Sample) => [
  s.atS,
  MB(s.rss),
  MB(s.heap),
  s.descriptors,
  MB(s.log),
  MB(s.store),
  s.lagMs.toFixed(0),
  s.requests,
  s.unexpected,
]
const HEAD = ['s', 'RSS MB', 'heap MB', 'descr.', 'log MB', 'store MB', 'lag p99 ms', 'requests', 'unexpected']
const show = (row: readonly unknown[]) => console.log(row.map((cell) => String(cell).padStart(11)).join(''))
show(HEAD)
const step = Math.max(1, Math.ceil(samples.length / ROWS_SHOWN))
for (const one of samples.filter((_, index) => index % step === step - 1)) show(cells(one))

/** The median of a figure in one quarter of the run. */
function inQuarter(quarter: 1 | 2 | 3 | 4, figure: (s: Sample) => number): number {
  const size = samples.length / 4
  return median(samples.slice(Math.floor((quarter - 1) * size), Math.ceil(quarter * size)).map(figure))
}

/** What is wrong in any case, and figures that a busy machine may exceed. */
const verdicts: [isGood: boolean, sentence: string][] = []
const figures: typeof verdicts = []
verdicts.push([
  tally.unexpected.length === 0,
  `${tally.requests} requests, ${tally.unexpected.length} answered otherwise than they should be`,
])
for (const [name, figure] of [
  ['memory (RSS)', (s: Sample) => s.rss],
  ['heap', (s: Sample) => s.heap],
] as const) {
  const [then, now] = [inQuarter(2, figure), inQuarter(4, figure)]
  figures.push([
    now <= then * GROWTH_MAX + SLACK_BYTES,
    `${name}: ${MB(then)} MB in the second quarter, ${MB(now)} MB in the last; at most ${GROWTH_MAX} times and ${MB(SLACK_BYTES)} MB`,
  ])
}
const slow = [...tally.slow].map(([status, count]) => `${status}: ${count}`).join(', ')
figures.push([
  peak <= MEMORY_BYTES_MAX,
  `memory at its peak, with ${values['slow-readers']} slow readers (${slow}): ${MB(peak)} MB of ${MB(MEMORY_BYTES_MAX)} MB`,
])
figures.push([
  last.descriptors <= first.descriptors + DESCRIPTORS_SPARE,
  `descriptors: ${first.descriptors} at the start, ${last.descriptors} when everyone had gone; at most ${DESCRIPTORS_SPARE} more`,
])
const longest = Math.max(...samples.map(({ log }) => log))
figures.push([longest <= LOG_BYTES_MAX, `the store's log: ${MB(longest)} MB at the most, of ${MB(LOG_BYTES_MAX)} MB`])
verdicts.push([code === 0, `SIGTERM ended the server with ${code}`])
const db = openDatabase(file, { readonly: true })
const found = db
  .prepare("select count(*) from person where external_id like 'HR-%' or length(external_id) = 36")
  .pluck()
  .get()
verdicts.push([found === PEOPLE + additions(), `people: ${found} stored of ${PEOPLE + additions()} acknowledged`])
verdicts.push([db.pragma('integrity_check', { simple: true }) === 'ok', 'the integrity of the store'])
db.close()

const answered = [...tally.statuses].sort(([one], [other]) => one - other)
console.log(`\nanswers by status: ${answered.map(([status, count]) => `${status}: ${count}`).join(', ')}`)
console.log(
  `lag p99: median ${median(samples.map(({ lagMs }) => lagMs)).toFixed(0)} ms; load of the machine ${loadavg()[1]?.toFixed(1)}`,
)
for (const [isGood, sentence] of figures) console.log(`${isGood ? 'within' : 'BEYOND'} ${sentence}`)
for (const [isGood, sentence] of verdicts) console.log(`${isGood ? 'ok    ' : 'FAILED'} ${sentence}`)
for (const sentence of tally.unexpected.slice(0, 20)) console.log(`  ${sentence}`)
process.exit(verdicts.every(([isGood]) => isGood) ? 0 : 1)
