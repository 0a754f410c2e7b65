import { anyKey, builder, type Context } from '../graph/builder.js'
import { federated, INACCESSIBLE } from '../graph/federation/subgraph.js'
import { members, planned } from '../graph/fields.js'
import type { Principal } from './principal.js'

const ApiKey = builder.objectRef<Omit<Principal, 'scopes'> & { readonly scopes: readonly string[] }>('ApiKey')
ApiKey.implement({
  description: 'An API key, or a token of an identity provider, as its holder may see it.',
  ...anyKey,
})
members(ApiKey, {
  name: { type: 'String', description: 'The name of the key; of a token its claim `name`, else its subject.' },
  scopes: { type: ['String'], description: 'The scopes that it holds, such as personnel.read.' },
  projects: {
    type: ['String'],
    nullable: true,
    description: 'The keys of the projects that it may change, with projects.manage; null for all.',
  },
  expiresAt: { type: 'DateTime', nullable: true, description: 'When it expires; null for never.' },
})

const local = ({ principal }: Context) => ({ ...principal, scopes: [...principal.scopes] })

builder.queryField('apiKey', (t) =>
  t.field({
    type: ApiKey,
    nullable: true,
    description: "The caller's own key or token. Any valid one may read it.",
    authScopes: anyKey.authScopes,
    // Inaccessible through a router: the key belongs to this service only.
    extensions: { ...anyKey.extensions, sql: { local }, isPersonal: true, ...federated(INACCESSIBLE) },
    resolve: planned,
  }),
)
