import { type SQL, sql } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import { drizzle } from 'drizzle-orm/pg-proxy'
import pg from 'pg'
import { Fault } from '../errors.js'
import { LIMITS } from '../limits.js'
import { BUSY, deadlineExceeded, driverCode, isOverdue, toFault, UNREACHABLE } from './faults.js'
import { postgresJson as json } from './json.js'
import { latest } from './latest.js'
import { nameOn } from './postgresNames.js'
import { postgresTables as t } from './postgresTables.js'
import { type Answered, type Session, transact } from './postgresWrite.js'
import { SELECT_VERSIONS, versionsIn } from './registers.js'
import type { OnStatement, Patience, Read, Store, Write } from './store.js'

interface PostgresOptions {
  readonly onStatement?: OnSent
  /** How long a statement that reads may take. */
  readonly deadlineMs?: number | undefined
}

type OnSent = (sql: string, values: readonly unknown[]) => void

/** Opens a migrated database: a pool of connections that read, one that writes, and a queue in front of the latter. */
export function openPostgres(url: string, { onStatement, deadlineMs }: PostgresOptions = {}): Store {
  const readers = poolOf(url, LIMITS.storeConnectionsMax, {
    settings: 'set default_transaction_read_only = on;',
    statementMs: deadlineMs,
  })
  const writer = poolOf(url, 1)
  const reading = alone(readers, onStatement)
  const versions = latest(async () => versionsIn((await reading(SELECT_VERSIONS, [], STEADY)).rows[0]))
  let queue: Promise<unknown> = Promise.resolve()
  let waitingWrites = 0
  let hasFailed = false

  return {
    read: handleOn(reading),
    reading: (onStatement, patience) => handleOn(patience ? timely(reading, patience) : reading, onStatement),
    write(as, work) {
      const giveUpAt = performance.now() + LIMITS.storeBusyMs
      waitingWrites += 1
      // One at a time, so that writes which wait for each other do not hold connections meanwhile.
      const turn = queue.then(() =>
        transact({
          open: () => connected(writer, onStatement),
          writeOn: (run, stamp, bulk) => ({ ...handleOn(run, as.onStatement), ...bulk, ...stamp }),
          as,
          giveUpAt,
          work,
        }),
      )
      queue = turn.then(
        () => {
          waitingWrites -= 1
          hasFailed = false
        },
        (error) => {
          waitingWrites -= 1
          if (isUnwritable(error)) hasFailed = true
        },
      )
      return turn
    },
    async health() {
      const [row] = (await reading(HEALTH, [])).rows
      const isWritable = !hasFailed && row?.[0] === false
      return { isWritable, bytes: Number(row?.[1]), logBytes: 0, waitingWrites }
    },
    versions,
    version: async () => (await versions()).all,
    async snapshot(work) {
      const { run, release } = await connected(readers, onStatement)
      try {
        // Whoever reads what is exported may take their time.
        await run('begin isolation level repeatable read; set local idle_in_transaction_session_timeout = 0')
        // What a transaction sees is settled by its first query, and not when it begins.
        await run('select value from revision')
        return await work(handleOn(run))
      } finally {
        // Thrown away, whatever state it is in.
        release(true)
      }
    },
    async close() {
      await queue
      await Promise.all([readers.end(), writer.end()])
    },
  }
}

const STEADY = { isSteady: true }
const HEALTH = 'select pg_is_in_recovery(), pg_database_size(current_database())'

interface PoolOptions {
  readonly settings?: string
  readonly statementMs?: number | undefined
}

function poolOf(url: string, max: number, { settings = '', statementMs }: PoolOptions = {}): pg.Pool {
  const timeoutMs = statementMs ?? LIMITS.storeStatementMs
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: LIMITS.storeBusyMs,
    idleTimeoutMillis: LIMITS.storeIdleMs,
    // With it goes what it has kept planned, for whoever asked then and as large as the tables were.
    maxLifetimeSeconds: LIMITS.storeConnectionMs / 1_000,
    // Where packets vanish, the server's own time limits are never heard of.
    query_timeout: timeoutMs + LIMITS.storeBusyMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: LIMITS.storeIdleInWriteMs,
    fallback_application_name: 'operations',
    onConnect: async (client) => {
      // What happens to a connection is told by the query on it; without a listener it would end the process.
      client.on('error', () => undefined)
      await client.query(
        `${settings} set statement_timeout = ${timeoutMs}; set lock_timeout = ${LIMITS.storeBusyMs};
         set idle_in_transaction_session_timeout = ${LIMITS.storeIdleInWriteMs}`,
      )
    },
  })
  // One that dies while nobody uses it has left the pool already, and the next who needs one gets a fresh one.
  pool.on('error', () => undefined)
  return pool
}

/** A connection for as long as somebody needs it. */
async function connected(pool: pg.Pool, onStatement?: OnSent, isNaming = false): Promise<Session> {
  const client = await pool.connect().catch((error: unknown) => {
    throw unconnected(error)
  })
  let queue: Promise<unknown> = Promise.resolve()
  return {
    // A connection does one thing after the other, also for those who ask for several at once.
    run(text, values, { isByName, isSteady } = {}) {
      const turn = queue.then(() => {
        onStatement?.(text, values ?? [])
        const name = isNaming && isSteady ? nameOn(client, text) : undefined
        return asked(client, { text, values, isByName, name })
      })
      queue = turn.catch(() => undefined)
      return turn
    },
    release: (isBroken) => client.release(isBroken),
  }
}

/** Each statement on whichever connection is free. */
function alone(pool: pg.Pool, onStatement?: OnSent): Session['run'] {
  return async (text, values, how) => {
    const { run, release } = await connected(pool, onStatement, true)
    try {
      const answered = await run(text, values, how)
      release(false)
      return answered
    } catch (error) {
      release(driverCode(error) === undefined)
      throw error
    }
  }
}

/** Refuses what is asked for when nobody waits for it any more. */
function timely(run: Session['run'], patience: Patience): Session['run'] {
  return async (...statement) => {
    if (isOverdue(patience)) throw deadlineExceeded()
    return run(...statement)
  }
}

interface Question {
  readonly text: string
  readonly values: unknown[] | undefined
  readonly isByName: boolean | undefined
  readonly name?: string | undefined
}

/** What was kept of a statement no longer fits the tables, or is gone. */
const STALE = ['0A000', '26000', '42P05']

async function asked(client: pg.PoolClient, { text, values, isByName, name }: Question): Promise<Answered> {
  try {
    const given = text.startsWith('select') ? values?.map(withoutNul) : values
    const query = { text, ...(given && { values: given }), ...(name && { name }) }
    const result = isByName ? await client.query(query) : await client.query<unknown[]>({ ...query, rowMode: 'array' })
    // Several statements without parameters answer each for itself; the last one tells how it ended.
    const { rows, command } = [result].flat().at(-1) ?? result
    return { rows, command }
  } catch (error) {
    if (name && STALE.includes(driverCode(error) ?? '')) return asked(client, { text, values, isByName })
    if (error instanceof pg.DatabaseError) throw error
    throw new Fault('UNAVAILABLE', UNREACHABLE, { cause: error })
  }
}

// No text here can hold it, and so what is asked for is found by nobody; PostgreSQL would not even look.
function withoutNul(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNul)
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\u{10ffff}') : value
}

function unconnected(error: unknown): unknown {
  const fault = toFault(error)
  if (fault instanceof Fault) return fault
  const isFull = error instanceof Error && error.message.startsWith('timeout exceeded')
  return new Fault('UNAVAILABLE', isFull ? BUSY : UNREACHABLE, { cause: error })
}

type Handle = Omit<Read, 'db'> & Pick<Write, 'db'>

function handleOn(run: Session['run'], onStatement?: OnStatement): Handle {
  return {
    db: drizzle(
      (text, params, method) => run(text, params, { isByName: method === 'execute' }),
      onStatement ? { logger: { logQuery: onStatement } } : {},
    ),
    t,
    json,
    among,
    limit,
    spelled,
    // Nobody but the caller waits for a statement here, and the server stops it at its time limit.
    guard: () => undefined,
    async rows({ text, values, isSteady }) {
      onStatement?.(text)
      return (await run(text, [...values], { isSteady })).rows
    },
  }
}

const dialect = new PgDialect()

const spelled: Read['spelled'] = (statement) => {
  const { sql: text, params: values } = dialect.sqlToQuery(statement)
  return { text, values }
}

/** Whether an error tells of the store, and not of one write that came at the wrong time. */
function isUnwritable(error: unknown): boolean {
  return error instanceof Fault && /^(53100|25006|58)/.test(driverCode(error.cause) ?? '')
}

// One value stays an equality, so that an index can serve the order too; more go in as one array.
const among: Read['among'] = (column, values): SQL =>
  values.length === 1 ? sql`${column} = ${values[0]}` : sql`${column} = any(${sql.param(values)})`

// PostgreSQL keeps a plan only where it knows how many rows are wanted; for a parameter it would expect a tenth of all.
const limit: Read['limit'] = (rows) => sql.raw(String(rows))
