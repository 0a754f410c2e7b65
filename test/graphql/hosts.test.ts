import { ApolloServer } from '@apollo/server'
import { mergeSchemas } from '@graphql-tools/schema'
import { stitchSchemas } from '@graphql-tools/stitch'
import type { Executor } from '@graphql-tools/utils'
import { execute, extendSchema, type GraphQLResolveInfo, type GraphQLSchema, graphql, parse } from 'graphql'
import { createYoga } from 'graphql-yoga'
import { describe, expect, test } from 'vitest'
import { type Context, contextFor, loadEntity, maskError, type Scope, type Store, schema } from '../../src/index.js'
import { openFilled } from '../support/harness.js'

const EVERYTHING: readonly Scope[] = ['personnel.manage', 'projects.manage']

const HOST_TYPES = `
  extend type Person { tasks: [String!]! }
  extend type Risk { label: String! }
  type Task { id: ID! assignee: Person watchers: [Person]! }
  extend type RiskConnection { note: String! }
  extend type RiskEdge { note: String! }
  extend type PageInfo { note: String! }
  extend type RiskMatrix { note: String! }
  extend type RiskLevelCount { note: String! }
  extend type SyncResult { note: String! }
  extend type Mutation { ping: Query }
  extend type Query { task: Task, tasks(of: [String]!): [Task!]!, motto: String!, self: Query }`

type Row = Readonly<Record<string, string>>
interface Task {
  readonly id: string
  readonly assignee?: object
}

const NOTED = { note: () => 'noted' }

const HOST_RESOLVERS = {
  ...{ RiskConnection: NOTED, RiskEdge: NOTED, PageInfo: NOTED, RiskMatrix: NOTED, RiskLevelCount: NOTED },
  ...{ SyncResult: NOTED, Mutation: { ping: () => ({}) } },
  Person: { tasks: ({ id, email }: Row) => [`Call ${id}`, `Write to ${email}`] },
  Risk: { label: ({ reference, title }: Row) => `${reference} ${title}` },
  Task: {
    async assignee({ id, assignee }: Task, _: unknown, context: Context, info: GraphQLResolveInfo) {
      if (assignee) return assignee
      // As if rows of the host were read first, each in its own time.
      for (let turns = id.length; turns > 0; turns -= 1) await undefined
      return loadEntity(context, { __typename: 'Person', ...(id.includes('@') ? { email: id } : { id }) }, info)
    },
    watchers: ({ id }: Task, _: unknown, context: Context, info: GraphQLResolveInfo) =>
      [id, 'usr_nobody'].map((one) => loadEntity(context, { __typename: 'Person', id: one }, info)),
  },
  Query: {
    task: () => ({ assignee: { id: 'usr_1', name: 'Ada' } }),
    tasks: (_: unknown, { of }: { of: string[] }) => of.map((id) => ({ id })),
    motto: () => 'Per aspera',
    self: () => ({}),
  },
}

/** Our schema with the host's own fields. */
function extended(): GraphQLSchema {
  const host = extendSchema(schema, parse(HOST_TYPES))
  for (const [type, fields] of Object.entries(HOST_RESOLVERS)) {
    const declared = host.getType(type)
    if (!declared || !('getFields' in declared)) throw new Error(`There is no ${type}.`)
    for (const [name, resolve] of Object.entries(fields)) Object.assign(declared.getFields()[name] ?? {}, { resolve })
  }
  return host
}

type Ask = (query: string, scopes?: readonly Scope[], variables?: Record<string, unknown>) => Promise<Answer>
interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: the tests look into whatever came.
  readonly data: any
  // biome-ignore lint/suspicious/noExplicitAny: the same.
  readonly errors?: any
}

/** A gateway of schemas that delegates to ours: it has no fields on our types. */
const stitching = (store: Store): Ask => {
  const executor: Executor = ({ document, variables, context }) =>
    // The types of graphql-tools know any number of results.
    execute({ schema, document, variableValues: { ...variables }, contextValue: context }) as never
  return executing(stitchSchemas({ subschemas: [{ schema, executor }] }), store)
}

/** Each host by its name, as a function of the store. */
const HOSTS: Readonly<Record<string, (store: Store) => Ask>> = {
  execute: (store) => executing(extended(), store),
  mergeSchemas: (store) =>
    executing(mergeSchemas({ schemas: [schema], typeDefs: HOST_TYPES, resolvers: HOST_RESOLVERS }), store),
  Yoga:
    (store) =>
    async (query, scopes = EVERYTHING, variables) => {
      const context = () => contextFor(store, { scopes })
      const yoga = createYoga({ schema: extended(), context, maskedErrors: { maskError }, logging: false })
      const body = JSON.stringify({ query, variables })
      const headers = { 'content-type': 'application/json' }
      const response = await yoga.fetch('http://localhost/graphql', { method: 'POST', headers, body })
      return JSON.parse(await response.text())
    },
  'Apollo Server': (store) => {
    const apollo = new ApolloServer<Context>({
      schema: extended(),
      formatError: (_, error) => maskError(error).toJSON(),
    })
    return async (query, scopes = EVERYTHING, variables) => {
      const contextValue = contextFor(store, { scopes })
      const { body } = await apollo.executeOperation({ query, ...(variables && { variables }) }, { contextValue })
      return JSON.parse(JSON.stringify(body.kind === 'single' && body.singleResult))
    }
  },
}

function executing(host: GraphQLSchema, store: Store): Ask {
  return async (source, scopes = EVERYTHING, variableValues = {}) => {
    const contextValue = contextFor(store, { scopes })
    return JSON.parse(JSON.stringify(await graphql({ schema: host, source, contextValue, variableValues })))
  }
}

async function open(host: string) {
  const { gateway } = await openFilled()
  // The types of the package are opaque.
  const store = gateway.store as unknown as Store
  const ask = host === STITCHED ? stitching(store) : HOSTS[host]?.(store)
  if (!ask) throw new Error(`There is no host ${host}.`)
  return { ask, store, gateway, caller: await gateway.as(...EVERYTHING) }
}

/** Queries of our own fields alone, in which every shape of an answer occurs. */
const OURS = [
  '{ a: risks(first: 3) { nodes { name: title title: id owner { id: name name: id groups { name } } project { key } } } }',
  'query { risks(first: 2) { edges { cursor node { ...R } } pageInfo { hasNextPage endCursor } totalCount } } fragment R on Risk { id issues(first: 1) { nodes { title risk { rank } } } }',
  '{ projects { nodes { key risks(first: 2) { edges { node { owner { email } } } } } } personnel { totalCount } }',
  '{ riskMatrix { levels { level count } } movements(since: "2020-01-01") { counts { new } risks { project { key } } } apiKey { name } }',
  '{ changes(first: 5) { nodes { entity by person { name } risk { title } fields { field to } } } }',
]

const STITCHED = 'stitchSchemas'

describe.each([...Object.keys(HOSTS), STITCHED])('by %s', (host) => {
  test.each(OURS)('our own fields have the answer of our own server: %s', async (query) => {
    const { ask, caller } = await open(host)
    const { apiKey: _, ...data } = (await ask(query)).data
    const { apiKey: __, ...own } = (await caller.graphql(query)).body.data
    expect(data).toEqual(own)
  })
})

describe.each(Object.keys(HOSTS))('by %s', (host) => {
  test('a field of the host gets the row with its columns, whatever the client calls its fields', async () => {
    const { ask } = await open(host)
    const { data, errors } = await ask(
      `query ($yes: Boolean!) {
      motto
      risks(first: 5) { edges { node { label id: title ...O @include(if: $yes) } } }
      projects { nodes { risks(first: 1) { nodes { owner @skip(if: $yes) { tasks } label } } } }
    } fragment O on Risk { owner { id: name tasks } }`,
      EVERYTHING,
      { yes: true },
    )
    expect(errors).toBeUndefined()
    expect(data.motto).toBe('Per aspera')
    for (const { node } of data.risks.edges) {
      expect(node.label).toMatch(new RegExp(`^\\S+ ${node.id}$`))
      if (node.owner) expect(node.owner.tasks).toEqual([expect.stringMatching(/^Call usr_/), expect.any(String)])
    }
    expect(data.risks.edges.some(({ node }: { node: { owner: unknown } }) => node.owner)).toBe(true)
    expect(Object.keys(data.projects.nodes[0].risks.nodes[0])).toEqual(['label'])
  })

  test('our queries are also read below a field of the host, in a query and after a change', async () => {
    const { ask } = await open(host)
    const { data, errors } = await ask(
      '{ risks(first: 1) { nodes { id } } self { risks(first: 2) { nodes { id title } } self { apiKey { name } } } }',
    )
    expect(errors).toBeUndefined()
    expect(data.risks.nodes).toHaveLength(1)
    expect(data.self.risks.nodes).toEqual([
      { id: data.risks.nodes[0].id, title: expect.any(String) },
      { id: expect.any(String), title: expect.any(String) },
    ])
    expect(data.self.self.apiKey.name).toBe('embedded')
    const after = await ask('mutation { ping { risks(first: 1) { nodes { id } } } }')
    expect(after).toEqual({ data: { ping: { risks: data.risks } } })
  })

  test('a host may add fields to our objects that have no row', async () => {
    const { ask } = await open(host)
    const { data, errors } = await ask(
      '{ risks(first: 1) { x: note edges { note cursor } pageInfo { note hasNextPage } } riskMatrix { note levels { note level } } }',
    )
    expect(errors).toBeUndefined()
    const { x, edges, pageInfo } = data.risks
    expect([x, edges[0].note, pageInfo, data.riskMatrix.note, data.riskMatrix.levels[0].note]).toEqual([
      'noted',
      'noted',
      { note: 'noted', hasNextPage: true },
      'noted',
      'noted',
    ])
    const synced = await ask('mutation { syncProject(input: { key: "NEW", name: "New" }) { note project { key } } }')
    expect(synced).toEqual({ data: { syncProject: { note: 'noted', project: { key: 'NEW' } } } })
  })

  test('objects of an interface and of a union have their type and their row', async () => {
    const { ask } = await open(host)
    const { data: found } = await ask('{ personnel(first: 1) { nodes { id } } risks(first: 1) { nodes { id } } }')
    const [person, risk] = [found.personnel.nodes[0].id, found.risks.nodes[0].id]
    const representations = [
      { __typename: 'Risk', id: risk },
      { __typename: 'Nobody' },
      { __typename: 'Person', id: person },
    ]
    const { data, errors } = await ask(
      `query ($id: ID!, $representations: [_Any!]!) {
        node(id: $id) { __typename: id ... on Person { tasks } }
        _entities(representations: $representations) { __typename ... on Person { tasks } ... on Risk { label } }
      }`,
      EVERYTHING,
      { id: person, representations },
    )
    const tasks = [`Call ${person}`, expect.any(String)]
    expect(data.node).toEqual({ __typename: person, tasks })
    const [first, none, last] = data._entities
    expect([first, none, last]).toEqual([
      { __typename: 'Risk', label: expect.any(String) },
      null,
      { __typename: 'Person', tasks },
    ])
    expect(errors).toMatchObject([{ path: ['_entities', 1], extensions: { code: 'BAD_REQUEST' } }])
  })

  test('what the caller may not read is refused at its own path, and is not read', async () => {
    const { ask } = await open(host)
    const { data, errors } = await ask(
      '{ risks(first: 2) { nodes { title owner { name tasks } } } groups { totalCount } }',
      ['projects.read'],
    )
    expect(data).toEqual({
      risks: { nodes: [1, 2].map(() => ({ title: expect.any(String), owner: null })) },
      groups: null,
    })
    const refused = { extensions: { code: 'INSUFFICIENT_SCOPE', requiredScope: 'personnel.read' } }
    expect(errors).toHaveLength(3)
    for (const path of [['groups'], ['risks', 'nodes', 0, 'owner'], ['risks', 'nodes', 1, 'owner']])
      expect(errors).toContainEqual(expect.objectContaining({ path, ...refused }))
  })

  test('a change shows what was changed', async () => {
    const { ask } = await open(host)
    const { data, errors } = await ask(`mutation {
      a: addPerson(input: { name: "Zoe", email: "zoe@host.example" }) { tasks name groups { name } }
      b: addPerson(input: { name: "Zoe" }) { id }
    }`)
    expect(data).toEqual({
      a: { tasks: [expect.any(String), 'Write to zoe@host.example'], name: 'Zoe', groups: [] },
      b: null,
    })
    expect(errors).toMatchObject([{ path: ['b'], extensions: { code: 'VALIDATION_FAILED' } }])
  })

  describe('a type of the host with a field of our type', () => {
    const QUERY = `query ($of: [String]!, $level: RiskLevel!, $no: Boolean = false) {
      tasks(of: $of) {
        assignee { x: name ...Rest }
        assignee { groups { name } no: id @include(if: $no) }
        watchers { id }
      }
    } fragment Rest on Person { tasks risks(first: 2, filter: { level: [$level] }) { nodes { project { key } } } }`

    test('has our rows, those of all its entries read together', async () => {
      const { ask, caller, gateway } = await open(host)
      const people =
        '{ personnel(first: 9) { nodes { id email x: name groups { name } risks(first: 2, filter: { level: [HIGH] }) { nodes { project { key } } } } } }'
      const { nodes } = (await caller.graphql(people)).body.data.personnel
      const ids = nodes.map(({ id, email }: Row, index: number) => (index % 2 ? (email ?? id) : id))
      gateway.statements()
      const { data, errors } = await ask(QUERY, EVERYTHING, { of: [...ids, ids[0], 'usr_nobody'], level: 'HIGH' })
      const read = gateway.statements().filter((sql) => sql.includes('"person"'))
      expect(errors).toBeUndefined()
      const shown = nodes.map(({ id, email, ...person }: Row) => ({
        ...person,
        tasks: [`Call ${id}`, `Write to ${email}`],
      }))
      const assignees = data.tasks.map(({ assignee }: { assignee: unknown }) => assignee)
      expect(assignees).toEqual([...shown, shown[0], null])
      expect(data.tasks[0].watchers).toEqual([{ id: ids[0] }, null])
      // By id, by e-mail, and the watchers.
      expect(read).toHaveLength(3)
    })

    test('tells a caller without the scope nothing about who is there', async () => {
      const { ask } = await open(host)
      const { data: found } = await ask('{ personnel(first: 1) { nodes { id } } }')
      const [{ id }] = found.personnel.nodes
      const { data, errors } = await ask(
        'query ($of: [String]!) { tasks(of: $of) { assignee { name } } }',
        ['projects.read'],
        { of: [id, 'usr_nobody'] },
      )
      expect(data).toEqual({ tasks: [{ assignee: null }, { assignee: null }] })
      const refused = { extensions: { code: 'INSUFFICIENT_SCOPE', requiredScope: 'personnel.read' } }
      expect(errors).toHaveLength(2)
      for (const index of [0, 1])
        expect(errors).toContainEqual(expect.objectContaining({ path: ['tasks', index, 'assignee'], ...refused }))
    })
  })

  test('an object that the host made itself is refused, with what to do', async () => {
    const { ask } = await open(host)
    const { data, errors } = await ask('{ task { assignee { name } } }')
    expect(data).toEqual({ task: { assignee: null } })
    expect(JSON.stringify(errors)).toContain('loadEntity(context, { __typename, id }, info)')
  })

  test('a caller of a closed store gets UNAVAILABLE', async () => {
    const { ask, store } = await open(host)
    await store.close()
    for (const query of ['{ risks { totalCount } }', 'mutation { risks: addGroup(input: { name: "X" }) { id } }']) {
      expect(await ask(query)).toMatchObject({
        data: { risks: null },
        errors: [{ extensions: { code: 'UNAVAILABLE' } }],
      })
    }
  })
})

test('one document in two hosts is planned for the types of each', async () => {
  const { gateway } = await openFilled()
  const hosts = ['Issue', 'Risk'].map((type) =>
    extendSchema(schema, parse(`interface Ranked { title: String! } extend type ${type} implements Ranked`)),
  )
  const document = parse('{ risks(first: 1) { nodes { id ... on Ranked { title } } } }')
  const shown: string[][] = []
  for (const host of hosts) {
    const contextValue = contextFor(gateway.store as unknown as Store, { scopes: EVERYTHING })
    const { data } = JSON.parse(JSON.stringify(await execute({ schema: host, document, contextValue })))
    shown.push(Object.keys(data?.risks?.nodes[0] ?? {}))
  }
  expect(shown).toEqual([['id'], ['id', 'title']])
})

test('arguments that a host changes on the way are refused, and not ignored', async () => {
  const { gateway } = await openFilled()
  const host = extendSchema(schema, parse('extend type Query { motto: String }'))
  const { risks } = host.getQueryType()?.getFields() ?? {}
  const resolve = risks?.resolve
  if (!risks || !resolve) throw new Error('There is no list of risks.')
  risks.resolve = (source, args, context, info) => resolve(source, { ...args, first: 1 }, context, info)
  const contextValue = contextFor(gateway.store as unknown as Store, { scopes: EVERYTHING })
  const { data, errors } = await graphql({ schema: host, source: '{ risks { totalCount } }', contextValue })
  expect(data).toEqual({ risks: null })
  expect(errors).toMatchObject([{ message: expect.stringContaining('were changed on the way') }])
})

test('without our context a resolver says which one it needs', async () => {
  const { errors = [] } = await graphql({
    schema,
    source: '{ risks { totalCount } _service { sdl } }',
    contextValue: {},
  })
  for (const { message } of errors) expect(message).toContain('pass contextFor(store, caller)')
  expect(errors).toHaveLength(2)
})

test('a host may bound its reads', async () => {
  const { gateway } = await openFilled()
  const store = gateway.store as unknown as Store
  const contextValue = contextFor(store, { scopes: ['projects.read'] }, { wholeListRowsMax: 3 })
  const { errors } = await graphql({ schema, source: '{ risks { nodes { id } } }', contextValue })
  expect(errors).toMatchObject([{ message: expect.stringContaining('more than 3 rows'), path: ['risks'] }])
  const late = contextFor(store, { scopes: ['projects.read'] }, { deadlineMs: -1 })
  const answer = await graphql({ schema, source: '{ risks(first: 1) { nodes { id } } }', contextValue: late })
  expect(answer.errors).toMatchObject([{ extensions: { code: 'DEADLINE_EXCEEDED' } }])
})
