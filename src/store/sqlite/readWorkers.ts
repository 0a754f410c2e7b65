import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { PACKAGE } from '../../about.js'
import { Fault, ResponseTooLong } from '../../errors.js'
import { LIMITS } from '../../limits.js'
import { FairQueue, type Owned } from '../fairQueue.js'
import { BUSY, deadlineExceeded, toFault, UNREACHABLE } from '../faults.js'
import type { CompiledSql, Deadline, OnStatement, Readership } from '../store.js'
import { TOO_LONG } from './driver.js'
import type { WorkerReport, WorkerStart, WorkerTask } from './readWorker.js'

/** Unless a setting says otherwise, at most one for each core; on Linux they have a lower priority than the event loop. */
export const WORKERS_MAX = 2
const HEAP_MEGABYTES = 128

// Not beside this module: the bundler of a host would leave it behind.
const SCRIPT = new URL('dist/bundle/readWorker.js', PACKAGE)

/** Where threads cannot have a lower priority than the event loop, one core is left to it. */
const CORES_LEFT = process.platform === 'linux' ? 0 : 1
const THREADS_MAX = Math.max(1, Math.min(WORKERS_MAX, availableParallelism() - CORES_LEFT))

interface Task extends Owned {
  readonly statements: readonly CompiledSql[]
  readonly deadline: Deadline | undefined
  readonly bytesMax: number | undefined
  readonly onStatement: OnStatement | undefined
  /** By `performance.now()`. */
  readonly addedAt: number
  readonly resolve: (rows: unknown[][][]) => void
  readonly reject: (error: unknown) => void
  expiry: NodeJS.Timeout | undefined
}

interface Thread {
  readonly worker: Worker
  readonly stop: Int32Array
  /** The running task, until the thread has ended or stopped it. */
  running: Task | undefined
  /** The same; undefined after its caller has given up. */
  task: Task | undefined
  /** When it began, by `performance.now()`. */
  begunAt: number
  /** Whether it was stopped for another key, and shall run again. */
  isInterrupted: boolean
  /** By statement. */
  rows: unknown[][][]
  ms: number[]
}

const IDLE: Omit<Thread, 'worker' | 'stop'> = {
  running: undefined,
  task: undefined,
  begunAt: 0,
  isInterrupted: false,
  rows: [],
  ms: [],
}

interface ReadWorkersOptions {
  /** Throws if the file must no longer be opened. */
  readonly requireUsable: () => void
  readonly threadsMax?: number | undefined
}

/** Runs heavy statements in a few threads, which keys share in turns (docs/decisions/0006-read-workers.md). */
export class ReadWorkers {
  private readonly file: string
  private readonly options: ReadWorkersOptions
  private readonly threads = new Set<Thread>()
  readonly queue: FairQueue<Task>
  private isClosed = false
  /** While no statement may start: called once none runs any more. */
  private held: (() => void) | undefined

  constructor(file: string, options: ReadWorkersOptions) {
    this.file = file
    this.options = options
    const { threadsMax: slots = THREADS_MAX } = options
    this.queue = new FairQueue({ slots, placesMax: LIMITS.readQueueMax })
  }

  get isIdle(): boolean {
    return [...this.threads].every(({ running }) => !running)
  }

  /** Runs statements in sequence; all see one snapshot. */
  run(statements: readonly CompiledSql[], readership: Readership = {}): Promise<unknown[][][]> {
    const { owner = '', deadline, bytesMax, onStatement } = readership
    return new Promise((resolve, reject) => {
      const addedAt = performance.now()
      const task: Task = {
        ...{ owner, statements, deadline, bytesMax, onStatement, addedAt, resolve, reject },
        expiry: undefined,
      }
      if (this.isClosed) return reject(new Fault('UNAVAILABLE', BUSY))
      this.add(task)
      if (deadline) task.expiry = setTimeout(() => this.expire(task), deadline.deadlineAt - performance.now())
      this.assign()
    })
  }

  /** Whether a statement runs that began before. */
  isBusySince(instant: number): boolean {
    return [...this.threads].some(({ running, begunAt }) => running && begunAt < instant)
  }

  /** Starts no statements until `release`; resolves then, or when those that run have ended. Urgent: they begin again. */
  hold({ isUrgent }: { readonly isUrgent: boolean }): Promise<void> {
    return new Promise((resolve) => {
      this.held = resolve
      if (isUrgent) for (const thread of this.threads) if (thread.task) interrupt(thread)
      this.assign()
    })
  }

  release(): void {
    this.held?.()
    this.held = undefined
    this.assign()
  }

  /** Ends every thread, also in the middle of a statement. */
  async close(): Promise<void> {
    this.isClosed = true
    for (const task of this.queue.allWaiting()) {
      this.queue.remove(task)
      reject(task, new Fault('UNAVAILABLE', BUSY))
    }
    await Promise.all([...this.threads].map((thread) => this.end(thread)))
  }

  /** Drops tasks of disconnected clients when their key has no place left. */
  private add(task: Task): void {
    try {
      this.queue.add(task)
    } catch (error) {
      const gone = this.queue.waitingOf(task.owner).filter(isGone)
      if (gone.length === 0) throw error
      for (const one of gone) {
        this.queue.remove(one)
        reject(one, deadlineExceeded())
      }
      this.queue.add(task)
    }
  }

  private assign(): void {
    if (this.held) {
      if (this.isIdle) this.held()
      return
    }
    for (let next = this.queue.take(); next; next = this.queue.take()) {
      try {
        if (isGone(next)) throw deadlineExceeded()
        begin(this.freeThread(), next)
      } catch (error) {
        this.queue.finish(next)
        reject(next, unreadable(error))
      }
    }
    this.interrupt()
  }

  /** Stops the latest task of a key that has more than its share of threads while another waits; it runs again later. */
  private interrupt(): void {
    if (this.queue.waiting === 0 || [...this.threads].some(isStopping)) return
    const threads = [...this.threads].filter(({ task }) => task && this.queue.isOverShare(task.owner))
    const [latest] = threads.sort((one, other) => other.begunAt - one.begunAt)
    if (!latest) return
    interrupt(latest)
  }

  /** An idle thread, or a new one: no more tasks are taken than there may be threads. */
  private freeThread(): Thread {
    const free = [...this.threads].find(({ running }) => !running)
    if (free) return free
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
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES },
    })
    const thread: Thread = { worker, stop, ...IDLE }
    this.threads.add(thread)
    // An idle worker must not keep the process alive.
    worker.unref()
    // Starting a thread is no work of its first task.
    worker.once('online', () => {
      thread.begunAt = performance.now()
    })
    worker.on('message', (report: WorkerReport) => this.hear(thread, report))
    worker.on('error', (cause) => {
      if (thread.task) reject(thread.task, unreadable(cause))
      thread.task = undefined
    })
    worker.on('exit', () => this.forget(thread))
    return thread
  }

  private hear(thread: Thread, report: WorkerReport): void {
    const { task, rows, isInterrupted } = thread
    if ('rows' in report) {
      // Drop rows whose caller has given up.
      if (task) for (const row of report.rows) rows[report.statement]?.push(row.map(withBuffer))
      thread.ms[report.statement] = report.ms
      if (!report.isLast) return
    }
    Atomics.store(thread.stop, 0, 0)
    thread.worker.unref()
    // Before the slot is given up, so that it goes to the other key.
    if (task && isInterrupted && 'failure' in report) this.queue.repeat(task)
    else if (task && 'failure' in report) this.fail(thread, task, failureOf(report, task), report.ms)
    else if (task) {
      reportRuns(thread, task)
      resolve(task, rows)
    }
    this.free(thread)
    this.assign()
  }

  /** What a thread did counts, whatever came of it. */
  private fail(thread: Thread, task: Task, error: unknown, ms: number): void {
    thread.ms = [ms]
    reportRuns(thread, task)
    reject(task, error)
  }

  private free(thread: Thread): void {
    if (thread.running) this.queue.finish(thread.running)
    Object.assign(thread, IDLE)
  }

  /** At the deadline: stops the statement, or removes it from the queue. */
  private expire(task: Task): void {
    this.queue.remove(task)
    const thread = [...this.threads].find((one) => one.task === task)
    if (thread) this.fail(thread, task, deadlineExceeded(), performance.now() - thread.begunAt)
    else reject(task, deadlineExceeded())
    if (!thread) return
    thread.task = undefined
    thread.rows = []
    // The guard sees this within a few rows; until then the thread counts as busy, so that the limit of threads holds.
    Atomics.store(thread.stop, 0, 1)
  }

  private async end(thread: Thread): Promise<void> {
    const { worker, running } = thread
    Atomics.store(thread.stop, 0, 1)
    this.forget(thread)
    // better-sqlite3 13 does not notice `terminate()` during a statement, so stop the statement first.
    if (running) await stopped(worker)
    await worker.terminate()
  }

  private forget(thread: Thread): void {
    if (!this.threads.delete(thread)) return
    if (thread.task) reject(thread.task, unreadable(undefined))
    this.free(thread)
    if (!this.isClosed) this.assign()
  }
}

/** Stops what a thread runs, which runs again later. */
function interrupt(thread: Thread): void {
  thread.isInterrupted = true
  Atomics.store(thread.stop, 0, 1)
}

function isStopping({ stop }: Thread): boolean {
  return Atomics.load(stop, 0) !== 0
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

function reportRuns({ begunAt, ms, rows }: Thread, { statements, onStatement, addedAt }: Task): void {
  for (const [index, { text, values }] of statements.entries()) {
    const run = { ms: ms[index] ?? 0, waitedMs: index === 0 ? begunAt - addedAt : 0, rows: rows[index]?.length ?? 0 }
    onStatement?.({ text, where: 'read worker', ...run }, values)
  }
}

function begin(thread: Thread, task: Task): void {
  thread.ms = []
  thread.rows = task.statements.map(() => [])
  thread.running = task
  thread.task = task
  thread.begunAt = performance.now()
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
function withBuffer(value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value
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
