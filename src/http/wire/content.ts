import { promisify } from 'node:util'
import { brotliCompress, gzip, constants as zlib } from 'node:zlib'
import { lazily } from '../../caches.js'
import { Fault } from '../../errors.js'
import { type HttpRequest, type HttpResponse, isReading } from './request.js'
import { hashOf } from './slices.js'

/** A smaller response fits a packet as it is. */
const COMPRESS_FROM_BYTES = 1_024

const ENCODERS = {
  br: (bytes: Buffer) => promisify(brotliCompress)(bytes, { params: { [zlib.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes),
}
type Encoding = keyof typeof ENCODERS
const ENCODINGS = Object.keys(ENCODERS) as Encoding[]

export const JSON_TYPE = 'application/json'
export const GRAPHQL_TYPE = 'application/graphql-response+json'

/** A response body, with its compressed forms and its hash, each computed on first use. */
export class Content {
  readonly type: string
  readonly bytes: Buffer
  private readonly encoded = new Map<Encoding, Promise<Buffer>>()
  private readonly hash: () => Promise<string>

  constructor(type: string, bytes: Buffer) {
    this.type = type
    this.bytes = bytes
    this.hash = lazily(() => hashOf(bytes))
  }

  static json(value: unknown): Content {
    return new Content(JSON_TYPE, Buffer.from(JSON.stringify(value)))
  }

  /** A strong ETag: each encoding of the same content has its own. */
  async tag(encoding: Encoding | undefined): Promise<string> {
    const tag = (await this.hash()).slice(0, 27)
    return encoding ? `"${tag}-${encoding}"` : `"${tag}"`
  }

  /** The ETags of this content, in all encodings. */
  tags(): Promise<string[]> {
    return Promise.all([undefined, ...ENCODINGS].map((encoding) => this.tag(encoding)))
  }

  encode(encoding: Encoding): Promise<Buffer> {
    const known = this.encoded.get(encoding) ?? ENCODERS[encoding](this.bytes)
    this.encoded.set(encoding, known)
    return known
  }
}

/** Builds the response by the request's headers and method: compressed, a 304, or without a body for HEAD. */
export async function respond(
  request: HttpRequest,
  content: Content,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): Promise<HttpResponse> {
  const encoding = content.bytes.length < COMPRESS_FROM_BYTES ? undefined : encodingFor(request)
  const all: Record<string, string> = {
    'content-type': content.type,
    vary: 'Authorization, Accept, Accept-Encoding',
    ...headers,
  }
  // The response of PATCH is that of a GET now, so it has the same ETag.
  if (status === 200 && (isReading(request) || request.method === 'PATCH')) {
    const tag = await content.tag(encoding)
    all['etag'] = tag
    if (isReading(request)) all['cache-control'] ??= 'private, no-cache'
    if (isReading(request) && isUnchanged(request.header('if-none-match'), tag)) {
      const { 'content-type': _, ...kept } = all
      return { status: 304, headers: kept, body: null }
    }
  }
  const bytes = encoding ? await content.encode(encoding) : content.bytes
  if (encoding) all['content-encoding'] = encoding
  all['content-length'] = String(bytes.length)
  return { status, headers: all, body: request.method === 'HEAD' ? null : bytes }
}

export function emptyResponse(headers: Record<string, string> = {}): HttpResponse {
  return { status: 204, headers, body: null }
}

/** The negotiated content coding, for bodies that are large enough to compress. */
export function encodingFor(request: HttpRequest): Encoding | undefined {
  return preferredEncoding(request.header('accept-encoding'), ENCODINGS)
}

/** Whether `If-None-Match` matches the ETag, `*` included. */
export function isUnchanged(known: string | undefined, tag: string | undefined): boolean {
  return tagsIn(known).includes('*') || namesTag(known, tag)
}

/** Whether `If-None-Match` names this ETag, `*` not included. */
export function namesTag(known: string | undefined, tag: string | undefined): boolean {
  return tagsIn(known).some((one) => one === tag)
}

function tagsIn(known: string | undefined): readonly string[] {
  return known?.split(',').map((one) => one.trim().replace(/^W\//, '')) ?? []
}

/** The type that `Accept` prefers of those that are available; throws a 406 if it accepts none. */
export function requireAcceptable<T extends string>(request: HttpRequest, types: readonly T[]): T {
  const type = preferredType(request.header('accept'), types)
  if (type !== undefined) return type
  throw new Fault('NOT_ACCEPTABLE', `Only ${types.join(' or ')} is available here. Change the Accept header.`)
}

/** Chooses by quality (RFC 9110, 12.5.1): among equals the first of `types`; undefined if none is acceptable. */
export function preferredType<T extends string>(accept: string | undefined, types: readonly T[]): T | undefined {
  // Fast path for what nearly all clients send.
  if (accept === undefined || accept === '*/*' || accept.trim() === '') return types[0]
  const named = types.find((type) => type === accept)
  if (named !== undefined) return named
  const qualities = qualitiesIn(accept)
  const quality = (type: T) =>
    qualities.get(type) ?? qualities.get(`${type.slice(0, type.indexOf('/'))}/*`) ?? qualities.get('*/*') ?? 0
  return bestOf(types, quality)
}

/** The content coding that `Accept-Encoding` prefers; undefined for no coding. */
export function preferredEncoding<T extends string>(accept: string | undefined, codings: readonly T[]): T | undefined {
  if (accept === undefined) return undefined
  const qualities = qualitiesIn(accept)
  return bestOf(codings, (coding) => qualities.get(coding) ?? 0)
}

function bestOf<T>(offers: readonly T[], quality: (offer: T) => number): T | undefined {
  const acceptable = offers.filter((offer) => quality(offer) > 0)
  return acceptable.sort((one, other) => quality(other) - quality(one))[0]
}

/** A quoted parameter. One without an end matches too, or the search would restart at each escaped quote in it. */
const QUOTED = /"(?:[^"\\]|\\.?)*"?/g

/** The quality of each value in a header. Parameters other than `q` are ignored: each type has only one form here. */
function qualitiesIn(header: string): Map<string, number> {
  const qualities = new Map<string, number>()
  const plain = header.includes('"') ? header.replace(QUOTED, '') : header
  for (const part of plain.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((word) => word.trim())
    qualities.set(name, qualityOf(parameters.find((parameter) => parameter.startsWith('q='))))
  }
  return qualities
}

/** An invalid weight is ignored, as if it were absent. */
function qualityOf(weight: string | undefined): number {
  return weight && /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight.slice(2)) : 1
}
