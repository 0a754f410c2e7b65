import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { TestResponse } from '../../support/harness.js'

export type Bytes = string | Buffer

/** A request in its parts; a header that is undefined is left out. */
export interface Sent {
  readonly method?: string
  readonly target?: string
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly body?: Bytes
}

/** Raw bytes to send, in one or several writes. */
export interface Raw {
  readonly bytes: Bytes | Iterable<Bytes> | AsyncIterable<Bytes>
  /** Our side is closed after the last byte. */
  readonly isHalfClosed?: boolean
  /** How long to wait for more after a response. */
  readonly quietMs?: number
  readonly withinMs?: number
}

/** All that came back over one connection. */
export interface Talk {
  readonly answers: readonly TestResponse[]
  /** Bytes after the responses that are no response. */
  readonly rest: string
  /** Whether the server closed or reset it, or it was open until the timeout. */
  readonly end: 'closed' | 'broken' | 'open'
  readonly ms: number
}

const QUIET_MS = 200
const WITHIN_MS = 20_000

/** Sends to the server over a new connection. */
export function talk(port: number, { bytes, isHalfClosed, quietMs = QUIET_MS, withinMs = WITHIN_MS }: Raw) {
  const startedAt = performance.now()
  return new Promise<Talk>((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: isHalfClosed ?? false })
    const reader = new AnswerReader()
    let quiet: NodeJS.Timeout | undefined
    const finish = (end: Talk['end']) => {
      clearTimeout(quiet)
      clearTimeout(limit)
      socket.destroy()
      resolve({ answers: reader.answers, rest: reader.rest, end, ms: performance.now() - startedAt })
    }
    const limit = setTimeout(() => finish('open'), withinMs)
    socket.on('data', (chunk) => {
      reader.push(chunk)
      clearTimeout(quiet)
      if (reader.isComplete) quiet = setTimeout(() => finish('open'), quietMs)
    })
    socket.on('end', () => {
      reader.end()
      finish('closed')
    })
    socket.on('error', () => finish('broken'))
    socket.on('close', () => finish('closed'))
    write(socket, bytes).then(
      () => isHalfClosed && socket.end(),
      () => undefined,
    )
  })
}

async function write(socket: Socket, bytes: Raw['bytes']): Promise<void> {
  const parts = typeof bytes === 'string' || Buffer.isBuffer(bytes) ? [bytes] : bytes
  for await (const part of parts) {
    if (!socket.writable) return
    // One byte a character, so that a text can hold any bytes.
    const isRoom = typeof part === 'string' ? socket.write(part, 'latin1') : socket.write(part)
    if (!isRoom) await Promise.race([once(socket, 'drain'), once(socket, 'close')])
  }
}

/** The bytes of a request, with `Connection: close` and the length of its body unless the headers say otherwise. */
export function bytesOf({ method = 'GET', target = '/', headers = {}, body }: Sent): Buffer {
  const content = Buffer.from(body ?? '')
  const all = {
    Host: 'localhost',
    ...(body !== undefined && { 'Content-Length': String(content.length) }),
    Connection: 'close',
    ...headers,
  }
  const lines = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : `${name}: ${value}\r\n`))
  return Buffer.concat([Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1'), content])
}

/** A strict response parser: bytes that are no response stay in `rest`. */
class AnswerReader {
  readonly answers: TestResponse[] = []
  private chunks: Buffer[] = []
  private size = 0
  /** How much must have come before it is worth looking again. */
  private needed = 1

  get rest(): string {
    return Buffer.concat(this.chunks).toString('latin1')
  }

  get isComplete(): boolean {
    return this.answers.length > 0 && this.size === 0
  }

  push(chunk: Buffer): void {
    this.chunks.push(chunk)
    this.size += chunk.length
    while (this.size >= this.needed && this.take(false));
  }

  /** The connection is closed, which ends a response without a length. */
  end(): void {
    if (this.size > 0) this.take(true)
  }

  private take(isEnd: boolean): boolean {
    const all = Buffer.concat(this.chunks)
    this.chunks = [all]
    const headEnd = all.indexOf('\r\n\r\n')
    this.needed = this.size + 1
    if (headEnd < 0) return false
    const head = all.subarray(0, headEnd).toString('latin1')
    const [, status = ''] = /^HTTP\/1\.1 (\d{3}) [^\r\n]*(?:\r\n|$)/.exec(head) ?? []
    if (status === '') return false
    const headers = new Headers()
    for (const line of head.split('\r\n').slice(1)) {
      const colon = line.indexOf(':')
      headers.append(line.slice(0, colon), line.slice(colon + 1).trim())
    }
    const content = contentOf(all.subarray(headEnd + 4), Number(status), headers, isEnd)
    if (typeof content === 'number') {
      this.needed = headEnd + 4 + content
      return false
    }
    const text = content.bytes.toString()
    if (Number(status) >= 200) this.answers.push({ status: Number(status), headers, text, body: bodyOf(headers, text) })
    this.chunks = [all.subarray(headEnd + 4 + content.length)]
    this.size = this.chunks[0]?.length ?? 0
    this.needed = 1
    return this.size > 0
  }
}

/** The content of a response, or the number of bytes still needed. */
function contentOf(after: Buffer, status: number, headers: Headers, isEnd: boolean) {
  if (status < 200 || status === 204 || status === 304) return { bytes: Buffer.alloc(0), length: 0 }
  if (headers.get('transfer-encoding') === 'chunked') return chunkedContent(after)
  const length = headers.get('content-length')
  if (length === null) return isEnd ? { bytes: after, length: after.length } : after.length + 1
  // A response to HEAD has a Content-Length and no content: the connection closes instead.
  if (isEnd && after.length === 0) return { bytes: after, length: 0 }
  return after.length >= Number(length)
    ? { bytes: after.subarray(0, Number(length)), length: Number(length) }
    : Number(length)
}

function chunkedContent(after: Buffer) {
  const parts: Buffer[] = []
  let at = 0
  for (;;) {
    const lineEnd = after.indexOf('\r\n', at)
    const size = Number.parseInt(after.subarray(at, lineEnd).toString(), 16)
    if (lineEnd < 0 || after.length < lineEnd + 4 + size) return after.length + 1
    parts.push(after.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 4 + size
    if (size === 0) return { bytes: Buffer.concat(parts), length: at }
  }
}

function bodyOf(headers: Headers, text: string): unknown {
  return /json/.test(headers.get('content-type') ?? '') && text !== '' ? JSON.parse(text) : undefined
}
