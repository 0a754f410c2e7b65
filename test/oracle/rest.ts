import { type GraphQLInputObjectType, getNamedType, getNullableType, isEnumType, isLeafType, isListType } from 'graphql'
import type { Answer } from './compare.js'
import { type Context, holds, KINDS, scopeOf } from './rows.js'
import { answerOf, oracleSchema } from './schema.js'

/** The REST API as docs/rest.md has it: which query each route stands for, and how its result is shown. */

export interface RestRequest {
  readonly method: string
  /** The segments of the path below /v1. */
  readonly path: readonly string[]
  readonly parameters: readonly (readonly [name: string, value: string])[]
  readonly body?: unknown
}
export interface RestAnswer {
  readonly status: number
  readonly body?: unknown
}

const STATUSES: Readonly<Record<string, number>> = {
  ...{ BAD_REQUEST: 400, INSUFFICIENT_SCOPE: 403, NOT_FOUND: 404, CONFLICT: 409, VALIDATION_FAILED: 422 },
}

/** Every scalar field of a type, and what is nested in it. */
function bodyOf(type: string): string {
  const found = oracleSchema.getType(type)
  const fields = found && 'getFields' in found ? Object.values(found.getFields()) : []
  const parts = fields.map((field) => {
    if (isLeafType(getNamedType(field.type))) return field.name
    const nested: Readonly<Record<string, string>> = {
      ...{ groups: 'id name', project: 'id key name', owner: 'id name', assignee: 'id name', details: 'name text' },
    }
    return nested[field.name] && !('args' in field && field.args.length > 0)
      ? `${field.name} { ${nested[field.name]} }`
      : ''
  })
  return parts.join(' ')
}

const COUNTS = 'new closed up down unchanged opened resolved worse slipped'
const MOVED = 'id reference title project { id key name } movement'
const VIEWS: Readonly<Record<string, string>> = {
  riskMatrix: 'cells { likelihood impact count } unassessed unplaced levels { level count }',
  issueCounts: 'total severities { severity count } statuses { status count }',
  movements: `since until counts { ${COUNTS} } risks { ${MOVED} scoreFrom scoreTo levelFrom levelTo rankFrom rankTo }
    issues { ${MOVED} severityFrom severityTo dueFrom dueTo } projects { project { id key name } counts { ${COUNTS} } }`,
  riskTrend: 'points { on live unassessed low medium high critical score }',
  apiKey: 'name scopes projects expiresAt',
}
const CHANGE = 'id action recordedAt effectiveOn fields { field from to }'
const TYPES: Readonly<Record<string, string>> = {
  ...{ personnel: 'Person', groups: 'Group', projects: 'Project', risks: 'Risk', issues: 'Issue' },
}
/** The filter that the path of a list of one entity stands for. */
const WITHIN: Readonly<Record<string, readonly [root: string, filter: string]>> = {
  ...{ 'groups/members': ['personnel', 'group'], 'personnel/risks': ['risks', 'owner'] },
  ...{ 'personnel/issues': ['issues', 'assignee'], 'projects/risks': ['risks', 'project'] },
  ...{ 'projects/issues': ['issues', 'project'] },
}

/** The values of parameters: several are separated by commas, enums are in any case, and `none` is nobody. */
function valuesOf(type: GraphQLInputObjectType, parameters: RestRequest['parameters']) {
  const fields = type.getFields()
  return Object.fromEntries(
    parameters.map(([name, value]) => {
      const of = fields[name]?.type
      const named = getNamedType(of)
      const read = (text: string) => {
        if (isEnumType(named)) return text.toUpperCase()
        if (named?.name === 'Int') return Number(text)
        if (named?.name === 'Boolean') return text === 'true'
        return named?.name === 'ID' && text === 'none' ? null : text
      }
      return [name, isListType(getNullableType(of)) ? value.split(',').map(read) : read(value)]
    }),
  )
}

const inputType = (name: string) => oracleSchema.getType(name) as GraphQLInputObjectType

interface Root {
  readonly field: string
  readonly args: Readonly<Record<string, unknown>>
  readonly selection: string
  readonly isMutation?: boolean
}

/** The value of a root field; an error of the root is an error of the route, and others are nulls. */
async function valueOf(
  { field, args, selection, isMutation }: Root,
  context: Context,
): Promise<{ value: unknown } | RestAnswer> {
  const declared =
    (isMutation ? oracleSchema.getMutationType() : oracleSchema.getQueryType())?.getFields()[field]?.args ?? []
  const given = declared.filter(({ name }) => args[name] !== undefined)
  const types = given.map(({ name, type }) => `$${name}: ${type}`).join(', ')
  const passed = given.map(({ name }) => `${name}: $${name}`).join(', ')
  const query = `${isMutation ? 'mutation' : 'query'} ${types && `(${types})`} { value: ${field}${passed && `(${passed})`} { ${selection} } }`
  const { data, errors = [] }: Answer = await answerOf({ query, variables: args }, context)
  const error = errors.find(
    ({ path: [, below, ...deeper] = [] }) => below === undefined || (below === 'list' && deeper.length === 0),
  )
  if (!error) return { value: Object(data).value }
  const { code = 'BAD_REQUEST', requiredScope } = error.extensions ?? {}
  return {
    status: STATUSES[String(code)] ?? 500,
    body: { code, ...(requiredScope !== undefined && { requiredScope }) },
  }
}

const NOT_FOUND: RestAnswer = { status: 404, body: { code: 'NOT_FOUND' } }

/** One thing as it is; what is not there is a 404. */
async function one(root: Root, context: Context, status = 200): Promise<RestAnswer> {
  const result = await valueOf(root, context)
  if ('status' in result) return result
  if (result.value === null) return NOT_FOUND
  return { status, ...(status !== 204 && { body: result.value }) }
}

interface List {
  readonly nodes: readonly unknown[]
  readonly totalCount: number
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

/** A list with its page. */
async function list(
  root: Root,
  parameters: RestRequest['parameters'],
  context: Context,
  isNested = false,
): Promise<RestAnswer> {
  const paging = {
    first: parameters.find(([name]) => name === 'limit')?.[1],
    after: parameters.find(([name]) => name === 'cursor')?.[1],
  }
  const page = {
    ...(paging.first !== undefined && { first: Number(paging.first) }),
    ...(paging.after !== undefined && { after: paging.after }),
  }
  const selection = `nodes { ${root.selection} } totalCount pageInfo { hasNextPage endCursor }`
  const nested = Object.entries(page).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  const since = parameters.find(([name]) => name === 'since')?.[1]
  if (since !== undefined) nested.push(`filter: { since: ${JSON.stringify(since)} }`)
  const result = await valueOf(
    isNested
      ? { ...root, selection: `list: history${nested.length > 0 ? `(${nested.join(', ')})` : ''} { ${selection} }` }
      : { ...root, args: { ...root.args, ...page }, selection },
    context,
  )
  if ('status' in result) return result
  if (result.value === null) return NOT_FOUND
  const { nodes, pageInfo, totalCount }: List = isNested ? Object(result.value).list : result.value
  if (root.field === 'changes')
    return { status: 200, body: { data: nodes, page: { next: pageInfo.endCursor, more: pageInfo.hasNextPage } } }
  const isCounted = parameters.some(([name, value]) => name === 'total' && value === 'true')
  const next = pageInfo.hasNextPage ? pageInfo.endCursor : null
  return { status: 200, body: { data: nodes, page: { next, total: isCounted ? totalCount : null } } }
}

const PAGING = ['limit', 'cursor', 'total']
const SINGULAR: Readonly<Record<string, string>> = {
  ...{ personnel: 'person', groups: 'group', projects: 'project', risks: 'risk', issues: 'issue' },
}

/** Who made a change is shown to a key that may manage every kind that the request shows. */
function feedBody({ caller }: Context, filter: Readonly<Record<string, unknown>>): string {
  const given = Array.isArray(filter['entity'])
    ? filter['entity']
    : KINDS.filter((kind) => holds(caller, scopeOf(kind, 'read')))
  const kinds = KINDS.filter(
    (kind) => given.includes(kind) && (!filter['project'] || kind === 'PROJECT' || kind === 'RISK' || kind === 'ISSUE'),
  )
  const by = kinds.every((kind) => holds(caller, scopeOf(kind, 'manage'))) ? 'by' : ''
  return `id cursor recordedAt effectiveOn action entity entityId reference title project { id key name } ${by} fields { field from to }`
}

/** The bounds of numbers: a bad value is refused before anything else. */
const BOUNDS: Readonly<Record<string, readonly [least: number, most: number]>> = {
  ...{ limit: [1, 1000], minScore: [0, 25], minResidualScore: [0, 25], likelihood: [1, 5], impact: [1, 5] },
}

/** What the service must answer to a GET request. */
export async function restAnswerOf({ path, parameters }: RestRequest, context: Context): Promise<RestAnswer> {
  const isWithin = ([name, value]: readonly [string, string]) => {
    const [least, most] = BOUNDS[name] ?? [0, Number.POSITIVE_INFINITY]
    return !BOUNDS[name] || (Number(value) >= least && Number(value) <= most)
  }
  if (!parameters.every(isWithin)) return { status: 400, body: { code: 'BAD_REQUEST' } }
  const [noun = '', id, below] = path
  const filters = parameters.filter(([name]) => !PAGING.includes(name))
  const view = {
    'risks/matrix': 'riskMatrix',
    'issues/counts': 'issueCounts',
    'risks/trend': 'riskTrend',
    movements: 'movements',
    key: 'apiKey',
  }[path.join('/')]
  if (view === 'riskMatrix' || view === 'issueCounts') {
    const filter = valuesOf(inputType(view === 'riskMatrix' ? 'RiskFilter' : 'IssueFilter'), filters)
    return one({ field: view, args: { filter }, selection: VIEWS[view] ?? '' }, context)
  }
  if (view) {
    const given = Object.fromEntries(parameters)
    const { since, until, from, to, step } = given
    const filter = valuesOf(
      inputType(view === 'movements' ? 'MovementFilter' : 'TrendFilter'),
      parameters.filter(([name]) => ['project', 'level'].includes(name)),
    )
    const first = given['limit'] === undefined ? undefined : Number(given['limit'])
    const including = given['including']?.split(',')
    return one(
      {
        field: view,
        args: { since, until, from, to, step: step?.toUpperCase(), filter, first, including },
        selection: VIEWS[view] ?? '',
      },
      context,
    )
  }
  if (noun === 'changes') {
    const filter = valuesOf(inputType('FeedFilter'), filters)
    return list({ field: 'changes', args: { filter }, selection: feedBody(context, filter) }, parameters, context)
  }
  const type = TYPES[noun] ?? ''
  if (id === undefined) {
    const filter = valuesOf(inputType(`${type}Filter`), filters)
    return list({ field: noun, args: { filter }, selection: bodyOf(type) }, parameters, context)
  }
  const single: Root = { field: SINGULAR[noun] ?? '', args: { id }, selection: bodyOf(type) }
  if (below === undefined) return one(single, context)
  if (below === 'history') return list({ ...single, selection: CHANGE }, parameters, context, true)
  const [root = '', filterName = ''] = WITHIN[`${noun}/${below}`] ?? []
  const filter = { ...valuesOf(inputType(`${TYPES[root]}Filter`), filters), [filterName]: [id] }
  // What is below a thing that is not there is not there either.
  const parent = await one({ ...single, selection: 'id' }, context)
  const answer = await list(
    { field: root, args: { filter }, selection: bodyOf(TYPES[root] ?? '') },
    parameters,
    context,
  )
  return parent.status === 404 && answer.status !== 403 ? NOT_FOUND : answer
}

/** What the service must answer to a change: the same as the mutation. */
export function restChangeOf(
  field: string,
  args: Readonly<Record<string, unknown>>,
  context: Context,
): Promise<RestAnswer> {
  const counts = 'created updated unchanged closed'
  const selection =
    field === 'syncProject'
      ? `project { ${bodyOf('Project')} } risks { ${counts} } issues { ${counts} }`
      : field === 'syncPersonnel'
        ? `people { ${counts} } groups { ${counts} }`
        : bodyOf(field.endsWith('Person') ? 'Person' : 'Group')
  const status = field.endsWith('Member') ? 204 : field === 'addPerson' || field === 'addGroup' ? 201 : 200
  return one({ field, args, selection, isMutation: true }, context, status)
}
