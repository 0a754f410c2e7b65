import { anyKey, builder, type Context } from '../graph/builder.js'
import { localField } from '../graph/sql/fields.js'
import type { Principal } from './principal.js'

const ApiKey = builder.objectRef<Principal>('ApiKey')
ApiKey.implement({ description: 'An API key, as far as its holder may see it.', ...anyKey })
localField(ApiKey, 'name', {
  type: 'String',
  description: 'The name it was given, to tell keys apart.',
  local: ({ name }) => name,
})
localField(ApiKey, 'scopes', {
  type: ['String'],
  description: 'What it may do, such as personnel.read.',
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
  description: 'When it stops working; null for never.',
  local: ({ expiresAt }) => expiresAt,
})

const local = ({ principal }: Context) => principal

builder.queryField('apiKey', (t) =>
  t.field({
    type: ApiKey,
    nullable: true,
    description: "The caller's own key. Any valid key may ask.",
    authScopes: anyKey.authScopes,
    extensions: { ...anyKey.extensions, sql: { local }, isPersonal: true },
    // The key is this service's own affair, and no part of a larger graph.
    inaccessible: true,
    resolve: (_, __, context) => local(context),
  }),
)
