import { KEY } from './arena.js'
import type { Raw } from './wire.js'

/** Requests as text, for what a client in order would not send. */

export const BODY = '{"query":"{ __typename }"}'
export const SIZE = BODY.length.toString(16)
export const CHUNKS = `${SIZE}\r\n${BODY}\r\n0\r\n\r\n`

/** The bytes of a request with exactly these lines. */
export const lines = (first: string, ...headers: string[]) => `${[first, ...headers, '', ''].join('\r\n')}`
export const OWN = ['Host: localhost', `Authorization: Bearer ${KEY}`]
export const posting = (headers: string[], body: string): Raw => ({
  bytes: lines('POST /graphql HTTP/1.1', ...OWN, 'Content-Type: application/json', ...headers) + body,
})
export const getting = (id: string, headers: string[] = [], body = '') =>
  lines('GET /v1/key HTTP/1.1', ...OWN, `Request-Id: ${id}`, ...headers) + body
/** A server that misparses the request before it takes this as a separate request. */
export const HIDDEN = getting('hidden')
export const length = (text: string) => `Content-Length: ${text.length}`
