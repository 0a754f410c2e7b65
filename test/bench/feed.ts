/**
 * What a page of the feed costs from the middle of a long history and from its end, with each filter, and what waiting
 * followers cost.
 *
 *   npm run bench -- feed [CHANGES [PAGES [SECONDS]]]
 */
import { join } from 'node:path'
import { LIMITS } from '../../src/limits.js'
import { cursorAt } from '../../src/store/query/cursors.js'
import { type Connection, openDatabase } from '../../src/store/sqlite/driver.js'
import { Client, sleep } from '../campaigns/client.js'
import { cpuMsOf, mint, newFolder, serve } from '../campaigns/served.js'

const [changes = 0, pages = 0, seconds = 0] = [1_000_000, 200, 10].map((fallback, i) =>
  Number(process.argv[2 + i] ?? fallback),
)
const PAGE = 50
const PROJECTS = 100
const RISKS = 10_000

const folder = newFolder()
const key = mint(folder, 'personnel.manage', 'projects.read')

const AT = '2026-11-02T09:30:00.000Z'
/** Numbers from 0, as the table `n`. */
const numbers = (count: number) =>
  `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${count - 1})`

/** Some groups and people, and many risks of which most changes are. */
function fill(db: Connection): void {
  db.exec('begin')
  db.exec(
    `${numbers(10)} insert into groups (id, name, name_folded, created_at, updated_at) select 'grp_' || i, 'Group ' || i, 'group ' || i, '${AT}', '${AT}' from n`,
  )
  db.exec(`${numbers(PROJECTS)} insert into project (id, key, name, search_folded, status, created_at, updated_at)
    select 'prj_' || i, 'P-' || i, 'Project ' || i, 'p-' || i, 'ACTIVE', '${AT}', '${AT}' from n`)
  db.exec(`${numbers(RISKS)} insert into risk (id, project_id, reference, title, search_folded, raised_on, live, standing,
    status, score, created_at, updated_at) select 'rsk_' || i, 'prj_' || (i % ${PROJECTS}), 'R-' || i, 'Risk ' || i, 'r-' || i,
    '2026-01-01', 1, 0, 'OPEN', 0, '${AT}', '${AT}' from n`)
  const kind = "case when i % 1000 = 0 then 'GROUP' when i % 100 = 0 then 'PROJECT' else 'RISK' end"
  const id = `case when i % 1000 = 0 then 'grp_' || (i / 1000 % 10) when i % 100 = 0 then 'prj_' || (i / 100 % ${PROJECTS})
    else 'rsk_' || (i % ${RISKS}) end`
  const project = `case when i % 1000 = 0 then null when i % 100 = 0 then 'prj_' || (i / 100 % ${PROJECTS})
    else 'prj_' || (i % ${RISKS} % ${PROJECTS}) end`
  const when = "strftime('%Y-%m-%dT%H:%M:%S.000Z', 1700000000 + i * 10, 'unixepoch')"
  db.exec(`${numbers(changes)} insert into change (recorded_at, effective_on, written_by, action, entity, entity_id, project_id,
    fields, nonce) select ${when}, substr(${when}, 1, 10), 'cli', 'UPDATED', ${kind}, ${id}, ${project},
    '{"score":[12,20],"likelihood":[3,5]}', i + 1 from n`)
  db.exec('update revision set value = value + 1, history = history + 1; commit; pragma wal_checkpoint(truncate)')
}

const db = openDatabase(join(folder, 'data', 'operations.db'))
const began = performance.now()
fill(db)
console.log(`${changes} changes stored in ${((performance.now() - began) / 1000).toFixed(1)} s`)
const nonceOf = db.prepare('select nonce from change where id = ?').pluck()

// Without a response cache, so that each page is read.
const server = await serve(folder, ['--rate-limit', '0', '--log-level', 'silent', '--response-cache-megabytes', '0'])
const client = new Client(server.origin, key, 1)

/** The processor time of a page, in milliseconds, from a place in the history backwards. */
async function costAt(query: string, place: number, count: number): Promise<number> {
  const before = cpuMsOf(server.pid)
  for (let i = 0; i < count; i++) {
    const id = Math.max(1, Math.floor(place) - i * 7)
    const cursor = cursorAt({ name: 'feed' }, [id, Number(nonceOf.get(id))])
    const { status, text } = await client.request(`/v1/changes?limit=${PAGE}&cursor=${cursor}${query}`)
    if (status !== 200) throw new Error(`${status}: ${text}`)
  }
  return (cpuMsOf(server.pid) - before) / count
}

/** How many changes hold a full page of each filter. */
const FILTERS: readonly [query: string, span: number][] = [
  ['', PAGE],
  ['&entity=risk', 2 * PAGE],
  ['&entity=group', 1_000 * PAGE],
  ['&entity=risk,project', 2 * PAGE],
  ['&project=P-7', 2 * PROJECTS * PAGE],
  ['&project=P-7&entity=risk,issue', 2 * PROJECTS * PAGE],
  ['&project=P-7,P-8', PROJECTS * PAGE],
]

const mean = (all: readonly number[]) => all.reduce((sum, one) => sum + one, 0) / all.length

/** Both alternate, so that other load on the machine affects them alike. */
const ROUNDS = 5

await costAt('', changes / 2, pages)
for (const [query, span] of FILTERS) {
  const middle: number[] = []
  const end: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    middle.push(await costAt(query, changes / 2, pages / ROUNDS))
    end.push(await costAt(query, changes - 2 * span, pages / ROUNDS))
  }
  const [one, other] = [mean(middle), mean(end)]
  const ratio = (one / other).toFixed(2)
  const name = (query || '&(all)').slice(1).padEnd(32)
  console.log(`${name} middle ${one.toFixed(2)} ms, end ${other.toFixed(2)} ms of processor time, ratio ${ratio}`)
}
const since = performance.now()
await client.request('/v1/changes?since=2027-01-01T00:00:00Z')
console.log(`${'since, without a cursor'.padEnd(32)} ${(performance.now() - since).toFixed(2)} ms`)

/** Lets every possible follower wait, and returns the share of a core that the server uses. */
async function shareOfWaiting(everyMs: number | undefined): Promise<number> {
  const keys = Array.from({ length: LIMITS.waitingMax / LIMITS.waitingPerKeyMax }, () => mint(folder, 'personnel.read'))
  const clients = keys.map((one) => new Client(server.origin, one, LIMITS.waitingPerKeyMax))
  const last = cursorAt({ name: 'feed' }, [changes, Number(nonceOf.get(changes))])
  let isOver = false
  let answers = 0
  const followers = clients.flatMap((one) =>
    Array.from({ length: LIMITS.waitingPerKeyMax }, async () => {
      for (let cursor = last; !isOver; ) {
        const { status, text } = await one.request(`/v1/changes?entity=group&wait=30&cursor=${cursor}`)
        if (status !== 200) throw new Error(`${status}: ${text}`)
        cursor = JSON.parse(text).page.next
        answers += 1
      }
    }),
  )
  await sleep(2_000)
  const [cpuMs, at] = [cpuMsOf(server.pid), performance.now()]
  answers = 0
  for (let i = 0; performance.now() - at < seconds * 1_000; i++) {
    await sleep(everyMs ?? 1_000)
    const body = JSON.stringify({ name: `Follow ${performance.now()} ${i}` })
    if (everyMs) await client.request('/v1/groups', { method: 'POST', body })
  }
  const share = (cpuMsOf(server.pid) - cpuMs) / (performance.now() - at)
  console.log(
    `${followers.length} followers, ${everyMs ? `a change every ${everyMs} ms` : 'nothing changes'}: ${(share * 100).toFixed(1)}% of a core, ${answers} answers`,
  )
  isOver = true
  await client.request('/v1/groups', { method: 'POST', body: JSON.stringify({ name: `End ${performance.now()}` }) })
  await Promise.all(followers)
  for (const one of clients) one.close()
  return share
}

await shareOfWaiting(undefined)
await shareOfWaiting(1_000)
client.close()
db.close()
await server.end('SIGTERM')
