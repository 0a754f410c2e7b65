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

/** How a caller puts the same GraphQL request. */
export interface Client {
  readonly accept: string
  readonly extensions?: Readonly<Record<string, unknown>>
}

const PLAIN: Client = { accept: 'application/json' }

/** As its versions 4 send it. */
export const APOLLO_CLIENT: Client = {
  accept: 'application/graphql-response+json,application/json;q=0.9',
  extensions: { clientLibrary: { name: '@apollo/client', version: '4.1.6' } },
}

/** As it asks its subgraphs. */
export const APOLLO_ROUTER: Client = { accept: 'application/json, application/graphql-response+json' }

/** The same as it goes over the wire. */
export function wireOf(ask: Ask, door: Door, key: string, { accept, extensions }: Client = PLAIN): string {
  const graphql = { ...ask.graphql, ...(extensions && { extensions }) }
  const { method, path, body } = messageOf({ ...ask, graphql }, door)
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${key}`,
    `Accept: ${accept}`,
    ...(body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`
}
