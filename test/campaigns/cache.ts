/**
 * Reads and writes at random through two servers with a response cache, and compares each response with that of a third
 * one on the same store without a cache.
 *
 *   npm run campaign -- cache [--steps 10000 --database postgres://... --seed N]
 */
import { execFileSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { any, commandIn, learn, read, readArriving, type Step, WRITES } from './cacheTraffic.js'
import { Client, type ClientResponse } from './client.js'
import { randomInt } from './random.js'
import { MAIN, mint, newFolder, serve } from './served.js'

const { values } = parseArgs({
  options: { steps: { type: 'string', default: '10000' }, database: { type: 'string' }, seed: { type: 'string' } },
})
const steps = Number(values.steps)
// The commands find the store there; a server gets no environment.
if (values.database !== undefined) process.env['DATABASE_URL'] = values.database
/** One step in this many writes, the others read. */
const WRITE_EVERY = 12
/** One write in this many is done by a command, in a separate process. */
const COMMAND_EVERY = 6
/** One read in this many is new; the others repeat one of the last, which a write in between may have changed. */
const NEW_EVERY = 3
const RECENT = 60

const folder = newFolder()
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
const QUIET = [
  '--rate-limit',
  '0',
  '--log-level',
  'silent',
  ...(values.database ? ['--database', values.database] : []),
]
const keeping = [await serve(folder, QUIET), await serve(folder, QUIET)]
const fresh = await serve(folder, [...QUIET, '--response-cache-megabytes', '0'])

/** The parts that must be equal: all but the headers of the single request. */
function comparable({ status, headers, text }: ClientResponse): string {
  const { date: _, connection: __, 'keep-alive': ___, ...rest } = headers
  return JSON.stringify([status, Object.entries(rest).sort(), inOrder(text)])
}

/** A response with its errors in order: fields that are resolved at once fail in any order. */
function inOrder(text: string): string {
  if (!text.startsWith('{"errors":')) return text
  const { errors, ...others } = JSON.parse(text) as { errors: unknown[] }
  return JSON.stringify({ errors: errors.map((one) => JSON.stringify(one)).sort(), ...others })
}

async function send(origin: string, key: string, { path, ...sent }: Step): Promise<ClientResponse> {
  const client = clients.get(`${origin} ${key}`) ?? new Client(origin, key, 1)
  clients.set(`${origin} ${key}`, client)
  // The same for all, because problems repeat it.
  return client.request(path, { ...sent, headers: { 'request-id': 'compared', ...sent.headers } })
}
const clients = new Map<string, Client>()

const counts = { reads: 0, writes: 0, refused: 0, unchanged: 0, different: 0 }

async function write(): Promise<void> {
  if (randomInt(COMMAND_EVERY) === 0) return randomInt(10) === 0 ? revokeOne() : runCommand()
  const { text, status } = await send(any(keeping).origin, manager, any(WRITES)())
  learn(text)
  counts.refused += status < 400 ? 0 : 1
}

/** Runs a command that may find nothing to do, such as erasing a person who is not there. */
async function runCommand(): Promise<void> {
  try {
    command(...commandIn(folder))
  } catch (error) {
    counts.refused += 1
    if ((error as { status?: number }).status !== 1) throw error
  }
}

/** Revokes the key of a reader, which every server must refuse at once, and replaces it. */
async function revokeOne(): Promise<void> {
  const at = randomInt(1, keys.length)
  const key = keys[at] ?? ''
  const shown = JSON.parse(command('keys', 'list', '--json')) as { id: string; prefix: string }[]
  command('keys', 'revoke', shown.find(({ prefix }) => key.startsWith(prefix))?.id ?? '')
  for (const { origin } of [...keeping, fresh]) {
    const { status } = await send(origin, key, read())
    if (status === 401) continue
    counts.different += 1
    console.log(`DIFFERENT: a revoked key is answered with ${status}`)
  }
  keys[at] = mint(folder, ...any([['personnel.read'], ['projects.read'], ['personnel.read', 'projects.read']]))
}

interface Read {
  readonly keyAt: number
  readonly origin: string
  readonly sent: Step
}
const recent: Read[] = []

function newRead(sent = read()): Read {
  const made = { keyAt: randomInt(keys.length), origin: any(keeping).origin, sent }
  recent.push(made)
  if (recent.length > RECENT) recent.shift()
  return made
}

const anyRead = () => (randomInt(NEW_EVERY) > 0 && recent.length > 0 ? any(recent) : newRead())

for (let step = 0; step < steps && counts.different < 10; step++) {
  if (randomInt(WRITE_EVERY) > 0) await compare(step, anyRead())
  else {
    // Read before and after, because most writes change nothing of most reads.
    const watched = [newRead(readArriving()), anyRead(), anyRead()]
    for (const one of watched) await compare(step, one)
    counts.writes += 1
    await write()
    for (const one of watched) await compare(step, one)
  }
}

async function compare(step: number, { keyAt, origin, sent }: Read): Promise<void> {
  counts.reads += 1
  const key = keys[keyAt] ?? ''
  // Twice, so that the second is from the cache.
  const answers = [await send(origin, key, sent), await send(origin, key, sent), await send(fresh.origin, key, sent)]
  const [first, second, expected] = answers.map(comparable)
  if (answers[2]?.status === 200) learn(answers[2].text)
  if (first !== expected || second !== expected) {
    counts.different += 1
    console.log(`DIFFERENT at step ${step}: ${JSON.stringify(sent)}\n  ${first}\n  ${second}\n  ${expected}`)
  }
  const tag = answers[1]?.headers.etag
  if (tag === undefined) return
  const unchanged = { ...sent, headers: { ...sent.headers, 'if-none-match': tag } }
  const [ours, theirs] = [await send(origin, key, unchanged), await send(fresh.origin, key, unchanged)]
  counts.unchanged += 1
  if (comparable(ours) !== comparable(theirs) || ours.status !== 304) {
    counts.different += 1
    console.log(`DIFFERENT 304 at step ${step}: ${comparable(ours)}\n  ${comparable(theirs)}`)
  }
}
console.log(
  `steps                   ${steps}: ${counts.reads} reads (each twice), ${counts.writes} writes, ${counts.refused} of them refused`,
)
console.log(`repeated with a tag     ${counts.unchanged}`)
console.log(`different answers       ${counts.different}`)
process.exit(counts.different === 0 ? 0 : 1)
