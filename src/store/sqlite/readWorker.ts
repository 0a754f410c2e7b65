import { constants, getPriority, setPriority } from 'node:os'
import { MessageChannel, parentPort, workerData } from 'node:worker_threads'
import { writerFor } from '../query/cursors.js'
import type { CompiledSql } from '../store.js'
import { connect, STILL_WANTED, TOO_LONG, WITHIN_LIMIT } from './driver.js'
import { StatementCache } from './statements.js'

/** The `workerData` of a read worker. */
export interface WorkerStart {
  readonly file: string
  /** Nonzero while the running statement must stop. */
  readonly stop: Int32Array
}

/** A message to a read worker: statements that see one snapshot, and how many bytes they may return. */
export interface WorkerTask {
  readonly statements: readonly CompiledSql[]
  readonly bytesMax: number
}

/** A message from a read worker: a chunk of rows, the last one marked, or an error. */
export type WorkerReport =
  | { readonly statement: number; readonly rows: unknown[][]; readonly ms: number; readonly isLast: boolean }
  | { readonly failure: string; readonly code: string | undefined; readonly ms: number }

/** Smaller buffers may share pooled memory, and are copied. */
const TRANSFERRED_FROM_BYTES = 65_536

/** Rows per message, so that the event loop never receives very many in one turn. */
const ROWS_AT_ONCE = 500

/** How long a checkpoint waits for others, and they for it. */
const BUSY_MS = 100

/** Runs statements until the thread ends; several in one message run in one transaction, so they see one snapshot. */
function work(port: NonNullable<typeof parentPort>, { file, stop }: WorkerStart): void {
  const connection = connect(file)
  connection.pragma('query_only = on')
  // No event loop waits here, and a checkpoint gives up at once for a read of a millisecond otherwise.
  connection.pragma(`busy_timeout = ${BUSY_MS}`)
  const requireWanted = () => {
    if (Atomics.load(stop, 0) !== 0) throw new Error('The statement was stopped.')
    return 1
  }
  connection.function(STILL_WANTED, requireWanted)
  let [metered, returned] = [byteLimit(0), byteLimit(0)]
  connection.function(WITHIN_LIMIT, (bytes: unknown) => metered(Number(bytes)))
  const statements = new StatementCache(connection)
  const report = (message: WorkerReport, bytes: ArrayBuffer[] = []) => port.postMessage(message, bytes)
  const end = () => {
    if (connection.inTransaction) connection.exec('rollback')
  }
  const run = ({ text, values, hasCursors = false }: CompiledSql, statement: number, isLastOne: boolean) => {
    const rows = statements
      .prepare(text)
      .raw()
      .iterate(...values) as IterableIterator<unknown[]>
    const began = performance.now()
    const ms = () => performance.now() - began
    let chunk: unknown[][] = []
    for (const row of rows) {
      if (chunk.length === ROWS_AT_ONCE) {
        report({ statement, rows: chunk, ms: ms(), isLast: false }, bytesIn(chunk))
        chunk = []
      }
      for (const value of row) returned(lengthOf(value))
      chunk.push(hasCursors ? withCursors(row) : row)
    }
    // Before the report: who hears it counts this thread as one that reads no longer.
    if (isLastOne) end()
    report({ statement, rows: chunk, ms: ms(), isLast: isLastOne }, bytesIn(chunk))
  }
  const runAll = (all: readonly CompiledSql[]) => {
    if (all.length > 1) connection.exec('begin')
    for (const [index, statement] of all.entries()) {
      if (index > 0) requireWanted()
      run(statement, index, index === all.length - 1)
    }
  }
  port.on('message', ({ statements: all, bytesMax }: WorkerTask) => {
    const began = performance.now()
    ;[metered, returned] = [byteLimit(bytesMax), byteLimit(bytesMax)]
    try {
      runAll(all)
    } catch (error) {
      end()
      const { message, code } = error as Error & { code?: string }
      report({ failure: message, code, ms: performance.now() - began })
    }
  })
}

/** Counts bytes up to a limit; returns 1, as an SQL condition. */
function byteLimit(bytesMax: number): (bytes: number) => number {
  let left = bytesMax
  return (bytes) => {
    left -= bytes
    if (left < 0) throw Object.assign(new Error('The result is too long.'), { code: TOO_LONG })
    return 1
  }
}

/** Texts count by their characters, which is close enough. */
function lengthOf(value: unknown): number {
  return typeof value === 'string' || value instanceof Uint8Array ? value.length : 0
}

/** Writes the cursors of a row, and frees its former bytes at once: this thread rarely collects garbage by itself. */
function withCursors(row: unknown[]): unknown[] {
  const values = row.map((value) => {
    const writer = writerFor(value)
    while (writer?.hasMore());
    return writer ? writer.json() : value
  })
  const former = row.filter((value, index) => value !== values[index])
  NOBODY.postMessage(null, bytesIn([former]))
  return values
}

/** A closed port, which discards what is transferred to it. */
const NOBODY = new MessageChannel().port1
NOBODY.close()

/** Buffers that are transferred without a copy. */
function bytesIn(rows: readonly unknown[][]): ArrayBuffer[] {
  return rows.flatMap((row) =>
    row.flatMap((value) =>
      value instanceof Uint8Array && value.buffer instanceof ArrayBuffer && isTransferred(value) ? [value.buffer] : [],
    ),
  )
}

function isTransferred({ length, buffer }: Uint8Array): boolean {
  return length >= TRANSFERRED_FROM_BYTES && length === buffer.byteLength
}

/** Niceness added to this thread, so that the event loop has precedence on a shared core. */
const NICER = 13

/** On Linux the priority is per thread; elsewhere it would change the whole process. */
function giveWay(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + NICER))
  } catch {
    // A filter of system calls may refuse it: reads are then right, but have no lower priority.
  }
}

if (parentPort) giveWay()
if (parentPort) work(parentPort, workerData as WorkerStart)
