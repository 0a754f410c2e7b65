/**
 * What questions about the past cost on a long history: the levels over all of it by day, over its last month, and what
 * moved in its last week. Also the longest pause of the event loop meanwhile.
 *
 *   npm run bench -- past [CHANGES [RISKS]]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { pino } from 'pino'
import { mintKey } from '../../src/auth/keys.js'
import { createApp } from '../../src/http/app.js'
import { LIMITS } from '../../src/limits.js'
import { riskState } from '../../src/projects/scores.js'
import { openStore } from '../../src/store/open.js'
import { type Connection, openDatabase } from '../../src/store/sqlite/driver.js'

const [changes = 0, risks = 0] = [1_000_000, 50_000].map((fallback, index) =>
  Number(process.argv[2 + index] ?? fallback),
)
const BEGIN_MS = Date.parse('2025-11-01T00:00:00.000Z')
const SPAN_MS = 365 * 86_400_000

let seed = 22
/** A repeatable random number below `most`. */
function random(most: number): number {
  seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
  return Math.floor((seed / 2 ** 31) * most)
}

interface Risk {
  likelihood: number
  impact: number
  status: 'OPEN' | 'CLOSED'
}

const idOf = (index: number) => `rsk_${String((index * 7_919) % 1_000_003).padStart(26, '0')}`
const scoreOf = ({ likelihood, impact }: Risk) => likelihood * impact
const stateOf = (risk: Risk | undefined) => (risk?.status === 'OPEN' ? riskState({ live: 1, score: scoreOf(risk) }) : 0)
const factors = () => ({ likelihood: 1 + random(5), impact: 1 + random(5) })

/** A change of one risk: of its factors (6 of 10), its status (2 of 10) or its title, and its creation first. */
function changeOf(stored: Map<number, Risk>, index: number): [risk: number, action: string, fields: object] {
  if (index % 10 === 0 && stored.size < risks) {
    const risk: Risk = { ...factors(), status: 'OPEN' }
    const { likelihood, impact, status } = risk
    stored.set(stored.size, risk)
    const fields = {
      likelihood: [null, likelihood],
      impact: [null, impact],
      score: [null, scoreOf(risk)],
      status: [null, status],
    }
    return [
      stored.size - 1,
      'CREATED',
      { reference: [null, `R-${stored.size}`], title: [null, 'A risk of the project'], ...fields },
    ]
  }
  const number = random(stored.size)
  const risk = stored.get(number)
  if (!risk) throw new Error('The first change creates a risk.')
  const before = { ...risk }
  if (index % 10 < 7) {
    Object.assign(risk, factors())
    const { likelihood, impact } = risk
    const moved = { likelihood: [before.likelihood, likelihood], impact: [before.impact, impact] }
    return [number, 'UPDATED', { ...moved, score: [scoreOf(before), scoreOf(risk)] }]
  }
  if (index % 10 === 9) return [number, 'UPDATED', { title: ['A risk of the project', 'A risk, renamed'] }]
  risk.status = before.status === 'OPEN' ? 'CLOSED' : 'OPEN'
  return [number, 'UPDATED', { status: [before.status, risk.status] }]
}

function fill(db: Connection): void {
  const stored = new Map<number, Risk>()
  const states = new Map<number, number>()
  const at = new Date(BEGIN_MS).toISOString()
  db.exec(`begin; insert into project (id, key, name, search_folded, status, created_at, updated_at)
    values ('prj_0', 'P', 'Project', 'p', 'ACTIVE', '${at}', '${at}')`)
  const insert =
    db.prepare(`insert into change (recorded_at, effective_on, written_by, action, entity, entity_id, project_id,
    fields, state_from, state_to) values (?, ?, 'cli', ?, 'RISK', ?, 'prj_0', ?, ?, ?)`)
  for (let index = 0; index < changes; index++) {
    const when = new Date(BEGIN_MS + Math.floor((index / changes) * SPAN_MS)).toISOString()
    const [number, action, fields] = changeOf(stored, index)
    const [from, to] = [states.get(number) ?? 0, stateOf(stored.get(number))]
    states.set(number, to)
    const pair = from === to ? [null, null] : [from, to]
    insert.run(when, when.slice(0, 10), action, idOf(number), JSON.stringify(fields), ...pair)
  }
  const row =
    db.prepare(`insert into risk (id, project_id, reference, title, search_folded, raised_on, created_at, updated_at,
    likelihood, impact, score, standing, status, live) values (?, 'prj_0', ?, 'Risk', 'r', '2026-01-01', '${at}', '${at}', ?, ?, ?, ?, ?, ?)`)
  for (const [number, risk] of stored) {
    const { likelihood, impact, status } = risk
    const score = scoreOf(risk)
    const standing = -(score * 10 + impact)
    row.run(idOf(number), `R-${number}`, likelihood, impact, score, standing, status, status === 'OPEN' ? 1 : 0)
  }
  db.exec('update revision set value = value + 1, history = history + 1; commit; pragma wal_checkpoint(truncate)')
}

const folder = mkdtempSync(join(tmpdir(), 'operations-past-'))
const file = join(folder, 'operations.db')
const store = await openStore(`file:${file}`, { migrate: true })
const db = openDatabase(file)
fill(db)
db.close()
const clock = () => new Date(BEGIN_MS + SPAN_MS)
const app = createApp({
  ...{ store, clock, log: pino({ level: 'silent' }), basePath: '', graphiql: false, corsOrigins: '', ratePerMinute: 0 },
  ...{
    wholeListRowsMax: LIMITS.wholeListRowsMax,
    inFlightBytesMax: LIMITS.inFlightBytesMax,
    slowMs: LIMITS.slowQueryMs,
  },
  ...{ responseCacheBytesMax: 0, deadlineMs: 600_000 },
})
const { secret } = await store.write({ by: 'cli', at: clock }, (write) =>
  mintKey(write, { name: 'bench', scopes: ['projects.read'], expiresAt: undefined }),
)

const QUESTIONS: Readonly<Record<string, string>> = {
  'levels over all of it, by day': '/v1/risks/trend?from=2025-10-20&to=2026-11-01',
  'levels of one project, by day': '/v1/risks/trend?from=2025-10-20&to=2026-11-01&project=P',
  'levels of the last month, by day': '/v1/risks/trend?from=2026-10-01&to=2026-11-01',
  'what moved in the last week': '/v1/movements?since=2026-10-25',
}

for (const [name, path] of Object.entries(QUESTIONS)) {
  for (const round of ['first', 'second']) {
    const pauses = monitorEventLoopDelay({ resolution: 1 })
    pauses.enable()
    const [since, used] = [performance.now(), process.cpuUsage()]
    const answer = await app.fetch(
      new Request(`http://localhost${path}`, { headers: { authorization: `Bearer ${secret}` } }),
    )
    const { length } = await answer.text()
    const { user, system } = process.cpuUsage(used)
    const figures = [performance.now() - since, (user + system) / 1_000, pauses.max / 1e6].map(Math.round)
    console.log(
      `${name}, ${round}: ${answer.status}, ${length} bytes, ${figures[0]} ms, ${figures[1]} ms of CPU, longest pause ${figures[2]} ms`,
    )
  }
}
await store.close()
rmSync(folder, { recursive: true })
