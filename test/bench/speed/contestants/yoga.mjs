/** Yoga, Pothos with scope-auth, Drizzle and DataLoader as in their documentation, untuned. */
import { createServer } from 'node:http'
import SchemaBuilder from '@pothos/core'
import ScopeAuthPlugin from '@pothos/plugin-scope-auth'
import { createGraphQLError, createYoga } from 'graphql-yoga'
import { cursorOf } from './cursors.mjs'
import { openTables } from './drizzle.mjs'
import { FILE, listen } from './listen.mjs'
import { detailsOf, openStore, residualScoreOf } from './store.mjs'

const { caller, addPerson } = openStore(FILE)
const tables = openTables(FILE)

const builder = new SchemaBuilder({
  defaultFieldNullability: false,
  plugins: [ScopeAuthPlugin],
  scopeAuth: { authScopes: ({ caller }) => ({ scope: (needed) => caller.may(needed) }) },
})
const needs = (scope) => ({ authScopes: { scope } })
const enumOf = (name, ...values) => builder.enumType(name, { values })

const ProjectStatus = enumOf('ProjectStatus', 'ACTIVE', 'ON_HOLD', 'CLOSED')
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
  fields: (t) => ({
    id: t.exposeID('id'),
    name: t.exposeString('name'),
    memberCount: t.int({ resolve: ({ id }, _, { loaders }) => loaders.memberCounts.load(id) }),
  }),
})

const Detail = builder.objectRef('Detail')
Detail.implement({ fields: (t) => texts(t, ['name', 'text']) })

const detailsField = (t) => t.field({ type: [Detail], resolve: ({ details = null }) => detailsOf(details) })

const Person = builder.objectRef('Person')
Person.implement({
  ...needs('personnel.read'),
  fields: (t) => ({
    id: t.exposeID('id'),
    ...texts(t, ['name', 'createdAt', 'updatedAt']),
    ...maybeTexts(t, ['email', 'externalId', 'title', 'department']),
    status: t.expose('status', { type: PersonStatus }),
    details: detailsField(t),
    groups: t.field({ type: [Group], resolve: ({ id }, _, { loaders }) => loaders.groups.load(id) }),
  }),
})

const Project = builder.objectRef('Project')
Project.implement({
  ...needs('projects.read'),
  fields: (t) => ({
    id: t.exposeID('id'),
    ...texts(t, ['key', 'name']),
    status: t.expose('status', { type: ProjectStatus }),
    openRiskCount: t.int({ resolve: async ({ id }, _, { loaders }) => (await loaders.risksIn.load(id)).live }),
    openIssueCount: t.int({ resolve: async ({ id }, _, { loaders }) => (await loaders.issuesIn.load(id)).live }),
    topRiskScore: t.int({
      ...maybe,
      resolve: async ({ id }, _, { loaders }) => (await loaders.risksIn.load(id)).top,
    }),
  }),
})

const projectField = (t) =>
  t.field({ type: Project, ...maybe, resolve: ({ projectId }, _, { loaders }) => loaders.projects.load(projectId) })

const personField = (t, column) =>
  t.field({
    type: Person,
    ...maybe,
    ...needs('personnel.read'),
    resolve: ({ [column]: id }, _, { loaders }) => (id === null ? null : loaders.people.load(id)),
  })

const Risk = builder.objectRef('Risk')
Risk.implement({
  ...needs('projects.read'),
  fields: (t) => ({
    id: t.exposeID('id'),
    project: projectField(t),
    ...texts(t, ['reference', 'title', 'raisedOn', 'createdAt', 'updatedAt']),
    ...maybeTexts(t, ['description', 'category', 'mitigation', 'cause', 'ownerName', 'url', 'reviewOn', 'dueOn']),
    likelihood: t.exposeInt('likelihood', maybe),
    impact: t.exposeInt('impact', maybe),
    scoreGiven: t.exposeInt('scoreGiven', maybe),
    score: t.exposeInt('score'),
    residualLikelihood: t.exposeInt('residualLikelihood', maybe),
    residualImpact: t.exposeInt('residualImpact', maybe),
    residualScore: t.int({ ...maybe, resolve: residualScoreOf }),
    residualLevel: t.field({
      type: RiskLevel,
      ...maybe,
      resolve: (row) => (row.residualImpact === null ? null : tables.levelOf(residualScoreOf(row))),
    }),
    details: detailsField(t),
    level: t.field({ type: RiskLevel, resolve: ({ score }) => tables.levelOf(score) }),
    rank: t.int({ ...maybe, resolve: async ({ score }, _, { loaders }) => (await loaders.ranks())(score) }),
    status: t.expose('status', { type: RiskStatus }),
    response: t.expose('response', { type: RiskResponse, ...maybe }),
    ownerId: t.exposeID('ownerId', maybe),
    owner: personField(t, 'ownerId'),
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
    details: detailsField(t),
    severity: t.expose('severity', { type: IssueSeverity }),
    status: t.expose('status', { type: IssueStatus }),
    assigneeId: t.exposeID('assigneeId', maybe),
    assignee: personField(t, 'assigneeId'),
    riskId: t.exposeID('riskId', maybe),
  }),
})

const PageInfo = builder.objectRef('PageInfo')
PageInfo.implement({
  fields: (t) => ({ hasNextPage: t.exposeBoolean('hasNextPage'), endCursor: t.exposeString('endCursor', maybe) }),
})

function connectionOf(node, name) {
  const Edge = builder.objectRef(`${node.name}Edge`)
  Edge.implement({
    fields: (t) => ({ cursor: t.exposeString('cursor'), node: t.expose('node', { type: node }) }),
  })
  const Connection = builder.objectRef(name)
  Connection.implement({
    fields: (t) => ({
      nodes: t.expose('nodes', { type: [node] }),
      edges: t.field({
        type: [Edge],
        resolve: ({ nodes, cursor }) => nodes.map((row) => ({ cursor: cursor(row), node: row })),
      }),
      pageInfo: t.expose('pageInfo', { type: PageInfo }),
    }),
  })
  return Connection
}

const connect = (list, { rows, hasNext }, placeOf) => {
  const last = rows.at(-1)
  const cursor = (row) => cursorOf(list, ...placeOf(row))
  return { nodes: rows, cursor, pageInfo: { hasNextPage: hasNext, endCursor: last ? cursor(last) : null } }
}
const entryPlace = ({ sortKey, raisedOn, id }) => [sortKey, raisedOn, id]

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

const RiskConnection = connectionOf(Risk, 'RiskConnection')
builder.objectField(Project, 'risks', (t) =>
  t.field({
    type: RiskConnection,
    ...maybe,
    args: { first: t.arg.int({ required: true }) },
    resolve: async ({ id }, { first }) => connect('risks', await tables.risksOfProject(id, first), entryPlace),
  }),
)

builder.scalarType('_Any', { serialize: (value) => value })
const Entity = builder.unionType('_Entity', {
  types: [Person, Group, Project, Risk, Issue],
  resolveType: ({ __typename }) => __typename,
})

const plainList = (t, type, scope, list) =>
  t.field({
    type,
    ...maybe,
    ...needs(scope),
    args: { first: t.arg.int({ required: true }) },
    resolve: async (_, { first }) => ({ nodes: await tables[list](first) }),
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
    risks: entryList(t, RiskConnection, 'risks'),
    projects: plainList(t, connectionOf(Project, 'ProjectConnection'), 'projects.read', 'projects'),
    groups: plainList(t, connectionOf(Group, 'GroupConnection'), 'personnel.read', 'groups'),
    _entities: t.field({
      type: [Entity],
      nullable: { list: false, items: true },
      args: { representations: t.arg({ type: ['_Any'], required: true }) },
      resolve: (_, { representations }, { loaders }) =>
        representations.map(async ({ __typename, id }) => ({ __typename, ...(await loaders.people.load(id)) })),
    }),
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
