/** mercurius with compiled queries and its own loaders. */
import Fastify from 'fastify'
import mercurius from 'mercurius'
import { FILE } from './listen.mjs'
import { Refusal } from './people.mjs'
import { need, rootResolvers, SDL } from './schema.mjs'
import { openStore } from './store.mjs'

const store = openStore(FILE)
const app = Fastify({ logger: false, keepAliveTimeout: 60_000 })

// Their cache would write out every row to make its key, and each row is asked for once.
const opts = { cache: false }
const batched = (load) => ({
  loader: async (asked, context) =>
    load(
      asked.map(({ obj }) => obj),
      context,
    ),
  opts,
})

function projectsOf(entries) {
  const found = store.projectsByIds(entries.map(({ projectId }) => projectId))
  return entries.map(({ projectId }) => found.get(projectId))
}

const loaders = {
  Person: {
    groups: batched((people, context) => {
      need(context, 'personnel.read')
      const found = store.groupsOf(people.map(({ id }) => id))
      return people.map(({ id }) => found.get(id) ?? [])
    }),
  },
  Risk: {
    project: batched(projectsOf),
    owner: batched((risks, context) => {
      need(context, 'personnel.read')
      const found = store.peopleByIds(risks.flatMap(({ ownerId }) => (ownerId === null ? [] : [ownerId])))
      return risks.map(({ ownerId }) => found.get(ownerId) ?? null)
    }),
  },
  Issue: { project: batched(projectsOf) },
}

app.register(mercurius, {
  schema: SDL,
  resolvers: rootResolvers(store),
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
