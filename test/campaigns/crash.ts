/**
 * Kills the server repeatedly with SIGKILL while people are being added to one store, and checks that every
 * acknowledged person is stored exactly once. Programs that follow the changes are killed as well, and must see each
 * change, in order. Then checks, with strace, that an acknowledgement waits for fsync.
 *
 *   npm run campaign -- crash [--rounds 100 --acknowledged 20000 --seed N]
 */
import { randomUUID } from 'node:crypto'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openDatabase } from '../../src/store/sqlite/driver.js'
import { Client, median, sleep } from './client.js'
import { Followers } from './followers.js'
import { randomInt } from './random.js'
import { cpuMsOf, mint, newFolder, type Served, serve, spawnServer } from './served.js'
import { countSyncs } from './syncs.js'

const CALLERS = 16
const FOLLOWERS = 3
const LOAD_MS_MAX = 2_000
const RESTART_MS_MAX = 2_000
/** The share of acknowledged requests to repeat; those in flight are always repeated. */
const REPEATS_A_ROUND = 50
const QUIET = ['--rate-limit', '0', '--log-level', 'silent']

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '100' },
    acknowledged: { type: 'string', default: '0' },
    seed: { type: 'string' },
  },
})
const rounds = Number(values.rounds)
/** On a slow machine, more time for the same number. */
const acknowledgedMin = Number(values.acknowledged)
const roundsMax = rounds * 5

interface Sent {
  readonly externalId: string
  readonly token: string
}

const folder = newFolder()
const file = join(folder, 'data', 'operations.db')
const key = mint(folder, 'personnel.manage')
/** The id of every acknowledged person, by externalId. */
const acknowledged = new Map<string, string>()
/** Messages about violations. */
const findings: string[] = []
const restarts: { ms: number; cpuMs: number }[] = []
const counts = { lost: 0, duplicated: 0, replays: 0, underWay: 0, underWayStored: 0, killedAtStart: 0 }

function post(client: Client, { externalId, token }: Sent) {
  const body = JSON.stringify({ name: `Person ${externalId}`, externalId })
  return client.request('/v1/personnel', { method: 'POST', headers: { 'idempotency-key': token }, body })
}

/** Adds people until the server is gone; returns the requests without a response. */
async function load(client: Client, round: number): Promise<{ answered: Sent[]; unanswered: Sent[] }> {
  const answered: Sent[] = []
  const unanswered: Sent[] = []
  let isGone = false
  const one = async (sent: Sent) => {
    // Some are sent twice concurrently, like a retry of a request that seems to hang.
    const attempts = await Promise.allSettled([
      post(client, sent),
      ...(randomInt(10) === 0 ? [post(client, sent)] : []),
    ])
    if (attempts.some(({ status }) => status === 'rejected')) isGone = true
    const outcome = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []))
    const good = outcome.filter(({ status }) => status === 201)
    const strange = outcome.find(
      ({ status, text }) => status !== 201 && !(status === 409 && /still running/.test(text)),
    )
    if (strange) findings.push(`round ${round}: ${sent.externalId} was answered ${strange.status} ${strange.text}`)
    for (const { text } of good) acknowledge(sent, JSON.parse(text).id)
    if (good.length > 0) answered.push(sent)
    else unanswered.push(sent)
  }
  const caller = async (number: number) => {
    for (let i = 0; !isGone; i++) await one({ externalId: `R${round}-${number}-${i}`, token: randomUUID() })
  }
  await Promise.all(Array.from({ length: CALLERS }, (_, number) => caller(number)))
  return { answered, unanswered }
}

function acknowledge({ externalId }: Sent, id: string): void {
  const known = acknowledged.get(externalId)
  if (known !== undefined && known !== id) {
    counts.duplicated += 1
    findings.push(`${externalId} was acknowledged as ${known} and as ${id}`)
  }
  acknowledged.set(externalId, id)
}

/** Restarts after the crash; sometimes the new server is killed too, before it responds. */
async function restart(): Promise<Served> {
  if (randomInt(10) === 0) {
    const child = spawnServer(folder, QUIET)
    await sleep(randomInt(900))
    child.kill('SIGKILL')
    counts.killedAtStart += 1
  }
  const began = performance.now()
  const server = await serve(folder, QUIET)
  const client = new Client(server.origin, key, 1)
  const { status } = await client.request('/v1/personnel?limit=1')
  restarts.push({ ms: performance.now() - began, cpuMs: cpuMsOf(server.pid) })
  client.close()
  if (status !== 200) findings.push(`the first answer after a restart was ${status}`)
  return server
}

/** Repeats the requests from before the crash: the same response, and no duplicates. */
async function repeat(client: Client, answered: readonly Sent[], unanswered: readonly Sent[]): Promise<void> {
  for (const sent of unanswered) {
    const { status, headers, text } = await post(client, sent)
    counts.underWay += 1
    if (headers['idempotency-replayed']) counts.underWayStored += 1
    if (status === 201) acknowledge(sent, JSON.parse(text).id)
    else findings.push(`${sent.externalId}, under way at the crash, was answered ${status} ${text}`)
  }
  const sample = Array.from(
    { length: Math.min(REPEATS_A_ROUND, answered.length) },
    () => answered[randomInt(answered.length)],
  )
  for (const sent of sample) {
    if (!sent) continue
    const { status, headers, text } = await post(client, sent)
    const isReplay = status === 201 && headers['idempotency-replayed'] === 'true'
    if (isReplay) acknowledge(sent, JSON.parse(text).id)
    else findings.push(`${sent.externalId}, acknowledged before the crash, was answered ${status} when repeated`)
    counts.replays += 1
  }
}

/** Checks the file itself: every acknowledged person is stored once, with one history row, and no others. */
function inspect(when: string): void {
  const db = openDatabase(file, { readonly: true })
  try {
    const integrity = db.pragma('integrity_check', { simple: true })
    if (integrity !== 'ok') findings.push(`${when}: integrity_check says ${integrity}`)
    const orphans = db.pragma('foreign_key_check') as unknown[]
    if (orphans.length > 0) findings.push(`${when}: foreign_key_check finds ${orphans.length} rows`)
    const rows = db.prepare('select id, external_id as externalId from person not indexed').all() as {
      id: string
      externalId: string
    }[]
    const created = new Map(
      db.prepare("select entity_id, count(*) from change where action = 'CREATED' group by entity_id").raw().all() as [
        string,
        number,
      ][],
    )
    const found = new Map<string, string>()
    for (const { id, externalId } of rows) {
      if (found.has(externalId) || created.get(id) !== 1) {
        counts.duplicated += 1
        findings.push(`${when}: ${externalId} is there twice, or was created ${created.get(id) ?? 0} times`)
      }
      if (!acknowledged.has(externalId)) findings.push(`${when}: no client got a response for ${externalId}`)
      found.set(externalId, id)
    }
    for (const [externalId, id] of acknowledged) {
      if (found.get(externalId) === id) continue
      counts.lost += 1
      findings.push(`${when}: ${externalId} was acknowledged as ${id}, and the store has ${found.get(externalId)}`)
    }
  } finally {
    db.close()
  }
}

let server = await serve(folder, QUIET)
const followers = new Followers(folder, key, FOLLOWERS)
followers.moveTo(server.origin)
for (let round = 1; round <= rounds || (acknowledged.size < acknowledgedMin && round <= roundsMax); round++) {
  const client = new Client(server.origin, key, CALLERS * 2)
  const loading = load(client, round)
  const loadMs = randomInt(20, LOAD_MS_MAX)
  await sleep(randomInt(loadMs))
  followers.killSome()
  await sleep(randomInt(loadMs))
  await server.end('SIGKILL')
  const { answered, unanswered } = await loading
  client.close()
  server = await restart()
  followers.moveTo(server.origin)
  const again = new Client(server.origin, key, 1)
  await repeat(again, answered, unanswered)
  again.close()
  inspect(`round ${round}`)
  if (round % 10 === 0) console.error(`round ${round}: ${acknowledged.size} acknowledged, ${findings.length} findings`)
  if (findings.length > 20) break
}
findings.push(...(await followers.findings(file)))
followers.end()
const code = await server.end('SIGTERM')
if (code !== 0) findings.push(`the last server ended with ${code}`)
inspect('at the end')

const walls = restarts.map(({ ms }) => ms)
const mostMs = Math.max(...walls)
const shown = (ms: number) => `${Math.round(ms)} ms`
console.log(`rounds of kill -9            ${restarts.length}, ${counts.killedAtStart} more while starting`)
console.log(`acknowledged people          ${acknowledged.size}`)
console.log(`  lost                       ${counts.lost}`)
console.log(`  duplicated                 ${counts.duplicated}`)
console.log(`repeated after the restart   ${counts.replays} acknowledged before it, all to be replayed`)
console.log(`  under way at the crash     ${counts.underWay}, of which ${counts.underWayStored} were stored already`)
console.log(`followers                    ${FOLLOWERS}, killed ${followers.killed} times`)
console.log(`  requests unanswered        ${followers.unanswered}`)
console.log(`restart to the first answer  median ${shown(median(walls))}, most ${shown(mostMs)}`)
// On a shared machine, wall-clock time mostly measures the other load.
const cpuMs = median(restarts.map((one) => one.cpuMs))
console.log(`  of processor time          median ${shown(cpuMs)}; load of the machine ${loadavg()[1]?.toFixed(1)}`)
const late = walls.filter((ms) => ms > RESTART_MS_MAX).length
console.log(`  longer than ${RESTART_MS_MAX} ms        ${late} of ${walls.length}`)
findings.push(...(await countSyncs()))
for (const finding of findings) console.log(`FOUND: ${finding}`)
console.log(findings.length === 0 ? 'Nothing was lost, nothing came twice.' : 'FAILED')
process.exit(findings.length === 0 ? 0 : 1)
