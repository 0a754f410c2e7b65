import type { IncomingMessage, ServerResponse } from 'node:http'
import { Fault } from '../../errors.js'
import { inMegabytes, LIMITS } from '../../limits.js'

/** Bytes of a response that are handed to the socket at once. */
const PART_BYTES = 4_194_304

/** An HTTP request, from node:http or from fetch. */
export interface HttpRequest {
  readonly method: string
  /** The path and the query, as sent. */
  readonly target: string
  readonly url: URL
  readonly path: string
  header(name: string): string | undefined
  readonly original: IncomingMessage | Request
  readonly isGone: boolean
  /** Whether the whole body is known to have arrived; only valid before the body is read. */
  readonly isWhole: boolean
  /** The body; it is read once, and later calls return the same bytes. */
  body(checkSize: SizeCheck): Promise<Buffer>
}

/** Called before each chunk of a body is kept, with the total size including it; throws a Fault to refuse the body. */
export type SizeCheck = (bytes: number) => void

export function sizeCheckFor(bytesMax: number): SizeCheck {
  return (bytes) => {
    if (bytes > bytesMax) throw tooLarge(bytesMax)
  }
}

export interface HttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | null
  /** Whether it is an empty page of a feed, and the id of the change that it ends with. */
  readonly isEmpty?: boolean
  readonly endsWith?: number | undefined
}

export const isReading = ({ method }: HttpRequest): boolean => method === 'GET' || method === 'HEAD'

/** A request whose `url` a framework may have rewritten. */
interface Mounted extends IncomingMessage {
  /** The `url` before Express or Connect removed the path that the handler is mounted at. */
  readonly originalUrl?: unknown
}

/** The path and the query as the client sent them. Without a base path, the mount path of a framework stays removed. */
export function targetOf({ url = '/', originalUrl }: Mounted, basePath: string): string {
  if (basePath === '' || typeof originalUrl !== 'string') return originForm(url)
  const whole = originForm(originalUrl)
  const isBelow = whole.startsWith(basePath) && /^([/?]|$)/.test(whole.slice(basePath.length))
  return isBelow ? whole : originForm(url)
}

/** Refuses requests that node:http accepts although they are invalid, or ambiguous to a proxy (request smuggling). */
export function refusalOf(request: IncomingMessage, target: string): Fault | undefined {
  const { rawHeaders, url = '' } = request
  // `maxHeaderSize` ignores separators, and `headers` drops duplicates of these two.
  const bytes = url.length + rawHeaders.join('').length + (rawHeaders.length / 2) * SEPARATORS_BYTES
  if (bytes > LIMITS.headersBytesMax) return headersTooLarge()
  const times = (name: string) =>
    rawHeaders.filter((one, i) => i % 2 === 0 && one.length === name.length && one.toLowerCase() === name).length
  // Node uses the first of several Host headers; a proxy in front may have used another.
  const { host = request.httpVersion === '1.0' ? 'localhost' : '' } = request.headers
  // `url` would throw on any other value, also when the request is logged.
  if (times('host') > 1 || !target.startsWith('/') || !isUsableHost(host)) {
    return new Fault('BAD_REQUEST', 'The address or the Host header of the request cannot be read.')
  }
  const { 'transfer-encoding': coding } = request.headers
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    return new Fault('BAD_REQUEST', 'The only Transfer-Encoding that is understood is chunked.')
  }
  if (times('authorization') > 1) return new Fault('UNAUTHENTICATED', 'Send the Authorization header once.')
  return undefined
}

export function headersTooLarge(): Fault {
  return new Fault(
    'HEADERS_TOO_LARGE',
    `The headers are larger than ${LIMITS.headersBytesMax.toLocaleString('en')} bytes.`,
  )
}

const SEPARATORS_BYTES = ':\r\n'.length

// Keeps the last valid Host: nearly every request has the same one, and parsing it takes microseconds.
let usableHost = 'localhost'

function isUsableHost(host: string): boolean {
  const isUsable = host === usableHost || (/^[\w.:[\]-]+$/.test(host) && URL.canParse(`http://${host}/`))
  if (isUsable) usableHost = host
  return isUsable
}

/** The path and query of a target in absolute-form, which proxies may send (RFC 9112, 3.2.2). */
function originForm(target: string): string {
  if (!/^https?:\/\/./i.test(target) || !URL.canParse(target)) return target
  const { pathname, search } = new URL(target)
  return pathname + search
}

/** A request of node:http; `refusalOf` has checked that its URL can be parsed. */
export class NodeRequest implements HttpRequest {
  readonly method: string
  readonly target: string
  readonly original: IncomingMessage
  private parsed: URL | undefined
  private readonly beforeBody: (() => void) | undefined
  private read: Promise<Buffer> | undefined

  /** `beforeBody` is called just before the body is read, if it ever is. */
  constructor(message: IncomingMessage, target: string, beforeBody?: () => void) {
    this.beforeBody = beforeBody
    this.method = message.method ?? 'GET'
    this.target = target
    this.original = message
  }

  get url(): URL {
    this.parsed ??= new URL(`http://${this.original.headers.host ?? 'localhost'}${this.target}`)
    return this.parsed
  }

  get path(): string {
    const query = this.target.indexOf('?')
    const path = query < 0 ? this.target : this.target.slice(0, query)
    // Parsing the whole URL takes longer than finding a route.
    return PLAIN_PATH.test(path) ? path : this.url.pathname
  }

  header(name: string): string | undefined {
    const value = this.original.headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }

  get isGone(): boolean {
    return this.original.socket.destroyed
  }

  get isWhole(): boolean {
    const { complete, readableLength, headers } = this.original
    // Node delivers the last bytes before it sets `complete`.
    return complete || readableLength === Number(headers['content-length'])
  }

  body(checkSize: SizeCheck): Promise<Buffer> {
    if (!this.read) this.beforeBody?.()
    this.read ??= bytesOfNode(this.original, checkSize)
    return this.read
  }
}

/** A path that URL parsing leaves unchanged: no segment begins with a dot, and nothing is percent-encoded. */
const PLAIN_PATH = /^(?:\/[\w-][\w.-]*)+$/

async function bytesOfNode(message: IncomingMessage, checkSize: SizeCheck): Promise<Buffer> {
  const { complete, readable, readableLength } = message
  // Fast path: the whole body is buffered already, and stream listeners would cost more than all the rest.
  if (complete && readable) {
    checkSize(readableLength)
    return message.read() ?? Buffer.alloc(0)
  }
  return new Promise((resolve, reject) => {
    const parts = new Parts()
    // Not `for await`: leaving the loop early destroys the socket before the error response is sent.
    const onData = (chunk: Buffer) => {
      try {
        checkSize(parts.size + chunk.length)
        parts.push(chunk)
      } catch (error) {
        // Discard the rest, so that the client finishes sending and reads the error response.
        message.off('data', onData).resume()
        parts.clear()
        reject(error)
      }
    }
    message.on('data', onData)
    message.once('end', () => resolve(parts.whole()))
    message.once('error', (cause) => reject(brokenOff(cause)))
    message.once('close', () => message.complete || reject(brokenOff()))
    // No more events follow if the socket is closed, or if a middleware has consumed the body.
    if (message.destroyed || message.readableEnded) reject(brokenOff())
  })
}

/** How many chunks are merged at a time: each is a Buffer object with its own overhead, however few bytes it has. */
const CHUNKS_MAX = 1_000

/** Collects the chunks of a body; takes about as much memory as they have bytes. */
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

export class FetchRequest implements HttpRequest {
  readonly method: string
  readonly target: string
  readonly url: URL
  readonly original: Request
  private readonly parts = new Parts()
  private reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  private read: Promise<Buffer> | undefined

  constructor(request: Request) {
    this.method = request.method
    this.url = new URL(request.url)
    this.target = this.url.pathname + this.url.search
    this.original = request
  }

  get path(): string {
    return this.url.pathname
  }

  header(name: string): string | undefined {
    return this.original.headers.get(name) ?? undefined
  }

  get isGone(): boolean {
    return this.original.signal.aborted
  }

  get isWhole(): boolean {
    return this.original.body === null
  }

  body(checkSize: SizeCheck): Promise<Buffer> {
    // Content-Length is not enforced here: after a refused read, one with a larger limit resumes where it stopped.
    this.read = this.read?.catch(() => this.readOn(checkSize)) ?? this.readOn(checkSize)
    return this.read
  }

  private async readOn(checkSize: SizeCheck): Promise<Buffer> {
    this.reader ??= this.original.body?.getReader()
    for (;;) {
      checkSize(this.parts.size)
      const chunk = await this.reader?.read().catch((cause) => Promise.reject(brokenOff(cause)))
      if (!chunk || chunk.done) return this.parts.whole()
      this.parts.push(chunk.value)
    }
  }
}

function brokenOff(cause?: unknown): Fault {
  return new Fault('BAD_REQUEST', 'The body broke off before its end.', { cause })
}

function tooLarge(bytesMax: number): Fault {
  // In parts, a complete list would close what is in the other parts.
  const how = bytesMax > LIMITS.bodyBytesMax ? ': risks and issues with `mode: PARTIAL`, people without `leavers`' : ''
  return new Fault(
    'PAYLOAD_TOO_LARGE',
    `The body is larger than ${inMegabytes(bytesMax)}. Send it in smaller parts${how}.`,
  )
}

export function sendToNode(response: ServerResponse, { status, headers, body }: HttpResponse): void {
  // The embedding application may have responded already, for example on a timeout of its own.
  if (response.headersSent) return
  response.writeHead(status, headers)
  if (body && body.length > PART_BYTES) sendInParts(response, body)
  else response.end(body)
}

/** The next part follows when the kernel has taken the last one, so that a slow reader holds one part in the write queue. */
function sendInParts(response: ServerResponse, body: Buffer, start = 0): void {
  if (response.destroyed) return
  const end = start + PART_BYTES
  const part = body.subarray(start, end)
  if (end >= body.length) return void response.end(part)
  if (response.write(part)) sendInParts(response, body, end)
  else response.once('drain', () => sendInParts(response, body, end))
}
