import { createYoga } from 'graphql-yoga'
import { describe, expect, test } from 'vitest'
import { SCOPE_NAMES } from '../../src/auth/scopes.js'
import type { Company } from '../support/fixtures.js'
import { type Gateway as Operations, openFilled } from '../support/harness.js'
import { tasksSubgraph } from './tasks.js'

export type { Operations }
export type Tasks = ReturnType<typeof createYoga>
export type Send = (init: RequestInit) => Promise<Response>

interface Scenario {
  readonly data: unknown
  /** The code of each error with its path, if the gateway gives one. */
  readonly refused: readonly string[]
  /** The response as it came. */
  readonly text: string
}

interface Body {
  readonly data: unknown
  readonly errors?: readonly { path?: (string | number)[]; extensions: { code: string } }[]
}

function read(text: string): Scenario {
  const { data, errors = [] } = JSON.parse(text) as Body
  return {
    text,
    data,
    refused: errors.map(({ path = [], extensions }) => [extensions.code, ...place(data, path)].join(' ')),
  }
}

// Apollo's gateway reports the refused object, graphql-tools each of its fields.
function place(data: unknown, path: readonly (string | number)[]): (string | number)[] {
  let at: unknown = data
  const end = path.findIndex((step) => {
    at = Object(at)[step]
    return at === null
  })
  return path.slice(0, end + 1)
}

// From the register: the three highest scores among what is not closed are 20, 16 and 15.
const TOP_RISKS = [23, 18, 22]
const BEA = 1
const ÅSA = 3

function someTasks({ personIds, riskIds }: Company) {
  const task = (id: string, title: string, person: number, risk: number) => ({
    id,
    title,
    assigneeId: personIds[person] ?? '',
    riskId: riskIds[risk] ?? '',
  })
  return [
    task('1', 'Order steel', BEA, 23),
    task('2', 'Call the harbour', ÅSA, 18),
    task('3', 'Find a second mill', ÅSA, 23),
  ]
}

/** The log line of each request; a slow one has a second line. */
export function requestsTo({ log }: Operations): { readonly method: string; readonly code?: string }[] {
  return log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request')
}

const MANY = 3_000

/** Everyone on the roster has very many tasks. */
function manyTasks({ personIds, riskIds }: Company) {
  return Array.from({ length: MANY }, (_, index) => ({
    id: String(index),
    title: 'Order steel',
    assigneeId: personIds[index % personIds.length] ?? '',
    riskId: riskIds[0] ?? '',
  }))
}

/** Scenarios for every gateway; `open` starts one in front of both subgraphs. */
export function throughGateway(name: string, open: (operations: Operations, tasks: Tasks) => Promise<Send>): void {
  describe(`through ${name}`, () => scenarios(open))
}

function scenarios(open: Parameters<typeof throughGateway>[1]): void {
  async function openSupergraph(tasksOf = someTasks) {
    const { gateway: operations, company } = await openFilled()
    const tasks = createYoga({ schema: tasksSubgraph(tasksOf(company)), logging: false })
    const send = await open(operations, tasks)
    async function execute(authorization: string | undefined, query: string, variables = {}): Promise<Scenario> {
      const headers = { 'content-type': 'application/json', ...(authorization && { authorization }) }
      const answer = await send({ method: 'POST', headers, body: JSON.stringify({ query, variables }) })
      return read(await answer.text())
    }
    return { operations, company, execute }
  }

  async function openForReader(tasksOf = someTasks) {
    const { operations, company, execute } = await openSupergraph(tasksOf)
    const { authorization } = await operations.as('personnel.read', 'projects.read')
    return { operations, company, execute: (query: string, variables = {}) => execute(authorization, query, variables) }
  }

  test('people come with their tasks', async () => {
    const { company, execute } = await openForReader()
    const query = 'query ($group: [ID!]) { personnel(filter: { group: $group }) { nodes { name tasks { title } } } }'
    expect(await execute(query, { group: [company.groupIds[1]] })).toMatchObject({
      data: {
        personnel: {
          nodes: [
            { name: 'bea', tasks: [{ title: 'Order steel' }] },
            { name: 'Zoë', tasks: [] },
            { name: 'Åsa', tasks: [{ title: 'Call the harbour' }, { title: 'Find a second mill' }] },
          ],
        },
      },
      refused: [],
    })
  })

  test('tasks come with their assignees and the groups of these, in one request to us', async () => {
    const { operations, execute } = await openForReader()
    const answer = await execute(
      '{ tasks { nodes { title assignee { name groups { name } } } pageInfo { hasNextPage } } }',
    )
    const groups = [{ name: 'alpha Team' }]
    expect(answer).toMatchObject({
      data: {
        tasks: {
          nodes: [
            { title: 'Order steel', assignee: { name: 'bea', groups } },
            { title: 'Call the harbour', assignee: { name: 'Åsa', groups } },
            { title: 'Find a second mill', assignee: { name: 'Åsa', groups } },
          ],
          pageInfo: { hasNextPage: false },
        },
      },
      refused: [],
    })
    expect(requestsTo(operations)).toHaveLength(1)
  })

  test('the top risks come with their tasks, and these with whom they are assigned to', async () => {
    const { execute } = await openForReader()
    const { data, refused } = await execute(
      '{ risks(first: 3) { nodes { reference rank tasks { title assignee { name } } } pageInfo { hasNextPage } } }',
    )
    const tasks = [
      [
        { title: 'Order steel', assignee: { name: 'bea' } },
        { title: 'Find a second mill', assignee: { name: 'Åsa' } },
      ],
      [{ title: 'Call the harbour', assignee: { name: 'Åsa' } }],
      [],
    ]
    const nodes = TOP_RISKS.map((risk, index) => ({ reference: `R-${risk}`, rank: index + 1, tasks: tasks[index] }))
    expect({ data, refused }).toEqual({ data: { risks: { nodes, pageInfo: { hasNextPage: true } } }, refused: [] })
  })

  test.each([
    ['no key', undefined],
    ['a key that is not valid', 'Bearer ops_nonsense'],
  ])('a caller with %s gets what others give, and UNAUTHENTICATED from us', async (_, authorization) => {
    const { execute } = await openSupergraph()
    const { data, refused, text } = await execute(
      authorization,
      '{ tasks(first: 1) { nodes { title assignee { name } } } }',
    )
    expect(text).toMatch(authorization ? /This API key is not valid/ : /An API key is needed/)
    expect(text).not.toContain('operations keys')
    expect(data).toEqual({ tasks: { nodes: [{ title: 'Order steel', assignee: null }] } })
    expect(refused).toEqual([expect.stringMatching(/^UNAUTHENTICATED\b/)])
    const own = await execute(authorization, '{ risks(first: 1) { nodes { title } } }')
    expect(own).toMatchObject({ data: { risks: null }, refused: [expect.stringMatching(/^UNAUTHENTICATED\b/)] })
  })

  test('thousands of references are resolved in one request to us, whether or not they repeat', async () => {
    const { operations, company, execute } = await openForReader(manyTasks)
    const { data, refused } = await execute('{ tasks { nodes { assignee { id name } } } }')
    const { nodes } = (data as { tasks: { nodes: { assignee: { id: string; name: string } | null }[] } }).tasks
    const { personIds } = company
    // First what we were asked and answered: if names are missing, it shows on which side.
    expect({ refused, requests: requestsTo(operations) }).toEqual({
      refused: [],
      requests: [expect.objectContaining({ status: 200, method: 'POST' })],
    })
    expect(nodes.map(({ assignee }) => assignee?.id)).toEqual(
      Array.from({ length: MANY }, (_, index) => personIds[index % personIds.length]),
    )
  })

  test('a caller without a scope misses only the assignees, with an error at their path', async () => {
    const { operations, execute } = await openSupergraph()
    const { authorization } = await operations.as('projects.read')
    const answer = await execute(authorization, '{ tasks { nodes { title assignee { name } risk { reference } } } }')
    expect(answer).toMatchObject({
      data: {
        tasks: {
          nodes: [
            { title: 'Order steel', assignee: null, risk: { reference: 'R-23' } },
            { title: 'Call the harbour', assignee: null, risk: { reference: 'R-18' } },
            { title: 'Find a second mill', assignee: null, risk: { reference: 'R-23' } },
          ],
        },
      },
      refused: [0, 1, 2].map((index) => `INSUFFICIENT_SCOPE tasks nodes ${index} assignee`),
    })
  })

  test.each(SCOPE_NAMES)('a key with %s alone gets the entities of its area, and no others', async (scope) => {
    const { operations, company, execute } = await openSupergraph()
    const { authorization } = await operations.as(scope)
    const { personIds, groupIds, projectIds, riskIds, issueIds } = company
    const answer = await execute(
      authorization,
      `query ($person: ID!, $group: ID!, $project: ID!, $risk: ID!, $issue: ID!) {
        person(id: $person) { name } group(id: $group) { name }
        project(id: $project) { key } risk(id: $risk) { reference } issue(id: $issue) { reference }
        tasks(first: 1) { nodes { assignee { name } risk { reference } } }
      }`,
      { person: personIds[0], group: groupIds[0], project: projectIds[0], risk: riskIds[0], issue: issueIds[0] },
    )
    const ofPersonnel = scope.startsWith('personnel.')
    const personnel = { person: { name: 'Ärzte Ünal' }, group: { name: 'Zulu team' } }
    const projects = { project: { key: 'APOLLO' }, risk: { reference: 'R-0' }, issue: { reference: 'I-0' } }
    expect(answer.data).toEqual(
      ofPersonnel
        ? { ...personnel, project: null, risk: null, issue: null, tasks: taskOf({ name: 'bea' }, null) }
        : { person: null, group: null, ...projects, tasks: taskOf(null, { reference: 'R-23' }) },
    )
    const refused = ofPersonnel
      ? ['project', 'risk', 'issue', 'tasks nodes 0 risk']
      : ['person', 'group', 'tasks nodes 0 assignee']
    expect(answer.refused.toSorted()).toEqual(refused.map((at) => `INSUFFICIENT_SCOPE ${at}`).toSorted())
  })
}

function taskOf(assignee: unknown, risk: unknown) {
  return { nodes: [{ assignee, risk }] }
}
