import { defineConfig } from '@graphql-hive/gateway'

/** As docs/federation.md has it: the key goes to our subgraph alone. */
export const gatewayConfig = defineConfig({
  propagateHeaders: {
    fromClientToSubgraphs({ request, subgraphName }) {
      const authorization = request.headers.get('authorization')
      if (subgraphName === 'operations' && authorization) return { authorization }
    },
  },
})
