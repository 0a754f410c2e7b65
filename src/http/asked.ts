import type { IncomingMessage, ServerResponse } from 'node:http'
import { Fault } from '../errors.js'
import { LIMITS } from '../limits.js'

/** A request, whether it came by node:http or by fetch. */
export interface Asked {
  readonly method: string
  /** The path and the query, as they were written. */
  readonly target: string
  readonly url: URL
  /** The path of the URL. */
  readonly path: string
  header(name: string): string | undefined
  /** Whether whoever asked has hung up. */
  readonly isGone: boolean
  /** Whether all of the body is known to have come; to be asked before it is read. */
  readonly isWhole: boolean
  /** The body, read once however often it is asked for. */
  body(room: Room): Promise<Buffer>
}

/** Called before each part of a body is kept, with the size that it then has; throws what its sender is told. */
export type Room = (bytes: number) => void

export function roomFor(bytesMax: number): Room {
  return (bytes) => {
    if (bytes > bytesMax) throw tooLarge(bytesMax)
  }
}

/** What a handler answers. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | null
  /** Of a cached response: its headers as they go out, by the origin that they are for. To write them anew takes long. */
  readonly finished?: Map<string, readonly string[]>
}

/** An answer as it goes out: each name of a header with its value behind it, which takes Node a tenth of the time. */
export interface Outgoing {
  readonly status: number
  readonly headers: readonly string[]
  readonly body: Buffer | null
}

export const isReading = ({ method }: Asked): boolean => method === 'GET' || method === 'HEAD'

/** A request of node:http; `refusalOf` has found that its address can be read. */
export class AskedOfNode implements Asked {
  readonly method: string
  readonly target: string
  private readonly message: IncomingMessage
  private readonly headers: IncomingMessage['headers']
  private parsed: URL | undefined
  private readonly beforeBody: (() => void) | undefined
  private read: Promise<Buffer> | undefined

  /** `beforeBody` is called when the body is about to be read, if it ever is. */
  constructor(message: IncomingMessage, target: string, beforeBody?: () => void) {
    this.beforeBody = beforeBody
    this.method = message.method ?? 'GET'
    this.target = target
    this.message = message
    this.headers = message.headers
  }

  get url(): URL {
    this.parsed ??= new URL(`http://${this.headers.host ?? 'localhost'}${this.target}`)
    return this.parsed
  }

  get path(): string {
    const query = this.target.indexOf('?')
    const path = query < 0 ? this.target : this.target.slice(0, query)
    // To parse the whole URL takes longer than to find a route.
    return PLAIN_PATH.test(path) ? path : this.url.pathname
  }

  header(name: string): string | undefined {
    const value = this.headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }

  get isGone(): boolean {
    return this.message.socket.destroyed
  }

  get isWhole(): boolean {
    const { complete, readableLength } = this.message
    // Node hands the bytes on before it says that they were the last.
    return complete || readableLength === Number(this.headers['content-length'])
  }

  body(room: Room): Promise<Buffer> {
    if (!this.read) this.beforeBody?.()
    this.read ??= bytesOfNode(this.message, room)
    return this.read
  }
}

/** A path that is written as a URL would write it: no segment begins with a dot, and nothing is encoded. */
const PLAIN_PATH = /^(?:\/[\w-][\w.-]*)+$/

const NO_BYTES = Buffer.alloc(0)

async function bytesOfNode(message: IncomingMessage, room: Room): Promise<Buffer> {
  const { complete, readable, readableLength } = message
  // What is there already is taken without listening for more, which would take longer than all the rest.
  if (complete && readable) {
    room(readableLength)
    return message.read() ?? NO_BYTES
  }
  return new Promise((resolve, reject) => {
    const parts = new Parts()
    // Not `for await`, whose end would tear the connection down before the refusal is out.
    const onData = (chunk: Buffer) => {
      try {
        room(parts.size + chunk.length)
        parts.push(chunk)
      } catch (error) {
        // The rest is let go by, so that whoever sends it comes to read the refusal.
        message.off('data', onData).resume()
        parts.clear()
        reject(error)
      }
    }
    message.on('data', onData)
    message.once('end', () => resolve(parts.whole()))
    message.once('error', (cause) => reject(brokenOff(cause)))
    message.once('close', () => message.complete || reject(brokenOff()))
    // Nothing more comes of a connection that is gone, nor of a body that someone before us has read.
    if (message.destroyed || message.readableEnded) reject(brokenOff())
  })
}

/** A chunk is an object of its own, however few bytes it has: so many are put together at a time. */
const CHUNKS_MAX = 1_000

/** The parts of a body as they come, which take about as much memory as they have bytes. */
class Parts {
  size = 0
  private parts: Uint8Array[] = []
  private chunks: Uint8Array[] = []

  push(chunk: Uint8Array): void {
    this.size += chunk.length
    this.chunks.push(chunk)
    if (this.chunks.length < CHUNKS_MAX) return
    this.parts.push(Buffer.concat(this.chunks))
    this.chunks = []
  }

  clear(): void {
    this.parts = []
    this.chunks = []
  }

  whole(): Buffer {
    const all = [...this.parts, ...this.chunks]
    this.clear()
    const [only] = all
    return all.length === 1 && Buffer.isBuffer(only) ? only : Buffer.concat(all)
  }
}

/** A request of fetch. */
export class AskedOfFetch implements Asked {
  readonly method: string
  readonly target: string
  readonly url: URL
  private readonly request: Request
  private readonly parts = new Parts()
  private reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  private read: Promise<Buffer> | undefined

  constructor(request: Request) {
    this.method = request.method
    this.url = new URL(request.url)
    this.target = this.url.pathname + this.url.search
    this.request = request
  }

  get path(): string {
    return this.url.pathname
  }

  header(name: string): string | undefined {
    return this.request.headers.get(name) ?? undefined
  }

  get isGone(): boolean {
    return this.request.signal.aborted
  }

  get isWhole(): boolean {
    return this.request.body === null
  }

  body(room: Room): Promise<Buffer> {
    // A Content-Length may say too little here, so whoever takes more goes on where another has stopped.
    this.read = this.read?.catch(() => this.readOn(room)) ?? this.readOn(room)
    return this.read
  }

  private async readOn(room: Room): Promise<Buffer> {
    this.reader ??= this.request.body?.getReader()
    for (;;) {
      room(this.parts.size)
      const chunk = await this.reader?.read().catch((cause) => Promise.reject(brokenOff(cause)))
      if (!chunk || chunk.done) return this.parts.whole()
      this.parts.push(chunk.value)
    }
  }
}

function brokenOff(cause?: unknown): Fault {
  return new Fault('BAD_REQUEST', 'The body broke off before its end.', { cause })
}

export function tooLarge(bytesMax: number): Fault {
  return new Fault('PAYLOAD_TOO_LARGE', `The body is larger than ${bytesMax} bytes. Send it in smaller parts.`)
}

export function sendToNode(response: ServerResponse, { status, headers, body }: Outgoing): void {
  // Whoever embeds it may have answered meanwhile, as when a time of its own is up.
  if (response.headersSent) return
  response.writeHead(status, headers as string[])
  if (body && body.length > LIMITS.sliceBytes) sendInSlices(response, body)
  else response.end(body)
}

/** The kernel copies what it is given at once, megabytes for milliseconds: others have their turn in between. */
function sendInSlices(response: ServerResponse, body: Buffer, start = 0): void {
  if (response.destroyed) return
  const end = start + LIMITS.sliceBytes
  const slice = body.subarray(start, end)
  if (end >= body.length) return void response.end(slice)
  const goOn = () => setImmediate(() => sendInSlices(response, body, end))
  if (response.write(slice)) goOn()
  else response.once('drain', goOn)
}

export function responseOf({ status, headers: flat, body }: Outgoing): Response {
  const headers = new Headers()
  for (let i = 0; i < flat.length; i += 2) headers.append(flat[i] ?? '', flat[i + 1] ?? '')
  return new Response(body && new Uint8Array(body), { status, headers })
}
