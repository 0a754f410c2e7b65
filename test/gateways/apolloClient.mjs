import { createHash } from 'node:crypto'
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client'
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries'

/** Queries the groups three times by Apollo Client's persisted queries with default settings; prints the results. */
const [uri, authorization, useGETForHashedQueries] = process.argv.slice(2)
const persisted = new PersistedQueryLink({
  sha256: (text) => createHash('sha256').update(text).digest('hex'),
  useGETForHashedQueries: useGETForHashedQueries === 'GET',
})
const client = new ApolloClient({
  link: ApolloLink.from([persisted, new HttpLink({ uri, headers: { authorization } })]),
  cache: new InMemoryCache(),
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
  const { data } = await client.query({ query, variables: { first }, fetchPolicy: 'network-only' })
  names.push(data.groups.nodes.map(({ name }) => name))
}
console.log(JSON.stringify(names))
