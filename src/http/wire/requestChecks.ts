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
  const { rawHeaders, url = '' } = request
  // `maxHeaderSize` ignores separators, and `headers` drops duplicates of these two.
  const bytes = url.length + rawHeaders.join('').length + (rawHeaders.length / 2) * SEPARATORS_BYTES
  if (bytes > LIMITS.headersBytesMax) return headersTooLarge()
  const times = (name: string) =>
    rawHeaders.filter((one, i) => i % 2 === 0 && one.length === name.length && one.toLowerCase() === name).length
  // Node uses the first of several Host headers; a proxy in front may have used another.
  if (times('host') > 1 || !hasUsableTarget(request, target)) {
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
  return new Fault('HEADERS_TOO_LARGE', `The headers are larger than ${LIMITS.headersBytesMax} bytes.`)
}

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
