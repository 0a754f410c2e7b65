/** Many requests of one key at once, and what another key notices of them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { LIMITS } from '../../../src/limits.js'
import { median, sleep } from '../client.js'
import { posted, queried } from './graphqlCalls.js'
import { type Answer, type Call, now, PROJECT, type Stage } from './stage.js'
import { times } from './values.js'

const CONNECTIONS = 20
const ROUNDS = 12
const CROWD_MS = 20_000
const RETRY_MS = 1_000

/** Repeats a request on so many connections until it is told to stop; returns the answers by status. */
export function crowd(stage: Stage, connections: number, next: (index: number) => Call) {
  const statuses = new Map<number, number>()
  let sent = 0
  let isOver = false
  const follow = async () => {
    while (!isOver) {
      const { status } = await stage.send(next(sent++))
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      // As a client that honours Retry-After would.
      if (status === 503 || status === 429) await sleep(RETRY_MS)
    }
  }
  const all = Promise.all(times(connections, follow))
  return {
    async end(): Promise<string> {
      isOver = true
      await all
      return [...statuses].map(([status, count]) => `${count} x ${status}`).join(', ')
    },
  }
}

interface Series {
  readonly ms: number[]
  refused: number
}

/** Repeats requests one after the other, each for so many rounds or until the time is over. */
export async function series(stage: Stage, calls: Readonly<Record<string, (index: number) => Call>>, forMs: number) {
  const found = new Map(Object.keys(calls).map((name): [string, Series] => [name, { ms: [], refused: 0 }]))
  const endsAt = performance.now() + forMs
  for (let i = 0; i < ROUNDS && performance.now() < endsAt; i++) {
    for (const [name, call] of Object.entries(calls)) {
      const one = found.get(name)
      const answer: Answer = await stage.send(call(distinct++))
      one?.ms.push(answer.ms)
      if (one && answer.status !== 200) one.refused += 1
    }
  }
  return found
}
/** So that no answer comes from the cache. */
let distinct = 0

export const shown = ({ ms, refused }: Series | undefined = { ms: [], refused: 0 }) =>
  `median ${Math.round(median(ms))} ms, at most ${Math.round(Math.max(0, ...ms))} ms, ${refused} of ${ms.length} refused`

const OVERVIEW = `query Overview($first: Int!, $due: Date!) {
  riskMatrix { cells { likelihood impact count } unassessed unplaced levels { level count } }
  risks(first: $first) { totalCount nodes { id rank reference title score level project { key name } owner { id name } } }
  issueCounts { total severities { severity count } }
  overdue: issueCounts(filter: { dueBefore: $due }) { total }
  issues(first: 25) { totalCount nodes { id reference title severity status dueOn project { key name } assignee { id name } } }
  projects { nodes { id key name status openRiskCount openIssueCount topRiskScore syncedAt } }
}`

const asReader = (name: string, sent: Call['sent']): Call => ({ name, as: 'reader', sent })
export const INNOCENT = {
  search: (i: number) =>
    asReader('search', () => ({ target: `/v1/risks?search=arrives%20later&limit=${1 + (i % 900)}` })),
  overview: (i: number) => asReader('overview', () => queried(OVERVIEW, { first: 1 + (i % 900), due: '2026-06-01' })),
}

/** Twenty connections that compare with 1970 all the time, while another key searches. */
export async function fairness(stage: Stage): Promise<string[]> {
  const quiet = await series(stage, INNOCENT, CROWD_MS)
  const movements = (i: number): Call => ({
    name: 'movements',
    as: 'projects',
    sent: () =>
      queried('query ($s: DateTime!) { movements(since: $s) { counts { new up down } risks { id } issues { id } } }', {
        s: new Date(i).toISOString(),
      }),
  })
  const attack = crowd(stage, CONNECTIONS, movements)
  await sleep(RETRY_MS)
  const startedAt = now()
  const busy = await series(stage, INNOCENT, CROWD_MS)
  const { longestMs } = await stage.longestWait(startedAt)
  const answers = await attack.end()
  return [
    ...Object.keys(INNOCENT).flatMap((name) => [
      `${name}, quiet: ${shown(quiet.get(name))}`,
      `${name}, under attack: ${shown(busy.get(name))}`,
    ]),
    `/healthz under attack: at most ${Math.round(longestMs)} ms; the attacker got ${answers}`,
  ]
}

const SYNC_BYTES = LIMITS.syncBodyBytesMax - 100_000

/** A project with as many risks as fit into the largest body. */
function largestSync(): string {
  const description = 'x'.repeat(SYNC_BYTES / LIMITS.syncRecordsMax - 60)
  const risks = times(LIMITS.syncRecordsMax, (i) => ({ reference: `S-${i}`, title: 'x', description }))
  return JSON.stringify({ key: PROJECT, mode: 'PARTIAL', name: 'x', risks })
}

/** Three connections of one key with bodies of 16 MB, while others read a cached page and write. */
export async function largeBodies(stage: Stage): Promise<string[]> {
  const lines: string[] = []
  for (const [name, body] of [
    ['syncs of 16 MB', largestSync()],
    ['16 MB of line breaks', '\n'.repeat(SYNC_BYTES)],
  ] as const) {
    const quiet = await besides(stage)
    const sync: Call = { name, as: 'manager', sent: () => posted(body, '/v1/projects') }
    const attack = crowd(stage, 3, () => sync)
    await sleep(RETRY_MS)
    const busy = await besides(stage)
    lines.push(`${name}, quiet: ${quiet}`, `${name}, under attack: ${busy}; the attacker got ${await attack.end()}`)
  }
  return lines
}

const BESIDES_MS = 8_000
const PAGE_EVERY_MS = 5

/** How long a cached page and a write take meanwhile. */
async function besides(stage: Stage): Promise<string> {
  const endsAt = performance.now() + BESIDES_MS
  const pages: number[] = []
  const writes: number[] = []
  const read = async () => {
    while (performance.now() < endsAt) {
      const { ms } = await stage.send({ as: 'reader', sent: () => ({ target: '/v1/risks?limit=50' }) })
      pages.push(ms)
      await sleep(PAGE_EVERY_MS)
    }
  }
  const write = async () => {
    while (performance.now() < endsAt) {
      const body = JSON.stringify({ name: `Written ${distinct++} ${now()}` })
      writes.push((await stage.send({ as: 'second', sent: () => posted(body, '/v1/groups') })).ms)
      await sleep(PAGE_EVERY_MS)
    }
  }
  await Promise.all([read(), write()])
  return `page p99 ${p99(pages)} ms, writes p50 ${Math.round(median(writes))} ms, p99 ${p99(writes)} ms`
}

function p99(values: readonly number[]): number {
  return Math.round([...values].sort((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? 0)
}

const ROWS = 1_000
const FILLED_BYTES = 14_000_000
/** The texts of a row by their number of characters: once all that the fields allow, and what one row may have together. */
const ROW_CHARACTERS = [125_000, 20_000]

/** A key of one project fills it with rows as large as may be; then they are read. */
export async function largeRows(stage: Stage): Promise<string[]> {
  for (const characters of ROW_CHARACTERS) {
    const refusal = await fillRows(stage, characters)
    if (refusal !== undefined) {
      console.log(`rows of ${characters} characters are refused: ${refusal}`)
      continue
    }
    const page = `/v1/projects/${PROJECT}/risks?limit=${ROWS}`
    const reads: readonly (readonly [string, string, number])[] = [
      ['a page of them', page, 1],
      ['four pages', page, 4],
      ['the CSV', `/v1/risks.csv?project=${PROJECT}`, 1],
    ]
    const lines: string[] = []
    for (const [name, target, count] of reads) {
      const call: Call = { name, as: 'tracker', sent: () => ({ target }) }
      forgetPeak(stage)
      const { waitedMs, answer } = await stage.measure(...times(count, () => call))
      const peak = Math.round(peakBytes(stage) / 1e6)
      lines.push(
        `${ROWS} rows of ${characters} characters, ${name}: ${answer.status}, others waited ${Math.round(waitedMs)} ms, peak ${peak} MB`,
      )
    }
    return lines
  }
  return []
}

/** Undefined if all were stored, else the answer. */
async function fillRows(stage: Stage, characters: number): Promise<string | undefined> {
  const letter = '\ufdfa'
  const text = letter.repeat(Math.min(10_000, characters / 5))
  const rest = Math.max(0, characters - 3 * text.length)
  const details = times(50, (i) => ({ name: `d${i}`, text: letter.repeat(Math.max(1, Math.floor(rest / 50))) }))
  const row = (i: number) => ({
    ...{ reference: `L-${i}`, title: 'x', description: text, cause: text, mitigation: text, details },
  })
  const each = Math.floor(FILLED_BYTES / Buffer.byteLength(JSON.stringify(row(0))))
  for (let i = 0; i < ROWS; i += each) {
    const risks = times(Math.min(each, ROWS - i), (at) => row(i + at))
    const body = JSON.stringify({ key: PROJECT, name: 'x', mode: 'PARTIAL', risks })
    const { status, text: answer } = await stage.send({ as: 'tracker', sent: () => posted(body, '/v1/projects') })
    if (status >= 300) return `${status} ${answer.slice(answer.indexOf('"detail"'), answer.indexOf('"detail"') + 200)}`
  }
  return undefined
}

/** Starts a new peak of the memory (Linux). */
export function forgetPeak({ server }: Stage): void {
  writeFileSync(`/proc/${server.pid}/clear_refs`, '5')
}

export function peakBytes({ server }: Stage): number {
  return 1024 * Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1])
}
