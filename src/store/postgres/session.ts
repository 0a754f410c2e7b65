import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { Fault } from '../../errors.js'
import { driverCode, isOfConnection, UNREACHABLE } from '../faults.js'
import { BULK_STATEMENT_MS } from '../store.js'
import type { Connections } from './connections.js'
import { ANSWER_MS, CONNECT_MS } from './connections.js'
import { namesOn } from './statementNames.js'

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

export type OnSent = (sql: string, values: readonly unknown[]) => void

/** For commands and bulk statements, which no client of a request waits for. */
export const BULK_MS = BULK_STATEMENT_MS + ANSWER_MS

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
  { owner = '', onSent, isNaming = false, withinMs = 2 * CONNECT_MS }: Connecting = {},
): Promise<Session> {
  const { client, release } = await connections.lend(owner, withinMs)
  const mayName = isNaming && !connections.isShared(client)
  let queue: Promise<unknown> = Promise.resolve()
  const run: Session['run'] = async (
    text,
    values,
    { isByName, hasStablePlan, timeoutMs = connections.answerMs } = {},
  ) => {
    onSent?.(text, values ?? [])
    const name = mayName && hasStablePlan ? namesOn(client).of(text) : undefined
    return query(client, { text, values, isByName, name, timeoutMs })
  }
  return {
    // Statements of concurrent callers run one after the other.
    run(...statement) {
      const turn = queue.then(() => run(...statement))
      queue = turn.catch(() => undefined)
      return turn
    },
    release,
  }
}

/** Part of a statement's time that is reserved for running it, not for the wait for a connection; at most half. */
const ANSWER_LEAST_MS = 1_000

type Sending = Pick<Connecting, 'owner' | 'onSent'>

/** Runs each statement on any free connection. */
export function alone(connections: Connections, sending: Sending): Session['run'] {
  return async (text, values, { timeoutMs = connections.answerMs, ...how } = {}) => {
    const giveUpAt = performance.now() + timeoutMs
    const work: Work<QueryResult> = (run) => {
      return run(text, values, { ...how, timeoutMs: Math.max(1, giveUpAt - performance.now()) })
    }
    return lent(connections, sending, timeoutMs, work, isOfConnection)
  }
}

/** Runs work in one read-only transaction, so that all its statements see one snapshot. */
export type AtOnce = <V>(work: Work<V>) => Promise<V>

type Work<V> = (run: Session['run']) => Promise<V>

export function withinOne<V>(connections: Connections, sending: Sending, work: Work<V>): Promise<V> {
  const inTransaction: Work<V> = async (run) => {
    await run('begin isolation level repeatable read read only')
    const done = await work(run)
    await run('commit')
    return done
  }
  // Discard the connection after any error: its transaction may be in any state.
  return lent(connections, sending, connections.answerMs, inTransaction, () => true)
}

async function lent<V>(
  connections: Connections,
  sending: Sending,
  timeoutMs: number,
  work: Work<V>,
  isBroken: (error: unknown) => boolean,
): Promise<V> {
  const withinMs = timeoutMs - Math.min(ANSWER_LEAST_MS, timeoutMs / 2)
  const { run, release } = await connected(connections, { ...sending, isNaming: true, withinMs })
  try {
    const done = await work(run)
    release(false)
    return done
  } catch (error) {
    release(isBroken(error))
    throw error
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
