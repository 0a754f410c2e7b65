import { anyKey, builder } from '../graph/builder.js'
import { federated, INACCESSIBLE } from '../graph/subgraph.js'
import type { Principal } from './principal.js'

const ApiKey = builder.objectRef<Principal>('ApiKey')
ApiKey.implement({
  description: 'An API key, as far as its holder may see it.',
  ...anyKey,
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name it was given, to tell keys apart.' }),
    scopes: t.stringList({
      description: 'What it may do, such as personnel.read.',
      resolve: ({ scopes }) => [...scopes],
    }),
    projects: t.stringList({
      nullable: true,
      description: 'The keys of the projects that it may change, with projects.manage; null for all.',
      resolve: ({ projects }) => (projects ? [...projects] : null),
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it stops working; null for never.',
    }),
  }),
})

builder.queryField('apiKey', (t) =>
  t.field({
    type: ApiKey,
    nullable: true,
    description: "The caller's own key. Any valid key may ask.",
    ...anyKey,
    // The key is this service's own affair, and no part of a larger graph.
    extensions: { ...anyKey.extensions, ...federated(INACCESSIBLE) },
    resolve: (_, __, { principal }) => principal,
  }),
)
