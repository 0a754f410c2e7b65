import type { GraphQLSchema } from 'graphql'
import { printApi, toSubgraph } from './graph/federation/schema.js'
import './graph/scalars.js'
import './auth/keys.graph.js'
import './nouns.graph.js'
import './projects/overdue.graph.js'
import './projects/summaries.graph.js'
import './ingest/syncProject.graph.js'
import './ingest/syncPersonnel.graph.js'
import './history/changes.graph.js'
import './history/movements.graph.js'
import './history/trend.graph.js'

const subgraph = toSubgraph()

/** The one schema, to which every face above has added its part: an Apollo Federation subgraph. */
export const schema: GraphQLSchema = subgraph.schema

/** The SDL for gateways, as printed and committed, and returned by `_service`. */
export const sdl: () => string = subgraph.sdl

/** The SDL for clients, as printed and committed. */
export function apiSdl(): string {
  return printApi(schema)
}
