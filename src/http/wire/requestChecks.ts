import type { IncomingMessage } from 'node:http'
import { Fault } from '../../errors.js'
import { LIMITS } from '../../limits.js'

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
  const { hosts, authorizations, bytes } = headerStatistics(request)
  if (bytes > LIMITS.headersBytesMax) return headersTooLarge()
  // Node uses the first of several Host headers; a proxy in front may have used another.
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

/** Counted from `rawHeaders`: `maxHeaderSize` ignores separators, and `headers` drops duplicates of these two. */
function headerStatistics({ rawHeaders, url = '' }: IncomingMessage) {
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

// `url` would throw on any other value, also when the request is logged. A Host is a name and a port, nothing else.
function hasUsableTarget({ headers, httpVersion }: IncomingMessage, target: string): boolean {
  const { host = httpVersion === '1.0' ? 'localhost' : '' } = headers
  return target.startsWith('/') && isUsableHost(host)
}

// Caches the last valid Host: nearly every request has the same one.
let usableHost = 'localhost'

function isUsableHost(host: string): boolean {
  if (host === usableHost) return true
  const isUsable = /^[\w.:[\]-]+$/.test(host) && URL.canParse(`http://${host}/`)
  if (isUsable) usableHost = host
  return isUsable
}

/** The path and query of a target in absolute-form, which proxies may send (RFC 9112, 3.2.2). */
function originForm(target: string): string {
  if (!/^https?:\/\/./i.test(target) || !URL.canParse(target)) return target
  const { pathname, search } = new URL(target)
  return pathname + search
}
