import { lazily } from '../../caches.js'
import type { Gate, Protocol } from '../gate.js'
import { createGraphiql, wantsPage } from '../pages/graphiql.js'

/** GraphQL over HTTP, and at the same path GraphiQL for browsers. */
export function createGraphql(gate: Gate): Protocol {
  const { graphiql } = gate.options
  const graphiqlPage = createGraphiql(gate.options)
  const handler = lazily(async () => {
    // Imported lazily: Yoga takes as long to load as everything else together.
    const { createGraphqlHandler } = await import('./handler.js')
    return createGraphqlHandler(gate)
  })
  return {
    serves: (path) => path === '/graphql',
    async handle(exchange) {
      const { request, record } = exchange
      record.path = request.path
      return graphiql && wantsPage(request) ? graphiqlPage(request) : (await handler())(exchange)
    },
  }
}
