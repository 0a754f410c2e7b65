import type { GraphQLSchema } from 'graphql'
import { printApi } from './graph/apiSchema.js'
import { toSubgraph } from './graph/federation.js'
import './graph/scalars.js'
import './auth/keys.graph.js'
import './personnel/people.graph.js'
import './personnel/groups.graph.js'
import './projects/projects.graph.js'
import './projects/risks.graph.js'
import './projects/issues.graph.js'
import './projects/sync.graph.js'
import './history/changes.graph.js'

const subgraph = toSubgraph()

/** The one schema, which every face above has added its part to: a subgraph of whatever larger graph wants it. */
export const schema: GraphQLSchema = subgraph.schema

/** The schema for gateways, as it is printed and committed: what `_service` answers. */
export const sdl: () => string = subgraph.sdl

/** The schema for clients, likewise. */
export function apiSdl(): string {
  return printApi(schema)
}
