import { pino } from 'pino'
import { afterAll, expect, onTestFailed, onTestFinished } from 'vitest'
import { mintKey } from '../../src/auth/keys.js'
import type { Scope } from '../../src/auth/scopes.js'
import { type FieldChanges, fieldChangesOf } from '../../src/history/changes.js'
import { type App, type AppOptions, createApp } from '../../src/http/app.js'
import { PROTOCOLS } from '../../src/http/protocols.js'
import { LIMITS } from '../../src/limits.js'
import type { OnStatement, Store, Write } from '../../src/store/store.js'
import { requireDocumented } from './documented.js'
import { type Company, fillCompany } from './fixtures.js'
import { copyOf, newStore, type TestStore } from './stores.js'

/** A response with its whole body. */
export interface TestResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely, and compare them whole.
  readonly body: any
}

/** The last lines of the log that are printed when a test fails. */
const LOG_LINES_SHOWN = 20

export const NOW = new Date('2026-11-02T09:30:00.000Z')

interface Statement {
  readonly sql: string
  readonly values: readonly unknown[]
}

/** Whether a statement only measures a table: its rows, to decide whether the next one is heavy, or its texts. */
const isSizing = (sql: string) => sql.startsWith('select max(rowid) from') || sql.endsWith(') sized')

interface HistoryLine {
  readonly by: string
  readonly action: string
  readonly entityId: string
  readonly fields: FieldChanges
}

/** A service with its own store, removed afterwards. */
export interface Gateway {
  readonly store: Store
  /** The store itself, for direct access. */
  readonly own: TestStore
  readonly app: App
  /** Every SQL statement since the last call. */
  statements(): string[]
  /** The same, each with its parameters if the engine reports them. */
  statementsWithValues(): Statement[]
  /** The notices of the store since the last call. */
  notices(): string[]
  /** A caller with a new key of these scopes. */
  as(...scopes: Scope[]): Promise<Caller>
  /** A caller with this `Authorization` header, or none. */
  with(authorization: string | undefined): Caller
  write<T>(work: (write: Write) => Promise<T>): Promise<T>
  /** The history rows that this work adds. */
  historyOf(work: () => Promise<unknown>): Promise<HistoryLine[]>
  clock: { now: Date }
  readonly log: string[]
}

/** When a service is closed: after the test that opened it, or `afterAll` of a file that shares one. */
export type AtEnd = (close: () => Promise<void>) => void

/** A service whose workers, batches and response cache are switched off, as an operator does it. */
export function openPlain(atEnd: AtEnd = onTestFinished, own: TestStore = newStore()): Gateway {
  // In place although every read counts as heavy.
  const plain = { inPlaceRowsMax: 0, readWorkers: 0, writesTogether: 1 }
  const open: TestStore['open'] = (options) => own.open({ ...options, ...plain })
  return openGateway({ responseCacheBytesMax: 0 }, atEnd, Object.create(own, { open: { value: open } }))
}

export function openGateway(
  options: Partial<AppOptions> = {},
  atEnd: AtEnd = onTestFinished,
  own: TestStore = newStore(),
  protocols = PROTOCOLS,
): Gateway {
  let seen: Statement[] = []
  const log: string[] = []
  const clock = { now: NOW }
  const notices: string[] = []
  const onStatement = (sql: string, values: readonly unknown[] = []) => {
    if (!isSizing(sql)) seen.push({ sql, values })
  }
  const store = own.open({ onStatement, onNotice: (sentence) => notices.push(sentence) })
  const app = createApp(
    {
      store: options.monotonicMs ? timeless(store) : store,
      log: pino({ level: 'info' }, { write: (line) => log.push(line) }),
      clock: () => clock.now,
      basePath: '',
      graphiql: true,
      wholeListRowsMax: LIMITS.wholeListRowsMax,
      ratePerMinute: 0,
      responseCacheBytesMax: LIMITS.responseCacheBytesMax,
      inFlightBytesMax: LIMITS.inFlightBytesMax,
      slowMs: LIMITS.slowQueryMs,
      corsOrigins: '',
      ...options,
    },
    protocols,
  )
  atEnd(async () => {
    await store.close()
    own.remove()
  })
  // The cause of an unexpected 503 is in the log alone.
  if (atEnd === onTestFinished) onTestFailed(() => console.error(log.slice(-LOG_LINES_SHOWN).join('')))
  const gateway: Gateway = {
    store,
    own,
    app,
    clock,
    log,
    statements: () => gateway.statementsWithValues().map(({ sql }) => sql),
    statementsWithValues() {
      const since = seen
      seen = []
      return since
    },
    notices: () => notices.splice(0),
    async as(...scopes) {
      const key = await gateway.write((write) =>
        mintKey(write, { name: scopes.join(' ') || 'no scopes', scopes, expiresAt: undefined }),
      )
      return gateway.with(`Bearer ${key.secret}`)
    },
    with: (authorization) => new Caller(app, authorization, options.basePath ?? ''),
    write: (work) => store.write({ by: 'cli', at: () => clock.now }, work),
    async historyOf(work) {
      const lines = () => store.read.db.select().from(store.read.t.change).orderBy(store.read.t.change.id)
      const before = (await lines()).length
      await work()
      return (await lines()).slice(before).map((row) => {
        const { by, action, entityId } = row
        return { by, action, entityId, fields: fieldChangesOf(row) }
      })
    },
  }
  return gateway
}

/** For a service with a clock of the test: its statements take no time, since what a busy machine adds would be charged. */
function timeless(store: Store): Store {
  const still = (seen: OnStatement | undefined): OnStatement | undefined =>
    seen && ((run, values) => seen({ ...run, ms: 0 }, values))
  return {
    ...store,
    reading: (readership) => store.reading({ ...readership, onStatement: still(readership.onStatement) }),
    write: (as, work) => store.write({ ...as, onStatement: still(as.onStatement) }, work),
  }
}

/** Waits until the first use of each key is stored, which comes some time after the request. */
export async function usesAreStored({ own }: Gateway): Promise<void> {
  const unused = 'select id from api_key where last_used_at is null'
  await expect.poll(() => own.rows(unused), { timeout: 10_000 }).toEqual([])
}

interface Filled {
  readonly own: TestStore
  readonly company: Company
}

/** The company of the fixtures, written once for each worker and copied for each test. */
let filled: Promise<Filled> | undefined

/** The same with a key that has every scope. */
let withKey: Promise<{ own: TestStore; secret: string }> | undefined

async function fillStore(): Promise<Filled> {
  const own = newStore()
  const store = own.open()
  const company = await store.write({ by: 'cli', at: () => NOW }, fillCompany)
  await store.close()
  return { own, company }
}

/** A service with the company of the fixtures, and its ids. */
export async function openFilled(
  options: Partial<AppOptions> = {},
  atEnd: AtEnd = onTestFinished,
): Promise<{ gateway: Gateway; company: Company }> {
  filled ??= fillStore()
  const { own, company } = await filled
  return { gateway: openGateway(options, atEnd, copyOf(own)), company }
}

/** A service with the company of the fixtures, and a caller with every scope. */
export interface Office {
  readonly gateway: Gateway
  readonly caller: Caller
}

export async function openOffice(options: Partial<AppOptions> = {}, atEnd: AtEnd = onTestFinished): Promise<Office> {
  withKey ??= mintInCopy(['personnel.manage', 'projects.manage'])
  const { own, secret } = await withKey
  const gateway = openGateway(options, atEnd, copyOf(own))
  return { gateway, caller: gateway.with(`Bearer ${secret}`) }
}

async function mintInCopy(scopes: Scope[]): Promise<{ own: TestStore; secret: string }> {
  filled ??= fillStore()
  const own = copyOf((await filled).own)
  const store = own.open()
  const key = { name: scopes.join(' '), scopes, expiresAt: undefined }
  const { secret } = await store.write({ by: 'cli', at: () => NOW }, (write) => mintKey(write, key))
  await store.close()
  return { own, secret }
}

/**
 * What the tests of a file share, opened by the first that needs it. Only for tables of requests that change nothing, and
 * whose responses do not depend on the requests before them.
 */
export function sharedByTests<T>(open: (atEnd: AtEnd) => Promise<T>): () => Promise<T> {
  const ends: (() => Promise<void>)[] = []
  afterAll(async () => {
    for (const end of ends) await end()
  })
  let opened: Promise<T> | undefined
  return () => {
    opened ??= open((end) => void ends.push(end))
    return opened
  }
}

type Init = { method?: string; headers?: Record<string, string>; body?: string | undefined }

export class Caller {
  private readonly app: App
  readonly authorization: string | undefined
  private readonly basePath: string

  constructor(app: App, authorization: string | undefined, basePath: string) {
    this.app = app
    this.authorization = authorization
    this.basePath = basePath
  }

  async request(path: string, { method = 'GET', headers = {}, body }: Init = {}): Promise<TestResponse> {
    const request = new Request(`http://localhost${this.basePath}${path}`, {
      method,
      headers: {
        ...(this.authorization && { authorization: this.authorization }),
        ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    })
    const response = await this.app.fetch(request)
    const text = await response.text()
    const isJson = /json/.test(response.headers.get('content-type') ?? '') && text !== ''
    const answer = {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
    }
    requireDocumented(method, path, answer)
    return answer
  }

  get(path: string, headers: Record<string, string> = {}): Promise<TestResponse> {
    return this.request(path, { headers })
  }

  post(path: string, body: unknown): Promise<TestResponse> {
    return this.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  }

  /** A merge patch, unless the headers set another type. */
  patch(path: string, body: unknown, headers: Record<string, string> = {}): Promise<TestResponse> {
    return this.request(path, {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json', ...headers },
      body: JSON.stringify(body),
    })
  }

  put(path: string, headers: Record<string, string> = {}): Promise<TestResponse> {
    return this.request(path, { method: 'PUT', headers })
  }

  delete(path: string, headers: Record<string, string> = {}): Promise<TestResponse> {
    return this.request(path, { method: 'DELETE', headers })
  }

  graphql(query: string, variables: Record<string, unknown> = {}): Promise<TestResponse> {
    return this.post('/graphql', { query, variables })
  }
}
