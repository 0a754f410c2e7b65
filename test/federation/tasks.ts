import { buildSubgraphSchema } from '@apollo/subgraph'
import { parse } from 'graphql'

/** A task tracker as a second subgraph: it refers to our people and risks, and has its own paging. */
export const TASKS_SDL = /* GraphQL */ `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.6", import: ["@key", "@shareable"])

  type Query {
    tasks(first: Int): TaskConnection!
  }

  type Task @key(fields: "id") {
    id: ID!
    title: String!
    assignee: Person
    risk: Risk
  }

  type TaskConnection {
    nodes: [Task!]!
    pageInfo: PageInfo!
  }

  type PageInfo @shareable {
    hasNextPage: Boolean!
    hasPreviousPage: Boolean!
    startCursor: String
    endCursor: String
  }

  type Person @key(fields: "id") {
    id: ID!
    tasks: [Task!]!
  }

  type Risk @key(fields: "id") {
    id: ID!
    tasks: [Task!]!
  }
`

export interface Task {
  readonly id: string
  readonly title: string
  readonly assigneeId: string
  readonly riskId: string
}

export function tasksSubgraph(tasks: readonly Task[]) {
  const of = (member: 'assigneeId' | 'riskId') => (parent: { id: string }) =>
    tasks.filter((task) => task[member] === parent.id)
  const pageInfo = { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null }
  return buildSubgraphSchema({
    typeDefs: parse(TASKS_SDL),
    resolvers: {
      Query: { tasks: (_: unknown, { first }: { first?: number }) => ({ nodes: tasks.slice(0, first), pageInfo }) },
      Task: {
        assignee: ({ assigneeId }: Task) => ({ __typename: 'Person', id: assigneeId }),
        risk: ({ riskId }: Task) => ({ __typename: 'Risk', id: riskId }),
      },
      Person: { tasks: of('assigneeId') },
      Risk: { tasks: of('riskId') },
    },
  })
}
