import type { Api, BenchRequest } from './workloads.js'

/** A request for the campaigns' client. */
export interface Message {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body: string | undefined
}

export function messageOf(request: BenchRequest, api: Api): Message {
  if (api === 'graphql') return { method: 'POST', path: '/graphql', body: JSON.stringify(request.graphql) }
  if (!request.rest) throw new Error('Only GraphQL supports this request.')
  const { path, body } = request.rest
  return { method: body === undefined ? 'GET' : 'POST', path, body }
}

/** How a client sends the same GraphQL request. */
export interface Client {
  readonly accept: string
  readonly extensions?: Readonly<Record<string, unknown>>
}

const PLAIN: Client = { accept: 'application/json' }

/** As Apollo Client 4 sends it. */
export const APOLLO_CLIENT: Client = {
  accept: 'application/graphql-response+json,application/json;q=0.9',
  extensions: { clientLibrary: { name: '@apollo/client', version: '4.1.6' } },
}

/** As Apollo Router sends it to subgraphs. */
export const APOLLO_ROUTER: Client = { accept: 'application/json, application/graphql-response+json' }

/** The request as HTTP/1.1 text. */
export function wireOf(request: BenchRequest, api: Api, key: string, { accept, extensions }: Client = PLAIN): string {
  const graphql = { ...request.graphql, ...(extensions && { extensions }) }
  const { method, path, body } = messageOf({ ...request, graphql }, api)
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${key}`,
    `Accept: ${accept}`,
    ...(body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`
}
