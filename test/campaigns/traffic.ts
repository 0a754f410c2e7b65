/** Typical traffic, with invalid and slow requests; each with its acceptable statuses. */
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { Client, type RequestOptions, sleep } from './client.js'
import { randomInt } from './random.js'

export interface Tally {
  requests: number
  /** The number of requests by acceptable status. */
  readonly statuses: Map<number, number>
  /** Requests with an unexpected status or without a response. */
  readonly unexpected: string[]
  /** The statuses of slow readers, or that they were still reading at the end. */
  readonly slow: Map<string, number>
}

interface Request extends RequestOptions {
  readonly path: string
  readonly right: readonly number[]
  /** Reads ids from the response. */
  readonly learn?: (text: string) => void
}

interface Parties {
  readonly origin: string
  readonly key: string
  /** The keys of slow readers, whose budget is separate from the others'. */
  readonly holders: readonly string[]
  readonly tally: Tally
  readonly isOver: () => boolean
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const PROJECTS = ['NORTH', 'SOUTH', 'EAST', 'WEST', 'CORE']
const STATUSES = ['OPEN', 'OCCURRED', 'CLOSED']
const SEVERITIES = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL']
const ENTRIES = 40
/** More than even a whole project may take. */
const OVERSIZED = ' '.repeat(17_000_000)

const any = <T>(values: readonly T[]): T => values[randomInt(values.length)] as T
const letters = (count: number) => Array.from({ length: count }, () => LETTERS[randomInt(26)]).join('')
const get = (path: string, right: readonly number[] = [200], headers = {}): Request => ({ path, right, headers })
const json = (method: string, path: string, body: unknown, right: readonly number[], headers = {}): Request => ({
  method,
  path,
  body: typeof body === 'string' ? body : JSON.stringify(body),
  headers,
  right,
})
const graphql = (query: string, variables: object = {}, right: readonly number[] = [200]) =>
  json('POST', '/graphql', { query, variables }, right)

/** The people whom writers have added; readers request them. */
const known: string[] = []
const someone = () => (known.length > 0 ? any(known) : 'usr_none')
/** The projects that were synced: a filter by a key that does not exist is refused. */
const synced = new Set<string>()

const ofProject = () => (synced.size > 0 ? `project=${any([...synced])}&` : '')

const READS: readonly (() => Request)[] = [
  () => get(`/v1/personnel?limit=${randomInt(1, 200)}&search=${letters(2)}`),
  () => get(`/v1/personnel?limit=50&total=true&status=${any(['active', 'inactive', 'active,inactive'])}`),
  () => get(`/v1/personnel/${someone()}`, [200, 404]),
  () => get(`/v1/personnel?limit=500`, [200], { 'accept-encoding': any(['gzip', 'br', 'identity']) }),
  () => get(`/v1/personnel?limit=100`, [200], { accept: 'text/csv' }),
  () => get(`/v1/risks?limit=${randomInt(1, 50)}&minScore=${randomInt(1, 25)}`),
  () => get(`/v1/risks?${ofProject()}status=${any(STATUSES).toLowerCase()}&limit=20`),
  () => get(`/v1/issues?limit=20&severity=${any(SEVERITIES).toLowerCase()}&search=${letters(1)}`),
  () => get(`/v1/projects/${any(PROJECTS)}`, [200, 404]),
  () => get('/v1/projects?total=true'),
  () => get('/v1/groups'),
  () => get('/v1/key'),
  () => get('/v1/openapi.json', [200], { 'accept-encoding': 'gzip' }),
  () => get('/readyz'),
  () => graphql(`query Q${letters(3)} { personnel(first: ${randomInt(1, 50)}) { totalCount nodes { id name } } }`),
  () =>
    graphql(
      'query ($n: Int, $s: String) { risks(first: $n, filter: { search: $s }) { nodes { title owner { name } } } }',
      {
        n: randomInt(1, 40),
        s: letters(1),
      },
    ),
  () =>
    graphql(
      '{ projects(first: 5) { nodes { key risks(first: 3) { nodes { score rank } } issues(first: 3) { nodes { title } } } } }',
    ),
  () =>
    graphql('query ($id: ID!) { person(id: $id) { name history(first: 5) { nodes { action recordedAt } } } }', {
      id: someone(),
    }),
]

const WRONGS: readonly (() => Request)[] = [
  () => get(`/nowhere/${letters(5)}`, [404]),
  () => get(`/v1/personnel?limit=${letters(3)}`, [400]),
  () => get(`/v1/personnel?${letters(6)}=1`, [400]),
  () => get(`/v1/risks/rsk_${letters(8)}`, [404]),
  () => get('/v1/personnel', [406], { accept: 'image/png' }),
  () => get('/v1/personnel', [401, 429], { authorization: `Bearer ops_${letters(36)}` }),
  () => json('POST', '/v1/personnel', '{ "name": ', [400]),
  () => json('POST', '/v1/personnel', { name: letters(300), email: 'none' }, [422]),
  () => json('POST', '/v1/personnel', { name: 'Ada', externalId: 'taken' }, [201, 409]),
  () => json('PATCH', '/v1/personnel/usr_none', { name: 'Ada' }, [404]),
  () => json('POST', '/v1/projects', { key: any(PROJECTS), risks: [{ reference: 'R', likelihood: 9 }] }, [422]),
  // Seldom, since it costs the sender as much.
  () => (randomInt(10) === 0 ? json('POST', '/v1/personnel', OVERSIZED, [413]) : json('PUT', '/v1/risks', {}, [405])),
  () => json('DELETE', '/v1/personnel', {}, [405]),
  () => graphql(`{ ${letters(4)} `, {}, [200, 400]),
  () => graphql(`{ personnel { ${letters(9)} } }`, {}, [200, 400]),
  // The errors of such a query take far more memory than its text.
  () => graphql(`{ personnel { ${Array.from({ length: 300 }, () => letters(9)).join(' ')} } }`, {}, [200, 400]),
  () =>
    graphql(
      `{ ${'groups { nodes { members { nodes { groups { '.repeat(4)} id ${'} } } } } '.repeat(4)} }`,
      {},
      [200, 400],
    ),
]

const WRITES: readonly (() => Request)[] = [addition, addition, addition, change, change, sync]

function addition(): Request {
  const body = { name: `${letters(5)} ${letters(7)}`, externalId: randomUUID(), title: letters(9) }
  return {
    ...json('POST', '/v1/personnel', body, [201], { 'idempotency-key': randomUUID() }),
    learn: (text) => known.push(JSON.parse(text).id),
  }
}

function change(): Request {
  if (known.length === 0) return addition()
  return json(
    'PATCH',
    `/v1/personnel/${someone()}`,
    { title: letters(8), status: any(['ACTIVE', 'INACTIVE']) },
    [200],
    {
      'content-type': 'application/merge-patch+json',
    },
  )
}

function sync(): Request {
  const entries = Array.from({ length: ENTRIES }, (_, i) => i).filter(() => randomInt(50) > 0)
  const body = {
    key: any(PROJECTS),
    name: 'A project',
    closeLimit: ENTRIES,
    risks: entries.map((i) => ({
      reference: `R-${i}`,
      title: `Risk ${i} ${letters(2)}`,
      likelihood: randomInt(1, 6),
      impact: randomInt(1, 6),
      owner: letters(6),
      status: any(STATUSES),
    })),
    issues: entries.map((i) => ({ reference: `I-${i}`, title: `Issue ${i}`, severity: any(SEVERITIES) })),
  }
  return { ...json('POST', '/v1/projects', body, [200]), learn: () => synced.add(body.key) }
}

/** Sends requests with pauses between them, until the end. */
async function caller(
  { origin, key, tally, isOver }: Parties,
  repertoire: readonly (() => Request)[],
  pauseMs: number,
) {
  const client = new Client(origin, key, 1)
  while (!isOver()) {
    const { path, right, learn, ...sent } = any(repertoire)()
    tally.requests += 1
    try {
      const { status, text } = await client.request(path, sent)
      tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1)
      const isRight = right.includes(status)
      if (isRight && status < 300) learn?.(text)
      if (!isRight)
        tally.unexpected.push(`${sent.method ?? 'GET'} ${path.slice(0, 80)}: ${status} ${text.slice(0, 200)}`)
    } catch (error) {
      tally.unexpected.push(`${sent.method ?? 'GET'} ${path.slice(0, 80)}: ${error}`)
    }
    await sleep(randomInt(pauseMs * 2))
  }
  client.close()
}

/** Clients that send slowly, disconnect half-way, or read slowly. */
async function dawdler({ origin, key, isOver }: Parties): Promise<void> {
  const head = `Host: localhost\r\nAuthorization: Bearer ${key}\r\n`
  const ways = [
    'GET /v1/pers',
    `POST /v1/personnel HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{"name": `,
    `GET /v1/personnel?limit=1000 HTTP/1.1\r\n${head}\r\n`,
    '',
  ]
  while (!isOver()) {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1')
    socket.on('error', () => undefined)
    socket.pause()
    for (const letter of any(ways).match(/[\s\S]{1,40}/g) ?? []) {
      socket.write(letter)
      await sleep(20)
    }
    await sleep(randomInt(3_000))
    socket.destroy()
  }
}

/** The chunk size and interval of a slow reader: 9 MB in about two minutes. */
const SIP_BYTES = 65_536
const SIP_EVERY_MS = 800
/** They start one by one, and back off after a refusal, since building such a list takes long. */
const ARRIVAL_MS = 30_000
const REFUSED_WAIT_MS = 60_000

/**
 * Clients that request far more than they read: half of them all people, each in a separate response, half the
 * script of GraphiQL. After a 503 for lack of budget they wait before the next request.
 */
async function slowReader({ origin, tally, isOver, holders }: Parties, index: number): Promise<void> {
  const key = holders[index % holders.length] ?? ''
  const rest = async (ms: number) => {
    for (let waited = 0; waited < ms && !isOver(); waited += 500) await sleep(Math.min(500, ms))
  }
  await rest(randomInt(ARRIVAL_MS))
  const page = await fetch(`${origin}/graphql`, { headers: { accept: 'text/html' } })
  const [file = '/'] = /\/assets\/graphiql-\w+\/graphiql\.js/.exec(await page.text()) ?? []
  while (!isOver()) {
    const since = new Date(Date.UTC(2000, 0, 1) + randomInt(1e9)).toISOString()
    const request =
      index % 2 === 0
        ? `GET /v1/personnel?updatedSince=${since} HTTP/1.1\r\nAuthorization: Bearer ${key}\r\n`
        : `GET ${file} HTTP/1.1\r\n`
    const status = await sip(origin, `${request}Host: localhost\r\nConnection: close\r\n\r\n`, isOver)
    tally.slow.set(status, (tally.slow.get(status) ?? 0) + 1)
    if (!['200', '503', 'over'].includes(status)) tally.unexpected.push(`a slow reader: ${status}`)
    await rest(status === '503' ? REFUSED_WAIT_MS + randomInt(REFUSED_WAIT_MS) : 100)
  }
}

/** Reads a response in small chunks; returns its status, or the fate of the connection. */
async function sip(origin: string, request: string, isOver: () => boolean): Promise<string> {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1')
  let status = 'no answer'
  let error: Error | undefined
  let isEnded = false
  socket.on('error', (cause) => {
    error = cause
  })
  socket.on('end', () => {
    isEnded = true
  })
  socket.write(request)
  socket.on('readable', () => undefined)
  while (!isEnded && !error && !isOver()) {
    await sleep(SIP_EVERY_MS)
    const chunk: Buffer | null = socket.read(Math.min(SIP_BYTES, socket.readableLength) || undefined)
    if (chunk && status === 'no answer')
      status = /^HTTP\/1\.1 (\d{3})/.exec(chunk.toString('latin1', 0, 20))?.[1] ?? 'no HTTP'
  }
  socket.destroy()
  if (error) return error.message
  return isEnded ? status : 'over'
}

export interface Crowd {
  readonly readers: number
  readonly writers: number
  readonly wrong: number
  readonly slow: number
  /** Clients that request much and read slowly. */
  readonly slowReaders: number
  /** The average pause between two requests of a client. */
  readonly pauseMs: number
}

/** Runs all clients concurrently; resolves when the last has stopped. */
export async function traffic(
  parties: Parties,
  { readers, writers, wrong, slow, slowReaders, pauseMs }: Crowd,
): Promise<void> {
  const many = (count: number, one: (index: number) => Promise<void>) => Array.from({ length: count }, (_, i) => one(i))
  await Promise.all([
    ...many(readers, () => caller(parties, READS, pauseMs)),
    ...many(writers, () => caller(parties, WRITES, pauseMs)),
    ...many(wrong, () => caller(parties, WRONGS, pauseMs)),
    ...many(slow, () => dawdler(parties)),
    ...many(slowReaders, (index) => slowReader(parties, index)),
  ])
}

/** The number of acknowledged people. */
export function additions(): number {
  return known.length
}
