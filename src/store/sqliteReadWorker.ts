import { constants, getPriority, setPriority } from 'node:os'
import { MessageChannel, parentPort, workerData } from 'node:worker_threads'
import { withRoom } from './framed.js'
import { connect, STILL_WANTED } from './sqliteConnection.js'
import { KeptStatements } from './sqliteStatements.js'
import type { Spelled } from './store.js'

/** What a read worker is started with. */
export interface WorkerStart {
  readonly file: string
  /** Other than 0 while the statement that runs is to stop. */
  readonly stop: Int32Array
}

/** What a read worker reports: rows as they come, the last of them marked, or why there are none. */
export type WorkerReport =
  | { readonly statement: number; readonly rows: unknown[][]; readonly isLast: boolean }
  | { readonly failure: string; readonly code: string | undefined }

const ROOMY_FROM_BYTES = 65_536

/** Rows that are handed over at once, so that the event loop never takes in very many in one turn. */
const ROWS_AT_ONCE = 500

/** Runs statements until its thread is ended: those that come together in one transaction, which sees what was committed before. */
function work(port: NonNullable<typeof parentPort>, { file, stop }: WorkerStart): void {
  const connection = connect(file)
  connection.pragma('query_only = on')
  const requireWanted = () => {
    if (Atomics.load(stop, 0) !== 0) throw new Error('The statement was stopped.')
    return 1
  }
  connection.function(STILL_WANTED, requireWanted)
  const statements = new KeptStatements(connection)
  const report = (message: WorkerReport, bytes: ArrayBuffer[] = []) => port.postMessage(message, bytes)
  const run = ({ text, values }: Spelled, statement: number, isLastOne: boolean) => {
    const rows = statements
      .prepare(text)
      .raw()
      .iterate(...values) as IterableIterator<unknown[]>
    let chunk: unknown[][] = []
    for (const row of rows) {
      if (chunk.length === ROWS_AT_ONCE) {
        report({ statement, rows: chunk, isLast: false }, bytesIn(chunk))
        chunk = []
      }
      chunk.push(row.map(roomyBytes))
    }
    report({ statement, rows: chunk, isLast: isLastOne }, bytesIn(chunk))
  }
  const runAll = (all: readonly Spelled[]) => {
    if (all.length > 1) connection.exec('begin')
    for (const [index, statement] of all.entries()) {
      if (index > 0) requireWanted()
      run(statement, index, index === all.length - 1)
    }
  }
  const end = () => {
    if (connection.inTransaction) connection.exec('rollback')
  }
  port.on('message', (all: readonly Spelled[]) => {
    try {
      runAll(all)
      end()
    } catch (error) {
      end()
      const { message, code } = error as Error & { code?: string }
      report({ failure: message, code })
    }
  })
}

/** Small ones may lie in memory that they share with others, and are copied anyway. */
function roomyBytes(value: unknown): unknown {
  if (!(value instanceof Uint8Array) || value.length < ROOMY_FROM_BYTES) return value
  const roomy = withRoom(value)
  // Given away to nobody, it is freed at once; this thread makes so little garbage that it would lie there for long.
  if (value.buffer instanceof ArrayBuffer && value.length === value.buffer.byteLength) {
    NOBODY.postMessage(null, [value.buffer])
  }
  return roomy
}

/** A port that leads nowhere: what is transferred through it is gone. */
const NOBODY = new MessageChannel().port1
NOBODY.close()

/** What is handed over without a copy. */
function bytesIn(rows: readonly unknown[][]): ArrayBuffer[] {
  return rows.flatMap((row) =>
    row.flatMap((value) =>
      value instanceof Uint8Array && value.buffer instanceof ArrayBuffer && value.length >= ROOMY_FROM_BYTES
        ? [value.buffer]
        : [],
    ),
  )
}

/** How much nicer this thread is than the event loop, which then need not wait for its slice of a shared core. */
const NICER = 5

/** On Linux a priority belongs to a thread; elsewhere it would be that of the whole process. */
function giveWay(): void {
  if (process.platform !== 'linux') return
  setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + NICER))
}

if (parentPort) giveWay()
if (parentPort) work(parentPort, workerData as WorkerStart)
