import { setTimeout as sleep } from 'node:timers/promises'
import { type SQL, sql } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import { drizzle } from 'drizzle-orm/pg-proxy'
import { LIMITS } from '../../limits.js'
import { shownAddress } from '../address.js'
import { inOrder, SELECT_VERSIONS_AS_JSON, versionsIn } from '../changeCounters.js'
import { atMostEvery, coalesce, HEALTH_EVERY_MS } from '../coalesce.js'
import { postgresColumns } from '../columns.js'
import { deadlineExceeded, isOverdue } from '../faults.js'
import { withCursors } from '../query/cursors.js'
import { postgresJson as json } from '../query/json.js'
import {
  BULK_STATEMENT_MS,
  type CompiledSql,
  type Deadline,
  type Handle,
  type OnNotice,
  QUICK_READ_MS,
  type Read,
  type Readership,
  type Store,
} from '../store.js'
import { defineTables } from '../tables.js'
import { tooOldFor } from '../writes.js'
import { ANSWER_MS, type AtOnce, Connections } from './connections.js'
import { Hosts } from './hosts.js'
import { type OnSent, type Run, reporting } from './session.js'
import { BULK_MS, WriteQueue } from './writeQueue.js'

const t = defineTables(postgresColumns)

interface PostgresOptions {
  readonly onStatement?: OnSent
  readonly onNotice?: OnNotice | undefined
  /** Time limit for the reads of a request. */
  readonly deadlineMs?: number | undefined
  readonly writesTogether?: number | undefined
}

/** Opens a migrated database: a pool for reads, a connection for versions that never queues behind them, and one for writes. */
export function openPostgres(url: string, options: PostgresOptions = {}): Store {
  const { onStatement: onSent, onNotice, deadlineMs = LIMITS.deadlineMs, writesTogether: togetherMax } = options
  const hosts = new Hosts(url)
  // It ends a statement before the deadline, which leaves time to detect an unresponsive server.
  const statementMs = Math.round(Math.max(deadlineMs / 2, deadlineMs - 2 * ANSWER_MS))
  const readers = new Connections(hosts, { max: LIMITS.storeConnectionsMax, isReadOnly: true, statementMs, onSent })
  const watcher = new Connections(hosts, { max: 1, isReadOnly: true, statementMs: STATEMENT_MS, onSent })
  const writer = new Connections(hosts, { max: 1, isReadOnly: false, statementMs: STATEMENT_MS, onSent })
  const watching = watcher.alone()
  const readingFor = ({ owner, onStatement, deadline }: Readership) => {
    const inTime = (run: Run) => (deadline ? timely(run, readers.answerMs, deadline) : run)
    const atOnce: AtOnce = (work) => readers.atOnce(owner)((run) => work(reporting(inTime(run), onStatement)))
    return handleOn(reporting(inTime(readers.alone(owner)), onStatement), atOnce)
  }
  const ordered = inOrder()
  const versions = coalesce(async (wantedAt) => {
    const timeoutMs = Math.max(VERSIONS_LEAST_MS, QUICK_READ_MS + wantedAt - performance.now())
    try {
      const { rows } = await watching(SELECT_VERSIONS_AS_JSON, [], { hasStablePlan: true, timeoutMs })
      return ordered(versionsIn(rows[0]?.[0] as unknown[] | undefined))
    } catch (error) {
      // Idle connections are probably broken too. Discard them, or each would run into a timeout of its own.
      for (const connections of [readers, writer]) connections.distrust()
      throw error
    }
  })
  const serverState = atMostEvery(HEALTH_EVERY_MS, async () => (await watching(HEALTH, [], QUICK)).rows[0])
  const writes = new WriteQueue({
    open: (withinMs) => writer.lend(withinMs),
    ping: () => watching('select 1', [], QUICK),
    writeOn: (run, rest) => Object.assign(handleOn(run), rest),
    onNotice,
    togetherMax,
  })

  return {
    name: shownAddress(url),
    read: readingFor({}),
    reading: readingFor,
    write: (as, work) => writes.add(as, work),
    async health() {
      const row = await serverState()
      const whyNot = tooOldFor(row?.[3])
      const isWritable = !whyNot && !writes.hasFailed && row?.[0] === false
      const { waiting: waitingReads, underWay: busyReaders } = readers.turns.queue
      const [, bytes, lastChange] = (row ?? []).map(Number)
      const sizes = { bytes: bytes ?? 0, logBytes: 0, lastChange: lastChange ?? 0 }
      return { isWritable, whyNot, ...sizes, waitingWrites: writes.waiting, waitingReads, busyReaders }
    },
    async planOf({ text, values }) {
      const { rows } = await readers.alone()(`explain ${text}`, [...values])
      return withoutConstants(rows.flat().join('\n')).split('\n')
    },
    versions,
    version: async () => (await versions()).all,
    snapshot: (work) =>
      readers.atOnce()(async (run) => {
        // A client may read an export slowly.
        await run(
          `set local idle_in_transaction_session_timeout = 0; set local statement_timeout = ${BULK_STATEMENT_MS}`,
        )
        // A REPEATABLE READ transaction takes its snapshot at its first query, not at BEGIN.
        await run('select value from revision')
        return work(handleOn((text, values, how) => run(text, values, { ...how, timeoutMs: BULK_MS })))
      }),
    async close(waitMs) {
      const idle = writes.idle()
      await (waitMs === undefined ? idle : Promise.race([idle, sleep(waitMs, undefined, { ref: false })]))
      await Promise.all([readers, watcher, writer].map((connections) => connections.close()))
    },
  }
}

/** How long a statement may take on the server unless a read or a write says otherwise. */
const STATEMENT_MS = 8_000
const QUICK = { timeoutMs: QUICK_READ_MS }
/** Least timeout of a version query that waited for the one before it. */
const VERSIONS_LEAST_MS = 1_000
const HEALTH =
  'select pg_is_in_recovery(), pg_database_size(current_database()), (select coalesce(max(id), 0) from change),' +
  ' (select least_version from revision)'

/** Unlike SQLite's, these plans show the values, in conditions and the like. */
function withoutConstants(plan: string): string {
  const numberless = (line: string) => line.replaceAll(/[\w$.]+/g, (word) => (Number.isNaN(Number(word)) ? word : '?'))
  return plan.replaceAll(/'[^']*'/g, '?').replaceAll(/^ *[A-Z][A-Za-z -]*: .*$/gm, numberless)
}

/** Limits each statement to the rest of the request's time; throws if it is over. */
function timely(run: Run, answerMs: number, deadline: Deadline): Run {
  return async (text, values, how) => {
    if (isOverdue(deadline)) throw deadlineExceeded()
    const leftMs = Math.max(1, deadline.deadlineAt - performance.now())
    if (leftMs >= answerMs) return run(text, values, how)
    try {
      return await run(text, values, { ...how, timeoutMs: leftMs })
    } catch (error) {
      throw isOverdue(deadline) ? deadlineExceeded(error) : error
    }
  }
}

/** Without `atOnce` it already runs in a transaction. */
function handleOn(run: Run, atOnce: AtOnce = (work) => work(run)): Handle {
  let db: Handle['db'] | undefined
  return {
    // Built lazily: most requests run compiled statements and need no Drizzle instance.
    get db() {
      db ??= drizzle((text, params, method) => run(text, params, { isByName: method === 'execute' }))
      return db
    },
    t,
    json,
    among,
    includes,
    pairs,
    limit,
    compile,
    // No guard: statements run on the server, block no one else here, and have a statement_timeout.
    guard: () => undefined,
    meter: () => undefined,
    weigh: () => 0,
    rows: (statement) => rowsOn(run, statement),
    rowsTogether: (statements) =>
      atOnce(async (own) => {
        const all: unknown[][][] = []
        for (const statement of statements) all.push(await rowsOn(own, statement))
        return all
      }),
  }
}

async function rowsOn(run: Run, statement: CompiledSql): Promise<unknown[][]> {
  const { text, values, hasStablePlan, hasCursors } = statement
  const { rows } = await run(text, [...values], { hasStablePlan })
  return hasCursors ? withCursors(rows) : rows
}

const dialect = new PgDialect()

const compile: Read['compile'] = (statement) => {
  const { sql: text, params: values } = dialect.sqlToQuery(statement)
  return { text, values }
}

// One value stays an equality, so that an index can also serve the order; several become one array parameter.
const among: Read['among'] = (column, values): SQL =>
  values.length === 1 ? sql`${column} = ${values[0]}` : sql`${column} = any(${sql.param(values)})`

const includes: Read['includes'] = (column, text) => sql`strpos(${column}, ${text}) > 0`

const pairs: Read['pairs'] = (all) => {
  const [ones, others] = ([0, 1] as const).map((side) => sql.param(all.map((pair) => pair[side])))
  return sql`unnest(${ones}::text[], ${others}::text[]) as pairs(one, other)`
}

// A literal: for a parameter the planner assumes a tenth of all rows, and would not keep a generic plan.
const limit: Read['limit'] = (rows) => sql.raw(String(rows))
