import { LIMITS } from '../../src/limits.js'
import type { Company } from '../support/fixtures.js'

/** GraphQL requests. */
export interface Sent {
  readonly query: string
  readonly [member: string]: unknown
}

/** Fields of a risk that read other rows, as many as this: a query may have fewer aliases. */
const lookUps = (count: number) =>
  Array.from(
    { length: Math.ceil(count / 2) },
    (_, i) => `a${i}: owner { name ${2 * i + 1 < count ? 'groups { name }' : ''} }`,
  ).join(' ')

/** Queries that compile. */
export const COMPILED: Readonly<Record<string, (company: Company) => Sent>> = {
  'a list': () => ({ query: '{ personnel { nodes { id name email groups { id name } } } }' }),
  'a page': () => ({
    query: '{ risks(first: 3) { totalCount nodes { id rank level } pageInfo { hasNextPage endCursor } } }',
  }),
  'a dear page': () => ({ query: '{ personnel(first: 1000) { nodes { id groups { id name description } } } }' }),
  'as many look-ups as there may be': () => ({
    query: `{ risks(first: 3) { nodes { id ${lookUps(LIMITS.compiledLookUpsMax - 1)} } totalCount } }`,
  }),
  'two lists': () => ({ query: '{ personnel(first: 1) { nodes { id } } projects { nodes { key } } __typename }' }),
  'lists in a list': () => ({
    query: `{ projects { nodes { risks(first: 2) { nodes { id owner { name } } totalCount pageInfo { endCursor } } } }
      groups { nodes { members(first: 1) { edges { cursor node { name } } pageInfo { hasNextPage } } } } }`,
  }),
  'a history': ({ riskIds: [id] }) => ({
    query: `{ risk(id: "${id}") { history { nodes { id action fields { field from to } } totalCount } } }`,
  }),
  'who did it': ({ riskIds: [id] }) => ({ query: `{ risk(id: "${id}") { history { nodes { by } } } }` }),
  'what moved': () => ({
    query: `{ movements(since: "2026-01-01", filter: { level: [HIGH, LOW] }) { since until __typename counts { new unchanged __typename }
      risks { id title movement scoreTo levelTo rankTo project { key openRiskCount } risk { owner { name } } }
      issues { reference severityTo dueTo issue { status dueOn } } projects { project { name } counts { opened } } } }`,
  }),
  'a trend and a list': () => ({
    query: `query ($to: Date!) { trend: riskTrend(from: "2026-10-31", to: $to, step: WEEK) { points { on live high score } }
      risks(first: 1) { nodes { id } } }`,
    variables: { to: '2026-11-30' },
  }),
  'a reference': ({ personIds: [id] }) => ({
    query: 'query ($r: [_Any!]!) { _entities(representations: $r) { ... on Person { id name } } }',
    variables: { r: [{ __typename: 'Person', id }] },
  }),
  references: ({ personIds: [one, other], riskIds: [risk] }) => ({
    query: `query ($r: [_Any!]!) { _entities(representations: $r) { __typename
      ... on Person { name groups { name } } ... on Risk { title project { key } } } }`,
    variables: {
      r: [one, risk, other, one, 'usr_none'].map((id) => ({ __typename: id === risk ? 'Risk' : 'Person', id })),
    },
  }),
  'edges alone': () => ({ query: '{ personnel(first: 1) { edges { cursor node { id } } } }' }),
  'what lists amount to': () => ({
    query: `query ($f: RiskFilter) { all: riskMatrix { cells { count __typename } levels { level n: count } unplaced }
      riskMatrix(filter: $f) { cells { likelihood impact } ... { cells { count } } unassessed }
      issueCounts(filter: { project: ["apollo"] }) { total statuses { status count } severities { severity } } }`,
    variables: { f: { level: ['HIGH'], search: 'i' } },
  }),
  'a total alone': () => ({ query: '{ personnel { totalCount } }' }),
  'one thing': ({ riskIds: [id] }) => ({
    query: 'query One($id: ID!) { risk(id: $id) { id title owner { name groups { name } } project { key } } }',
    variables: { id },
  }),
  'one thing that is not there': () => ({ query: '{ person(id: "usr_none") { id } }' }),
  'a project by its key': () => ({ query: '{ project(key: "apollo") { id openRiskCount topRiskScore } }' }),
  'other names': () => ({
    query:
      '{ __proto__: issues(first: 2) { all: nodes { constructor: id it: __typename r: risk { id id } } t: __typename } }',
  }),
  'fragments in each other': () => ({
    query: `query { ...Root } fragment Root on Query { issues(first: 4) { ...Page ... { pageInfo { __typename } } } }
      fragment Page on IssueConnection { nodes { ...Entry id } } fragment Entry on Issue { title ... on Issue { dueOn } }`,
  }),
  'a field in several parts': () => ({
    query: '{ risks(first: 2) { nodes { id } } risks(first: 2) { nodes { owner { id } } nodes { owner { name } } } }',
  }),
  'parts that are left out by variables': () => ({
    query: `query ($yes: Boolean!, $no: Boolean = false) { groups {
      nodes { id name @include(if: $no) description @skip(if: $yes) memberCount @include(if: $yes) } totalCount @skip(if: $no) } }`,
    variables: { yes: true },
  }),
  'parts that are left out by themselves': () => ({
    query: `{ personnel(first: 2) { nodes { id name @skip(if: true) ... @include(if: false) { email } title @include(if: true) }
      totalCount @include(if: false) } }`,
  }),
  'one of several operations': () => ({
    query: 'query a { personnel { nodes { id } } } query b($n: Int) { groups(first: $n) { nodes { id } } }',
    operationName: 'b',
    variables: { n: 1 },
  }),
  'filters by variables': () => ({
    query: 'query ($f: RiskFilter, $n: Int = 2) { risks(first: $n, filter: $f) { nodes { id score } totalCount } }',
    variables: { f: { level: ['HIGH', 'CRITICAL'], search: 'i', owner: null } },
  }),
  'variables that are not used': () => ({
    query: '{ groups { nodes { name } } }',
    variables: { a: 1, __proto__: null },
  }),
}

/** Queries that are executed if not cached, or need no database. */
export const EXECUTED: Readonly<Record<string, (company: Company) => Sent>> = {
  'more look-ups than there may be': () => ({
    query: `{ risks { nodes { id ${lookUps(LIMITS.compiledLookUpsMax + 1)} } totalCount } }`,
  }),
  'what is about the key': () => ({ query: '{ apiKey { name scopes } }' }),
  'nothing, after all': () => ({ query: '{ personnel @skip(if: true) { nodes { id } } }' }),
  'the schema': () => ({ query: '{ __type(name: "Person") { fields { name } } }' }),
  'the schema for gateways': () => ({ query: '{ _service { sdl } }' }),
  'a bad reference': ({ personIds: [id] }) => ({
    query: 'query ($r: [_Any!]!) { _entities(representations: $r) { ... on Person { id name } } }',
    variables: { r: [{ __typename: 'Person', id }, { __typename: 'Person' }] },
  }),
}

/** Queries that are always refused, with any key. */
export const REFUSED: Readonly<Record<string, (company: Company) => Sent>> = {
  'bad variables': () => ({ query: 'query ($n: Int!) { risks(first: $n) { nodes { id } } }', variables: { n: 'two' } }),
  'a variable that is missing': () => ({ query: 'query ($id: ID!) { risk(id: $id) { id } }' }),
  'a null that decides': () => ({
    query: 'query ($b: Boolean = true) { risks { nodes { id @include(if: $b) title } } }',
    variables: { b: null },
  }),
  'too many rows': () => ({ query: '{ personnel(first: 1001) { nodes { id } } }' }),
  'a cursor of nothing': () => ({ query: '{ personnel(first: 1, after: "nonsense") { nodes { id } } }' }),
  'a filter that says nothing': () => ({ query: '{ issues(filter: { search: " " }) { nodes { id } } }' }),
  'a project by two names': () => ({ query: '{ project(id: "a", key: "b") { id } }' }),
  'too much': () => ({
    query: `{ risks(first: 1000) { nodes { ${Array.from({ length: 40 }, (_, i) => `a${i}: owner { groups { id } }`).join(' ')} } } }`,
  }),
  'no such field': () => ({ query: '{ personnel { nodes { salary } } }' }),
  'no such operation': () => ({ query: 'query a { groups { nodes { id } } }', operationName: 'b' }),
  'an operation without a name': () => ({ query: 'query a { groups { nodes { id } } }', operationName: '' }),
  'several operations, none named': () => ({ query: 'query a { groups { nodes { id } } } query b { __typename }' }),
  'no GraphQL': () => ({ query: '{ personnel' }),
  'a directive that is not known': () => ({ query: '{ personnel { nodes { id @upper } } }' }),
}

/** Bodies with additional or unusual members, valid and invalid. */
const GROUPS = '{ groups(first: 2) { nodes { id name } } }'
const outcomeOf = (members: string) => `{"query":"${GROUPS}"${members}}`

export const BODIES: Readonly<Record<string, string>> = {
  'variables that are null': outcomeOf(',"variables":null'),
  'no variables': outcomeOf(',"variables":{}'),
  'a list for variables': outcomeOf(',"variables":[]'),
  'a text for variables': outcomeOf(',"variables":"{}"'),
  'a number for variables': outcomeOf(',"variables":1'),
  'a prototype for variables': outcomeOf(',"variables":{"__proto__":{"a":1}}'),
  'a prototype': outcomeOf(',"__proto__":{"variables":1}'),
  'a name that is null': outcomeOf(',"operationName":null'),
  'a name that is a number': outcomeOf(',"operationName":1'),
  'empty extensions': outcomeOf(',"extensions":{}'),
  'extensions that are null': outcomeOf(',"extensions":null'),
  'extensions of a persisted query': outcomeOf(',"extensions":{"persistedQuery":{"version":1,"sha256Hash":"00"}}'),
  'an unknown member': outcomeOf(',"id":"1"'),
  'a member twice': outcomeOf(`,"query":"{ projects { nodes { key } } }"`),
  'blanks around': ` \n${outcomeOf(' , "variables" : { } ')}\n`,
  'a query of blanks': '{"query":"  "}',
  'a query that is null': '{"query":null}',
  'no query': '{}',
  'a list of queries': `[${outcomeOf('')}]`,
  'a text': '"text"',
  'no JSON': '{"query":',
  nothing: '',
  'a mark of order': `\uFEFF${outcomeOf('')}`,
}

/** Content types of a body. */
export const TYPES: readonly Readonly<Record<string, string>>[] = [
  { 'content-type': 'application/json' },
  { 'content-type': 'application/json; charset=utf-8' },
  { 'content-type': 'application/json; charset=latin1' },
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/graphql' },
  {},
  { 'content-type': 'application/json', 'content-encoding': 'gzip' },
  { 'content-type': 'application/json', 'accept-encoding': 'br' },
  { 'content-type': 'application/json', origin: 'https://app.example.com' },
  { 'content-type': 'application/json', 'if-none-match': '*' },
  { 'content-type': 'application/json', 'idempotency-key': 'not for GraphQL' },
]
