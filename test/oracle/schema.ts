import { readFileSync } from 'node:fs'
import { makeExecutableSchema } from '@graphql-tools/schema'
import {
  defaultFieldResolver,
  type ExecutionResult,
  execute,
  type GraphQLFieldResolver,
  GraphQLScalarType,
  isIntrospectionType,
  isObjectType,
  parse,
} from 'graphql'
import {
  feedPage,
  groupsPage,
  historyPage,
  isIdOf,
  issuesPage,
  named,
  type PageArguments,
  personnelPage,
  projectsPage,
  risksPage,
  sortedGroups,
} from './lists.js'
import { changeCursor, OPAQUE } from './pages.js'
import {
  bad,
  type Change,
  type Context,
  type Group,
  type Issue,
  isLive,
  isOpen,
  KINDS,
  type Kind,
  levelOf,
  type Person,
  type Project,
  type Risk,
  type Rows,
  rankOf,
  requireScope,
  residualScoreOf,
  type Scope,
  scopeOf,
  scoreOf,
} from './rows.js'
import { syncPersonnel, syncProject } from './syncs.js'
import { issueCounts, movements, riskMatrix, riskTrend } from './views.js'
import { addGroup, addPerson, changeGroup, changePerson, setMember } from './writes.js'

/** The SDL for clients, executed naively, with what gateways may ask besides. */

const SDL = `${readFileSync(new URL('../../schema/api.graphql', import.meta.url), 'utf8')}
scalar _Any
union _Entity = Person | Group | Project | Risk | Issue
extend type Query { _entities(representations: [_Any!]!): [_Entity]! }`

/** The scope that each field needs; those below it have the same one unless they stand here too. */
const PEOPLE = 'personnel.read'
const PROJECTS = 'projects.read'
const STAFFING = 'personnel.manage'
export const NEEDS: Readonly<Record<string, Scope>> = {
  ...{ 'Query.personnel': PEOPLE, 'Query.person': PEOPLE, 'Query.groups': PEOPLE, 'Query.group': PEOPLE },
  ...{ 'Query.projects': PROJECTS, 'Query.project': PROJECTS, 'Query.risks': PROJECTS, 'Query.risk': PROJECTS },
  ...{ 'Query.issues': PROJECTS, 'Query.issue': PROJECTS, 'Query.riskMatrix': PROJECTS },
  ...{ 'Query.issueCounts': PROJECTS, 'Query.movements': PROJECTS, 'Query.riskTrend': PROJECTS },
  ...{ 'Risk.owner': PEOPLE, 'Issue.assignee': PEOPLE, 'Person.risks': PROJECTS, 'Person.issues': PROJECTS },
  ...{ 'Mutation.addPerson': STAFFING, 'Mutation.changePerson': STAFFING, 'Mutation.addGroup': STAFFING },
  ...{ 'Mutation.changeGroup': STAFFING, 'Mutation.addMember': STAFFING, 'Mutation.removeMember': STAFFING },
  ...{ 'Mutation.syncPersonnel': STAFFING, 'Mutation.syncProject': 'projects.manage' },
}

type Fields<Row> = Readonly<Record<string, GraphQLFieldResolver<Row, Context>>>

const TYPES: Readonly<Record<Kind, string>> = {
  ...{ PERSON: 'Person', GROUP: 'Group', PROJECT: 'Project', RISK: 'Risk', ISSUE: 'Issue' },
}

/** An object of an interface or a union, which must say its type. */
function typed<K extends Kind>(kind: K, row: Rows[K] | null) {
  return row && { __typename: TYPES[kind], ...row }
}

/** Exactly one of these ways to name an entity must be given. */
function onlyWay(args: Readonly<Record<string, string | null | undefined>>, ...ways: string[]): string {
  const given = ways.filter((way) => args[way] != null)
  const [way = ''] = given
  if (given.length !== 1) throw bad()
  return way
}

const Query: Fields<unknown> = {
  personnel: (_, args, context) => personnelPage(context, context.world.all('PERSON'), args),
  groups: (_, args, context) => groupsPage(context, args),
  projects: (_, args, context) => projectsPage(context, args),
  risks: (_, args, context) => risksPage(context, context.world.all('RISK'), args),
  issues: (_, args, context) => issuesPage(context, context.world.all('ISSUE'), args),
  changes: (_, args, context) => feedPage(context, args),
  person: (_, args, context) => byKey(context, 'PERSON', onlyWay(args, 'id', 'email', 'externalId'), args),
  group: (_, args, context) => byKey(context, 'GROUP', onlyWay(args, 'id', 'name', 'externalId'), args),
  project: (_, args, context) => byKey(context, 'PROJECT', onlyWay(args, 'id', 'key'), args),
  risk: (_, args, context) => entryBy(context, 'RISK', args),
  issue: (_, args, context) => entryBy(context, 'ISSUE', args),
  riskMatrix: (_, { filter }, context) => riskMatrix(context, filter ?? {}),
  issueCounts: (_, { filter }, context) => issueCounts(context, filter ?? {}),
  movements: (_, args, context) => movements(context, args),
  riskTrend: (_, args, context) => riskTrend(context, args),
  apiKey: (_, __, { caller: { keyName, scopes } }) => ({ name: keyName, scopes, projects: null, expiresAt: null }),
  node(_, { id }, { caller, world }) {
    const kind = KINDS.find((one) => isIdOf(one, id))
    if (!kind) return null
    requireScope(caller, scopeOf(kind, 'read'))
    return typed(kind, world.get(kind, id))
  },
  _entities: (_, { representations }, context) =>
    representations.map((given: Representation) => {
      try {
        return entityBy(context, given)
      } catch (error) {
        return error
      }
    }),
}

type Names = Readonly<Record<string, string | null | undefined>>

/** A person, group or project by one of its keys; an id may also be what people know. */
function byKey(context: Context, kind: 'PERSON' | 'GROUP' | 'PROJECT', way: string, names: Names) {
  const text = names[way] ?? ''
  if (way !== 'externalId') return isIdOf(kind, text) && way !== 'id' ? null : named(context, kind, text)
  const kinds: readonly (Person | Group)[] = kind === 'PERSON' ? context.world.all(kind) : context.world.all('GROUP')
  return kinds.find(({ externalId }) => externalId === text.trim()) ?? null
}

/** A risk or an issue by id, or by its project and its reference there. */
function entryBy(context: Context, kind: 'RISK' | 'ISSUE', { id, project, reference }: Names) {
  if ((id != null) === (project != null || reference != null)) throw bad()
  if (id != null) return context.world.get(kind, id)
  if (project == null || reference == null) throw bad()
  const of = named(context, 'PROJECT', project)
  const rows: readonly (Risk | Issue)[] = context.world.all(kind)
  return rows.find((row) => row.projectId === of?.id && row.reference === reference.trim()) ?? null
}

interface Representation {
  readonly __typename: string
  readonly project?: { readonly key: string }
  readonly [key: string]: unknown
}

/** What a reference of a gateway names: the first key of the type that it has counts. */
function entityBy(context: Context, given: Representation) {
  const kind = KINDS.find((one) => TYPES[one] === given.__typename)
  const text = (name: string) => (typeof given[name] === 'string' ? given[name] : null)
  const way = ['id', 'email', 'name', 'key', 'externalId', 'reference'].find((one) => text(one) !== null)
  if (!kind || !way || (way === 'reference' && !given.project)) throw bad()
  requireScope(context.caller, scopeOf(kind, 'read'))
  const found =
    way === 'id'
      ? context.world.get(kind, text('id'))
      : kind === 'RISK' || kind === 'ISSUE'
        ? entryBy(context, kind, { project: given.project?.key, reference: text(way) })
        : byKey(context, kind, way, { [way]: text(way) })
  return found && { ...found, __typename: TYPES[kind] }
}

const history = ({ id }: { id: string }, args: PageArguments<object>, context: Context) =>
  historyPage(context, id, args)

const Person: Fields<Person> = {
  groups: ({ groups }, _, { world }) => sortedGroups(world.all('GROUP').filter(({ id }) => groups.includes(id))),
  risks: ({ id }, args, context) =>
    risksPage(
      context,
      context.world.all('RISK').filter(({ ownerId }) => ownerId === id),
      args,
    ),
  issues: ({ id }, args, context) =>
    issuesPage(
      context,
      context.world.all('ISSUE').filter(({ assigneeId }) => assigneeId === id),
      args,
    ),
  history,
}

const membersOf = ({ world }: Context, groupId: string) =>
  world.all('PERSON').filter(({ groups }) => groups.includes(groupId))

const Group: Fields<Group> = {
  members: ({ id }, args, context) => personnelPage(context, membersOf(context, id), args),
  memberCount: ({ id }, _, context) => membersOf(context, id).filter(({ status }) => status === 'ACTIVE').length,
  history,
}

const liveRisksOf = ({ world }: Context, of: string) =>
  world.all('RISK').filter((risk) => risk.projectId === of && isLive(risk))

const Project: Fields<Project> = {
  risks: ({ id }, args, context) =>
    risksPage(
      context,
      context.world.all('RISK').filter(({ projectId }) => projectId === id),
      args,
    ),
  issues: ({ id }, args, context) =>
    issuesPage(
      context,
      context.world.all('ISSUE').filter(({ projectId }) => projectId === id),
      args,
    ),
  openRiskCount: ({ id }, _, context) => liveRisksOf(context, id).length,
  openIssueCount: ({ id }, _, { world }) =>
    world.all('ISSUE').filter((issue) => issue.projectId === id && isOpen(issue)).length,
  topRiskScore(project, _, context) {
    const live = liveRisksOf(context, project.id)
    return live.length === 0 ? null : Math.max(...live.map(scoreOf))
  },
  history,
}

const project = ({ projectId }: { projectId: string | null }, _: unknown, { world }: Context) =>
  world.get('PROJECT', projectId)

const Risk: Fields<Risk> = {
  project,
  score: (risk) => scoreOf(risk),
  level: (risk) => levelOf(scoreOf(risk)),
  rank: (risk, _, { world }) => rankOf(risk, world.all('RISK')),
  residualScore: residualScoreOf,
  residualLevel(risk) {
    const score = residualScoreOf(risk)
    return score === null ? null : levelOf(score)
  },
  owner: ({ ownerId }, _, { world }) => world.get('PERSON', ownerId),
  issues: ({ id }, args, context) =>
    issuesPage(
      context,
      context.world.all('ISSUE').filter(({ riskId }) => riskId === id),
      args,
    ),
  history,
}

const Issue: Fields<Issue> = {
  project,
  assignee: ({ assigneeId }, _, { world }) => world.get('PERSON', assigneeId),
  risk: ({ riskId }, _, { world }) => world.get('RISK', riskId),
  history,
}

/** What a change is about, as it is now. */
function changed({ entity, entityId }: Change, { world }: Context): { title: string; reference: string | null } {
  if (entity === 'RISK' || entity === 'ISSUE') {
    return world.get(entity, entityId) ?? { title: '', reference: null }
  }
  if (entity === 'PROJECT') {
    const { name = '', key = null } = world.get(entity, entityId) ?? {}
    return { title: name, reference: key }
  }
  return { title: world.get(entity, entityId)?.name ?? '', reference: null }
}

const Change: Fields<Change> = {
  id: ({ number }) => `${OPAQUE}change ${number}`,
  cursor: ({ number }) => changeCursor(number),
  effectiveOn: ({ recordedAt }) => recordedAt.slice(0, 10),
  by(change, _, { caller }) {
    requireScope(caller, scopeOf(change.entity, 'manage'))
    return change.by
  },
  title: (change, _, context) => changed(change, context).title,
  reference: (change, _, context) => changed(change, context).reference,
  project,
  person: ({ entityId }, _, { world }) => world.get('PERSON', entityId),
  group: ({ entityId }, _, { world }) => world.get('GROUP', entityId),
  risk: ({ entityId }, _, { world }) => world.get('RISK', entityId),
  issue: ({ entityId }, _, { world }) => world.get('ISSUE', entityId),
}

const Mutation: Fields<unknown> = {
  addPerson: (_, { input }, context) => addPerson(context, input),
  changePerson: (_, { id, input }, context) => changePerson(context, id, input),
  addGroup: (_, { input }, context) => addGroup(context, input),
  changeGroup: (_, { id, input }, context) => changeGroup(context, id, input),
  addMember: (_, { groupId, personId }, context) => setMember(context, groupId, personId, true),
  removeMember: (_, { groupId, personId }, context) => setMember(context, groupId, personId, false),
  syncPersonnel: (_, { input }, context) =>
    context.world.atomically(() => syncPersonnel(context, input), context.written),
  syncProject: (_, { input }, context) => context.world.atomically(() => syncProject(context, input), context.written),
}

function instant(value: unknown): string {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(String(value))
  const time = Date.parse(isDay ? `${value}T00:00:00Z` : String(value))
  if (!isDay && !/T.*(Z|[+-]\d\d:\d\d)$/.test(String(value))) throw bad()
  if (Number.isNaN(time)) throw bad()
  return new Date(time).toISOString()
}

function day(value: unknown): string {
  const time = /^\d{4}-\d\d-\d\d$/.test(String(value)) ? Date.parse(`${value}T00:00:00Z`) : Number.NaN
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== value) throw bad()
  return String(value)
}

const schema = makeExecutableSchema({
  typeDefs: SDL,
  resolvers: {
    ...{ Query, Mutation, Person, Group, Project, Risk, Issue, Change },
    RiskMovement: { project, risk: ({ id }, _, { world }: Context) => world.get('RISK', id) },
    IssueMovement: { project, issue: ({ id }, _, { world }: Context) => world.get('ISSUE', id) },
    ProjectMovements: { project },
    Date: new GraphQLScalarType({ name: 'Date', parseValue: day }),
    DateTime: new GraphQLScalarType({ name: 'DateTime', parseValue: instant }),
  },
})
for (const type of Object.values(schema.getTypeMap())) {
  if (!isObjectType(type) || isIntrospectionType(type)) continue
  for (const field of Object.values(type.getFields())) {
    const needed = NEEDS[`${type.name}.${field.name}`]
    const resolve = field.resolve ?? defaultFieldResolver
    if (!needed) continue
    field.resolve = (source, args, context: Context, info) => {
      requireScope(context.caller, needed)
      return resolve(source, args, context, info)
    }
  }
}

export { schema as oracleSchema }

export interface Question {
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
}

/** What the service must answer. */
export async function answerOf({ query, variables }: Question, contextValue: Context): Promise<ExecutionResult> {
  return execute({ schema, document: parse(query), variableValues: variables, contextValue })
}
