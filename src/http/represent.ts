import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, gzip, constants as zlib } from 'node:zlib'
import { LIMITS } from '../limits.js'

type Bytes = Buffer<ArrayBuffer>

const ENCODERS = {
  br: (bytes: Bytes) => promisify(brotliCompress)(bytes, { params: { [zlib.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (bytes: Bytes) => promisify(gzip)(bytes),
}
type Encoding = keyof typeof ENCODERS
const ENCODINGS = Object.keys(ENCODERS) as Encoding[]

/** A body and what becomes of it on the way out; whoever keeps one keeps its compressed forms too. */
export class Content {
  readonly type: string
  readonly bytes: Bytes
  private readonly encoded = new Map<Encoding, Promise<Bytes>>()
  private hash: string | undefined

  constructor(type: string, bytes: Bytes) {
    this.type = type
    this.bytes = bytes
  }

  static json(value: unknown): Content {
    return new Content('application/json', Buffer.from(JSON.stringify(value)))
  }

  /** Strong: each encoding of the same content has a tag of its own. */
  tag(encoding: Encoding | undefined): string {
    this.hash ??= createHash('sha256').update(this.bytes).digest('base64url').slice(0, 27)
    return encoding ? `"${this.hash}-${encoding}"` : `"${this.hash}"`
  }

  /** Whether the tag is that of this content, in whichever encoding it was sent. */
  isTagged(tag: string): boolean {
    return [undefined, ...ENCODINGS].some((encoding) => this.tag(encoding) === tag)
  }

  encode(encoding: Encoding): Promise<Bytes> {
    const known = this.encoded.get(encoding) ?? ENCODERS[encoding](this.bytes)
    this.encoded.set(encoding, known)
    return known
  }
}

const finals = new WeakSet<Response>()

/** Whether a response has been given its final form here. */
export function isFinal(response: Response): boolean {
  return finals.has(response)
}

/** Answers with a content in the form that the caller takes: compressed, not changed since, or without its body. */
export async function respond(
  request: Request,
  content: Content,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): Promise<Response> {
  const encoding = content.bytes.length < LIMITS.compressFromBytes ? undefined : acceptedEncoding(request)
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const all: Record<string, string> = {
    'content-type': content.type,
    vary: 'Authorization, Accept, Accept-Encoding',
    ...headers,
  }
  // What PATCH answers is what GET would now.
  if (status === 200 && (isRead || request.method === 'PATCH')) {
    const tag = content.tag(encoding)
    all['etag'] = tag
    if (isRead) all['cache-control'] ??= 'private, no-cache'
    if (isRead && isUnchanged(request, tag)) {
      const { 'content-type': _, ...kept } = all
      return final(null, 304, kept)
    }
  }
  const bytes = encoding ? await content.encode(encoding) : content.bytes
  if (encoding) all['content-encoding'] = encoding
  all['content-length'] = String(bytes.length)
  return final(request.method === 'HEAD' ? null : bytes, status, all)
}

function final(body: Bytes | null, status: number, headers: Record<string, string>): Response {
  const response = new Response(body, { status, headers })
  finals.add(response)
  return response
}

function acceptedEncoding(request: Request): Encoding | undefined {
  const quality = new Map<string, number>()
  for (const part of (request.headers.get('accept-encoding') ?? '').split(',')) {
    const [name = '', q = 'q=1'] = part
      .toLowerCase()
      .split(';')
      .map((word) => word.trim())
    quality.set(name, Number(q.replace('q=', '')))
  }
  const wanted = (encoding: Encoding) => quality.get(encoding) ?? 0
  const [best] = ENCODINGS.toSorted((one, other) => wanted(other) - wanted(one))
  return best && wanted(best) > 0 ? best : undefined
}

function isUnchanged(request: Request, tag: string): boolean {
  const known = request.headers.get('if-none-match')
  const tags = known?.split(',').map((one) => one.trim().replace(/^W\//, '')) ?? []
  return tags.some((one) => one === '*' || one === tag)
}
