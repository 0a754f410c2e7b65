/** mercurius with compiled queries and its loaders, which batch look-ups. */
import { FILE } from './listen.mjs'
import { startMercurius } from './mercuriusServer.mjs'
import { need } from './schema.mjs'
import { openStore } from './store.mjs'

const store = openStore(FILE)

// No cache per request: its key is the serialized arguments, which costs more than it saves here.
const each = (loader) => ({ loader, opts: { cache: false } })
const referring = (column, scope, load) =>
  each(async (queries, context) => {
    need(context, scope)
    return load(queries.map(({ obj }) => obj[column]))
  })

await startMercurius(store, {
  Person: {
    groups: each(async (queries, context) => {
      need(context, 'personnel.read')
      const ids = queries.map(({ obj }) => obj.id)
      const found = store.groupsOf(ids)
      return ids.map((id) => found.get(id) ?? [])
    }),
  },
  Risk: {
    project: referring('projectId', 'projects.read', store.projectsByIds),
    owner: referring('ownerId', 'personnel.read', store.peopleByIds),
  },
  Issue: {
    project: referring('projectId', 'projects.read', store.projectsByIds),
    assignee: referring('assigneeId', 'personnel.read', store.peopleByIds),
  },
})
