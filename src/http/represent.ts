import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, gzip, constants as zlib } from 'node:zlib'
import { LIMITS } from '../limits.js'
import { type Answer, type Asked, isReading } from './asked.js'
import { hashOf } from './slices.js'
import { preferredEncoding } from './wire/negotiation.js'

const ENCODERS = {
  br: (bytes: Buffer) => promisify(brotliCompress)(bytes, { params: { [zlib.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes),
}
type Encoding = keyof typeof ENCODERS
const ENCODINGS = Object.keys(ENCODERS) as Encoding[]

export const JSON_TYPE = 'application/json'
export const GRAPHQL_TYPE = 'application/graphql-response+json'

/** A body and what becomes of it on the way out; whoever keeps one keeps its compressed forms too. */
export class Content {
  readonly type: string
  readonly bytes: Buffer
  private readonly encoded = new Map<Encoding, Promise<Buffer>>()
  private hash: string | undefined

  constructor(type: string, bytes: Buffer) {
    this.type = type
    this.bytes = bytes
  }

  static json(value: unknown): Content {
    return new Content(JSON_TYPE, Buffer.from(JSON.stringify(value)))
  }

  /** Strong: each encoding of the same content has a tag of its own. */
  tag(encoding: Encoding | undefined): string {
    this.hash ??= createHash('sha256').update(this.bytes).digest('base64url')
    const tag = this.hash.slice(0, 27)
    return encoding ? `"${tag}-${encoding}"` : `"${tag}"`
  }

  /** Makes the tag of a large content ready, so that nobody waits while it is computed. */
  async hashInSlices(): Promise<void> {
    if (this.bytes.length > LIMITS.sliceBytes) this.hash ??= await hashOf(this.bytes)
  }

  /** Whether the tag is that of this content, in whichever encoding it was sent. */
  isTagged(tag: string): boolean {
    return [undefined, ...ENCODINGS].some((encoding) => this.tag(encoding) === tag)
  }

  encode(encoding: Encoding): Promise<Buffer> {
    const known = this.encoded.get(encoding) ?? ENCODERS[encoding](this.bytes)
    this.encoded.set(encoding, known)
    return known
  }
}

/** Answers with a content in the form that the caller takes: compressed, not changed since, or without its body. */
export async function respond(
  asked: Asked,
  content: Content,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const encoding = content.bytes.length < LIMITS.compressFromBytes ? undefined : encodingFor(asked)
  const all: Record<string, string> = {
    'content-type': content.type,
    vary: 'Authorization, Accept, Accept-Encoding',
    ...headers,
  }
  // What PATCH answers is what GET would now.
  if (status === 200 && (isReading(asked) || asked.method === 'PATCH')) {
    await content.hashInSlices()
    const tag = content.tag(encoding)
    all['etag'] = tag
    if (isReading(asked)) all['cache-control'] ??= 'private, no-cache'
    if (isReading(asked) && isUnchanged(asked.header('if-none-match'), tag)) {
      const { 'content-type': _, ...kept } = all
      return { status: 304, headers: kept, body: null }
    }
  }
  const bytes = encoding ? await content.encode(encoding) : content.bytes
  if (encoding) all['content-encoding'] = encoding
  all['content-length'] = String(bytes.length)
  return { status, headers: all, body: asked.method === 'HEAD' ? null : bytes }
}

/** An answer that has nothing to show. */
export function emptyAnswer(headers: Record<string, string> = {}): Answer {
  return { status: 204, headers, body: null }
}

/** The coding in which a caller gets what is long enough for one. */
export function encodingFor(asked: Asked): Encoding | undefined {
  return preferredEncoding(asked.header('accept-encoding'), ENCODINGS)
}

/** Whether the `If-None-Match` of a caller covers what it would get. */
export function isUnchanged(known: string | undefined, tag: string | undefined): boolean {
  return tagsIn(known).includes('*') || namesTag(known, tag)
}

/** Whether it names the very tag, and not just anything. */
export function namesTag(known: string | undefined, tag: string | undefined): boolean {
  return tagsIn(known).some((one) => one === tag)
}

function tagsIn(known: string | undefined): readonly string[] {
  return known?.split(',').map((one) => one.trim().replace(/^W\//, '')) ?? []
}
