import type { GraphQLSchema } from 'graphql'
import { printApi } from './graph/apiSchema.js'
import { printSubgraph, toSubgraph } from './graph/federation.js'
import './graph/scalars.js'
import './auth/keys.graph.js'
import './personnel/people.graph.js'
import './personnel/groups.graph.js'
import './projects/projects.graph.js'
import './projects/risks.graph.js'
import './projects/issues.graph.js'
import './projects/sync.graph.js'
import './history/changes.graph.js'

/** The one schema, which every face above has added its part to: a subgraph of whatever larger graph wants it. */
export const schema: GraphQLSchema = toSubgraph()

/** The schema for gateways, as it is printed and committed: what `_service` answers. */
export function sdl(): string {
  return printSubgraph(schema)
}

/** The schema for clients, likewise. */
export function apiSdl(): string {
  return printApi(schema)
}
