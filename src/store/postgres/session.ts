import { createHash } from 'node:crypto'
import pg from 'pg'
import { BoundedCache } from '../../caches.js'
import { Fault } from '../../errors.js'
import { oneByOne } from '../coalesce.js'
import { driverCode, UNREACHABLE } from '../faults.js'
import type { OnStatement } from '../store.js'

/** The result of a statement: rows as arrays, or as objects by column name. */
interface QueryResult {
  readonly rows: unknown[][]
  readonly command: string
  /** How long it waited for a connection. */
  readonly waitedMs?: number
}

interface QueryOptions {
  readonly isByName?: boolean
  readonly hasStablePlan?: boolean | undefined
  /** Limit for the result, including the wait for a connection; after it the connection is discarded. */
  readonly timeoutMs?: number
}

export type Run = (sql: string, values?: unknown[], how?: QueryOptions) => Promise<QueryResult>

export type OnSent = (sql: string, values: readonly unknown[]) => void

interface RunOptions {
  /** The timeout of a statement that has none of its own. */
  readonly answerMs: number
  /** Undefined behind a pooler, where session state must not be changed. */
  readonly names: Names | undefined
  readonly onSent: OnSent | undefined
}

const READING = ['select', 'explain']

/** Runs statements on a connection; those of concurrent callers run one after the other. */
export function runOn(client: pg.PoolClient, { answerMs, names, onSent }: RunOptions): Run {
  const send: Run = async (text, values, { isByName, hasStablePlan, timeoutMs = answerMs } = {}) => {
    onSent?.(text, values ?? [])
    // Set one by one: object spreads take as long as the rest of sending a statement.
    const config: TimedQuery = { text, query_timeout: Math.ceil(timeoutMs) }
    if (values) config.values = READING.some((verb) => text.startsWith(verb)) ? values.map(withoutNul) : values
    if (!isByName) config.rowMode = 'array'
    const name = hasStablePlan ? names?.of(text) : undefined
    if (name) config.name = name
    return query(client, config)
  }
  return oneByOne(send)
}

/** Reports each statement, also one that fails. */
export function reporting(run: Run, onStatement: OnStatement | undefined): Run {
  if (!onStatement) return run
  return async (text, values, how) => {
    const began = performance.now()
    let result: QueryResult | undefined
    try {
      result = await run(text, values, how)
      return result
    } finally {
      const { waitedMs = 0, rows = [] } = result ?? {}
      const ms = performance.now() - began - waitedMs
      onStatement({ text, where: 'server', ms, waitedMs, rows: rows.length }, values ?? [])
    }
  }
}

/** The cached plan of a prepared statement no longer fits the tables, or the statement is gone. */
export const STALE = ['0A000', '26000', '42P05']

/** With options that the types of the driver lack. */
interface TimedQuery extends pg.QueryConfig {
  readonly query_timeout: number
  rowMode?: 'array'
}

async function query(client: pg.PoolClient, config: TimedQuery): Promise<QueryResult> {
  try {
    const result = await client.query(config)
    // A query of several statements has a result for each; the last one has the final command tag.
    const { rows, command } = [result].flat().at(-1) ?? result
    return { rows, command }
  } catch (error) {
    // Inside a transaction a retry is useless: the transaction has failed.
    const isRepeatable = config.name !== undefined && client.getTransactionStatus() === 'I'
    if (isRepeatable && STALE.includes(driverCode(error) ?? '')) return query(client, { ...config, name: undefined })
    if (error instanceof pg.DatabaseError) throw error
    throw new Fault('UNAVAILABLE', UNREACHABLE, { cause: error })
  }
}

// PostgreSQL rejects NUL in text. No stored text contains it, so a substitute keeps the comparison false.
function withoutNul(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNul)
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\u{10ffff}') : value
}

/** Prepared statements of a connection; each takes about 0.1 to 0.2 MB on the server. */
export const NAMED_MAX = 100
/** Longer statements are not prepared: the server's memory for one grows with its text. */
const NAMED_CHARACTERS_MAX = 5_000
const SEEN_MAX = 200

/** The prepared statements of one connection: the server parses them once and may keep a generic plan. */
export class Names {
  private readonly seen = new BoundedCache<true>({ entries: SEEN_MAX, entrySize: NAMED_CHARACTERS_MAX })
  private readonly given = new Map<string, string>()

  of(text: string): string | undefined {
    const name = this.given.get(text)
    if (name !== undefined || this.given.size === NAMED_MAX || text.length > NAMED_CHARACTERS_MAX) return name
    // Callers choose selections and page sizes, so prepare only statements that are seen twice.
    if (!this.seen.delete(text)) {
      this.seen.set(text, true)
      return undefined
    }
    // A hash of the text: a name never denotes two statements, even on a shared session.
    const newName = createHash('sha256').update(text).digest('base64url')
    this.given.set(text, newName)
    return newName
  }
}
