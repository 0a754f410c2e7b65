/** Yoga, Pothos with scope-auth, Drizzle and DataLoader as their documents show them, with nothing tuned. */
import { createServer } from 'node:http'
import SchemaBuilder from '@pothos/core'
import ScopeAuthPlugin from '@pothos/plugin-scope-auth'
import { createGraphQLError, createYoga } from 'graphql-yoga'
import { cursorOf } from './cursors.mjs'
import { openTables } from './drizzle.mjs'
import { FILE, listen } from './listen.mjs'
import { openStore } from './store.mjs'

const { caller, addPerson } = openStore(FILE)
const tables = openTables(FILE)

const builder = new SchemaBuilder({
  defaultFieldNullability: false,
  plugins: [ScopeAuthPlugin],
  scopeAuth: { authScopes: ({ caller }) => ({ scope: (needed) => caller.may(needed) }) },
})
const needs = (scope) => ({ authScopes: { scope } })
const enumOf = (name, ...values) => builder.enumType(name, { values })

const PersonStatus = enumOf('PersonStatus', 'ACTIVE', 'INACTIVE')
const RiskStatus = enumOf('RiskStatus', 'OPEN', 'OCCURRED', 'CLOSED')
const RiskLevel = enumOf('RiskLevel', 'UNASSESSED', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL')
const RiskResponse = enumOf('RiskResponse', 'AVOID', 'MITIGATE', 'TRANSFER', 'ACCEPT')
const IssueSeverity = enumOf('IssueSeverity', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL')
const IssueStatus = enumOf('IssueStatus', 'OPEN', 'IN_PROGRESS', 'BLOCKED', 'RESOLVED', 'CLOSED')

const maybe = { nullable: true }
const texts = (t, names) => Object.fromEntries(names.map((name) => [name, t.exposeString(name)]))
const maybeTexts = (t, names) => Object.fromEntries(names.map((name) => [name, t.exposeString(name, maybe)]))

const Group = builder.objectRef('Group')
Group.implement({
  ...needs('personnel.read'),
  fields: (t) => ({ id: t.exposeID('id'), name: t.exposeString('name') }),
})

const Person = builder.objectRef('Person')
Person.implement({
  ...needs('personnel.read'),
  fields: (t) => ({
    id: t.exposeID('id'),
    ...texts(t, ['name', 'createdAt', 'updatedAt']),
    ...maybeTexts(t, ['email', 'externalId', 'title', 'department']),
    status: t.expose('status', { type: PersonStatus }),
    groups: t.field({ type: [Group], resolve: ({ id }, _, { loaders }) => loaders.groups.load(id) }),
  }),
})

const Project = builder.objectRef('Project')
Project.implement({
  ...needs('projects.read'),
  fields: (t) => ({ id: t.exposeID('id'), key: t.exposeString('key'), name: t.exposeString('name') }),
})

const projectField = (t) =>
  t.field({ type: Project, ...maybe, resolve: ({ projectId }, _, { loaders }) => loaders.projects.load(projectId) })

const Risk = builder.objectRef('Risk')
Risk.implement({
  ...needs('projects.read'),
  fields: (t) => ({
    id: t.exposeID('id'),
    project: projectField(t),
    ...texts(t, ['reference', 'title', 'raisedOn', 'createdAt', 'updatedAt']),
    ...maybeTexts(t, ['description', 'category', 'ownerName', 'url', 'reviewOn']),
    likelihood: t.exposeInt('likelihood', maybe),
    impact: t.exposeInt('impact', maybe),
    score: t.exposeInt('score'),
    level: t.field({ type: RiskLevel, resolve: ({ score }) => tables.levelOf(score) }),
    rank: t.int({ ...maybe, resolve: async ({ score }, _, { loaders }) => (await loaders.ranks())(score) }),
    status: t.expose('status', { type: RiskStatus }),
    response: t.expose('response', { type: RiskResponse, ...maybe }),
    ownerId: t.exposeID('ownerId', maybe),
    owner: t.field({
      type: Person,
      ...maybe,
      ...needs('personnel.read'),
      resolve: ({ ownerId }, _, { loaders }) => (ownerId === null ? null : loaders.people.load(ownerId)),
    }),
  }),
})

const Issue = builder.objectRef('Issue')
Issue.implement({
  ...needs('projects.read'),
  fields: (t) => ({
    id: t.exposeID('id'),
    project: projectField(t),
    ...texts(t, ['reference', 'title', 'raisedOn', 'createdAt', 'updatedAt']),
    ...maybeTexts(t, ['description', 'assigneeName', 'url', 'dueOn']),
    severity: t.expose('severity', { type: IssueSeverity }),
    status: t.expose('status', { type: IssueStatus }),
    assigneeId: t.exposeID('assigneeId', maybe),
    riskId: t.exposeID('riskId', maybe),
  }),
})

const PageInfo = builder.objectRef('PageInfo')
PageInfo.implement({
  fields: (t) => ({ hasNextPage: t.exposeBoolean('hasNextPage'), endCursor: t.exposeString('endCursor', maybe) }),
})

function connectionOf(node, name) {
  const Connection = builder.objectRef(name)
  Connection.implement({
    fields: (t) => ({ nodes: t.expose('nodes', { type: [node] }), pageInfo: t.expose('pageInfo', { type: PageInfo }) }),
  })
  return Connection
}

const connect = (list, { rows, hasNext }, placeOf) => {
  const last = rows.at(-1)
  return { nodes: rows, pageInfo: { hasNextPage: hasNext, endCursor: last ? cursorOf(list, ...placeOf(last)) : null } }
}
const entryPlace = ({ standing, raisedOn, id }) => [standing, raisedOn, id]

const EntryFilter = builder.inputType('EntryFilter', { fields: (t) => ({ project: t.stringList() }) })
const AddPersonInput = builder.inputType('AddPersonInput', {
  fields: (t) => ({
    name: t.string({ required: true }),
    email: t.string(),
    externalId: t.string(),
    title: t.string(),
    department: t.string(),
  }),
})

const entryList = (t, type, list) =>
  t.field({
    type,
    ...maybe,
    ...needs('projects.read'),
    args: { first: t.arg.int({ required: true }), filter: t.arg({ type: EntryFilter }) },
    resolve: async (_, { first, filter }) =>
      connect(list, await tables[list](first, filter?.project?.[0] ?? undefined), entryPlace),
  })

builder.queryType({
  fields: (t) => ({
    personnel: t.field({
      type: connectionOf(Person, 'PersonConnection'),
      ...maybe,
      ...needs('personnel.read'),
      args: { first: t.arg.int(), after: t.arg.string() },
      resolve: async (_, { first, after }) =>
        connect('personnel', await tables.people(first ?? undefined, after ?? undefined), (row) => [
          row.nameFolded,
          row.id,
        ]),
    }),
    person: t.field({
      type: Person,
      ...maybe,
      ...needs('personnel.read'),
      args: { id: t.arg.id({ required: true }) },
      resolve: (_, { id }, { loaders }) => loaders.people.load(id),
    }),
    risks: entryList(t, connectionOf(Risk, 'RiskConnection'), 'risks'),
    issues: entryList(t, connectionOf(Issue, 'IssueConnection'), 'issues'),
  }),
})
builder.mutationType({
  fields: (t) => ({
    addPerson: t.field({
      type: Person,
      ...maybe,
      ...needs('personnel.manage'),
      args: { input: t.arg({ type: AddPersonInput, required: true }) },
      resolve: (_, { input }, { caller }) => addPerson(input, caller.keyId),
    }),
  }),
})

const yoga = createYoga({
  schema: builder.toSchema(),
  graphiql: false,
  landingPage: false,
  logging: false,
  context({ request }) {
    const known = caller(request.headers.get('authorization') ?? undefined)
    if (!known) throw createGraphQLError('A key is needed.', { extensions: { http: { status: 401 } } })
    return { caller: known, loaders: tables.openLoaders() }
  },
})
listen(createServer(yoga))
