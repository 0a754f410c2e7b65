import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { Fault } from '../../errors.js'
import { LIMITS } from '../../limits.js'
import { driverCode, isOfConnection, UNREACHABLE } from '../faults.js'
import type { Connections } from './connections.js'
import { nameOn } from './statementNames.js'

/** The result of a statement: rows as arrays, or as objects by column name. */
export interface QueryResult {
  readonly rows: unknown[][]
  /** The command tag, such as COMMIT. */
  readonly command: string
}

export interface QueryOptions {
  /** Whether rows are objects by column name. */
  readonly isByName?: boolean
  readonly hasStablePlan?: boolean | undefined
  /** Limit for the result, including the wait for a connection; after it the connection is discarded. */
  readonly timeoutMs?: number
}

/** A checked-out connection. */
export interface Session {
  run(sql: string, values?: unknown[], how?: QueryOptions): Promise<QueryResult>
  release(isBroken: boolean): void
}

interface LentSession extends Session {
  /** Whether the connection is known to be closed. */
  isLost(): boolean
}

export type OnSent = (sql: string, values: readonly unknown[]) => void

/** For commands and bulk statements, which no client of a request waits for. */
export const BULK_MS = LIMITS.storeBulkMs + LIMITS.storeAnswerMs

interface Connecting {
  /** As in `Readership`. */
  readonly owner?: string | undefined
  readonly onSent?: OnSent | undefined
  readonly isNaming?: boolean
  /** Time limit for the wait for a connection. */
  readonly withinMs?: number
}

/** Checks out a connection until `release`. */
export async function connected(
  connections: Connections,
  { owner = '', onSent, isNaming = false, withinMs = 2 * LIMITS.storeConnectMs }: Connecting = {},
): Promise<LentSession> {
  const { client, release } = await connections.lend(owner, withinMs)
  const mayName = isNaming && !connections.isShared(client)
  let queue: Promise<unknown> = Promise.resolve()
  const run: Session['run'] = async (
    text,
    values,
    { isByName, hasStablePlan, timeoutMs = connections.answerMs } = {},
  ) => {
    onSent?.(text, values ?? [])
    const name = mayName && hasStablePlan ? nameOn(client, text) : undefined
    return query(client, { text, values, isByName, name, timeoutMs })
  }
  return {
    // Without pipelining, statements of concurrent callers run one after the other.
    run(...statement) {
      if (connections.isPipelined) {
        gatherPackets(client)
        return run(...statement)
      }
      const turn = queue.then(() => run(...statement))
      queue = turn.catch(() => undefined)
      return turn
    },
    release,
    isLost: () => client instanceof pg.Client && !client.connection.stream.writable,
  }
}

const gathering = new WeakSet<object>()

/** Corks the socket until the next tick: one write for all statements of a turn, since a packet costs more than they do. */
function gatherPackets(client: pg.PoolClient): void {
  if (!(client instanceof pg.Client) || gathering.has(client)) return
  const { stream } = client.connection
  gathering.add(client)
  stream.cork()
  process.nextTick(() => {
    gathering.delete(client)
    stream.uncork()
  })
}

/** Part of a statement's time that is reserved for running it, not for the wait for a connection; at most half. */
const ANSWER_LEAST_MS = 1_000

type Sending = Pick<Connecting, 'owner' | 'onSent'>

/** Runs each statement on any free connection. */
export function alone(connections: Connections, { owner, onSent }: Sending): Session['run'] {
  return async (text, values, { timeoutMs = connections.answerMs, ...how } = {}) => {
    const giveUpAt = performance.now() + timeoutMs
    const withinMs = timeoutMs - Math.min(ANSWER_LEAST_MS, timeoutMs / 2)
    const { run, release } = await connected(connections, { owner, onSent, isNaming: true, withinMs })
    try {
      const leftMs = Math.max(1, giveUpAt - performance.now())
      const result = await run(text, values, { ...how, timeoutMs: leftMs })
      release(false)
      return result
    } catch (error) {
      release(isOfConnection(error))
      throw error
    }
  }
}

/** Runs work in one read-only transaction, so that all its statements see one snapshot. */
export type AtOnce = <V>(work: (run: Session['run']) => Promise<V>) => Promise<V>

export async function withinOne<V>(
  connections: Connections,
  { owner, onSent }: Sending,
  work: (run: Session['run']) => Promise<V>,
): Promise<V> {
  const withinMs = connections.answerMs - Math.min(ANSWER_LEAST_MS, connections.answerMs / 2)
  const { run, release } = await connected(connections, { owner, onSent, isNaming: true, withinMs })
  try {
    await run('begin isolation level repeatable read read only')
    const done = await work(run)
    await run('commit')
    release(false)
    return done
  } catch (error) {
    // Discard the connection: its transaction may be in any state.
    release(true)
    throw error
  }
}

/** A kept connection returns to the pool after a pause this long, or at this age. */
const PAUSE_MS = 1_000
const KEPT_MS = 30_000

/** Keeps one connection for a continuous stream of short statements: a checkout takes longer than such a statement. */
export class KeptConnection {
  private readonly connections: Connections
  private readonly onSent: OnSent | undefined
  private readonly pause: NodeJS.Timeout
  private opening: Promise<LentSession> | undefined
  private session: LentSession | undefined
  private place = 0
  private keptUntil = 0
  private running = 0

  constructor(connections: Connections, onSent?: OnSent) {
    this.connections = connections
    this.onSent = onSent
    this.pause = setTimeout(() => this.giveBack(), PAUSE_MS).unref()
  }

  readonly run: Session['run'] = async (text, values, { timeoutMs = this.connections.answerMs, ...how } = {}) => {
    const giveUpAt = performance.now() + timeoutMs
    this.pause.refresh()
    if (this.session?.isLost()) this.leave(true)
    if (this.place !== this.connections.place || performance.now() > this.keptUntil) this.giveBack()
    this.running += 1
    let session: LentSession | undefined
    try {
      this.opening ??= this.open(timeoutMs - Math.min(ANSWER_LEAST_MS, timeoutMs / 2))
      session = await this.opening
      const leftMs = Math.max(1, giveUpAt - performance.now())
      return await session.run(text, values, { ...how, timeoutMs: leftMs })
    } catch (error) {
      if (session === this.session && isOfConnection(error)) this.leave(true)
      throw error
    } finally {
      this.running -= 1
    }
  }

  /** Releases it, unless a statement is running. */
  giveBack(): void {
    if (this.running === 0) this.leave(false)
  }

  private leave(isBroken: boolean): void {
    const { session } = this
    this.session = undefined
    if (session) this.opening = undefined
    session?.release(isBroken)
  }

  private async open(withinMs: number): Promise<LentSession> {
    try {
      this.session = await connected(this.connections, { onSent: this.onSent, isNaming: true, withinMs })
      this.place = this.connections.place
      this.keptUntil = performance.now() + KEPT_MS
      return this.session
    } catch (error) {
      this.opening = undefined
      throw error
    }
  }
}

const LOOK_EVERY_MS = 1_000

/** Waits while the server responds to other queries; one failure is ignored, since it may be that connection's own. */
export function whileResponsive<T>(result: Promise<T>, look: () => Promise<unknown>): Promise<T> {
  const over = new AbortController()
  const listen = async (): Promise<never> => {
    for (let misses = 0; misses < 2; ) {
      await sleep(LOOK_EVERY_MS, undefined, { signal: over.signal })
      misses = await look().then(
        () => 0,
        () => misses + 1,
      )
    }
    throw new Fault('UNAVAILABLE', UNREACHABLE)
  }
  return Promise.race([result.finally(() => over.abort()), listen()])
}

interface Statement {
  readonly text: string
  readonly values: unknown[] | undefined
  readonly isByName: boolean | undefined
  readonly name?: string | undefined
  readonly timeoutMs: number
}

/** The cached plan of a prepared statement no longer fits the tables, or the statement is gone. */
export const STALE = ['0A000', '26000', '42P05']

interface TimedQuery extends pg.QueryConfig {
  /** Not in the types of the driver. */
  readonly query_timeout: number
}

async function query(client: pg.PoolClient, statement: Statement): Promise<QueryResult> {
  const { text, values, isByName, name, timeoutMs } = statement
  try {
    const given = text.startsWith('select') ? values?.map(withoutNul) : values
    // Set one by one: object spreads take as long as the rest of sending a statement.
    const config: TimedQuery = { text, query_timeout: Math.ceil(timeoutMs) }
    if (given) config.values = given
    if (name) config.name = name
    const result = isByName
      ? await client.query(config)
      : await client.query<unknown[]>(Object.assign(config, { rowMode: 'array' } as const))
    // A query of several statements has a result for each; the last one has the final command tag.
    const { rows, command } = [result].flat().at(-1) ?? result
    return { rows, command }
  } catch (error) {
    // Inside a transaction a retry is useless: the transaction has failed.
    const isRepeatable = name !== undefined && client.getTransactionStatus() === 'I'
    if (isRepeatable && STALE.includes(driverCode(error) ?? '')) return query(client, { ...statement, name: undefined })
    if (error instanceof pg.DatabaseError) throw error
    throw new Fault('UNAVAILABLE', UNREACHABLE, { cause: error })
  }
}

// PostgreSQL rejects NUL in text. No stored text contains it, so a substitute keeps the comparison false.
function withoutNul(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNul)
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\u{10ffff}') : value
}
