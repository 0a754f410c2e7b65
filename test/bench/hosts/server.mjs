/** One host of the schema on node:http: our own server, or another one that executes the schema. */
import { createServer } from 'node:http'
import { ApolloServer, HeaderMap } from '@apollo/server'
import { execute, parse, validate } from 'graphql'
import { createYoga } from 'graphql-yoga'
import { contextFor, createGateway, openStore, schema } from 'operations-gateway'

const [, , given = ''] = process.argv
const { host, database } = JSON.parse(given)

const store = await openStore(database)
const context = () => contextFor(store, { scopes: ['personnel.read', 'projects.read'] })

async function bodyOf(request) {
  const parts = []
  for await (const part of request) parts.push(part)
  return JSON.parse(Buffer.concat(parts).toString())
}

async function apollo() {
  const server = new ApolloServer({ schema, csrfPrevention: false, stopOnTerminationSignals: false })
  await server.start()
  return async (request, response) => {
    const headers = new HeaderMap(Object.entries(request.headers))
    const httpGraphQLRequest = { method: request.method, headers, search: '', body: await bodyOf(request) }
    const { body } = await server.executeHTTPGraphQLRequest({ httpGraphQLRequest, context: async () => context() })
    response.setHeader('content-type', 'application/json')
    response.end(body.string)
  }
}

function executing() {
  const documents = new Map()
  const documentOf = (query) => {
    const document = documents.get(query) ?? parse(query)
    if (!documents.has(query) && validate(schema, document).length > 0) throw new Error('The query is not valid.')
    documents.set(query, document)
    return document
  }
  return async (request, response) => {
    const { query } = await bodyOf(request)
    const result = await execute({ schema, document: documentOf(query), contextValue: context() })
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(result))
  }
}

const listeners = {
  ours: () => createGateway({ store, responseCacheBytesMax: 0, ratePerMinute: 0 }).listener,
  'Apollo Server': apollo,
  Yoga: () => createYoga({ schema, context, logging: false }),
  execute: executing,
}
const server = createServer(await listeners[host]())
server.listen(0, '127.0.0.1', () => console.log(`listening ${server.address().port}`))
