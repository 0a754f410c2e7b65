import { setImmediate } from 'node:timers/promises'
import { suspendIndexesOf } from '../bulk.js'
import { type FoundVersions, newNonce, SELECT_VERSIONS, versionsIn } from '../changeCounters.js'
import { driverCode } from '../faults.js'
import { type Authorship, type Store, Undecided, type Write } from '../store.js'
import { SELECT_LAST_TIMESTAMP, timestampAfter } from '../timestamps.js'
import type { Connection, Statement } from './driver.js'
import { StatementCache, type Statements } from './statements.js'
import { WriteQueue, type WriteQueueOptions } from './writeQueue.js'

interface DraftOptions extends WriteQueueOptions {
  readonly connect: () => Connection
}

/** `Store.writeLate`, on a connection of its own: the write lock is held only while the changes of the draft are stored. */
export function lateWrites({ connect, ...options }: DraftOptions): Store['writeLate'] {
  return async <T>(as: Authorship, work: (write: Write, isDraft: boolean) => Promise<T>): Promise<T> => {
    const connection = connect()
    const queue = new WriteQueue(connection, options)
    const draft = new Draft(connection)
    try {
      // A deferred transaction: its first read takes the snapshot, and writing temporary tables takes no lock.
      connection.exec('begin')
      const before = versionsOn(connection)
      const last = connection.prepare(SELECT_LAST_TIMESTAMP).pluck().get()
      const at = timestampAfter({ last, now: as.at(), onNotice: options.onNotice })
      const result = await work(options.handle(draft, as, { at, nonce: newNonce() }), true)
      connection.exec('commit')
      if (draft.isEmpty) return result
      await queue.add(as, async (write, statements) => {
        if (!isCurrent(before, versionsOn(statements)) || dayOf(write.at) !== dayOf(at)) throw new Undecided()
        const prepare = (sql: string) => {
          as.onStatement?.(sql)
          return statements.prepare(sql)
        }
        await draft.store({ prepare }, { from: at, to: write.at })
      })
      return result
    } catch (error) {
      // Also if a new person has taken an e-mail meanwhile, or the disk has no space for temporary tables.
      if (!(error instanceof Undecided) && driverCode(error) === undefined) throw error
      if (connection.inTransaction) connection.exec('rollback')
      return await queue.add(as, (write) => work(write, false))
    } finally {
      connection.close()
      options.onEnd()
    }
  }
}

/** Whether the draft would be the same now: people who were only added are as if they came after it. */
function isCurrent(before: FoundVersions, now: FoundVersions): boolean {
  return before.known === now.known && before.projects === now.projects
}

function versionsOn(statements: Statements): FoundVersions {
  return versionsIn(statements.prepare(SELECT_VERSIONS).raw().get() as unknown[])
}

function dayOf(at: string): string {
  return at.slice(0, 10)
}

/** Timestamps of the draft become those of the transaction. */
interface Stamps {
  readonly from: string
  readonly to: string
}

/** Stores a part of the draft; other work of the process may run between two steps. */
type Change = (statements: Statements, stamps: Stamps) => Iterable<unknown>

const INSERT = /^insert into "(\w+)" \((.+)\) values (\([?, ]+\))$/

const ROWS_MOVED_AT_ONCE = 5_000
/** From this many rows on, rebuilding the indexes of a table that has no more is cheaper than updating them. */
const MANY_ROWS = 10_000

/**
 * Reads a snapshot, and keeps what would be changed: new rows in temporary tables, from which SQLite moves them twice as
 * fast as they can be inserted from here; other statements in memory.
 */
class Draft implements Statements {
  private readonly connection: Connection
  private readonly reading: Statements
  /** In order; the rows of equal INSERTs are moved together, in the place of the last. */
  private readonly changes = new Map<unknown, Change>()
  /** The statements that insert into the temporary tables, by the original INSERT. */
  private readonly inserts = new Map<string, Statement>()

  constructor(connection: Connection) {
    this.connection = connection
    this.reading = new StatementCache(connection)
  }

  get isEmpty(): boolean {
    return this.changes.size === 0
  }

  prepare(sql: string): Statement {
    if (sql.startsWith('select')) return this.reading.prepare(sql)
    const [, table, columns, slots] = INSERT.exec(sql) ?? []
    if (!table || !columns) return this.later(sql)
    const draft = `draft_${this.inserts.size}`
    const change =
      this.changes.get(sql) ?? ((statements, stamps) => movedRows(statements, stamps, { table, columns, draft }))
    this.changes.delete(sql)
    this.changes.set(sql, change)
    const known = this.inserts.get(sql)
    if (known) return known
    this.connection.exec(`create temp table ${draft} (${columns})`)
    const insert = this.connection.prepare(`insert into ${draft} values ${slots}`)
    this.inserts.set(sql, insert)
    return insert
  }

  async store(statements: Statements, stamps: Stamps): Promise<void> {
    for (const change of this.changes.values()) {
      for (const _ of change(statements, stamps)) await setImmediate()
    }
  }

  private later(sql: string): Statement {
    const runs: unknown[][] = []
    this.changes.set(runs, (statements, { from, to }) => {
      const stamped = (value: unknown): unknown => {
        if (Array.isArray(value)) return value.map(stamped)
        return value === from ? to : value
      }
      const statement = statements.prepare(sql)
      return runs.map((values) => statement.run(...values.map(stamped))).slice(0, 1)
    })
    const run = (...values: unknown[]) => {
      runs.push(values)
      return { changes: 0, lastInsertRowid: 0 }
    }
    // A change that returns no rows needs nothing else of a statement.
    return { run } as unknown as Statement
  }
}

interface Move {
  readonly table: string
  readonly columns: string
  /** The temporary table. */
  readonly draft: string
}

function* movedRows(statements: Statements, { from, to }: Stamps, { table, columns, draft }: Move): Generator<unknown> {
  const prepare = (sql: string) => statements.prepare(sql)
  const highest = (of: string) => Number(prepare(`select max(rowid) from "${of}"`).pluck().get())
  const rows = highest(draft)
  const resume = rows >= MANY_ROWS && rows >= highest(table) ? suspendIndexesOf(prepare, table) : undefined
  const stamped = columns.replaceAll(/"\w+_at"/g, (one) => `case ${one} when '${from}' then '${to}' else ${one} end`)
  const move = `insert into "${table}" (${columns}) select ${stamped} from ${draft} where rowid > ? and rowid <= ?`
  for (let start = 0; start < rows; start += ROWS_MOVED_AT_ONCE) {
    yield prepare(move).run(start, start + ROWS_MOVED_AT_ONCE)
  }
  resume?.()
}
