import type { IncomingMessage } from 'node:http'
import { Fault } from '../errors.js'
import { LIMITS } from '../limits.js'

/** A request that a framework may have changed on its way. */
interface Mounted extends IncomingMessage {
  /** What `url` was before the path that the handler is mounted at was cut off, as Express and Connect do. */
  readonly originalUrl?: unknown
}

/** The path and the query as the caller sent them. Without a base path, what a framework has cut off stays off. */
export function targetOf({ url = '/', originalUrl }: Mounted, basePath: string): string {
  if (basePath === '' || typeof originalUrl !== 'string') return originForm(url)
  const whole = originForm(originalUrl)
  const isBelow = whole.startsWith(basePath) && /^([/?]|$)/.test(whole.slice(basePath.length))
  return isBelow ? whole : originForm(url)
}

/** What node:http takes as a request although it cannot be answered, or could be understood in two ways. */
export function refusalOf(request: IncomingMessage, target: string): Fault | undefined {
  const { hosts, authorizations, bytes } = censusOf(request)
  if (bytes > LIMITS.headersBytesMax) return headersTooLarge()
  // Node takes the first of several, and a proxy before us may have taken another.
  if (hosts > 1 || !hasUsableTarget(request, target)) {
    return new Fault('BAD_REQUEST', 'The address or the Host header of the request cannot be read.')
  }
  const { 'transfer-encoding': coding } = request.headers
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    return new Fault('BAD_REQUEST', 'The only Transfer-Encoding that is understood is chunked.')
  }
  if (authorizations > 1) return new Fault('UNAUTHENTICATED', 'Send the Authorization header once.')
  return undefined
}

export function headersTooLarge(): Fault {
  return new Fault('HEADERS_TOO_LARGE', `The headers are larger than ${LIMITS.headersBytesMax} bytes.`)
}

/** Node counts neither the colons and line ends of headers, nor does it tell of what it has thrown away. */
function censusOf({ rawHeaders, url = '' }: IncomingMessage) {
  let hosts = 0
  let authorizations = 0
  let bytes = url.length
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ''
    bytes += name.length + (rawHeaders[i + 1] ?? '').length + SEPARATORS_BYTES
    if (name.length === HOST.length && name.toLowerCase() === HOST) hosts += 1
    if (name.length === AUTHORIZATION.length && name.toLowerCase() === AUTHORIZATION) authorizations += 1
  }
  return { hosts, authorizations, bytes }
}

const HOST = 'host'
const AUTHORIZATION = 'authorization'
const SEPARATORS_BYTES = ':\r\n'.length

// Else AskedOfNode.url throws, for the log's line too, and no answer goes out; a Host is a name and a port, no more.
function hasUsableTarget({ headers, httpVersion }: IncomingMessage, target: string): boolean {
  const { host = httpVersion === '1.0' ? 'localhost' : '' } = headers
  return target.startsWith('/') && isUsableHost(host)
}

// Nearly every request names the same one.
let usableHost = 'localhost'

function isUsableHost(host: string): boolean {
  if (host === usableHost) return true
  const isUsable = /^[\w.:[\]-]+$/.test(host) && URL.canParse(`http://${host}/`)
  if (isUsable) usableHost = host
  return isUsable
}

/** A proxy may send the whole address (RFC 9112, 3.2.2); what counts here is its path. */
function originForm(target: string): string {
  if (!/^https?:\/\/./i.test(target) || !URL.canParse(target)) return target
  const { pathname, search } = new URL(target)
  return pathname + search
}
