/** Workloads for GraphQL only: federation entities, several lists in one query, nested lists, edges. */
import { openDatabase } from '../../../../src/store/sqlite/driver.js'
import { type Filled, storeOf } from '../data.js'
import { CLIENTS, PAGE, PERSON, type Work } from './workloads.js'

const REFERENCES = 50

const QUERIES = {
  entities: `query entities($representations: [_Any!]!) {
    _entities(representations: $representations) { ... on Person { ${PERSON} } }
  }`,
  dashboard: `query dashboard {
    risks(first: 10) { nodes { id reference title score level rank project { id key name } owner { id name } } }
    issues(first: 10) { nodes { id reference title severity status dueOn project { id key name } assignee { id name } } }
    projects(first: 20) { nodes { id key name status openRiskCount openIssueCount topRiskScore } }
    groups(first: 20) { nodes { id name memberCount } }
  }`,
  nested: `query nested {
    projects(first: 10) {
      nodes { id key name risks(first: 10) { nodes { id reference title score level owner { id name } } } }
    }
  }`,
  edges: `query edges($first: Int) {
    personnel(first: $first) { edges { cursor node { ${PERSON} } } ${PAGE} }
  }`,
}

export function graphWorksOn(filled: Filled): readonly Work[] {
  const people = scatteredPeople(filled).map((id) => ({ __typename: 'Person', id }))
  return [
    reading('W6', '50 people by `_entities`', QUERIES.entities, { representations: people }),
    reading('W7', 'A dashboard of top risks, open issues, projects and groups', QUERIES.dashboard),
    reading('W8', 'Ten projects, each with its top 10 risks and their owners', QUERIES.nested),
    reading('W9', 'A page of 50 people as `edges`', QUERIES.edges, { first: 50 }),
  ]
}

function reading(
  part: Extract<Work['part'], 'W6' | 'W7' | 'W8' | 'W9'>,
  title: string,
  query: string,
  variables: Readonly<Record<string, unknown>> = {},
): Work {
  return {
    ...{ name: part, part, title, clients: CLIENTS, reads: [{ graphql: { query, variables } }] },
    ...{ writeShare: 0, mix: 'even' },
  }
}

/** Ids from the whole roster, as another subgraph would hold them. */
function scatteredPeople({ folder }: Filled): string[] {
  const db = openDatabase(storeOf(folder), { readonly: true })
  const ids = db.prepare("select id from person where status = 'ACTIVE' order by id").pluck().all() as string[]
  db.close()
  const step = Math.floor(ids.length / REFERENCES)
  return Array.from({ length: REFERENCES }, (_, index) => ids[index * step] ?? '')
}
