import type { OperationName } from '../../src/http/rest/operations.js'
import { cursorAt } from '../../src/store/query/cursors.js'
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

/** REST requests: the query strings for every GET route. */
export const READS: Readonly<Partial<Record<OperationName, (company: Company) => readonly string[]>>> = {
  listPersonnel: ({ groupIds: [group, , empty] }) => [
    ...LIST,
    '?status=active,INACTIVE&limit=3&total=true',
    '?status=inactive',
    `?group=${group}`,
    `?group=${empty}`,
    `?group=${group},${empty},grp_none`,
    '?search=ad',
    '?search=%C3%84',
    '?email=P0@Example.com',
    '?externalId=HR-2',
    '?status=gone',
    '?email=',
  ],
  getPerson: ({ personIds: [first = '', second = ''] }) => [...ONE, first, second, `${first}?limit=1`, `${first}/`],
  getMovements: ({ projectIds: [project] }) => [
    '',
    '?since=2026-01-01',
    '?since=2026-01-01&until=2026-12-01T00:00:00Z&project=apollo,HARBOR-2&level=HIGH,unassessed',
    `?since=2026-11-02T09:30:00.001Z&project=${project}`,
    '?since=2026-01-01&project=NONE',
    '?since=2026-01-02&until=2026-01-01',
    '?since=2026-01-01&limit=1',
    '?since=soon',
  ],
  getRiskTrend: ({ projectIds: [project] }) => [
    '?from=2026-11-01&to=2026-11-04',
    `?from=2026-11-01&to=2026-11-04&project=${project}`,
    '?from=2026-01-01&to=2026-12-31&step=month&project=APOLLO',
    '?from=2026-11-01&to=2020-11-04',
    '?from=2026-11-01&to=2036-11-04&project=NONE',
    '?to=2026-11-01',
  ],
  listGroups: () => [...LIST, '?search=TEAM', '?search=none%20such', '?group=grp_none'],
  getGroup: ({ groupIds: [first = '', , empty = ''] }) => [...ONE, first, empty],
  listProjects: () => [...LIST, '?status=ACTIVE,on_hold', '?status=closed&total=true', '?search=harb'],
  getProject: ({ projectIds: [first = ''] }) => [...ONE, first, 'apollo', 'HARBOR-2', 'OLD', `${first}?total=true`],
  listRisks: ({ personIds: [, owner], projectIds: [project] }) => [
    ...LIST,
    '?project=APOLLO,harbor-2&limit=4&total=true',
    `?project=${project}`,
    '?project=NONE',
    '?status=open&level=critical,high',
    '?level=unassessed&total=true',
    '?status=closed&limit=2',
    '?minScore=9&likelihood=3',
    '?impact=2',
    `?owner=${owner},none`,
    '?owner=none&limit=1',
    '?category=SUPPLY',
    '?reviewBefore=2026-06-30',
    '?search=steel',
    '?minScore=26',
    '?reviewBefore=yesterday',
  ],
  riskMatrix: () => [
    ...COUNTS,
    '?project=apollo&level=high,low',
    '?owner=none&minScore=5',
    '?likelihood=6',
    '?status=closed',
  ],
  issueCounts: () => [
    ...COUNTS,
    '?project=APOLLO&dueBefore=2026-11-01',
    '?severity=high&status=open',
    '?status=closed',
  ],
  getRisk: ({ riskIds: [first = '', , , , closed = ''] }) => [...ONE, first, closed],
  listIssues: ({ personIds: [, assignee] }) => [
    ...LIST,
    '?project=APOLLO&severity=high,critical&total=true',
    '?status=blocked',
    `?assignee=${assignee},none`,
    '?assignee=none',
    '?dueBefore=2026-11-01',
    '?search=crane&limit=2',
    '?status=closed',
  ],
  getIssue: ({ issueIds: [first = '', , closed = ''] }) => [...ONE, first, closed],
  listMembers: ({ groupIds: [first = '', , empty = ''] }) => [
    ...below(first),
    ...[empty, 'grp_00000000000000000000000000', 'no%20such', `${first}?search=a&status=inactive`],
  ],
  listProjectRisks: () => [...below('apollo'), 'APOLLO?level=high&owner=none', 'NOWHERE', 'APOLLO?project=OLD'],
  listProjectIssues: () => [...below('APOLLO'), 'apollo?severity=high', 'prj_00000000000000000000000000'],
  listPersonRisks: ({ personIds: [, owner = ''] }) => [
    ...below(owner),
    ...['p0@example.com', 'usr_00000000000000000000000000', `${owner}?project=apollo`, 'nobody@example.com'],
  ],
  listPersonIssues: ({ personIds: [, assignee = ''] }) => [...below(assignee), 'p0@example.com?limit=1', 'usr_none'],
  personHistory: ({ personIds: [first = ''] }) => [...below(first), `${first}?since=2026-01-01`, 'usr_none'],
  groupHistory: ({ groupIds: [first = ''] }) => [...below(first), 'grp_none'],
  projectHistory: () => [...below('apollo'), 'NOWHERE'],
  riskHistory: ({ riskIds: [first = ''] }) => [...below(first), `${first}?limit=1001`],
  issueHistory: ({ issueIds: [first = ''] }) => [...below(first), `${first}?cursor=none`],
  listChanges: ({ projectIds: [project] }) => [
    ...['', '?limit=2', '?limit=1000', '?limit=0', '?entity=risk', '?entity=person,group&limit=3', '?entity=planet'],
    ...['?project=apollo&limit=4', `?project=${project},OLD&entity=issue,risk`, '?project=NONE', '?total=true'],
    ...['?since=2026-01-01T00:00:00Z&limit=1', '?since=2099-01-01T00:00:00Z', '?cursor=none'],
    ...[`?cursor=${cursorAt({ name: 'feed' }, [7, 7])}`, `?cursor=${cursorAt({ name: 'feed' }, [0, 0])}&limit=1`],
  ],
  getKey: () => ['', '?limit=1'],
}

/** Query strings for what a list amounts to. */
const COUNTS = ['', '?limit=3', '?total=true', '?updatedSince=2099-01-01', '?search=steel', '?project=NONE', '?search=']

/** Requests for a list below one entity. */
const below = (name: string) => [name, `${name}?limit=2`, `${name}?limit=1&total=true`, `${name}?limit=0`]

/** Query strings for any list, valid and invalid. */
const LIST = [
  '',
  '?',
  '?limit=2',
  '?limit=3&total=true',
  '?total=true',
  '?total=false',
  '?limit=1000',
  '?updatedSince=2026-01-01T00:00:00Z&limit=5',
  '?updatedSince=2099-01-01T00:00:00%2B02:00&total=true',
  '?limit=0',
  '?limit=1001',
  '?limit=two',
  '?limit=1&limit=2',
  '?limit=2&cursor=nonsense',
  '?total=yes',
  '?search=%20',
  '?nonsense=1&limit=x',
  '?updatedSince=now',
]

const ONE = ['none', 'usr_00000000000000000000000000', '%00', 'a%2Fb', '%E0%A4%A', "'%20or%201=1"]

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
