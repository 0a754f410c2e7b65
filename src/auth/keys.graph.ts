import { anyKey, builder, type Context } from '../graph/builder.js'
import { federated, INACCESSIBLE } from '../graph/federation/subgraph.js'
import { localField, planned } from '../graph/fields.js'
import type { Principal } from './principal.js'

const ApiKey = builder.objectRef<Principal>('ApiKey')
ApiKey.implement({ description: 'An API key, as its holder may see it.', ...anyKey })
localField(ApiKey, 'name', {
  type: 'String',
  description: 'The name of the key.',
  local: ({ name }) => name,
})
localField(ApiKey, 'scopes', {
  type: ['String'],
  description: 'The scopes that it holds, such as personnel.read.',
  local: ({ scopes }) => [...scopes],
})
localField(ApiKey, 'projects', {
  type: ['String'],
  nullable: true,
  description: 'The keys of the projects that it may change, with projects.manage; null for all.',
  local: ({ projects }) => (projects ? [...projects] : null),
})
localField(ApiKey, 'expiresAt', {
  type: 'DateTime',
  nullable: true,
  description: 'When it expires; null for never.',
  local: ({ expiresAt }) => expiresAt,
})

const local = ({ principal }: Context) => principal

builder.queryField('apiKey', (t) =>
  t.field({
    type: ApiKey,
    nullable: true,
    description: "The caller's own key. Any valid key may read it.",
    authScopes: anyKey.authScopes,
    // Inaccessible through a router: the key belongs to this service only.
    extensions: { ...anyKey.extensions, sql: { local }, isPersonal: true, ...federated(INACCESSIBLE) },
    resolve: planned,
  }),
)
