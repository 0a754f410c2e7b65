import { expect } from 'vitest'
import type { Scope } from '../../src/auth/scopes.js'
import { ada, type Company } from '../support/fixtures.js'
import type { Caller, TestResponse } from '../support/harness.js'

/** One request through both APIs, with the expected response. */
export interface Case {
  readonly field: string
  readonly route: string
  readonly scope: Scope
  /** The status of the REST response. */
  readonly status: number
  readonly selection: (company: Company) => string
  readonly answer: (company: Company) => object
  readonly request: (caller: Caller, company: Company) => Promise<TestResponse>
  readonly shown: (company: Company) => object
}

const list = (name: string, scope: Scope, total: number): Case => ({
  field: `query ${name}`,
  route: `GET /v1/${name}`,
  scope,
  status: 200,
  selection: () => `${name} { totalCount }`,
  answer: () => ({ totalCount: total }),
  request: (caller) => caller.get(`/v1/${name}?total=true`),
  shown: () => ({ page: { next: null, total } }),
})

const single = (name: string, path: string, scope: Scope, ids: keyof Company): Case => ({
  field: `query ${name}`,
  route: `GET /v1/${path}`,
  scope,
  status: 200,
  selection: (company) => `${name}(id: "${company[ids][0]}") { id }`,
  answer: (company) => ({ id: company[ids][0] }),
  request: (caller, company) => caller.get(`/v1/${path.replace(/\{.+/, company[ids][0] ?? '')}`),
  shown: (company) => ({ id: company[ids][0] }),
})

/** The list of a route below one entity, and the question in GraphQL that it stands for. */
const below = (
  route: string,
  scope: Scope,
  ids: keyof Company,
  field: string,
  selection: (id: string) => string,
  totalIn: (answer: unknown) => object,
): Case => ({
  field: `query ${field}`,
  route: `GET /v1/${route}`,
  scope,
  status: 200,
  selection: (company) => selection(company[ids][0] ?? ''),
  answer: () => totalIn({ totalCount: expect.any(Number) }),
  request: (caller, company) => caller.get(`/v1/${route.replace(/\{\w+\}/, company[ids][0] ?? '')}?total=true`),
  shown: () => ({ page: { total: expect.any(Number) } }),
})

const listBelow = (route: string, ids: keyof Company, field: string, member: string) =>
  below(
    route,
    'projects.read',
    ids,
    field,
    (id) => `${field}(filter: { ${member}: "${id}" }) { totalCount }`,
    (total) => Object(total),
  )

const innerList = (route: string, scope: Scope, ids: keyof Company, field: string, inner: string) =>
  below(
    route,
    scope,
    ids,
    field,
    (id) => `${field}(id: "${id}") { ${inner} { totalCount } }`,
    (total) => ({ [inner]: total }),
  )

/** One entry of a project by its reference, and its history; the first project is APOLLO, and its first entry number 0. */
const byReference = (field: 'risk' | 'issue', reference: string, history = ''): Case => {
  const found = history ? { history: { totalCount: 1 } } : { reference }
  const inner = history ? 'history { totalCount }' : 'reference'
  const path = `/v1/projects/{idOrKey}/${field}s/{reference}${history}`
  return {
    field: `query ${field}`,
    route: `GET ${path}`,
    scope: 'projects.read',
    status: 200,
    selection: () => `${field}(project: "APOLLO", reference: "${reference}") { ${inner} }`,
    answer: () => found,
    request: (caller) =>
      caller.get(`${path.replace('{idOrKey}', 'APOLLO').replace('{reference}', reference)}${history && '?total=true'}`),
    shown: () => (history ? { page: { next: null, total: 1 } } : found),
  }
}

/** What the rows of a list or the history amount to, with these arguments. */
const summary = (
  field: string,
  path: string,
  selection: string,
  answer: object,
  given: Readonly<Record<string, string>> = {},
): Case => ({
  field: `query ${field}`,
  route: `GET /v1/${path}`,
  scope: 'projects.read',
  status: 200,
  selection: () => {
    const args = Object.entries(given).map(([name, value]) => `${name}: "${value}"`)
    return `${field}${args.length === 0 ? '' : `(${args})`} { ${selection} }`
  },
  answer: () => answer,
  request: (caller) => caller.get(`/v1/${path}?${new URLSearchParams(given)}`),
  shown: () => answer,
})

/** A change of the roster by default. */
const changing = (
  field: string,
  route: string,
  one: Omit<Case, 'field' | 'route' | 'scope'>,
  scope: Scope = 'personnel.manage',
): Case => ({ field: `mutation ${field}`, route, scope, ...one })

const addPerson = changing('addPerson', 'POST /v1/personnel', {
  status: 201,
  selection: () => 'addPerson(input: { name: "Lin", email: "lin@example.com" }) { name email }',
  answer: () => ({ name: 'Lin', email: 'lin@example.com' }),
  request: (caller) => caller.post('/v1/personnel', ada),
  shown: () => ({ name: ada.name, email: ada.email }),
})

const changePerson = changing('changePerson', 'PATCH /v1/personnel/{id}', {
  status: 200,
  selection: ({ personIds: [id] }) => `changePerson(id: "${id}", input: { title: "Lead" }) { id title }`,
  answer: ({ personIds: [id] }) => ({ id, title: 'Lead' }),
  request: (caller, { personIds: [id] }) => caller.patch(`/v1/personnel/${id}`, { title: 'Chief' }),
  shown: ({ personIds: [id] }) => ({ id, title: 'Chief' }),
})

const addGroup = changing('addGroup', 'POST /v1/groups', {
  status: 201,
  selection: () => 'addGroup(input: { name: "Divers" }) { name memberCount }',
  answer: () => ({ name: 'Divers', memberCount: 0 }),
  request: (caller) => caller.post('/v1/groups', { name: 'Climbers' }),
  shown: () => ({ name: 'Climbers', memberCount: 0 }),
})

const changeGroup = changing('changeGroup', 'PATCH /v1/groups/{id}', {
  status: 200,
  selection: ({ groupIds: [id] }) => `changeGroup(id: "${id}", input: { externalId: "DIR-1" }) { id externalId }`,
  answer: ({ groupIds: [id] }) => ({ id, externalId: 'DIR-1' }),
  request: (caller, { groupIds: [id] }) => caller.patch(`/v1/groups/${id}`, { externalId: 'DIR-2' }),
  shown: ({ groupIds: [id] }) => ({ id, externalId: 'DIR-2' }),
})

/** One group by GraphQL, and another by REST. */
const removeGroup = changing('removeGroup', 'DELETE /v1/groups/{id}', {
  status: 204,
  selection: ({ groupIds: [, id] }) => `removeGroup(id: "${id}") { id }`,
  answer: ({ groupIds: [, id] }) => ({ id }),
  request: (caller, { groupIds: [, , id] }) => caller.delete(`/v1/groups/${id}`),
  shown: () => ({}),
})

/** The first person is in the first group, which has four members on the roster; the second is not. */
const membership = (field: string, method: 'PUT' | 'DELETE', person: 0 | 1, memberCount: number) =>
  changing(field, `${method} /v1/groups/{id}/members/{personId}`, {
    status: 204,
    selection: ({ groupIds: [id], personIds }) =>
      `${field}(groupId: "${id}", personId: "${personIds[person]}") { memberCount }`,
    answer: () => ({ memberCount }),
    request: (caller, { groupIds: [id], personIds }) =>
      caller.request(`/v1/groups/${id}/members/${personIds[person]}`, { method }),
    shown: () => ({}),
  })

const syncPersonnel = changing('syncPersonnel', 'POST /v1/personnel/batch', {
  status: 200,
  selection: () => 'syncPersonnel(input: { people: [{ name: "Mae", externalId: "HR-1" }] }) { people { created } }',
  answer: () => ({ people: { created: 1 } }),
  request: (caller) => caller.post('/v1/personnel/batch', { groups: [{ name: 'Riggers' }] }),
  shown: () => ({ groups: { created: 1, updated: 0, unchanged: 0, closed: 0 }, warnings: [] }),
})

const syncProject = changing(
  'syncProject',
  'POST /v1/projects',
  {
    status: 200,
    selection: () => 'syncProject(input: { key: "NEW", name: "New" }) { project { key } risks { created } }',
    answer: () => ({ project: { key: 'NEW' }, risks: { created: 0 } }),
    request: (caller) => caller.post('/v1/projects', { key: 'newer', name: 'Newer', status: 'on_hold' }),
    shown: () => ({ project: expect.objectContaining({ key: 'NEWER', status: 'ON_HOLD' }), warnings: [] }),
  },
  'projects.manage',
)

const PERIOD = {
  movements: { since: '2026-01-01' },
  trend: { from: '2026-11-02', to: '2026-11-02' },
  overdue: { on: '2020-01-01' },
} as const

export const CASES: Case[] = [
  list('personnel', 'personnel.read', 7),
  list('groups', 'personnel.read', 3),
  list('projects', 'projects.read', 3),
  list('risks', 'projects.read', 32),
  list('issues', 'projects.read', 24),
  single('person', 'personnel/{id}', 'personnel.read', 'personIds'),
  single('group', 'groups/{id}', 'personnel.read', 'groupIds'),
  single('project', 'projects/{idOrKey}', 'projects.read', 'projectIds'),
  single('risk', 'risks/{id}', 'projects.read', 'riskIds'),
  single('issue', 'issues/{id}', 'projects.read', 'issueIds'),
  summary('riskMatrix', 'risks/matrix', 'unassessed unplaced', {
    unassessed: expect.any(Number),
    unplaced: 2,
  }),
  summary('residualMatrix', 'risks/residual-matrix', 'unplaced', { unplaced: 0 }),
  summary('issueCounts', 'issues/counts', 'total', { total: 24 }),
  summary(
    'movements',
    'movements',
    'counts { new }',
    { counts: expect.objectContaining({ new: 32 }) },
    PERIOD.movements,
  ),
  summary(
    'riskTrend',
    'risks/trend',
    'points { live }',
    { points: [expect.objectContaining({ live: 32 })] },
    PERIOD.trend,
  ),
  summary('overdueByPerson', 'overdue', 'total', { total: 0 }, PERIOD.overdue),
  innerList('groups/{id}/members', 'personnel.read', 'groupIds', 'group', 'members'),
  listBelow('projects/{idOrKey}/risks', 'projectIds', 'risks', 'project'),
  listBelow('projects/{idOrKey}/issues', 'projectIds', 'issues', 'project'),
  listBelow('personnel/{id}/risks', 'personIds', 'risks', 'owner'),
  listBelow('personnel/{id}/issues', 'personIds', 'issues', 'assignee'),
  innerList('personnel/{id}/history', 'personnel.read', 'personIds', 'person', 'history'),
  innerList('groups/{id}/history', 'personnel.read', 'groupIds', 'group', 'history'),
  innerList('projects/{idOrKey}/history', 'projects.read', 'projectIds', 'project', 'history'),
  innerList('risks/{id}/history', 'projects.read', 'riskIds', 'risk', 'history'),
  innerList('issues/{id}/history', 'projects.read', 'issueIds', 'issue', 'history'),
  byReference('risk', 'R-0'),
  byReference('risk', 'R-0', '/history'),
  byReference('issue', 'I-0'),
  byReference('issue', 'I-0', '/history'),
  addPerson,
  changePerson,
  addGroup,
  changeGroup,
  removeGroup,
  membership('addMember', 'PUT', 1, 5),
  membership('removeMember', 'DELETE', 0, 3),
  syncPersonnel,
  syncProject,
]
