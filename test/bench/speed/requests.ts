import type { Ask, Door } from './works.js'

/** A request as the campaigns' client wants it. */
export interface Message {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body: string | undefined
}

export function messageOf(ask: Ask, door: Door): Message {
  if (door === 'graphql') return { method: 'POST', path: '/graphql', body: JSON.stringify(ask.graphql) }
  if (!ask.rest) throw new Error('Only GraphQL can ask this.')
  const { path, body } = ask.rest
  return { method: body === undefined ? 'GET' : 'POST', path, body }
}

/** The same as it goes over the wire. */
export function wireOf(ask: Ask, door: Door, key: string): string {
  const { method, path, body } = messageOf(ask, door)
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${key}`,
    'Accept: application/json',
    ...(body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`
}
