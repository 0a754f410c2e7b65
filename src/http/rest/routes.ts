import { LIMITS } from '../../limits.js'
import type { NounPlural } from '../../vocabulary.js'
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

const OF_PROJECT = { status: 200, parent: 'getProject' } as const
const PROJECT_RISK = '/v1/projects/{idOrKey}/risks/{reference}'
const PROJECT_ISSUE = '/v1/projects/{idOrKey}/issues/{reference}'
const OF_PERSON = { status: 200, parent: 'getPerson' } as const
const HELD_BY_PERSON = { ...OF_PERSON, hasParentFirst: true } as const

/** The route table: every route of the REST API. */
const TABLE: readonly Route[] = [
  { method: 'GET', path: '/v1/personnel', operation: 'listPersonnel', status: 200, sheet: 'people' },
  { method: 'POST', path: '/v1/personnel', operation: 'addPerson', status: 201 },
  { method: 'POST', path: '/v1/personnel/batch', operation: 'syncPersonnel', status: 200, ...MANY_RECORDS },
  { method: 'GET', path: '/v1/personnel/{id}', operation: 'getPerson', status: 200 },
  { method: 'PATCH', path: '/v1/personnel/{id}', operation: 'changePerson', status: 200 },
  { method: 'GET', path: '/v1/groups', operation: 'listGroups', status: 200, sheet: 'groups' },
  { method: 'POST', path: '/v1/groups', operation: 'addGroup', status: 201 },
  { method: 'GET', path: '/v1/groups/{id}', operation: 'getGroup', status: 200 },
  { method: 'PATCH', path: '/v1/groups/{id}', operation: 'changeGroup', status: 200 },
  { method: 'DELETE', path: '/v1/groups/{id}', operation: 'removeGroup', status: 204 },
  { method: 'PUT', path: '/v1/groups/{id}/members/{personId}', operation: 'addMember', status: 204 },
  { method: 'DELETE', path: '/v1/groups/{id}/members/{personId}', operation: 'removeMember', status: 204 },
  { method: 'GET', path: '/v1/projects', operation: 'listProjects', status: 200, sheet: 'projects' },
  { method: 'POST', path: '/v1/projects', operation: 'syncProject', status: 200, ...MANY_RECORDS },
  { method: 'GET', path: '/v1/projects/{idOrKey}', operation: 'getProject', status: 200 },
  { method: 'GET', path: '/v1/risks', operation: 'listRisks', status: 200, sheet: 'risks' },
  { method: 'GET', path: '/v1/risks/matrix', operation: 'riskMatrix', status: 200 },
  { method: 'GET', path: '/v1/risks/residual-matrix', operation: 'residualMatrix', status: 200 },
  { method: 'GET', path: '/v1/risks/{id}', operation: 'getRisk', status: 200 },
  { method: 'GET', path: '/v1/issues', operation: 'listIssues', status: 200, sheet: 'issues' },
  { method: 'GET', path: '/v1/issues/counts', operation: 'issueCounts', status: 200 },
  { method: 'GET', path: '/v1/issues/{id}', operation: 'getIssue', status: 200 },
  { method: 'GET', path: '/v1/groups/{id}/members', operation: 'listMembers', status: 200, parent: 'getGroup' },
  { method: 'GET', path: '/v1/projects/{idOrKey}/risks', operation: 'listProjectRisks', ...OF_PROJECT },
  { method: 'GET', path: '/v1/projects/{idOrKey}/issues', operation: 'listProjectIssues', ...OF_PROJECT },
  { method: 'GET', path: PROJECT_RISK, operation: 'getProjectRisk', ...OF_PROJECT },
  { method: 'GET', path: `${PROJECT_RISK}/history`, operation: 'projectRiskHistory', ...OF_PROJECT },
  { method: 'GET', path: PROJECT_ISSUE, operation: 'getProjectIssue', ...OF_PROJECT },
  { method: 'GET', path: `${PROJECT_ISSUE}/history`, operation: 'projectIssueHistory', ...OF_PROJECT },
  { method: 'GET', path: '/v1/personnel/{id}/risks', operation: 'listPersonRisks', ...HELD_BY_PERSON },
  { method: 'GET', path: '/v1/personnel/{id}/issues', operation: 'listPersonIssues', ...HELD_BY_PERSON },
  { method: 'GET', path: '/v1/personnel/{id}/history', operation: 'personHistory', status: 200 },
  { method: 'GET', path: '/v1/groups/{id}/history', operation: 'groupHistory', status: 200 },
  { method: 'GET', path: '/v1/projects/{idOrKey}/history', operation: 'projectHistory', status: 200 },
  { method: 'GET', path: '/v1/risks/{id}/history', operation: 'riskHistory', status: 200 },
  { method: 'GET', path: '/v1/issues/{id}/history', operation: 'issueHistory', status: 200 },
  { method: 'GET', path: '/v1/movements', operation: 'getMovements', status: 200 },
  { method: 'GET', path: '/v1/risks/trend', operation: 'getRiskTrend', status: 200 },
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
