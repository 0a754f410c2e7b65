import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'

type Row = Readonly<Record<string, unknown>>

interface Query {
  readonly url: string
  readonly sql?: string
  readonly values?: readonly unknown[]
  readonly rowMode?: 'array'
  readonly isLast?: true
}

let runner: ((sent: Query) => unknown[]) | undefined

function start(): (sent: Query) => unknown[] {
  const signal = new Int32Array(new SharedArrayBuffer(4))
  const { port1, port2 } = new MessageChannel()
  const worker = new Worker(new URL('./worker.mjs', import.meta.url), {
    workerData: { port: port2, signal },
    transferList: [port2],
  })
  worker.unref()
  port1.unref()
  return (sent) => {
    Atomics.store(signal, 0, 0)
    port1.postMessage(sent)
    // The worker's notification of the answer before may come late, and wakes this wait without an answer.
    while (Atomics.load(signal, 0) === 0) Atomics.wait(signal, 0, 0)
    const { rows, failure, code } = receiveMessageOnPort(port1)?.message ?? {}
    if (failure !== undefined) throw Object.assign(new Error(failure), { code })
    return rows
  }
}

function run(query: Query): unknown[] {
  runner ??= start()
  return runner(query)
}

/** Runs SQL on a database and waits for it, on one connection that stays open until `hangUp`. */
export function rowsOf(url: string, sql: string, values?: readonly unknown[]): Row[] {
  return run({ url, sql, ...(values && { values }) }) as Row[]
}

/** The same, each row as its values in the order in which they are selected. */
export function valuesOf(url: string, sql: string): unknown[][] {
  return run({ url, sql, rowMode: 'array' }) as unknown[][]
}

export function hangUp(url: string): void {
  run({ url, isLast: true })
}
