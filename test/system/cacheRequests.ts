import type { Company } from '../support/fixtures.js'
import type { Gateway } from '../support/harness.js'

export interface SentRequest {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** The whole response, byte for byte; the Request-Id is set by the client, and so the same. */
export async function answerOf({ app }: Gateway, key: string, { method = 'GET', path, headers, body }: SentRequest) {
  const request = new Request(`http://localhost${path}`, {
    method,
    headers: {
      'request-id': 'same',
      ...(key && { authorization: key }),
      ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
      ...headers,
    },
    ...(body !== undefined && { body }),
  })
  const response = await app.fetch(request)
  const bytes = Buffer.from(await response.arrayBuffer()).toString('latin1')
  return { status: response.status, headers: Object.fromEntries(response.headers), bytes }
}

/** GraphQL requests, valid and invalid. */
export const QUERIES: Readonly<Record<string, (company: Company) => { query: string; variables?: object }>> = {
  'a page': () => ({
    query: '{ risks(first: 3) { totalCount nodes { id rank level } pageInfo { hasNextPage endCursor } } }',
  }),
  'a dear page': () => ({ query: '{ personnel(first: 1000) { nodes { id groups { id name description } } } }' }),
  'two lists': () => ({ query: '{ personnel(first: 1) { nodes { id } } projects { nodes { key } } __typename }' }),
  'one thing': ({ riskIds: [id] }) => ({
    query: 'query One($id: ID!) { risk(id: $id) { id title owner { name groups { name } } project { key } } }',
    variables: { id },
  }),
  'one thing that is not there': () => ({ query: '{ person(id: "usr_none") { id } }' }),
  'what moved': () => ({
    query: '{ movements(since: "2026-01-01") { since counts { new unchanged } risks { id movement } } }',
  }),
  'what is overdue': () => ({
    query: `{ overdueByPerson(on: "2040-01-01") { total people { name person { name } riskCount } }
      projects { nodes { overdueIssueCount(on: "2040-01-01") } } }`,
  }),
  'who did it': ({ riskIds: [id] }) => ({ query: `{ risk(id: "${id}") { history { nodes { by } } } }` }),
  references: ({ personIds: [one, other], riskIds: [risk] }) => ({
    query: `query ($r: [_Any!]!) { _entities(representations: $r) { __typename
      ... on Person { name } ... on Risk { title project { key } } } }`,
    variables: { r: [one, risk, other, 'usr_none'].map((id) => ({ __typename: id === risk ? 'Risk' : 'Person', id })) },
  }),
  'a bad reference': ({ personIds: [id] }) => ({
    query: 'query ($r: [_Any!]!) { _entities(representations: $r) { ... on Person { id name } } }',
    variables: { r: [{ __typename: 'Person', id }, { __typename: 'Person' }] },
  }),
  'parts that variables leave out': () => ({
    query: 'query ($yes: Boolean!) { groups { nodes { id name @include(if: $yes) description @skip(if: $yes) } } }',
    variables: { yes: true },
  }),
  'what is about the key': () => ({ query: '{ apiKey { name scopes } }' }),
  'the schema': () => ({ query: '{ __type(name: "Person") { fields { name } } _service { sdl } }' }),
  'bad variables': () => ({ query: 'query ($n: Int!) { risks(first: $n) { nodes { id } } }', variables: { n: 'two' } }),
  'a cursor of nothing': () => ({ query: '{ personnel(first: 1, after: "nonsense") { nodes { id } } }' }),
  'too much': () => ({ query: '{ risks(first: 1000) { nodes { owner { risks(first: 1000) { nodes { id } } } } } }' }),
  'no such field': () => ({ query: '{ personnel { nodes { salary } } }' }),
  'no GraphQL': () => ({ query: '{ personnel' }),
}

const GROUPS = '{ groups(first: 2) { nodes { id name } } }'
const outcomeOf = (members: string) => `{"query":"${GROUPS}"${members}}`

/** Bodies with additional or unusual members, valid and invalid. */
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

const ORIGIN = 'https://app.example.com'

/** Settings that allow this CORS origin. */
export const CORS = { corsOrigins: ORIGIN }

/** The Accept headers for a resource. */
export const FORMS: readonly Readonly<Record<string, string>>[] = [
  {},
  { accept: 'application/json' },
  { accept: 'text/csv' },
  { accept: 'text/csv;q=0.5, application/json;q=0.4' },
  { accept: 'text/*, application/json;q=0.1', 'accept-encoding': 'gzip' },
  { accept: 'application/problem+json' },
  { accept: 'image/png' },
  { accept: '' },
  { 'accept-encoding': 'br' },
  { 'accept-encoding': 'gzip, deflate, br' },
  { 'accept-encoding': 'br;q=0, gzip;q=0.2' },
  { origin: ORIGIN },
  { origin: 'https://elsewhere.example.com', 'accept-encoding': 'br' },
  { 'if-none-match': '*' },
  { 'if-none-match': '"other"', 'cache-control': 'no-cache' },
  { 'if-match': '"other"', 'idempotency-key': 'not for reading', accept: '*/*' },
]

/** The Accept headers of GraphQL clients. */
export const ACCEPTS: Readonly<Record<string, string | undefined>> = {
  nothing: undefined,
  'an empty one': '',
  'a blank': ' ',
  anything: '*/*',
  JSON: 'application/json',
  'JSON in UTF-8': 'application/json; charset=utf-8',
  'JSON in capitals': 'APPLICATION/JSON',
  'the type of GraphQL': 'application/graphql-response+json',
  'Apollo Client 4': 'application/graphql-response+json,application/json;q=0.9',
  'the same with a blank': 'application/graphql-response+json, application/json;q=0.9',
  'the specification': 'application/graphql-response+json; charset=utf-8, application/json; charset=utf-8',
  'Apollo Client 3': '*/*',
  'Apollo with @defer': 'multipart/mixed;deferSpec=20220824,application/graphql-response+json,application/json;q=0.9',
  urql: 'application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed',
  Relay: 'application/json, application/graphql-response+json',
  'JSON rather': 'application/graphql-response+json;q=0.4, application/json;q=0.5',
  'JSON not at all': 'application/json;q=0, application/graphql-response+json',
  'a part of the types': 'application/*',
  'events rather': 'text/event-stream, application/json;q=0.5',
  'events alone': 'text/event-stream',
  'a page': 'text/html',
  'a browser': 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
}
