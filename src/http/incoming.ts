import type { IncomingMessage } from 'node:http'
import { Fault } from '../errors.js'
import { LIMITS } from '../limits.js'

/** What node:http takes as a request although it cannot be answered, or could be understood in two ways. */
export function refusalOf(request: IncomingMessage): Fault | undefined {
  toOriginForm(request)
  const { hosts, authorizations, bytes } = censusOf(request)
  if (bytes > LIMITS.headersBytesMax) return headersTooLarge()
  // Node takes the first of several, and a proxy before us may have taken another.
  if (hosts > 1 || !hasUsableTarget(request)) {
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
function hasUsableTarget({ url = '', headers, httpVersion }: IncomingMessage): boolean {
  const { host = httpVersion === '1.0' ? 'localhost' : '' } = headers
  return url.startsWith('/') && isUsableHost(host)
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
function toOriginForm(request: IncomingMessage): void {
  const { url = '' } = request
  if (!/^https?:\/\/./i.test(url) || !URL.canParse(url)) return
  const { pathname, search } = new URL(url)
  request.url = pathname + search
}
