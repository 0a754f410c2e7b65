import { graphql } from 'relay-runtime'

/** A list inside another thing, paged by refetching that thing: what Relay needs `Node` for. */
export const projectRisks = graphql`
  fragment projectRisks_project on Project
  @argumentDefinitions(count: { type: "Int", defaultValue: 2 }, cursor: { type: "String" })
  @refetchable(queryName: "projectRisksPaginationQuery") {
    risks(first: $count, after: $cursor) @connection(key: "projectRisks_risks") {
      edges {
        node {
          id
          title
          level
        }
      }
    }
  }
`

export const projectQuery = graphql`
  query projectRisksQuery($id: ID!) {
    project(id: $id) {
      ...projectRisks_project
    }
  }
`
