import { LIMITS } from '../../limits.js'
import { capitalized, HELD_NOUNS, type HeldNoun, NOUNS, type NounPlural } from '../../vocabulary.js'
import type { OperationName } from './operations.js'

export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  readonly path: string
  readonly operation: OperationName
  readonly status: 200 | 201 | 204
  /** The sheet whose columns the CSV form of a list has. */
  readonly sheet?: NounPlural
  /** For a list that belongs to one entity: the operation that reads that entity, by the same parameter. */
  readonly parent?: OperationName
  /** Whether the list takes names that the path of its parent does not: the parent is read before it. */
  readonly hasParentFirst?: boolean
  /** The only media type of the response, if it is not JSON. */
  readonly type?: typeof CSV_TYPE
  /** Whether clients follow the list: `page.next` is never null. */
  readonly isFeed?: boolean
  /** For a route that accepts more than `LIMITS.bodyBytesMax`. */
  readonly bodyBytesMax?: number
}

export const CSV_TYPE = 'text/csv'
/** A batch of CloudEvents 1.0: the other form of a feed. */
export const EVENTS_TYPE = 'application/cloudevents-batch+json'

/** The media types of a request body. For PATCH, plain JSON is treated as a merge patch (RFC 7396). */
export function bodyTypesOf(method: string): readonly string[] {
  return method === 'PATCH' ? ['application/merge-patch+json', 'application/json'] : ['application/json']
}

const MANY_RECORDS = { bodyBytesMax: LIMITS.syncBodyBytesMax }

/** What every noun has: its list, also as CSV, one of it, and the history of that one. */
function ofNoun(
  path: string,
  sheet: NounPlural,
  one: string,
  operations: readonly [list: OperationName, one: OperationName, history: OperationName],
): Route[] {
  const [list, get, history] = operations
  return [
    { method: 'GET', path, operation: list, status: 200, sheet },
    { method: 'GET', path: `${path}/${one}`, operation: get, status: 200 },
    { method: 'GET', path: `${path}/${one}/history`, operation: history, status: 200 },
  ]
}

const OF_PROJECT = { status: 200, parent: 'getProject' } as const
const HELD_BY_PERSON = { status: 200, parent: 'getPerson', hasParentFirst: true } as const

/** What the entries of projects have besides: those of a person and of a project, and what their reference names. */
function ofEntries(noun: HeldNoun): Route[] {
  const { plural } = NOUNS[noun]
  const [one, many] = [capitalized(noun), capitalized(plural)]
  const inProject = `/v1/projects/{idOrKey}/${plural}`
  return [
    ...ofNoun(`/v1/${plural}`, plural, '{id}', [`list${many}`, `get${one}`, `${noun}History`]),
    { method: 'GET', path: `/v1/personnel/{id}/${plural}`, operation: `listPerson${many}`, ...HELD_BY_PERSON },
    { method: 'GET', path: inProject, operation: `listProject${many}`, ...OF_PROJECT },
    { method: 'GET', path: `${inProject}/{reference}`, operation: `getProject${one}`, ...OF_PROJECT },
    { method: 'GET', path: `${inProject}/{reference}/history`, operation: `project${one}History`, ...OF_PROJECT },
  ]
}

/** The route table: every route of the REST API. */
const TABLE: readonly Route[] = [
  ...ofNoun('/v1/personnel', 'people', '{id}', ['listPersonnel', 'getPerson', 'personHistory']),
  { method: 'POST', path: '/v1/personnel', operation: 'addPerson', status: 201 },
  { method: 'POST', path: '/v1/personnel/batch', operation: 'syncPersonnel', status: 200, ...MANY_RECORDS },
  { method: 'PATCH', path: '/v1/personnel/{id}', operation: 'changePerson', status: 200 },
  ...ofNoun('/v1/groups', 'groups', '{id}', ['listGroups', 'getGroup', 'groupHistory']),
  { method: 'POST', path: '/v1/groups', operation: 'addGroup', status: 201 },
  { method: 'PATCH', path: '/v1/groups/{id}', operation: 'changeGroup', status: 200 },
  { method: 'DELETE', path: '/v1/groups/{id}', operation: 'removeGroup', status: 204 },
  { method: 'GET', path: '/v1/groups/{id}/members', operation: 'listMembers', status: 200, parent: 'getGroup' },
  { method: 'PUT', path: '/v1/groups/{id}/members/{personId}', operation: 'addMember', status: 204 },
  { method: 'DELETE', path: '/v1/groups/{id}/members/{personId}', operation: 'removeMember', status: 204 },
  ...ofNoun('/v1/projects', 'projects', '{idOrKey}', ['listProjects', 'getProject', 'projectHistory']),
  { method: 'POST', path: '/v1/projects', operation: 'syncProject', status: 200, ...MANY_RECORDS },
  ...HELD_NOUNS.flatMap(ofEntries),
  { method: 'GET', path: '/v1/risks/matrix', operation: 'riskMatrix', status: 200 },
  { method: 'GET', path: '/v1/risks/residual-matrix', operation: 'residualMatrix', status: 200 },
  { method: 'GET', path: '/v1/risks/trend', operation: 'getRiskTrend', status: 200 },
  { method: 'GET', path: '/v1/issues/counts', operation: 'issueCounts', status: 200 },
  { method: 'GET', path: '/v1/movements', operation: 'getMovements', status: 200 },
  { method: 'GET', path: '/v1/overdue', operation: 'getOverdue', status: 200 },
  { method: 'GET', path: '/v1/changes', operation: 'listChanges', status: 200, isFeed: true },
  { method: 'GET', path: '/v1/key', operation: 'getKey', status: 200 },
]

/** Adds a `.csv` path for each sheet: generated clients would get a union type if one path had two forms. */
export const ROUTES: readonly Route[] = TABLE.flatMap((route) =>
  route.sheet ? [route, { ...route, path: `${route.path}.csv`, type: CSV_TYPE }] : [route],
)

export function routeOf(operation: OperationName | undefined): Route | undefined {
  return ROUTES.find((route) => route.operation === operation)
}
