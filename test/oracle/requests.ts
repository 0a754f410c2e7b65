import fc from 'fast-check'
import type { RestRequest } from './rest.js'

/** Random REST requests, with the same tokens as the queries. */

const pick = fc.constantFrom
const nat = fc.nat(5)
const token = (...names: string[]) => fc.tuple(pick(...names), nat).map(([name, place]) => `«${name} ${place}»`)
const some = (value: fc.Arbitrary<string>) =>
  fc.array(value, { minLength: 1, maxLength: 3 }).map((all) => all.join(','))
const instant = token('instant')
const day = pick('2026-02-01', '2026-03-01', '2026-11-15')
const search = pick('a', 'ä', '%', '_', 'r-1', 'zz', '"')
const SHARED = { search, updatedSince: instant }
const project = some(
  fc.oneof(
    { weight: 6, arbitrary: token('project', 'key', 'lowerKey') },
    pick('NOWHERE', 'prj_00000000000000000000000000'),
  ),
)
const people = some(fc.oneof({ weight: 4, arbitrary: token('person', 'email') }, pick('none', 'nobody@example.com')))

const projectStatus = some(pick('active', 'On_Hold', 'CLOSED'))

const FILTERS: Readonly<Record<string, Readonly<Record<string, fc.Arbitrary<string>>>>> = {
  personnel: {
    ...{
      ...SHARED,
      status: some(pick('active', 'INACTIVE')),
      group: some(fc.oneof(token('group', 'groupName'), pick('Nowhere'))),
    },
    ...{
      allGroups: some(token('group', 'groupName')),
      ownsNothing: pick('true', 'false'),
      order: pick('name', 'UPDATED'),
    },
    ...{ department: pick('supply', 'Weather'), email: token('email'), externalId: pick('HR-1', 'HR-2') },
  },
  groups: SHARED,
  projects: { ...SHARED, status: projectStatus, on: day, topLevel: some(pick('low', 'HIGH')) },
  risks: {
    ...{ ...SHARED, project, owner: people, status: some(pick('open', 'OCCURRED', 'closed')) },
    ...{ level: some(pick('unassessed', 'low', 'Medium', 'HIGH', 'critical')), minScore: pick('0', '4', '12', '26') },
    ...{
      minResidualScore: pick('0', '6'),
      likelihood: pick('1', '3'),
      impact: pick('2', '5', '6'),
      residualLikelihood: pick('1', '2', '0'),
      residualImpact: pick('1', '3'),
      unplaced: pick('true', 'false'),
    },
    ...{ category: pick('supply', 'WEATHER'), reviewBefore: day, dueBefore: day, dueAfter: day, reviewAfter: day },
    ...{ mitigated: pick('true', 'false'), projectStatus: some(pick('active', 'CLOSED')) },
    ...{ ownership: some(pick('none', 'NAMED', 'left')), ownerDepartment: pick('supply', 'Weather') },
    order: pick('rank', 'DUE', 'updated'),
  },
  issues: {
    ...{
      ...SHARED,
      project,
      assignee: people,
      severity: some(pick('low', 'MEDIUM', 'High')),
      status: some(pick('open', 'in_progress')),
    },
    ...{ risk: some(token('risk')), dueBefore: day, dueAfter: day, projectStatus: some(pick('active', 'on_hold')) },
    ...{ assignment: some(pick('none', 'NAMED', 'person')), assigneeDepartment: pick('supply', 'Weather') },
    order: pick('severity', 'DUE', 'updated'),
  },
  changes: { entity: some(pick('person', 'GROUP', 'project', 'risk', 'issue')), project, since: instant },
  movements: {
    until: instant,
    project,
    projectStatus,
    level: some(pick('low', 'HIGH', 'critical')),
    limit: pick('1', '2', '1000'),
    including: some(token('risk')),
  },
  overdue: { project, projectStatus, limit: pick('1', '2', '1000', '0') },
  trend: { step: pick('day', 'WEEK', 'month'), project },
  history: { since: instant },
}
const PAGING = { limit: pick('1', '2', '3', '1000', '0', '1001'), total: pick('true', 'false') }

/** Some parameters, and those that must be there. */
function parametersOf(
  all: Readonly<Record<string, fc.Arbitrary<string>>>,
  needed: Readonly<Record<string, fc.Arbitrary<string>>> = {},
) {
  const pairs = (given: typeof all) =>
    Object.entries(given).map(([name, value]) => value.map((text) => [name, text] as const))
  const optional = pairs(all)
  return fc
    .subarray(optional, { maxLength: Math.min(2, optional.length) })
    .chain((chosen) => fc.tuple(...pairs(needed), ...chosen))
}

const get = (
  path: fc.Arbitrary<string[]>,
  parameters: fc.Arbitrary<(readonly [string, string])[]>,
): fc.Arbitrary<RestRequest> =>
  fc.tuple(path, parameters).map(([segments, given]) => ({ method: 'GET', path: segments, parameters: given }))

const NOUNS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  personnel: fc.oneof({ weight: 5, arbitrary: token('person', 'email') }, pick('usr_00000000000000000000000000')),
  groups: fc.oneof({ weight: 5, arbitrary: token('group', 'groupName') }, pick('No such')),
  projects: fc.oneof({ weight: 5, arbitrary: token('project', 'key', 'lowerKey') }, pick('NOWHERE')),
  risks: token('risk'),
  issues: token('issue'),
}
const BELOW: readonly (readonly [noun: string, below: string, list: string, path: string])[] = [
  ...([
    ['groups', 'members', 'personnel', 'group'],
    ['projects', 'risks', 'risks', 'project'],
  ] as const),
  ...([
    ['projects', 'issues', 'issues', 'project'],
    ['personnel', 'risks', 'risks', 'owner'],
  ] as const),
  ['personnel', 'issues', 'issues', 'assignee'],
]
/** In a list of one thing, which may itself be unknown, other names are known: either error may come first. */
const KNOWN: Readonly<Record<string, fc.Arbitrary<string>>> = {
  ...{ project: some(token('project', 'key')), group: some(token('group', 'groupName')) },
  ...{ owner: some(fc.oneof(token('person'), pick('none'))), assignee: some(fc.oneof(token('person'), pick('none'))) },
}
const without = (all: Readonly<Record<string, fc.Arbitrary<string>>>, name: string) =>
  Object.fromEntries(
    Object.entries(all)
      .filter(([one]) => one !== name)
      .map(([one, value]) => [one, KNOWN[one] ?? value]),
  )
const days = fc.tuple(pick('2026-10-31', '2026-11-01'), pick('2026-11-04', '2026-12-31', '2020-01-01'))

export const anyRequest: fc.Arbitrary<RestRequest> = fc.oneof(
  ...Object.entries(NOUNS).flatMap(([noun, id]) => [
    get(fc.constant([noun]), parametersOf({ ...FILTERS[noun], ...PAGING })),
    get(fc.constant([noun]), parametersOf({ ...FILTERS[noun] }, { limit: pick('1', '2', '3') })),
    get(
      id.map((one) => [noun, one]),
      noun === 'projects' ? parametersOf({ on: day }) : fc.constant([]),
    ),
    get(
      id.map((one) => [noun, one, 'history']),
      parametersOf({ ...FILTERS['history'], ...PAGING }),
    ),
  ]),
  ...BELOW.map(([noun, below, list, path]) =>
    get(
      (NOUNS[noun] ?? pick('')).map((one) => [noun, one, below]),
      parametersOf({ ...without(FILTERS[list] ?? {}, path), ...PAGING }),
    ),
  ),
  get(fc.constant(['changes']), parametersOf({ ...FILTERS['changes'], limit: pick('1', '2', '5', '1000') })),
  get(fc.constant(['risks', 'matrix']), parametersOf(FILTERS['risks'] ?? {})),
  get(fc.constant(['issues', 'counts']), parametersOf(FILTERS['issues'] ?? {})),
  get(fc.constant(['movements']), parametersOf(FILTERS['movements'] ?? {}, { since: instant })),
  get(fc.constant(['overdue']), parametersOf(FILTERS['overdue'] ?? {}, { on: day })),
  days.chain(([from, to]) =>
    get(
      fc.constant(['risks', 'trend']),
      parametersOf(FILTERS['trend'] ?? {}, { from: fc.constant(from), to: fc.constant(to) }),
    ),
  ),
  get(fc.constant(['key']), fc.constant([])),
)

/** The request of a mutation. */
export function requestOf(field: string, variables: Readonly<Record<string, unknown>>): RestRequest {
  const { id, groupId, personId, input } = variables
  const to = (method: string, ...path: unknown[]): RestRequest => ({
    method,
    path: path.map(String),
    parameters: [],
    ...(input !== undefined && { body: input }),
  })
  const requests: Readonly<Record<string, () => RestRequest>> = {
    addPerson: () => to('POST', 'personnel'),
    changePerson: () => to('PATCH', 'personnel', id),
    addGroup: () => to('POST', 'groups'),
    changeGroup: () => to('PATCH', 'groups', id),
    removeGroup: () => to('DELETE', 'groups', id),
    addMember: () => to('PUT', 'groups', groupId, 'members', personId),
    removeMember: () => to('DELETE', 'groups', groupId, 'members', personId),
    syncProject: () => to('POST', 'projects'),
    syncPersonnel: () => to('POST', 'personnel', 'batch'),
  }
  return requests[field]?.() ?? to('GET', 'key')
}
