import { getStitchedSchemaFromSupergraphSdl } from '@graphql-tools/federation'
import { composeServices } from '@theguild/federation-composition'
import { parse } from 'graphql'
import { createYoga, type YogaInitialContext, type YogaServerOptions } from 'graphql-yoga'
import { sdl } from '../../src/schema.js'
import { TASKS_SDL } from './tasks.js'

/** The GraphQL URL of each subgraph. */
export interface Subgraphs {
  readonly operations: string
  readonly tasks: string
}

type Fetch = (request: Request) => Promise<Response>
type Options = Pick<YogaServerOptions<object, object>, 'graphiql' | 'renderGraphiQL'>

export function composeSupergraph({ operations, tasks }: Subgraphs): string {
  const { supergraphSdl, errors = [] } = composeServices([
    { name: 'operations', url: operations, typeDefs: parse(sdl()) },
    { name: 'tasks', url: tasks, typeDefs: parse(TASKS_SDL) },
  ])
  if (!supergraphSdl) throw new Error(`The subgraphs do not compose: ${errors.map(String).join(' ')}`)
  return supergraphSdl
}

/** A stitched gateway over both subgraphs: it forwards the Authorization header, and leaves access control to them. */
export function stitchedGateway(supergraphSdl: string, fetch: Fetch, options: Options = {}) {
  const schema = getStitchedSchemaFromSupergraphSdl({
    supergraphSdl,
    httpExecutorOpts: {
      fetch: (url, init) => fetch(new Request(url, init)),
      headers: (execution) => {
        const context: YogaInitialContext | undefined = execution?.context
        const authorization = context?.request.headers.get('authorization')
        return authorization ? { authorization } : {}
      },
    },
  })
  return createYoga({ schema, logging: false, landingPage: false, ...options })
}
