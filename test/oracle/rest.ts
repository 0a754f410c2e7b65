import {
  type GraphQLArgument,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isObjectType,
} from 'graphql'
import type { Answer } from './compare.js'
import type { Context } from './rows.js'
import { answerOf, oracleSchema } from './schema.js'

/** The REST API as docs/rest.md has it: which query each route stands for, and how its result is shown. */

type Pairs = readonly (readonly [name: string, value: string])[]
export interface RestRequest {
  readonly method: string
  /** The segments of the path below /v1. */
  readonly path: readonly string[]
  readonly parameters: Pairs
  readonly body?: unknown
}
export interface RestAnswer {
  readonly status: number
  readonly body?: unknown
}

const STATUSES: Readonly<Record<string, number>> = {
  ...{ BAD_REQUEST: 400, INSUFFICIENT_SCOPE: 403, NOT_FOUND: 404, CONFLICT: 409, VALIDATION_FAILED: 422 },
}
const problem = (code: string, more = {}): RestAnswer => ({ status: STATUSES[code] ?? 500, body: { code, ...more } })

const fieldsOf = (name: string) => {
  const type = oracleSchema.getType(name)
  return isObjectType(type) ? type.getFields() : {}
}
const NESTED: Readonly<Record<string, string>> = {
  ...{ groups: 'id name', project: 'id key name', owner: 'id name', assignee: 'id name', details: 'name text' },
  mergedInto: 'id name',
}

/** Every scalar field of a type, and what is shown of what is nested in it. */
function bodyOf(type: string): string {
  const shown = Object.values(fieldsOf(type)).flatMap((field) => {
    if (isLeafType(getNamedType(field.type))) return [field.name]
    return NESTED[field.name] && field.args.length === 0 ? [`${field.name} { ${NESTED[field.name]} }`] : []
  })
  return shown.join(' ')
}

/** The same with the day of a request, which is the argument of one of its fields. */
function bodyOn(type: string, parameters: Pairs): string {
  const [, day] = parameters.find(([name]) => name === 'on') ?? []
  return day === undefined ? bodyOf(type) : bodyOf(type).replace('overdueIssueCount', `$&(on: "${day}")`)
}

const MATRIX = 'cells { likelihood impact count } unassessed unplaced levels { level count }'
const COUNTS = 'counts { new closed up down unchanged opened resolved worse slipped }'
const MOVED = 'id reference title project { id key name } movement'
const RUN = 'import { id source file operator }'
const FIELDS = 'fields { field from to }'
/** What the routes show that are neither a list nor an entity. */
const VIEWS: Readonly<Record<string, readonly [field: string, selection: string]>> = {
  'risks/matrix': ['riskMatrix', MATRIX],
  'risks/residual-matrix': ['residualMatrix', MATRIX],
  'issues/counts': ['issueCounts', 'total severities { severity count } statuses { status count }'],
  'risks/trend': ['riskTrend', 'points { on live unassessed low medium high critical score }'],
  movements: [
    'movements',
    `since until ${COUNTS} projects { project { id key name } ${COUNTS} }
    risks { ${MOVED} scoreFrom scoreTo levelFrom levelTo rankFrom rankTo }
    issues { ${MOVED} severityFrom severityTo dueFrom dueTo }`,
  ],
  overdue: [
    'overdueByPerson',
    'total people { person { id name } personId name overdueIssueCount openIssueCount overdueRiskCount riskCount }',
  ],
  key: ['apiKey', 'name scopes projects expiresAt'],
}
/** Each list with its type and with the field of one entry. */
const NOUNS: Readonly<Record<string, readonly [type: string, single: string]>> = {
  ...{ personnel: ['Person', 'person'], groups: ['Group', 'group'], projects: ['Project', 'project'] },
  ...{ risks: ['Risk', 'risk'], issues: ['Issue', 'issue'] },
}
/** The filter that the path of a list of one entity stands for. */
const WITHIN: Readonly<Record<string, readonly [root: string, filter: string]>> = {
  ...{ 'groups/members': ['personnel', 'group'], 'personnel/risks': ['risks', 'owner'] },
  ...{ 'personnel/issues': ['issues', 'assignee'], 'projects/risks': ['risks', 'project'] },
  ...{ 'projects/issues': ['issues', 'project'] },
}

/** The value of a parameter: several are separated by commas, enums are in any case, and `none` is nobody. */
function readAs(type: GraphQLInputType, value: string): unknown {
  const named = getNamedType(type)
  const read = (text: string) => {
    if (isEnumType(named)) return text.toUpperCase()
    if (named.name === 'Int') return Number(text)
    if (named.name === 'Boolean') return text === 'true'
    return named.name === 'ID' && text === 'none' ? null : text
  }
  return isListType(getNullableType(type)) ? value.split(',').map(read) : read(value)
}

/** The arguments of a field from parameters, which are arguments themselves or members of its filter. */
function argumentsOf(declared: readonly GraphQLArgument[], parameters: Pairs, filter = {}): Record<string, unknown> {
  const given = new Map(
    parameters.map(([name, value]) => [{ limit: 'first', cursor: 'after', order: 'orderBy' }[name] ?? name, value]),
  )
  const pick = (all: readonly { readonly name: string; readonly type: GraphQLInputType }[]) =>
    all.flatMap(({ name, type }) => {
      const value = given.get(name)
      return value === undefined ? [] : [[name, readAs(type, value)] as const]
    })
  const members = declared.flatMap(({ type }) => {
    const of = getNamedType(type)
    return isInputObjectType(of) ? pick(Object.values(of.getFields())) : []
  })
  return { ...Object.fromEntries(pick(declared)), filter: { ...Object.fromEntries(members), ...filter } }
}

interface Asked {
  readonly field: string
  readonly selection: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly isMutation?: boolean
}

/** A field with those of its arguments that have a value, and their declarations. */
function called(args: readonly GraphQLArgument[], variables: Asked['variables']) {
  const given = args.filter(({ name }) => variables[name] !== undefined)
  const passed = given.map(({ name }) => `${name}: $${name}`).join(', ')
  return { passed: passed && `(${passed})`, types: given.map(({ name, type }) => `$${name}: ${type}`) }
}

/** The value of a root field, or of the list in it: its error is that of the route, and deeper ones are nulls. */
async function ask(
  { field, selection, variables, isMutation }: Asked,
  context: Context,
  inner?: readonly GraphQLArgument[],
) {
  const outer = called(fieldsOf(isMutation ? 'Mutation' : 'Query')[field]?.args ?? [], variables)
  const list = inner && called(inner, variables)
  const types = [...outer.types, ...(list?.types ?? [])].join(', ')
  const shown = list ? `list: history${list.passed} { ${selection} }` : selection
  const query = `${isMutation ? 'mutation' : 'query'} ${types && `(${types})`} { value: ${field}${outer.passed} { ${shown} } }`
  const { data, errors = [] }: Answer = await answerOf({ query, variables }, context)
  const isOwn = (path: readonly unknown[]) => path.length <= 1 || (path.length === 2 && path[1] === 'list')
  const error = errors.find(({ path = [] }) => isOwn(path))
  const { code = 'BAD_REQUEST', ...more } = error?.extensions ?? {}
  if (error) return problem(String(code), more)
  const value = Object(data).value
  return value === null ? problem('NOT_FOUND') : { status: 200, body: list ? Object(value).list : value }
}

/** A list with its page; one that is followed has no end. */
async function page(asked: Asked, context: Context, parameters: Pairs, inner?: readonly GraphQLArgument[]) {
  const selection = `nodes { ${asked.selection} } totalCount pageInfo { hasNextPage endCursor }`
  const answer = await ask({ ...asked, selection }, context, inner)
  if (answer.status !== 200) return answer
  const { nodes, totalCount, pageInfo } = Object(answer.body)
  const { hasNextPage: more, endCursor } = pageInfo
  if (asked.field === 'changes') return { status: 200, body: { data: nodes, page: { next: endCursor, more } } }
  const isCounted = parameters.some(([name, value]) => name === 'total' && value === 'true')
  return {
    status: 200,
    body: { data: nodes, page: { next: more ? endCursor : null, total: isCounted ? totalCount : null } },
  }
}

const FEED_BODY = `by ${RUN} id cursor recordedAt effectiveOn action entity entityId reference title project { id key name } ${FIELDS}`

async function routeAnswerOf({ path, parameters }: RestRequest, context: Context): Promise<RestAnswer> {
  const [noun = '', id, part] = path
  const root = (field: string, filter = {}) => argumentsOf(fieldsOf('Query')[field]?.args ?? [], parameters, filter)
  const [view, shown = ''] = VIEWS[path.join('/')] ?? []
  if (view) return ask({ field: view, selection: shown, variables: root(view) }, context)
  if (noun === 'changes') return page({ field: noun, selection: FEED_BODY, variables: root(noun) }, context, parameters)
  const [type = '', single = ''] = NOUNS[noun] ?? []
  if (id === undefined)
    return page({ field: noun, selection: bodyOn(type, parameters), variables: root(noun) }, context, parameters)
  if (part === undefined) return ask({ field: single, selection: bodyOn(type, parameters), variables: { id } }, context)
  const history = fieldsOf(type)['history']?.args ?? []
  if (part === 'history') {
    const selection = `id action recordedAt effectiveOn by ${RUN} ${FIELDS}`
    const variables = { id, ...argumentsOf(history, parameters) }
    return page({ field: single, selection, variables }, context, parameters, history)
  }
  const [list = '', filter = ''] = WITHIN[`${noun}/${part}`] ?? []
  const selection = bodyOf(NOUNS[list]?.[0] ?? '')
  const below = (within = {}) => page({ field: list, selection, variables: root(list, within) }, context, parameters)
  // What is below a thing that is not there is not there either, if the rest can be used.
  const parent = await ask({ field: single, selection: 'id', variables: { id } }, context)
  if (parent.status !== 404) return below({ [filter]: [id] })
  const others = await below()
  return others.status === 200 ? parent : others
}

const BOUNDS: Readonly<Record<string, readonly [least: number, most: number]>> = {
  ...{ limit: [1, 1000], minScore: [0, 25], minResidualScore: [0, 25], likelihood: [1, 5], impact: [1, 5] },
  ...{ residualLikelihood: [1, 5], residualImpact: [1, 5] },
}

/** What the service must answer to a GET request: the scope of the route counts first, then a bad value, then the rest. */
export async function restAnswerOf(request: RestRequest, context: Context): Promise<RestAnswer> {
  const isBad = request.parameters.some(([name, value]) => {
    const [least = -Infinity, most = Infinity] = BOUNDS[name] ?? []
    return Number(value) < least || Number(value) > most
  })
  if (!isBad) return routeAnswerOf(request, context)
  const [noun, , below] = request.path
  const [list] = WITHIN[`${noun}/${below}`] ?? []
  const bare = await routeAnswerOf({ ...request, path: list ? [list] : request.path, parameters: [] }, context)
  return bare.status === 403 ? bare : problem('BAD_REQUEST')
}

/** What the service must answer to a change: the same as the mutation. */
export async function restChangeOf(
  field: string,
  variables: Asked['variables'],
  context: Context,
): Promise<RestAnswer> {
  const counts = '{ created updated unchanged closed }'
  const results: Readonly<Record<string, string>> = {
    syncProject: `project { ${bodyOf('Project')} } risks ${counts} issues ${counts}`,
    syncPersonnel: `people ${counts} groups ${counts}`,
    removeGroup: 'id',
  }
  const selection = results[field] ?? bodyOf(field.endsWith('Person') ? 'Person' : 'Group')
  const answer = await ask({ field, selection, variables, isMutation: true }, context)
  if (answer.status !== 200) return answer
  if (field.endsWith('Member') || field === 'removeGroup') return { status: 204 }
  return field === 'addPerson' || field === 'addGroup' ? { ...answer, status: 201 } : answer
}
