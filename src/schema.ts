import { type GraphQLSchema, printSchema } from 'graphql'
import { builder } from './graph/builder.js'
import './graph/scalars.js'
import './auth/keys.graph.js'
import './personnel/people.graph.js'
import './personnel/groups.graph.js'
import './projects/projects.graph.js'
import './projects/risks.graph.js'
import './projects/issues.graph.js'

/** The one schema, in the order in which the faces above have added their parts. */
export const schema: GraphQLSchema = builder.toSchema({ sortSchema: false })

/** The schema as it is printed and committed. */
export function sdl(): string {
  return `${printSchema(schema)}\n`
}
