/**
 * The load generator, a process of its own: each client keeps one connection to loopback and sends its next request
 * after the last response. Raw sockets, because node:http as a client would be the bottleneck.
 */
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { cpuMsOf } from '../../campaigns/served.js'

/** How often each read is sent: all equally, or the n-th 1/n as often as the first. */
export type Mix = 'even' | 'skewed'

export interface LoadPlan {
  readonly port: number
  /** The process id of the server. */
  readonly pid: number
  readonly clients: number
  readonly warmMs: number
  /** Responses that warm up a server; waited for, but at most WARM_TIMES_MAX times as long as planned. */
  readonly warmAnswers: number
  readonly measureMs: number
  readonly requestsMax: number
  /** Whole HTTP requests as text. */
  readonly reads: readonly string[]
  readonly write: string
  /** Placeholder in `write` for a number that is unique to each request. */
  readonly unique: string
  readonly writeShare: number
  readonly mix: Mix
}

export interface LoadResult {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** CPU time of the server per request: the figure that other load on the machine disturbs least. */
  readonly cpuMs: number
  /** Completed writes, including the warm-up. */
  readonly writes: number
}

const WARM_TIMES_MAX = 4

/** Least number of responses for a figure, and how much longer than planned to wait for them. */
const ANSWERS_MIN = 10
const PATIENCE_MS = 30_000

const HEAD_END = '\r\n\r\n'
const CHUNKS_END = '0\r\n\r\n'

class Client {
  private readonly socket: Socket
  private readonly onAnswer: (client: Client, status: string, bytes: number) => void
  private pending: Buffer | undefined
  /** Remaining bytes of the body; undefined before the header, infinite with chunked encoding. */
  private left: number | undefined
  private status = ''
  private bytes = 0
  sentAt = 0
  isWrite = false

  constructor(port: number, onAnswer: Client['onAnswer'], onFailure: (error: Error) => void) {
    this.onAnswer = onAnswer
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true })
    this.socket.on('data', (chunk) => this.take(chunk))
    this.socket.on('error', onFailure)
    this.socket.on('end', () => onFailure(new Error('The server closed a connection.')))
  }

  send(request: Buffer, isWrite: boolean): void {
    this.isWrite = isWrite
    this.sentAt = performance.now()
    this.socket.write(request)
  }

  close(): void {
    this.socket.destroy()
  }

  private take(chunk: Buffer): void {
    if (this.left === undefined) {
      const head = this.pending ? Buffer.concat([this.pending, chunk]) : chunk
      const end = head.indexOf(HEAD_END)
      this.pending = end < 0 ? head : undefined
      if (end >= 0) this.begin(head.toString('latin1', 0, end), head.subarray(end + HEAD_END.length))
    } else this.go(chunk)
  }

  private begin(head: string, body: Buffer): void {
    this.status = head.slice(9, 12)
    const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? []
    this.bytes = Number(length ?? 0)
    this.left = length === undefined ? Number.POSITIVE_INFINITY : this.bytes
    this.go(body)
  }

  private go(body: Buffer): void {
    this.left = (this.left ?? 0) - body.length
    const isOver =
      this.left === Number.POSITIVE_INFINITY ? body.subarray(-5).toString('latin1') === CHUNKS_END : this.left <= 0
    if (!isOver) return
    this.left = undefined
    this.onAnswer(this, this.status, this.bytes)
  }
}

/** The sequence of requests, the same in every run. */
function sequence({ reads, write, unique, writeShare, mix }: LoadPlan): () => { request: Buffer; isWrite: boolean } {
  const ready = reads.map((request) => Buffer.from(request))
  const bounds = cumulated(ready.map((_, index) => (mix === 'even' ? 1 : 1 / (index + 1))))
  const random = randomFrom(7)
  let written = 0
  const nextWrite = () => {
    written += 1
    return Buffer.from(write.replaceAll(unique, String(written).padStart(unique.length, '0')))
  }
  return () => {
    if (writeShare > 0 && random() < writeShare) return { request: nextWrite(), isWrite: true }
    const chosen = ready.length === 1 ? 0 : placeIn(bounds, random())
    return { request: ready[chosen] ?? Buffer.alloc(0), isWrite: false }
  }
}

function cumulated(weights: readonly number[]): number[] {
  const total = weights.reduce((sum, one) => sum + one, 0)
  let sum = 0
  return weights.map((one) => {
    sum += one / total
    return sum
  })
}

function placeIn(bounds: readonly number[], value: number): number {
  const found = bounds.findIndex((bound) => value < bound)
  return found < 0 ? bounds.length - 1 : found
}

/** Mulberry32: a small pseudorandom generator with reproducible output. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

function run(plan: LoadPlan): Promise<LoadResult> {
  const next = sequence(plan)
  const waits: number[] = []
  let sent = 0
  let writes = 0
  let bodyBytes: number | undefined
  let cpuMsBefore = 0
  let answered = 0
  let counted = 0
  /** End of the warm-up. */
  let beganAt = Number.POSITIVE_INFINITY
  const startedAt = performance.now()
  return new Promise((resolve, reject) => {
    const clients: Client[] = []
    // A slow server gets the time for a few responses, or it would have no figure at all.
    const isOver = (now: number) => {
      const beyondMs = now - beganAt - plan.measureMs
      return (beyondMs >= 0 && waits.length >= ANSWERS_MIN) || sent >= plan.requestsMax || beyondMs >= PATIENCE_MS
    }
    const isWarm = (now: number) => {
      const warmedFor = (now - startedAt) / plan.warmMs
      return warmedFor >= WARM_TIMES_MAX || (warmedFor >= 1 && answered >= plan.warmAnswers)
    }
    const finish = (now: number) => {
      for (const client of clients) client.close()
      const cpuMs = (cpuMsOf(plan.pid) - cpuMsBefore) / counted
      resolve({ perSecond: (counted * 1000) / (now - beganAt), ...spread(waits), cpuMs, writes })
    }
    const sendTo = (client: Client) => {
      const { request, isWrite } = next()
      sent += 1
      client.send(request, isWrite)
    }
    const onAnswer = (client: Client, status: string, bytes: number) => {
      const now = performance.now()
      if (!status.startsWith('2')) return reject(new Error(`A request returned ${status}.`))
      if (plan.reads.length === 1) {
        bodyBytes ??= bytes
        if (bytes !== bodyBytes) return reject(new Error(`A response has ${bytes} bytes instead of ${bodyBytes}.`))
      }
      if (client.isWrite) writes += 1
      answered += 1
      if (beganAt <= now) {
        counted += 1
        // The latency of a request sent before includes the time to accept its connection.
        if (client.sentAt >= beganAt) waits.push(now - client.sentAt)
      } else if (isWarm(now)) {
        beganAt = now
        cpuMsBefore = cpuMsOf(plan.pid)
      }
      if (isOver(now)) finish(now)
      else sendTo(client)
    }
    for (let i = 0; i < plan.clients; i++) clients.push(new Client(plan.port, onAnswer, reject))
    for (const client of clients) sendTo(client)
  })
}

function spread(waits: readonly number[]): Pick<LoadResult, 'p50Ms' | 'p99Ms'> {
  const sorted = Float64Array.from(waits).sort()
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { p50Ms: at(0.5), p99Ms: at(0.99) }
}

const plan = JSON.parse(await text(process.stdin)) as LoadPlan
try {
  console.log(JSON.stringify(await run(plan)))
} catch (error) {
  console.error(`The load generator: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}
process.exit()
