/**
 * Reads and writes at random through two servers with a response cache, and compares each response with that of a third
 * one on the same store without a cache.
 *
 *   npm run test:cache [-- --steps 10000]
 */
import { execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { Client, type ClientResponse, type RequestOptions } from './client.js'
import { MAIN, mint, newFolder, serve } from './served.js'

const { values } = parseArgs({ options: { steps: { type: 'string', default: '10000' } } })
const steps = Number(values.steps)
/** One step in this many writes, the others read. */
const WRITE_EVERY = 12
/** One write in this many is done by a command, in a separate process. */
const COMMAND_EVERY = 40

const folder = newFolder()
const any = <T>(from: readonly T[]): T => from[randomInt(from.length)] as T
const command = (...args: string[]) =>
  execFileSync(process.execPath, [MAIN, ...args], { cwd: folder, encoding: 'utf8', stdio: 'pipe' })

const manager = mint(folder, 'personnel.manage', 'projects.manage')
const keys = [
  manager,
  mint(folder, 'personnel.read', 'projects.read'),
  mint(folder, 'personnel.read', 'projects.read'),
  mint(folder, 'personnel.read'),
  mint(folder, 'projects.read'),
]
const QUIET = ['--rate-limit', '0', '--log-level', 'silent']
const keeping = [await serve(folder, QUIET), await serve(folder, QUIET)]
const fresh = await serve(folder, [...QUIET, '--response-cache-megabytes', '0'])

const PROJECTS = ['NORTH', 'SOUTH', 'EAST']
const people: string[] = []
const groups: string[] = []
const someone = () => (people.length > 0 ? any(people) : 'usr_none')

interface Step extends RequestOptions {
  readonly path: string
}

const query = (text: string, variables: object = {}): Step => ({
  path: '/graphql',
  method: 'POST',
  body: JSON.stringify({ query: text, variables }),
})

const READS: readonly (() => Step)[] = [
  () => ({ path: `/v1/personnel?limit=${any([1, 5, 50])}` }),
  () => ({ path: '/v1/personnel', headers: { 'accept-encoding': any(['gzip', 'identity']) } }),
  () => ({
    path: '/v1/personnel?total=true&status=active,inactive&limit=3',
    headers: { accept: any(['*/*', 'text/csv']) },
  }),
  () => ({ path: `/v1/personnel/${someone()}`, method: any(['GET', 'HEAD']) }),
  () => ({ path: '/v1/groups' }),
  () => ({ path: `/v1/risks?limit=${any([2, 20])}&minScore=${any([0, 6])}` }),
  () => ({ path: `/v1/risks?project=${any(PROJECTS)}` }),
  () => ({ path: `/v1/issues?project=${any(PROJECTS)}&total=true` }),
  () => ({ path: `/v1/projects/${any(PROJECTS)}` }),
  () => ({ path: '/v1/key' }),
  () => query('{ personnel(first: 5) { nodes { id name groups { name } } totalCount } }'),
  () => query('{ risks(first: 10) { nodes { reference score rank owner { name } } } }'),
  () =>
    query('query ($id: ID!) { person(id: $id) { name history(first: 5) { nodes { action by } } } }', { id: someone() }),
  () =>
    query(
      '{ risks(first: 3) { nodes { owner { name } history(first: 3) { nodes { action fields { field to } } } } } }',
    ),
  () => query('{ apiKey { name scopes } groups { nodes { name memberCount } } }'),
]

let count = 0
const WRITES: readonly (() => Step)[] = [
  () => {
    count += 1
    const body = JSON.stringify({ name: `Person ${count}`, externalId: `HR-${count}` })
    return { path: '/v1/personnel', method: 'POST', body }
  },
  () => ({ path: `/v1/personnel/${someone()}`, method: 'PATCH', body: JSON.stringify({ title: `T${randomInt(9)}` }) }),
  () => {
    count += 1
    return { path: '/v1/groups', method: 'POST', body: JSON.stringify({ name: `Group ${count}` }) }
  },
  () => ({ path: `/v1/groups/${groups.length > 0 ? any(groups) : 'grp_none'}/members/${someone()}`, method: 'PUT' }),
  () => ({ path: '/v1/projects', method: 'POST', body: JSON.stringify(project()) }),
]

function project() {
  const risks = Array.from({ length: randomInt(6) }, (_, i) => ({
    reference: `R-${i}`,
    title: 'Fog',
    likelihood: randomInt(1, 6),
    impact: randomInt(1, 6),
    ...(count > 0 && { owner: `HR-${randomInt(1, count + 1)}` }),
  }))
  const issues = Array.from({ length: randomInt(4) }, (_, i) => ({
    reference: `I-${i}`,
    title: 'Dock shut',
    severity: 'HIGH',
  }))
  return { key: any(PROJECTS), name: 'Project', risks, issues, closeLimit: 100 }
}

/** The parts that must be equal: all but the headers of the single request. */
function comparable({ status, headers, text }: ClientResponse): string {
  const { date: _, connection: __, 'keep-alive': ___, ...rest } = headers
  return JSON.stringify([status, Object.entries(rest).sort(), text])
}

async function send(origin: string, key: string, { path, ...sent }: Step): Promise<ClientResponse> {
  const client = clients.get(`${origin} ${key}`) ?? new Client(origin, key, 1)
  clients.set(`${origin} ${key}`, client)
  // The same for all, because problems repeat it.
  return client.request(path, { ...sent, headers: { 'request-id': 'compared', ...sent.headers } })
}
const clients = new Map<string, Client>()

const counts = { reads: 0, writes: 0, unchanged: 0, different: 0 }

async function write(): Promise<void> {
  if (randomInt(COMMAND_EVERY) === 0) return any([revokeOne, eraseOne])()
  const step = any(WRITES)()
  const { status, text } = await send(any(keeping).origin, manager, step)
  if (status !== 201) return
  const { id } = JSON.parse(text) as { id: string }
  ;(step.path === '/v1/groups' ? groups : people).push(id)
}

/** Erases a person, whom no response may name afterwards, nor the history of their entries. */
async function eraseOne(): Promise<void> {
  const [id] = people.splice(randomInt(people.length + 1), 1)
  if (id !== undefined) command('erase', id)
}

/** Revokes the key of a reader, which every server must refuse at once, and replaces it. */
async function revokeOne(): Promise<void> {
  const at = randomInt(1, keys.length)
  const key = keys[at] ?? ''
  const shown = JSON.parse(command('keys', 'list', '--json')) as { id: string; prefix: string }[]
  command('keys', 'revoke', shown.find(({ prefix }) => key.startsWith(prefix))?.id ?? '')
  for (const { origin } of [...keeping, fresh]) {
    const { status } = await send(origin, key, any(READS)())
    if (status === 401) continue
    counts.different += 1
    console.log(`DIFFERENT: a revoked key is answered with ${status}`)
  }
  keys[at] = mint(folder, ...any([['personnel.read'], ['projects.read'], ['personnel.read', 'projects.read']]))
}

for (let step = 0; step < steps && counts.different < 10; step++) {
  if (randomInt(WRITE_EVERY) === 0) {
    counts.writes += 1
    await write()
    continue
  }
  counts.reads += 1
  const [key, sent] = [any(keys), any(READS)()]
  const origin = any(keeping).origin
  // Twice, so that the second is from the cache.
  const answers = [await send(origin, key, sent), await send(origin, key, sent), await send(fresh.origin, key, sent)]
  const [first, second, expected] = answers.map(comparable)
  if (first !== expected || second !== expected) {
    counts.different += 1
    console.log(`DIFFERENT at step ${step}: ${JSON.stringify(sent)}\n  ${first}\n  ${second}\n  ${expected}`)
  }
  const tag = answers[1]?.headers.etag
  if (tag === undefined) continue
  const unchanged = { ...sent, headers: { ...sent.headers, 'if-none-match': tag } }
  const [ours, theirs] = [await send(origin, key, unchanged), await send(fresh.origin, key, unchanged)]
  counts.unchanged += 1
  if (comparable(ours) !== comparable(theirs) || ours.status !== 304) {
    counts.different += 1
    console.log(`DIFFERENT 304 at step ${step}: ${comparable(ours)}\n  ${comparable(theirs)}`)
  }
}
console.log(`steps                   ${steps}: ${counts.reads} reads (each twice), ${counts.writes} writes`)
console.log(`repeated with a tag     ${counts.unchanged}`)
console.log(`different answers       ${counts.different}`)
process.exit(counts.different === 0 ? 0 : 1)
