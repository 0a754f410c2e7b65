import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { Fault, ResponseTooLong } from '../../errors.js'
import { LIMITS } from '../../limits.js'
import { BUSY, deadlineExceeded, toFault, UNREACHABLE } from '../faults.js'
import { noteCursorsWritten } from '../query/cursors.js'
import { noteRoom, ROOM_BYTES } from '../query/framed.js'
import type { CompiledSql, Deadline } from '../store.js'
import { TOO_LONG, type WorkerReport, type WorkerStart, type WorkerTask } from './readWorkerMessages.js'

// Node 20 cannot load TypeScript in a worker: run from source, as in tests, use the built file.
const SCRIPT = new URL(
  import.meta.url.endsWith('.ts') ? '../../../dist/store/sqlite/readWorker.js' : './readWorker.js',
  import.meta.url,
)

/** Where threads cannot have a lower priority than the event loop, one core is left to it. */
const CORES_LEFT = process.platform === 'linux' ? 0 : 1
const THREADS_MAX = Math.max(1, Math.min(LIMITS.readWorkersMax, availableParallelism() - CORES_LEFT))

interface Task {
  readonly statements: readonly CompiledSql[]
  readonly deadline: Deadline | undefined
  readonly bytesMax: number | undefined
  readonly resolve: (rows: unknown[][][]) => void
  readonly reject: (error: unknown) => void
  expiry: NodeJS.Timeout | undefined
}

interface Thread {
  readonly worker: Worker
  readonly stop: Int32Array
  /** The running task; undefined after its caller has given up. */
  task: Task | undefined
  isBusy: boolean
  /** By statement. */
  rows: unknown[][][]
}

interface ReadWorkersOptions {
  /** Throws if the file must no longer be opened. */
  readonly requireUsable: () => void
  /** Called when workers that are held have become idle. */
  readonly onIdle: () => void
}

/**
 * Runs heavy statements outside the event loop: a few threads, each with its own connection, started on demand, behind
 * a bounded queue (docs/decisions/0006-read-workers.md).
 */
export class ReadWorkers {
  private readonly file: string
  private readonly options: ReadWorkersOptions
  private readonly threads = new Set<Thread>()
  private queue: Task[] = []
  private isClosed = false
  private isHeld = false

  constructor(file: string, options: ReadWorkersOptions) {
    this.file = file
    this.options = options
  }

  /** Whether no statement is running. */
  get isIdle(): boolean {
    return [...this.threads].every(({ isBusy }) => !isBusy)
  }

  /** Runs statements in sequence; all see one snapshot. */
  run(statements: readonly CompiledSql[], deadline?: Deadline, bytesMax?: number): Promise<unknown[][][]> {
    return new Promise((resolve, reject) => {
      const task: Task = { statements, deadline, bytesMax, resolve, reject, expiry: undefined }
      if (this.isClosed || !this.hasRoom()) return reject(new Fault('UNAVAILABLE', BUSY))
      if (deadline) task.expiry = setTimeout(() => this.expire(task), deadline.deadlineAt - performance.now())
      this.queue.push(task)
      this.assign()
    })
  }

  /** Lets running statements end, and starts no others until `release`. */
  hold(): void {
    this.isHeld = true
  }

  release(): void {
    if (!this.isHeld) return
    this.isHeld = false
    this.assign()
  }

  /** Ends every thread, also in the middle of a statement. */
  async close(): Promise<void> {
    this.isClosed = true
    for (const task of this.queue.splice(0)) reject(task, new Fault('UNAVAILABLE', BUSY))
    await Promise.all([...this.threads].map((thread) => this.end(thread)))
  }

  /** Drops tasks of disconnected clients when the queue is full. */
  private hasRoom(): boolean {
    if (this.queue.length < LIMITS.readQueueMax) return true
    const [gone, waiting] = [this.queue.filter(isGone), this.queue.filter((task) => !isGone(task))]
    for (const task of gone) reject(task, deadlineExceeded())
    this.queue = waiting
    return waiting.length < LIMITS.readQueueMax
  }

  private assign(): void {
    if (this.isHeld) {
      if (this.isIdle) this.options.onIdle()
      return
    }
    for (let next = this.queue.shift(); next; next = this.queue.shift()) {
      if (isGone(next)) {
        reject(next, deadlineExceeded())
        continue
      }
      try {
        const thread = this.freeThread()
        if (!thread) return void this.queue.unshift(next)
        begin(thread, next)
      } catch (error) {
        reject(next, unreadable(error))
      }
    }
  }

  /** An idle thread, or a new one. */
  private freeThread(): Thread | undefined {
    const free = [...this.threads].find(({ isBusy }) => !isBusy)
    if (free || this.threads.size >= THREADS_MAX) return free
    this.options.requireUsable()
    return this.start()
  }

  private start(): Thread {
    const stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
    const worker = new Worker(SCRIPT, {
      name: 'reader',
      workerData: { file: this.file, stop } satisfies WorkerStart,
      // Not the flags of the process, which may name loaders for the main thread.
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: LIMITS.readWorkerHeapMegabytes },
    })
    const thread: Thread = { worker, stop, task: undefined, isBusy: false, rows: [] }
    this.threads.add(thread)
    // An idle worker must not keep the process alive.
    worker.unref()
    worker.on('message', (report: WorkerReport) => this.hear(thread, report))
    worker.on('error', (cause) => {
      if (thread.task) reject(thread.task, unreadable(cause))
      thread.task = undefined
    })
    worker.on('exit', () => this.forget(thread))
    return thread
  }

  private hear(thread: Thread, report: WorkerReport): void {
    const { task, rows } = thread
    if ('rows' in report) {
      const { hasCursors = false } = task?.statements[report.statement] ?? {}
      // Drop rows whose caller has given up.
      if (task) for (const row of report.rows) rows[report.statement]?.push(withBuffers(row, hasCursors))
      if (!report.isLast) return
    }
    Atomics.store(thread.stop, 0, 0)
    thread.task = undefined
    thread.isBusy = false
    thread.rows = []
    thread.worker.unref()
    if (task && 'failure' in report) reject(task, failureOf(report, task))
    else if (task) resolve(task, rows)
    this.assign()
  }

  /** At the deadline: stops the statement, or removes it from the queue. */
  private expire(task: Task): void {
    this.queue = this.queue.filter((one) => one !== task)
    const thread = [...this.threads].find((one) => one.task === task)
    reject(task, deadlineExceeded())
    if (!thread) return
    thread.task = undefined
    thread.rows = []
    // The guard sees this within a few rows; until then the thread counts as busy, so that the limit of threads holds.
    Atomics.store(thread.stop, 0, 1)
  }

  private async end(thread: Thread): Promise<void> {
    const { worker, isBusy } = thread
    Atomics.store(thread.stop, 0, 1)
    this.forget(thread)
    // better-sqlite3 13 does not notice `terminate()` during a statement, so stop the statement first.
    if (isBusy) await stopped(worker)
    await worker.terminate()
  }

  private forget(thread: Thread): void {
    if (!this.threads.delete(thread)) return
    if (thread.task) reject(thread.task, unreadable(undefined))
    thread.task = undefined
    if (!this.isClosed) this.assign()
  }
}

/** Resolves when the running statement has ended or the thread has exited. */
function stopped(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    worker.once('exit', () => resolve())
    worker.on('message', (report: WorkerReport) => {
      if (!('rows' in report) || report.isLast) resolve()
    })
  })
}

function begin(thread: Thread, task: Task): void {
  thread.rows = task.statements.map(() => [])
  thread.task = task
  thread.isBusy = true
  thread.worker.ref()
  thread.worker.postMessage({
    statements: task.statements.map(({ text, values, hasCursors = false }) => ({ text, values, hasCursors })),
    bytesMax: task.bytesMax ?? Number.POSITIVE_INFINITY,
  } satisfies WorkerTask)
}

function resolve(task: Task, rows: unknown[][][]): void {
  clearTimeout(task.expiry)
  task.resolve(rows)
}

function reject(task: Task, error: unknown): void {
  clearTimeout(task.expiry)
  task.reject(error)
}

function isGone({ deadline }: Task): boolean {
  return deadline?.isGone?.() ?? false
}

/** A Buffer arrives as a plain Uint8Array after structured cloning. */
function withBuffers(row: unknown[], hasCursors: boolean): unknown[] {
  for (const [index, value] of row.entries()) {
    if (!(value instanceof Uint8Array)) continue
    row[index] = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    if (value.byteOffset !== ROOM_BYTES) continue
    noteRoom(value)
    if (hasCursors) noteCursorsWritten(value)
  }
  return row
}

/** Rebuilds the driver's error in this thread. */
function failureOf({ failure, code }: { failure: string; code: string | undefined }, { bytesMax }: Task): unknown {
  // A single text of more than a billion bytes, which SQLite itself refuses, has the other code.
  if (bytesMax !== undefined && (code === TOO_LONG || code === 'SQLITE_TOOBIG')) return new ResponseTooLong(bytesMax)
  return toFault(Object.assign(new Error(failure), code !== undefined && { code }))
}

/** The thread exited or could not start: out of memory, or the file could not be opened. */
function unreadable(cause: unknown): unknown {
  const fault = toFault(cause)
  return fault instanceof Fault ? fault : new Fault('UNAVAILABLE', UNREACHABLE, { cause })
}
