import Fastify from 'fastify'
import mercurius from 'mercurius'
import { Refusal } from './people.mjs'
import { resolversOn, SDL } from './schema.mjs'

/** Serves the store by mercurius; fields with a loader have no resolver. */
export async function startMercurius(store, loaders = {}) {
  const app = Fastify({ logger: false, keepAliveTimeout: 60_000 })
  app.register(mercurius, {
    schema: SDL,
    resolvers: withoutLoaded(resolversOn(store), loaders),
    loaders,
    jit: 1,
    graphiql: false,
    context({ headers }) {
      const caller = store.caller(headers.authorization)
      if (!caller) throw new Refusal(401, 'A key is needed.')
      return { caller }
    },
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  console.log(`listening ${app.server.address().port}`)
}

function withoutLoaded(resolvers, loaders) {
  const kept = ([type, fields]) => [
    type,
    Object.fromEntries(Object.entries(fields).filter(([field]) => !loaders[type]?.[field])),
  ]
  return Object.fromEntries(Object.entries(resolvers).map(kept))
}
