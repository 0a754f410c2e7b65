import { createClient, fetchExchange, gql } from '@urql/core'
import { persistedExchange } from '@urql/exchange-persisted'

/** The same by urql's persisted exchange. */
const [url, authorization, method] = process.argv.slice(2)
const client = createClient({
  url,
  exchanges: [persistedExchange({ preferGetForPersistedQueries: method === 'GET' }), fetchExchange],
  fetchOptions: { headers: { authorization } },
})
const query = gql`
  query Groups($first: Int) {
    groups(first: $first) {
      nodes {
        name
      }
    }
  }
`
const names = []
for (const first of [1, 2, 3]) {
  const { data, error } = await client.query(query, { first }).toPromise()
  if (error) throw error
  names.push(data.groups.nodes.map(({ name }) => name))
}
console.log(JSON.stringify(names))
