import { expect } from 'vitest'
import type { TestResponse } from '../../support/harness.js'
import { AS_MANAGER, type Attack, campaign, openArena, type Row, read } from '../support/arena.js'
import { getting, lines } from '../support/requests.js'
import { either, fine, problem, refused, unreadable, type Verdict } from '../support/verdicts.js'
import type { Raw } from '../support/wire.js'

const nowhere = problem('NOT_FOUND')
const badTarget = problem('BAD_REQUEST', /address|cannot be read/)

/** Paths without a route, even after sloppy normalization. */
const NOWHERE = `// /// //v1/key /v1//key /v1//personnel /v1/key// /v1/personnel// /v1/./key/x /V1/key /v1/KEY /v1%2fkey /v1%2Fkey
  /%76%31/key%00 /v1/key%00 /v1/key%20 /v1/key%0a /v1/key;x=y /v1;x/key /v1/key%3fx=1 /v1/key%23 /v1/key.json /v1/key,
  /v1/%2e%2e%2fkey /v1/..%2f..%2fetc%2fpasswd /..%2f..%2fpackage.json /v1/..;/key /v1/%252e%252e/key /%5c /v1\\\\key
  /v1/personnel/%zz /v1/personnel/% /v1/personnel/%c0%af /v1/personnel/%ff /v1/personnel/%00 /v1/personnel/%2f
  /v1/personnel/usr_%00 /v1/personnel/.%00 /v1/personnel/* /v1/personnel/' /v1/personnel/'%20or%201=1-- /v1/projects/%
  /v1/projects/APOLLO%00 /v1/projects/APOLLO%2f /v1/projects/%41POLLO%0d%0aX:y /v1/projects/$ne
  /v1/projects/__proto__ /v1/personnel/constructor /v1/groups/toString /v1/risks/null /v1/issues/undefined /v1/risks/0
  /v1/{id} /v1/personnel/{id}/x /v1/groups/x/members /v1/groups//members/ /graphql/ /graphql%00 /GRAPHQL /graphql/x
  /healthz/ /healthz%00 /readyz/x /metrics /.env /.git/config /package.json /server-status /favicon.ico /index.html`

const paths = NOWHERE.split(/\s+/).map((path): Row => [`${path} is nowhere`, read(path), nowhere])

/** References are trimmed, in a path as in a filter. */
const trimmed: Row[] = ['/v1/projects/APOLLO%20', '/v1/projects/%09apollo'].map((path) => [
  `${path} is the project`,
  read(path),
  fine(200, ({ body }) => expect(body.key).toBe('APOLLO')),
])

/** Dot segments are resolved by the URL parser before routing. */
const steps: Row[] = ['/v1/./key', '/v1/x/../key', '/../../v1/key', '/v1/%2e/key', '/x/%2E%2e/v1/key', '/v1\\key'].map(
  (path): Row => [`${path} is the key or nowhere`, read(path), either(fine(), nowhere, badTarget)],
)

const raw = (target: string, method = 'GET'): Raw => ({
  bytes: getting('a', ['Connection: close']).replace('GET /v1/key', `${method} ${target}`),
})

const forms: Row[] = [
  ['a whole address is as good as its path', raw('http://localhost/v1/key'), fine()],
  ['a whole address of elsewhere is as good as its path', raw('http://example.com:81/v1/key?'), fine()],
  [
    'a whole address with a name and a password is as good as its path',
    raw('http://a:b@localhost/v1/key'),
    either(fine(), badTarget),
  ],
  ['an address in capitals is one', raw('HTTP://LOCALHOST/v1/key'), either(fine(), badTarget)],
  ['an address without a host is none', raw('http:///v1/key'), either(badTarget, nowhere, unreadable)],
  ['an address without anything is none', raw('http://'), either(badTarget, unreadable)],
  ['an address of a file is none', raw('file:///etc/passwd'), either(badTarget, unreadable)],
  ['an address of another scheme is none', raw('gopher://localhost/v1/key'), either(badTarget, unreadable)],
  ['an address with a wrong port is none', raw('http://localhost:99999/v1/key'), either(badTarget, unreadable)],
  ['an authority is no target of GET', raw('localhost:80'), either(badTarget, unreadable)],
  ['a star is no target of GET', raw('*'), either(badTarget, unreadable)],
  ['a star is no target of OPTIONS', raw('*', 'OPTIONS'), badTarget],
  ['a path without a slash is none', raw('v1/key'), unreadable],
  ['a question is no path', raw('?x=1'), unreadable],
  ['a fragment is not sent', raw('/v1/key#x'), either(fine(), nowhere, unreadable, badTarget)],
  ['an empty target is none', raw(''), unreadable],
  ['a space in a path is none', raw('/v1/ key'), unreadable],
  ['a tab in a path is none', raw('/v1/\tkey'), unreadable],
  ['a NUL in a path is none', raw('/v1/\0key'), unreadable],
  ['a letter beyond ASCII in a path leads nowhere', raw('/v1/k\xe9y'), either(nowhere, unreadable, badTarget)],
  ['a path of 15,000 letters leads nowhere', read(`/v1/${'x'.repeat(15_000)}`), nowhere],
  ['a path of 15,000 slashes leads nowhere', read('/'.repeat(15_000)), nowhere],
  ['a path of 5,000 escapes leads nowhere', read(`/v1/personnel/${'%25'.repeat(5_000)}`), nowhere],
  ['a path of 5,000 steps up leads nowhere else', read(`${'/..'.repeat(5_000)}/v1/nowhere`), nowhere],
  ['a path of 17,000 letters is too long', read(`/v1/${'x'.repeat(17_000)}`), problem('HEADERS_TOO_LARGE')],
]

const LETTERS = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789']
/** All names of two letters: as many as fit into the headers. */
const NAMES = LETTERS.flatMap((one) => LETTERS.map((other) => one + other))
const named =
  (...parameters: string[]): Verdict =>
  (talk) => {
    problem('BAD_REQUEST')(talk)
    const violations: { parameter: string }[] = talk.answers[0]?.body.errors
    expect(violations.map((violation) => violation.parameter)).toEqual(parameters)
  }

/** Queries that are refused, and the parameters that the refusal names. */
const REFUSED: [query: string, ...named: string[]][] = [
  ['x', 'x'],
  ['x=1', 'x'],
  ['=1', ''],
  ['=', ''],
  ['%00=1', '\0'],
  ['limit', 'limit'],
  ['limit=', 'limit'],
  ['limit=%20', 'limit'],
  ['limit=+5', 'limit'],
  ['limit=5%20', 'limit'],
  ['limit=%2B5', 'limit'],
  ['limit=1e3', 'limit'],
  ['limit=0x10', 'limit'],
  ['limit=5.0', 'limit'],
  ['limit=5,6', 'limit'],
  ['limit=-1', 'limit'],
  ['limit=0', 'limit'],
  ['limit=-0', 'limit'],
  ['limit=1001', 'limit'],
  ['limit=9999999999', 'limit'],
  ['limit=%EF%BC%95', 'limit'],
  ['limit=%D9%A5', 'limit'],
  ['limit=NaN', 'limit'],
  ['limit=Infinity', 'limit'],
  ['limit=null', 'limit'],
  ['limit=5&limit=5', 'limit'],
  ['LIMIT=5', 'LIMIT'],
  ['limit%00=5', 'limit\0'],
  ['limit%20=5', 'limit '],
  ['limit[]=5', 'limit[]'],
  ['limit[$gt]=5', 'limit[$gt]'],
  ['limit=5;total=true', 'limit'],
  ['?limit=5', '?limit'],
  ['status[]=OPEN', 'status[]'],
  ['search=a&search=b', 'search'],
  ['status=OPEN,', 'status'],
  ['status=,', 'status'],
  ['status=OPEN%00', 'status'],
  ['status=toString', 'status'],
  ['status=__proto__', 'status'],
  ['total=1', 'total'],
  ['total=TRUE', 'total'],
  ['total', 'total'],
  ['minScore=26', 'minScore'],
  ['minScore=-1', 'minScore'],
  ['search=%00', 'search'],
  ['search=%20%20', 'search'],
  [`search=${'x'.repeat(201)}`, 'search'],
  ['cursor=x', 'cursor'],
  ['cursor=%00', 'cursor'],
  [`cursor=${'A'.repeat(15_000)}`, 'cursor'],
  ['updatedSince=0', 'updatedSince'],
  ['updatedSince=%2B275760-09-13T00:00:00Z', 'updatedSince'],
  ['updatedSince=2026-01-01T00:00:00+99:99', 'updatedSince'],
  ['reviewBefore=2026-02-29', 'reviewBefore'],
  ['__proto__=1', '__proto__'],
  ['constructor=1&prototype=1', 'constructor', 'prototype'],
  ['toString=1&hasOwnProperty=1', 'toString', 'hasOwnProperty'],
  ['query={__typename}', 'query'],
  ['access_token=x', 'access_token'],
]

const queries = REFUSED.map(([text, ...parameters]): Row => {
  const shown = text.length > 60 ? `${text.slice(0, 40)} and so on` : text
  return [`/v1/risks?${shown} is refused`, read(`/v1/risks?${text}`), named(...parameters)]
})

const isEmpty = ({ body }: TestResponse) => expect(body.data).toEqual([])
const someone: (name: string, end: string) => Attack =
  (name, end) =>
  ({ personIds }) =>
    read(`/v1/risks?${name}=${personIds[1]}${end}`)

const taken: Row[] = [
  ['a plus is a space', read('/v1/risks?search=a+b'), fine(200, isEmpty)],
  ['an escaped plus is a plus', read('/v1/risks?search=a%2Bb'), fine(200, isEmpty)],
  ['an escape that is none is a text', read('/v1/risks?search=%zz'), fine(200, isEmpty)],
  ['what is no UTF-8 is a text that is not there', read('/v1/risks?search=%ff%fe'), fine(200, isEmpty)],
  ['wildcards of SQL mean themselves', read('/v1/risks?search=%25_%25'), fine(200, isEmpty)],
  ['a quote means itself', read("/v1/risks?search='%20or%20'1'='1"), fine(200, isEmpty)],
  ['an empty query is none', read('/v1/key?'), fine()],
  ['only separators are an empty query', read('/v1/key?&&&&'), fine()],
  [
    'zeros before a number are passed over',
    read('/v1/risks?limit=000000001'),
    fine(200, ({ body }) => expect(body.data).toHaveLength(1)),
  ],
  ['an owner with a NUL after the id is nobody', someone('owner', '%00'), named('owner')],
  ['an owner with a space after the id is the owner', someone('owner', '%20'), fine()],
  ['a project with a NUL after the key is none', read('/v1/risks?project=APOLLO%00'), named('project')],
  ['a category with a NUL after it is none', read('/v1/risks?category=Supply%00'), fine(200, isEmpty)],
  ['an e-mail with a NUL after it is nobody', read('/v1/personnel?email=p0@example.com%00'), fine(200, isEmpty)],
  ['an id of HR with a NUL after it is nobody', read('/v1/personnel?externalId=HR-2%00'), fine(200, isEmpty)],
  [
    'a group with a NUL after the id is none',
    ({ groupIds }) => read(`/v1/personnel?group=${groupIds[0]}%00`),
    named('group'),
  ],
  [
    'a project of a key of 15,000 letters is refused',
    read(`/v1/risks?project=${'A'.repeat(15_000)}`),
    named('project'),
  ],
  ['3,000 owners are as good as one', read(`/v1/risks?owner=${'none,'.repeat(3_000)}none`), fine()],
  ['3,844 parameters that there are not are refused', read(`/v1/risks?${NAMES.join('&')}`), problem('BAD_REQUEST')],
  ['4,000 parameters without a name are refused', read(`/v1/risks?${'=1&'.repeat(4_000)}`), problem('BAD_REQUEST')],
  ['1,800 times the same parameter is refused', read(`/v1/risks?${'limit=1&'.repeat(1_800)}`), named('limit')],
  ['10,000 separators are an empty query', read(`/v1/key?${'&'.repeat(10_000)}`), fine()],
]

const notAllowed = problem('METHOD_NOT_ALLOWED')
const noProxy: Verdict = (talk) => {
  problem('METHOD_NOT_ALLOWED', /^This server is not a proxy\.$/)(talk)
  expect(talk.end).toBe('closed')
}
const METHODS: [method: string, target: string, verdict: Verdict][] = [
  ['TRACE', '/v1/key', notAllowed],
  ['TRACE', '/graphql', refused('METHOD_NOT_ALLOWED', 405)],
  ['TRACE', '/', notAllowed],
  ['CONNECT', 'localhost:80', noProxy],
  ['CONNECT', 'example.com:443', noProxy],
  ['CONNECT', '/v1/key', either(noProxy, unreadable)],
  ...[
    'PATCH',
    'PUT',
    'DELETE',
    'PROPFIND',
    'SEARCH',
    'LOCK',
    'QUERY',
    'PURGE',
    'MERGE',
    'LINK',
    'M-SEARCH',
    'SOURCE',
  ].flatMap((method): [string, string, Verdict][] => [
    [method, '/v1/risks', either(notAllowed, unreadable)],
    [method, '/graphql', either(refused('METHOD_NOT_ALLOWED', 405), unreadable)],
  ]),
  ...[
    'get',
    'Get',
    'GETX',
    'G',
    '',
    'NONSENSE',
    'GET,POST',
    'GET/',
    'X'.repeat(1_000),
    'X'.repeat(20_000),
    '\x01',
    'ＧＥＴ',
  ].map((method): [string, string, Verdict] => [method, '/v1/key', either(unreadable, problem('HEADERS_TOO_LARGE'))]),
]

const methods = METHODS.map(([method, target, verdict]): Row => {
  const shown = method.length > 20 ? `a method of ${method.length} letters` : JSON.stringify(method)
  return [`${shown} is not done to ${target}`, { method, target, headers: AS_MANAGER }, verdict]
})

const overridden: Row[] = ['X-HTTP-Method-Override', 'X-Method-Override', 'X-HTTP-Method'].map(
  (name): Row => [`${name} overrides nothing`, read('/v1/key', { [name]: 'DELETE' }), fine()],
)

const hostless: Verdict = (talk) => {
  problem('BAD_REQUEST', /^The address or the Host header of the request cannot be read\.$/)(talk)
  expect(talk.end).toBe('closed')
}

const old: Row[] = [
  ['HTTP/1.0 without a host is answered', { bytes: lines('GET /healthz HTTP/1.0') }, fine()],
  ['a line of HTTP/0.9 is refused for want of a host', { bytes: 'GET /healthz\r\n\r\n' }, hostless],
]

campaign(openArena(import.meta.url), [
  ...paths,
  ...trimmed,
  ...steps,
  ...forms,
  ...queries,
  ...taken,
  ...methods,
  ...overridden,
  ...old,
])
