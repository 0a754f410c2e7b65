/** Apollo Server on node:http, without a framework between them. */
import { createServer } from 'node:http'
import { ApolloServer, HeaderMap } from '@apollo/server'
import { bodyOf, FILE, listen } from './listen.mjs'
import { resolversOn, SDL } from './schema.mjs'
import { openStore } from './store.mjs'

const store = openStore(FILE)

const server = new ApolloServer({
  typeDefs: SDL,
  resolvers: resolversOn(store),
  csrfPrevention: false,
  introspection: false,
  stopOnTerminationSignals: false,
  nodeEnv: 'production',
})
await server.start()

async function answer(request, response) {
  const caller = store.caller(request.headers.authorization)
  if (!caller) return response.writeHead(401).end('{"errors":[{"message":"A key is needed."}]}')
  const headers = new HeaderMap()
  for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value))
  const body = JSON.parse(await bodyOf(request))
  const answered = await server.executeHTTPGraphQLRequest({
    httpGraphQLRequest: { method: request.method, headers, search: '', body },
    context: async () => ({ caller }),
  })
  for (const [name, value] of answered.headers) response.setHeader(name, value)
  response.statusCode = answered.status ?? 200
  response.end(answered.body.string)
}

listen(
  createServer((request, response) => {
    answer(request, response).catch((error) => response.writeHead(500).end(String(error)))
  }),
)
