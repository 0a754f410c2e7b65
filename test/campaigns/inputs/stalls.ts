/** What a key can make the server do beside its requests, and how long another key then waits. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../../../src/store/sqlite/driver.js'
import { sleep } from '../client.js'
import { crowd, INNOCENT, series, shown } from './crowds.js'
import { posted, queried } from './graphqlCalls.js'
import { type Call, now, PROJECT, type Stage } from './stage.js'
import { times } from './values.js'

const LOG_BYTES = 300_000_000
const RECORDS = 2_000
const FILLING_MS = 60_000
const EMPTYING_MS = 15_000

const storeOf = ({ data }: Stage) => join(data, 'operations.db')
const logBytes = (stage: Stage) => statSync(`${storeOf(stage)}-wal`).size

function sync(round: number): Call {
  const description = String(round).padEnd(6_000, '.')
  const risks = times(RECORDS, (i) => ({ reference: `W-${i}`, title: 'x', description }))
  const body = JSON.stringify({ key: PROJECT, mode: 'PARTIAL', name: 'x', risks })
  return { name: 'sync', as: 'tracker', sent: () => posted(body, '/v1/projects') }
}

const smallWrite = (name: string): Call => ({
  name: 'a small write',
  as: 'manager',
  sent: () => posted(JSON.stringify({ name }), '/v1/groups'),
})

/** Another process reads for so long that the write-ahead log grows; then one small write empties it. */
export async function longLog(stage: Stage): Promise<string[]> {
  const other = openDatabase(storeOf(stage), { readonly: true })
  other.exec('begin; select * from revision')
  const endsAt = performance.now() + FILLING_MS
  for (let round = 0; logBytes(stage) < LOG_BYTES && performance.now() < endsAt; round++) await stage.send(sync(round))
  const before = Math.round(logBytes(stage) / 1e6)
  other.close()
  const since = now()
  const startedAt = performance.now()
  for (let i = 0; logBytes(stage) > LOG_BYTES / 10 && performance.now() - startedAt < EMPTYING_MS; i++) {
    await stage.send(smallWrite(`Written ${i}`))
    await sleep(50)
  }
  const { longestMs } = await stage.longestWait(since)
  const took = Math.round(performance.now() - startedAt)
  return [
    `a log of ${before} MB: after ${took} ms of small writes ${Math.round(logBytes(stage) / 1e6)} MB, others waited ${Math.round(longestMs)} ms`,
  ]
}

const CONNECTIONS = 3
const SEARCHING_MS = 10_000

/** Five `movements` in each request of three connections, while another key searches. */
export async function fewMovements(stage: Stage): Promise<string[]> {
  const quiet = await series(stage, INNOCENT, SEARCHING_MS)
  const fields = times(5, (i) => `m${i}: movements(since: $s${i}) { counts { new up } }`)
  const variables = times(5, (i) => `$s${i}: DateTime!`)
  const movements = (round: number): Call => ({
    name: 'movements',
    as: 'projects',
    sent: () =>
      queried(
        `query (${variables.join(' ')}) { ${fields.join(' ')} }`,
        Object.fromEntries(times(5, (i) => [`s${i}`, new Date(5 * round + i).toISOString()])),
      ),
  })
  const attack = crowd(stage, CONNECTIONS, movements)
  await sleep(1_000)
  const startedAt = now()
  const busy = await series(stage, INNOCENT, SEARCHING_MS)
  const { longestMs } = await stage.longestWait(startedAt)
  return [
    ...Object.keys(INNOCENT).flatMap((name) => [
      `${name}, quiet: ${shown(quiet.get(name))}`,
      `${name}, under attack: ${shown(busy.get(name))}`,
    ]),
    `/healthz under attack: at most ${Math.round(longestMs)} ms; the attacker got ${await attack.end()}`,
  ]
}
