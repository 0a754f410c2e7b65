import type { OperationName } from './operations.js'

export interface Route {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly operation: OperationName
  readonly status: 200 | 201
}

/** THE TABLE: every route of the REST door. */
export const ROUTES: readonly Route[] = [
  { method: 'GET', path: '/v1/personnel', operation: 'listPersonnel', status: 200 },
  { method: 'POST', path: '/v1/personnel', operation: 'addPerson', status: 201 },
  { method: 'GET', path: '/v1/personnel/{id}', operation: 'getPerson', status: 200 },
  { method: 'GET', path: '/v1/groups', operation: 'listGroups', status: 200 },
  { method: 'GET', path: '/v1/groups/{id}', operation: 'getGroup', status: 200 },
  { method: 'GET', path: '/v1/projects', operation: 'listProjects', status: 200 },
  { method: 'GET', path: '/v1/projects/{idOrKey}', operation: 'getProject', status: 200 },
  { method: 'GET', path: '/v1/risks', operation: 'listRisks', status: 200 },
  { method: 'GET', path: '/v1/risks/{id}', operation: 'getRisk', status: 200 },
  { method: 'GET', path: '/v1/issues', operation: 'listIssues', status: 200 },
  { method: 'GET', path: '/v1/issues/{id}', operation: 'getIssue', status: 200 },
  { method: 'GET', path: '/v1/key', operation: 'getKey', status: 200 },
]
