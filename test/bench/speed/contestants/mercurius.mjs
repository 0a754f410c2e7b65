/** mercurius with compiled queries. */
import Fastify from 'fastify'
import mercurius from 'mercurius'
import { FILE } from './listen.mjs'
import { Refusal } from './people.mjs'
import { resolversOn, SDL } from './schema.mjs'
import { openStore } from './store.mjs'

const store = openStore(FILE)
const app = Fastify({ logger: false, keepAliveTimeout: 60_000 })

app.register(mercurius, {
  schema: SDL,
  resolvers: resolversOn(store),
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
