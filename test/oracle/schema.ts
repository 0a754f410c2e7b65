import { readFileSync } from 'node:fs'
import { makeExecutableSchema } from '@graphql-tools/schema'
import {
  defaultFieldResolver,
  execute,
  type GraphQLField,
  type GraphQLFieldResolver,
  GraphQLScalarType,
  getArgumentValues,
  getVariableValues,
  isObjectType,
  Kind as NodeKind,
  parse,
} from 'graphql'
import type { Answer } from './compare.js'
import * as lists from './lists.js'
import { isIdOf, type NamedKind, named, type PageArguments, requireArguments } from './lists.js'
import { changeCursor, OPAQUE } from './pages.js'
import type { Context, Kind, Scope } from './rows.js'
import * as rows from './rows.js'
import { fieldsIn, selectedIn } from './selections.js'
import * as views from './views.js'
import * as writes from './writes.js'

/** The SDL for clients, executed naively, with what gateways may ask besides. */

const SDL = `${readFileSync(new URL('../../schema/api.graphql', import.meta.url), 'utf8')}
scalar _Any
union _Entity = Person | Group | Project | Risk | Issue
extend type Query { _entities(representations: [_Any!]!): [_Entity]! }`

/** The scope that each field needs; what is below it needs no other one, unless it stands here too. */
const NEEDS: Readonly<Record<Scope, string>> = {
  'personnel.read':
    'Query.personnel Query.person Query.groups Query.group Risk.owner Issue.assignee OverduePerson.person',
  'projects.read':
    'Query.projects Query.project Query.risks Query.risk Query.issues Query.issue Query.riskMatrix Query.issueCounts ' +
    'Query.residualMatrix Query.movements Query.riskTrend Query.overdueByPerson Person.risks Person.issues',
  'personnel.manage':
    'Mutation.addPerson Mutation.changePerson Mutation.addGroup Mutation.changeGroup Mutation.removeGroup ' +
    'Mutation.addMember Mutation.removeMember Mutation.syncPersonnel',
  'projects.manage': 'Mutation.syncProject',
}

type Fields<Row> = Readonly<Record<string, GraphQLFieldResolver<Row, Context>>>

const TYPES: Readonly<Record<Kind, string>> = {
  ...{ PERSON: 'Person', GROUP: 'Group', PROJECT: 'Project', RISK: 'Risk', ISSUE: 'Issue' },
}

type Names = Readonly<Record<string, string | null | undefined>>

/** Exactly one of these ways to name an entity must be given. */
function byOneOf(context: Context, kind: NamedKind, args: Names, ...ways: string[]) {
  const given = ways.filter((way) => args[way] != null)
  if (given.length !== 1) throw rows.bad()
  return byKey(context, kind, given[0] ?? '', args)
}

/** A person, group or project by one of its keys; an id may also be what people know. */
function byKey(context: Context, kind: NamedKind, way: string, names: Names) {
  const text = names[way] ?? ''
  if (way !== 'externalId') return isIdOf(kind, text) && way !== 'id' ? null : named(context, kind, text)
  const all: readonly (rows.Person | rows.Group)[] = context.world.all(kind === 'PERSON' ? kind : 'GROUP')
  return all.find(({ externalId }) => externalId === text.trim()) ?? null
}

/** A risk or an issue by id, or by its project and its reference there. */
function entryBy(context: Context, kind: 'RISK' | 'ISSUE', { id, project, reference }: Names) {
  if ((id != null) === (project != null || reference != null)) throw rows.bad()
  if (id != null) return context.world.get(kind, id)
  if (project == null || reference == null) throw rows.bad()
  const of = named(context, 'PROJECT', project)
  const all: readonly (rows.Risk | rows.Issue)[] = context.world.all(kind)
  return all.find((row) => row.projectId === of?.id && row.reference === reference.trim()) ?? null
}

type Representation = Readonly<Record<string, string>> & { readonly project?: { readonly key: string } }

/** What a reference of a gateway names, by the first key that it has. */
function entityBy(context: Context, given: Representation) {
  const kind = rows.KINDS.find((one) => TYPES[one] === given['__typename'])
  const way = ['id', 'email', 'name', 'key', 'externalId', 'reference'].find((one) => given[one] !== undefined) ?? ''
  if (!kind) throw rows.bad()
  rows.requireScope(context.caller, rows.scopeOf(kind, 'read'))
  if (!way || (way === 'reference' && !given.project)) throw rows.bad()
  const isEntry = kind === 'RISK' || kind === 'ISSUE'
  const found =
    way === 'id'
      ? context.world.get(kind, given[way] ?? null)
      : isEntry
        ? entryBy(context, kind, { project: given.project?.key, reference: given[way] })
        : byKey(context, kind, way, { [way]: given[way] })
  return found && { ...found, __typename: TYPES[kind] }
}

const Query: Fields<unknown> = {
  personnel: (_, args, context) => lists.personnel(context, context.world.all('PERSON'), args),
  groups: (_, args, context) => lists.groups(context, args),
  projects: (_, args, context) => lists.projects(context, args),
  risks: (_, args, context) => lists.risks(context, context.world.all('RISK'), args),
  issues: (_, args, context) => lists.issues(context, context.world.all('ISSUE'), args),
  changes: (_, args, context) => lists.changes(context, args),
  person: (_, args, context) => byOneOf(context, 'PERSON', args, 'id', 'email', 'externalId'),
  group: (_, args, context) => byOneOf(context, 'GROUP', args, 'id', 'name', 'externalId'),
  project: (_, args, context) => byOneOf(context, 'PROJECT', args, 'id', 'key'),
  risk: (_, args, context) => entryBy(context, 'RISK', args),
  issue: (_, args, context) => entryBy(context, 'ISSUE', args),
  riskMatrix: (_, { filter }, context) => views.riskMatrix(context, filter ?? {}),
  residualMatrix: (_, { filter }, context) => views.residualMatrix(context, filter ?? {}),
  issueCounts: (_, { filter }, context) => views.issueCounts(context, filter ?? {}),
  movements: (_, args, context) => views.movements(context, args),
  overdueByPerson: (_, args, context) => views.overdueByPerson(context, args),
  riskTrend: (_, args, context) => views.riskTrend(context, args),
  apiKey: (_, __, { caller: { keyName, scopes } }) => ({ name: keyName, scopes, projects: null, expiresAt: null }),
  node(_, { id }, context) {
    const kind = rows.KINDS.find((one) => isIdOf(one, id))
    return kind ? entityBy(context, { __typename: TYPES[kind], id }) : null
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

type Owned = { readonly id: string }
const history = ({ id }: Owned, args: PageArguments, context: Context) => lists.history(context, id, args)
const project = ({ projectId }: { projectId: string | null }, _: unknown, { world }: Context) =>
  world.get('PROJECT', projectId)
/** The risks, issues or members of which a column is the id of their parent. */
const risksBy =
  (column: 'ownerId' | 'projectId') =>
  ({ id }: Owned, args: PageArguments, context: Context) =>
    lists.risks(
      context,
      context.world.all('RISK').filter((risk) => risk[column] === id),
      args,
    )
const issuesBy =
  (column: 'assigneeId' | 'projectId' | 'riskId') =>
  ({ id }: Owned, args: PageArguments, context: Context) =>
    lists.issues(
      context,
      context.world.all('ISSUE').filter((issue) => issue[column] === id),
      args,
    )
const membersOf = ({ world }: Context, of: string) => world.all('PERSON').filter(({ groups }) => groups.includes(of))
const liveOf = (kind: 'RISK' | 'ISSUE', { world }: Context, of: string) => {
  const all: readonly (rows.Risk | rows.Issue)[] = world.all(kind)
  return all.filter((row) => row.projectId === of && rows.isLive(row))
}

const Person: Fields<rows.Person> = {
  groups: ({ groups }, _, { world }) => lists.sortedGroups(world.all('GROUP').filter(({ id }) => groups.includes(id))),
  ...{ risks: risksBy('ownerId'), issues: issuesBy('assigneeId'), history },
}
const Group: Fields<rows.Group> = {
  members: ({ id }, args, context) => lists.personnel(context, membersOf(context, id), args),
  memberCount: ({ id }, _, context) => membersOf(context, id).filter(({ status }) => status === 'ACTIVE').length,
  history,
}
const Project: Fields<rows.Project> = {
  ...{ risks: risksBy('projectId'), issues: issuesBy('projectId'), history },
  openRiskCount: ({ id }, _, context) => liveOf('RISK', context, id).length,
  criticalRiskCount: ({ id }, _, { world }) =>
    world.all('RISK').filter((one) => one.projectId === id && rows.isLive(one) && rows.scoreOf(one) >= 20).length,
  openIssueCount: ({ id }, _, context) => liveOf('ISSUE', context, id).length,
  overdueIssueCount: ({ id }, { on }: { on?: string | null }, context) =>
    on == null ? null : liveOf('ISSUE', context, id).filter(({ dueOn }) => dueOn !== null && dueOn < on).length,
  topRiskScore({ id }, _, { world }) {
    const scores = world
      .all('RISK')
      .filter((risk) => risk.projectId === id && rows.isLive(risk))
      .map(rows.scoreOf)
    return scores.length === 0 ? null : Math.max(...scores)
  },
}
const levelOrNull = (score: number | null) => (score === null ? null : rows.levelOf(score))
const Risk: Fields<rows.Risk> = {
  ...{ project, issues: issuesBy('riskId'), history },
  ...{ score: rows.scoreOf, residualScore: rows.residualScoreOf },
  level: (risk) => rows.levelOf(rows.scoreOf(risk)),
  residualLevel: (risk) => levelOrNull(rows.residualScoreOf(risk)),
  rank: (risk, _, { world }) => rows.rankOf(risk, world.all('RISK')),
  owner: ({ ownerId }, _, { world }) => world.get('PERSON', ownerId),
}
const Issue: Fields<rows.Issue> = {
  ...{ project, history },
  assignee: ({ assigneeId }, _, { world }) => world.get('PERSON', assigneeId),
  risk: ({ riskId }, _, { world }) => world.get('RISK', riskId),
}

/** A member of what has changed, as it is now. */
const now =
  (...members: string[]): GraphQLFieldResolver<rows.Change, Context> =>
  ({ entity, entityId }, _, { world }) => {
    const values = new Map(Object.entries(world.get(entity, entityId) ?? {}))
    return values.get(members.find((member) => values.has(member)) ?? '') ?? null
  }
const isManaged = ({ entity }: { readonly entity: rows.Kind }, { caller }: Context) =>
  rows.holds(caller, rows.scopeOf(entity, 'manage'))
const Change: Fields<rows.Change> = {
  id: ({ number }) => `${OPAQUE}change ${number}`,
  cursor: ({ number }) => changeCursor(number),
  effectiveOn: ({ recordedAt }) => recordedAt.slice(0, 10),
  by: ({ by, ...change }, _, context) => (isManaged(change, context) ? by : null),
  import: ({ import: run, ...change }, _, context) => (isManaged(change, context) ? run : null),
  title: (change, ...rest) => {
    if (change.action === 'REMOVED') return change.fields.find(({ field }) => field === 'name')?.from
    return (change.entity === 'PERSON' ? now('name') : now('title', 'name'))(change, ...rest)
  },
  ...{ reference: now('reference', 'key'), project },
  person: ({ entityId }, _, { world }) => world.get('PERSON', entityId),
  group: ({ entityId }, _, { world }) => world.get('GROUP', entityId),
  risk: ({ entityId }, _, { world }) => world.get('RISK', entityId),
  issue: ({ entityId }, _, { world }) => world.get('ISSUE', entityId),
}

const changing =
  (change: (context: Context, args: writes.Arguments) => unknown): GraphQLFieldResolver<unknown, Context> =>
  (_, args, context) =>
    context.world.atomically(() => change(context, args), context.written)
const Mutation: Fields<unknown> = {
  ...{ addPerson: changing(writes.addPerson), changePerson: changing(writes.changePerson) },
  ...{ addGroup: changing(writes.addGroup), changeGroup: changing(writes.changeGroup) },
  addMember: changing((context, args) => writes.setMember(context, args, true)),
  removeGroup: changing(writes.removeGroup),
  removeMember: changing((context, args) => writes.setMember(context, args, false)),
  ...{ syncPersonnel: changing(writes.syncPersonnel), syncProject: changing(writes.syncProject) },
}

/** A day, or an instant with its zone; a day is its beginning in UTC. */
function instant(value: unknown): string {
  const text = /^\d{4}-\d\d-\d\d$/.test(String(value)) ? `${value}T00:00:00Z` : String(value)
  if (!/T.*(Z|[+-]\d\d:\d\d)$/.test(text) || Number.isNaN(Date.parse(text))) throw rows.bad()
  return new Date(text).toISOString()
}

function day(value: unknown): string {
  if (!/^\d{4}-\d\d-\d\d$/.test(String(value)) || instant(value).slice(0, 10) !== value) throw rows.bad()
  return String(value)
}

export const oracleSchema = makeExecutableSchema({
  typeDefs: SDL,
  resolvers: {
    ...{ Query, Mutation, Person, Group, Project, Risk, Issue, Change, ProjectMovements: { project } },
    RiskMovement: { project, risk: ({ id }, _, { world }: Context) => world.get('RISK', id) },
    IssueMovement: { project, issue: ({ id }, _, { world }: Context) => world.get('ISSUE', id) },
    Date: new GraphQLScalarType({ name: 'Date', parseValue: day }),
    DateTime: new GraphQLScalarType({ name: 'DateTime', parseValue: instant }),
  },
})

const needs: ReadonlyMap<string, Scope> = new Map(
  Object.entries(NEEDS).flatMap(([scope, fields]) => fields.split(' ').map((field) => [field, scope as Scope])),
)

/** A request, and what is wrong with the arguments of lists, by root field. */
interface Checked extends Context {
  readonly faults: ReadonlyMap<string | number, unknown>
}

/** Of these the own arguments are checked before those of the lists inside. */
const isNamedFirst = ({ name, args }: GraphQLField<unknown, unknown>) =>
  name !== 'node' && name !== '_entities' && args.every((arg) => arg.name !== 'after')

for (const type of Object.values(oracleSchema.getTypeMap()).filter(isObjectType)) {
  for (const field of Object.values(type.getFields())) {
    const scope = needs.get(`${type.name}.${field.name}`)
    const isRoot = type.name === 'Query' || type.name === 'Mutation'
    const resolve = field.resolve ?? defaultFieldResolver
    if (!isRoot && !scope) continue
    field.resolve = async (source, args, context: Checked, info) => {
      // Below the root a field that may not be read is null, and `selectedIn` has its error.
      if (!isRoot) return scope && !rows.holds(context.caller, scope) ? null : resolve(source, args, context, info)
      if (scope) rows.requireScope(context.caller, scope)
      const fault = context.faults.get(info.path.key)
      if (fault && (type.name === 'Mutation' || !isNamedFirst(field))) throw fault
      const value: unknown = await resolve(source, args, context, info)
      if (fault) throw fault
      return value
    }
  }
}

export interface Question {
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
}

/** The types that `node` or `_entities` look something up of. */
function typesReferred(context: Context, { representations, id }: Readonly<Record<string, unknown>>): Set<string> {
  const kind = rows.KINDS.find((one) => isIdOf(one, String(id)))
  const given = (representations ?? (kind ? [{ __typename: TYPES[kind], id }] : [])) as Representation[]
  const types = given.flatMap((one) => {
    try {
      entityBy(context, one)
      return one['__typename'] ?? []
    } catch {
      return []
    }
  })
  return new Set(types)
}

/** What the service must answer. */
export async function answerOf({ query, variables }: Question, context: Context): Promise<Answer> {
  const document = parse(query)
  const [operation] = document.definitions.filter((node) => node.kind === NodeKind.OPERATION_DEFINITION)
  const type = operation && oracleSchema.getRootType(operation.operation)
  if (!operation || !type) throw new Error('The query has no operation.')
  const run = (faults: Checked['faults']) =>
    execute({ schema: oracleSchema, document, variableValues: variables, contextValue: { ...context, faults } })
  const { coerced } = getVariableValues(oracleSchema, operation.variableDefinitions ?? [], variables)
  if (!coerced) return run(new Map())
  const fragments = document.definitions.filter((node) => node.kind === NodeKind.FRAGMENT_DEFINITION)
  const planning = {
    ...{ schema: oracleSchema, variables: coerced, caller: context.caller, needs },
    fragments: Object.fromEntries(fragments.map((one) => [one.name.value, one])),
  }
  const faults = new Map<string | number, unknown>()
  const refusals = [...fieldsIn(planning, type, [operation.selectionSet])].flatMap(([key, nodes]) => {
    try {
      const field = type.getFields()[nodes[0].name.value]
      const referred = field ? typesReferred(context, getArgumentValues(field, nodes[0], coerced)) : new Set()
      const selected = selectedIn(planning, type, nodes, [key], ({ name }) => referred.has(name))
      requireArguments(context, selected.lists)
      return selected.refusals
    } catch (error) {
      faults.set(key, error)
      return []
    }
  })
  const { data, errors = [] } = await run(faults)
  const deep = errors.find(({ path }) => path && path.length > (path[0] === '_entities' ? 2 : 1))
  if (deep) throw deep
  const failed = new Set(errors.flatMap(({ path = [] }) => (path.length === 1 ? path : [])))
  const refused = refusals
    .filter(({ path: [key = ''] }) => !failed.has(key))
    .map(({ path, scope }) => ({ path, extensions: { code: 'INSUFFICIENT_SCOPE', requiredScope: scope } }))
  return { data, errors: [...errors, ...refused] }
}
