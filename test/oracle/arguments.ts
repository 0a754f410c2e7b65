import fc from 'fast-check'
import { type GraphQLField, getNamedType, isEnumType } from 'graphql'

/** Random arguments of fields. A text such as «person 3» stands for a value of the company, see `placed`. */

export const pick = fc.constantFrom
const nat = fc.nat(5)
const text = (value: fc.Arbitrary<string>) => value.map((one) => JSON.stringify(one))
export const token = (...names: string[]) => fc.tuple(pick(...names), nat).map(([name, place]) => `«${name} ${place}»`)
const list = (value: fc.Arbitrary<string>) => fc.array(value, { maxLength: 3 }).map((all) => `[${all.join(', ')}]`)
const oneOrSome = (value: fc.Arbitrary<string>) => fc.oneof(value, list(value), list(value))
const enums = (...values: string[]) => oneOrSome(pick(...values))
const search = text(pick('a', 'A', 'ad', 'ä', 'r-1', '%', '_', 'ADA', 'SS', '\\', 'i', '"', 'ς', 'zz'))
const instant = token('instant').map((one) => JSON.stringify(one))
const day = text(pick('2026-02-01', '2026-03-01', '2026-11-15', '2030-01-01'))
const number = (least: number, most: number) => fc.integer({ min: least, max: most }).map(String)

/** Scores that risks often have, so that they are compared with their equals. */
const product = pick('0', '1', '2', '4', '6', '8', '10', '12', '16', '20', '25')

/** Values of filters: whatever they name exists, or is an id. */
export const SAFE: Readonly<Record<string, Readonly<Record<string, fc.Arbitrary<string>>>>> = {
  PersonFilter: {
    status: enums('ACTIVE', 'INACTIVE'),
    group: oneOrSome(text(token('group', 'groupName'))),
    department: oneOrSome(text(pick('supply', 'İ', 'WEATHER', 'none'))),
    email: text(token('email')),
    externalId: text(pick('HR-1', 'HR-2', 'hr-1')),
    allGroups: oneOrSome(text(token('group', 'groupName'))),
    ...{ ownsNothing: pick('true', 'false'), search, updatedSince: instant },
  },
  GroupFilter: { search, updatedSince: instant },
  ProjectFilter: {
    status: enums('ACTIVE', 'ON_HOLD', 'CLOSED'),
    topLevel: enums('UNASSESSED', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'),
    ...{ search, updatedSince: instant },
  },
  RiskFilter: {
    project: oneOrSome(text(token('project', 'key', 'lowerKey'))),
    status: enums('OPEN', 'OCCURRED', 'CLOSED'),
    level: enums('UNASSESSED', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'),
    ...{ minScore: product, minResidualScore: product, likelihood: number(1, 5), impact: number(1, 5) },
    ...{ residualLikelihood: number(1, 5), residualImpact: number(1, 5) },
    ...{ unplaced: pick('true', 'false'), mitigated: pick('true', 'false'), reviewAfter: day, dueAfter: day },
    projectStatus: enums('ACTIVE', 'ON_HOLD', 'CLOSED'),
    ownership: enums('NONE', 'NAMED'),
    owner: oneOrSome(fc.oneof(text(token('person')), fc.constant('null'))),
    category: oneOrSome(text(pick('supply', 'WEATHER', 'i̇', 'none'))),
    ...{ reviewBefore: day, dueBefore: day, search, updatedSince: instant },
  },
  IssueFilter: {
    project: oneOrSome(text(token('project', 'key', 'lowerKey'))),
    severity: enums('LOW', 'MEDIUM', 'HIGH', 'CRITICAL'),
    status: enums('OPEN', 'IN_PROGRESS', 'BLOCKED'),
    assignee: oneOrSome(fc.oneof(text(token('person')), fc.constant('null'))),
    projectStatus: enums('ACTIVE', 'ON_HOLD', 'CLOSED'),
    assignment: enums('NONE', 'NAMED'),
    dueAfter: day,
    risk: oneOrSome(text(token('risk'))),
    ...{ dueBefore: day, search, updatedSince: instant },
  },
  ChangeFilter: { since: instant },
  FeedFilter: {
    entity: enums('PERSON', 'GROUP', 'PROJECT', 'RISK', 'ISSUE'),
    project: oneOrSome(text(token('project', 'key'))),
    since: instant,
  },
  MovementFilter: {
    project: oneOrSome(text(token('project', 'key'))),
    level: enums('UNASSESSED', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'),
    projectStatus: enums('ACTIVE', 'ON_HOLD', 'CLOSED'),
  },
  OverdueFilter: {
    project: oneOrSome(text(token('project', 'key'))),
    projectStatus: enums('ACTIVE', 'ON_HOLD', 'CLOSED'),
  },
  TrendFilter: {
    project: oneOrSome(text(token('project', 'key'))),
    projectStatus: enums('ACTIVE', 'ON_HOLD', 'CLOSED'),
  },
}

/** Values that may be refused: an e-mail needs a scope, and a name or a number may be wrong. */
const RISKY: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'RiskFilter.owner': oneOrSome(text(fc.oneof(token('email'), token('name'), pick('nobody@example.com', 'nonsense')))),
  'IssueFilter.assignee': oneOrSome(text(fc.oneof(token('email'), pick('nobody@example.com')))),
  'RiskFilter.ownership': enums('PERSON', 'LEFT', 'NONE'),
  'IssueFilter.assignment': enums('PERSON', 'LEFT', 'NAMED'),
  'RiskFilter.project': oneOrSome(text(pick('NOWHERE', 'prj_00000000000000000000000000'))),
  'IssueFilter.project': oneOrSome(text(pick('NOWHERE', 'prj_00000000000000000000000000'))),
  'PersonFilter.group': oneOrSome(text(pick('Nowhere', 'grp_00000000000000000000000000'))),
  'RiskFilter.minScore': pick('26', '-1'),
  'RiskFilter.likelihood': pick('0', '6'),
  'RiskFilter.search': text(pick('x'.repeat(201), 'x'.repeat(200))),
  'FeedFilter.project': oneOrSome(text(pick('NOWHERE'))),
  'MovementFilter.project': oneOrSome(text(pick('NOWHERE'))),
  'OverdueFilter.project': oneOrSome(text(pick('NOWHERE'))),
}

/** A filter with some of its members. */
export function filterOf(type: string, isRoot: boolean): fc.Arbitrary<string> {
  const members = Object.entries(SAFE[type] ?? {}).map(([name, safe]) => {
    const risky = RISKY[`${type}.${name}`]
    // What is wrong inside takes its root field along, so it is seldom.
    const value = risky ? fc.oneof({ weight: isRoot ? 6 : 20, arbitrary: safe }, risky) : safe
    return fc.oneof({ weight: 12, arbitrary: value }, fc.constant('null')).map((one) => `${name}: ${one}`)
  })
  const most = fc.constantFrom(0, 1, 1, 2, 3).map((count) => Math.min(count, members.length))
  return most
    .chain((maxLength) => fc.subarray(members, { maxLength }))
    .chain((some) => (some.length === 0 ? fc.constant('') : fc.tuple(...some).map((all) => all.join(', '))))
}

/** The ways to name one thing; more than one, or none, is refused. */
export const NAMED: Readonly<Record<string, fc.Arbitrary<string>>> = {
  person: fc.oneof(
    text(token('person', 'email')).map((id) => `id: ${id}`),
    text(token('email')).map((one) => `email: ${one}`),
    text(pick('HR-1', 'HR-2')).map((one) => `externalId: ${one}`),
    pick('id: "usr_none"', 'id: "nobody@example.com"', 'id: "a", email: "b"'),
  ),
  group: fc.oneof(
    text(token('group', 'groupName')).map((id) => `id: ${id}`),
    text(token('groupName')).map((one) => `name: ${one}`),
    pick('externalId: "DIR-1"', 'id: "grp_none"', 'name: "None", externalId: "DIR-2"'),
  ),
  project: fc.oneof(
    text(token('project', 'key', 'lowerKey')).map((id) => `id: ${id}`),
    text(token('key', 'lowerKey')).map((one) => `key: ${one}`),
    pick('id: "NOWHERE"', 'id: "a", key: "b"'),
  ),
  risk: fc.oneof(
    text(token('risk')).map((id) => `id: ${id}`),
    fc.tuple(text(token('key', 'project')), nat).map(([key, place]) => `project: ${key}, reference: "R-${place}"`),
    pick('id: "rsk_none"', 'project: "APOLLO"', 'project: "NOWHERE", reference: "R-1"'),
  ),
  issue: fc.oneof(
    text(token('issue')).map((id) => `id: ${id}`),
    fc.tuple(text(token('key', 'project')), nat).map(([key, place]) => `project: ${key}, reference: "I-${place}"`),
    pick('id: "iss_none"', 'reference: "I-1"'),
  ),
  node: text(token('person', 'group', 'project', 'risk', 'issue', 'key')).map((id) => `id: ${id}`),
}

export const isPaged = ({ args }: GraphQLField<unknown, unknown>) => args.some(({ name }) => name === 'after')

export function argumentsOf(field: GraphQLField<unknown, unknown>, isRoot: boolean): fc.Arbitrary<string> {
  const filterType = field.args.find(({ name }) => name === 'filter')
  const filter = filterType
    ? filterOf(getNamedType(filterType.type).name, isRoot).map((one) => one && `filter: { ${one} }`)
    : fc.constant('')
  const pages = isRoot
    ? pick('1', '2', '3', '7', '7', '1000', '0', '1001')
    : fc.oneof({ weight: 40, arbitrary: pick('1', '2', '5') }, pick('0', '1001'))
  const first = pages.map((one) => `first: ${one}`)
  if (isPaged(field)) {
    const after = fc.constant('after: "nonsense"')
    const paged = isRoot
      ? fc.oneof(first, first, first, fc.constant(''), after)
      : fc.oneof({ weight: 60, arbitrary: first }, after)
    const orders = getNamedType(field.args.find(({ name }) => name === 'orderBy')?.type)
    const names = isEnumType(orders) ? orders.getValues().map(({ name }) => `orderBy: ${name}`) : []
    return fc.tuple(paged, pick('', ...names), filter).map(joined)
  }
  if (field.name === 'movements') {
    const until = fc.oneof(
      instant.map((one) => `until: ${one}`),
      fc.constant(''),
    )
    const including = text(token('risk')).map((one) => `including: [${one}]`)
    const bounds = fc.oneof(fc.constant([]), fc.tuple(first), fc.tuple(first, including))
    return fc
      .tuple(instant, until, bounds, filter)
      .map(([since, end, some, by]) => joined([`since: ${since}`, end, ...some, by]))
  }
  if (field.name === 'overdueByPerson') {
    const some = fc.oneof(fc.constant(''), first)
    return fc.tuple(day, some, filter).map(([on, bound, by]) => joined([`on: ${on}`, bound, by]))
  }
  if (field.name === 'riskTrend') {
    const days = fc.array(
      text(pick('2026-10-31', '2026-11-01', '2026-11-04', '2026-12-31', '2028-02-29', '2020-01-01')),
      { minLength: 2, maxLength: 2 },
    )
    const sorted = fc.oneof({ weight: 5, arbitrary: days.map((all) => all.toSorted()) }, days)
    const step = pick('', 'step: DAY', 'step: WEEK', 'step: MONTH', 'step: MONTH')
    return fc.tuple(sorted, step, filter).map(([[from, to], by, of]) => joined([`from: ${from}`, `to: ${to}`, by, of]))
  }
  if (field.name === 'overdueIssueCount')
    return fc.oneof(
      day.map((one) => `on: ${one}`),
      fc.constant(''),
    )
  return NAMED[field.name] ?? filter
}

const joined = (parts: readonly string[]) => parts.filter(Boolean).join(', ')
