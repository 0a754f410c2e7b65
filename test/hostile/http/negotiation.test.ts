import { expect } from 'vitest'
import type { Company } from '../../support/fixtures.js'
import { campaign, openArena, posted, query, type Row, read } from '../support/arena.js'
import { getting, lines, OWN } from '../support/requests.js'
import { either, fine, problem, refused } from '../support/verdicts.js'

const tooLarge = problem('HEADERS_TOO_LARGE')
const SPACES = ' '.repeat(15_500)
const ranges = (count: number) => Array.from({ length: count }, (_, i) => `a/b${i};q=0.1`).join(',')
const notAcceptable = problem('NOT_ACCEPTABLE')

const accepts: Row[] = [
  ['1,000 ranges and none of ours are not acceptable', read('/v1/key', { Accept: ranges(1_000) }), notAcceptable],
  [
    '1,000 ranges and the last one ours are fine',
    read('/v1/key', { Accept: `${ranges(1_000)},application/json` }),
    fine(),
  ],
  [
    '7,000 commas are fine or not acceptable',
    read('/v1/key', { Accept: ','.repeat(7_000) }),
    either(fine(), notAcceptable),
  ],
  ['7,000 semicolons are not acceptable', read('/v1/key', { Accept: `a/b${';'.repeat(7_000)}` }), notAcceptable],
  ['a range with 15,000 spaces in it is not acceptable', read('/v1/key', { Accept: `a${SPACES}b` }), notAcceptable],
  [
    'a range with 15,000 spaces in it is not acceptable to GraphQL either',
    { target: '/graphql', headers: { Accept: `a${SPACES}b` } },
    refused('NOT_ACCEPTABLE', 406),
  ],
  [
    'a page with 15,000 spaces in its range keeps nobody waiting',
    { target: '/graphql', headers: { Accept: `text/html;q=0,a${SPACES}b` } },
    refused('NOT_ACCEPTABLE', 406),
  ],
  [
    'an encoding with 15,000 spaces in it is none',
    { target: '/', headers: { 'Accept-Encoding': `a${SPACES}b` } },
    fine(),
  ],
  ['1,500 encodings are none', { target: '/', headers: { 'Accept-Encoding': 'a;q=1,'.repeat(1_500) } }, fine()],
  [
    'a quality that is none is fine or not acceptable',
    read('/v1/key', { Accept: 'application/json;q=x' }),
    either(fine(), notAcceptable),
  ],
  [
    'a stream of events is not acceptable',
    { ...query('{ __typename }'), headers: { ...query('').headers, Accept: 'text/event-stream' } },
    refused('NOT_ACCEPTABLE', 406),
  ],
  [
    'an answer in parts is not acceptable',
    { ...query('{ __typename }'), headers: { ...query('').headers, Accept: 'multipart/mixed' } },
    refused('NOT_ACCEPTABLE', 406),
  ],
]

const tags = (count: number) => Array.from({ length: count }, () => '"x"').join(',')
const patched =
  (match: string) =>
  ({ groupIds }: Company) => ({
    ...posted(`/v1/groups/${groupIds[0]}`, '{"name":"Evil"}', { 'If-Match': match }),
    method: 'PATCH',
  })

/** A change with a precondition header, which comes last. */
const buried = ({ groupIds }: Company) => {
  const headers = [
    'Content-Length: 2',
    'Content-Type: application/json',
    'Connection: close',
    ...Array(1_500).fill('a:b'),
  ]
  return { bytes: `${lines(`PATCH /v1/groups/${groupIds[0]} HTTP/1.1`, ...OWN, ...headers, 'If-Match: "x"')}{}` }
}

const conditions: Row[] = [
  ['3,500 tags that do not match change nothing', read('/v1/key', { 'If-None-Match': tags(3_500) }), fine()],
  ['10,000 tags are too large', read('/v1/key', { 'If-None-Match': tags(10_000) }), tooLarge],
  ['a tag of 15,000 spaces changes nothing', read('/v1/key', { 'If-None-Match': `"x"${SPACES}"y"` }), fine()],
  ['3,500 tags to match and none that does is refused', patched(tags(3_500)), problem('PRECONDITION_FAILED')],
  ['10,000 tags to match are too large', patched(tags(10_000)), tooLarge],
  ['a tag after 1,500 headers is heeded', buried, problem('PRECONDITION_FAILED')],
  ['weak tags never match', patched('W/"x"'), problem('PRECONDITION_FAILED')],
  ...[
    'x',
    '"',
    '"x',
    '"x" "y"',
    '',
    `"x"${SPACES}y`,
    `"x"${','.repeat(15_000)}y`,
    `${', '.repeat(7_000)}"x`,
    '*, "x"',
    '"x"; "y"',
  ].map(
    (match): Row => [
      `If-Match ${JSON.stringify(match.slice(0, 20))} of ${match.length} letters is refused`,
      patched(match),
      problem('BAD_REQUEST', /If-Match/),
    ],
  ),
]

const others: Row[] = [
  ['an expectation that is none is passed over', read('/v1/key', { Expect: '200-ok' }), fine()],
  [
    'an upgrade to a socket is passed over',
    read('/v1/key', {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Key': 'eA==',
      'Sec-WebSocket-Version': '13',
    }),
    fine(),
  ],
  [
    'an upgrade of GraphQL to a socket is passed over',
    read('/graphql?query={__typename}', {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Protocol': 'graphql-transport-ws',
    }),
    fine(),
  ],
  [
    'an upgrade to HTTP/2 is passed over',
    read('/v1/key', {
      Connection: 'Upgrade, HTTP2-Settings',
      Upgrade: 'h2c',
      'HTTP2-Settings': 'AAMAAABkAARAAAAAAAIAAAAA',
    }),
    fine(),
  ],
  ['a range is passed over', read('/v1/risks', { Range: 'bytes=0-10' }), fine()],
  [
    'a thousand ranges of bytes are passed over',
    read('/v1/risks', { Range: `bytes=${'0-1,'.repeat(1_000)}0-1` }),
    fine(),
  ],
  [
    'a connection that names our headers keeps them',
    read('/v1/key', { Connection: 'close, Authorization, Host' }),
    fine(),
  ],
  [
    'a foreign origin gets no CORS headers',
    read('/v1/key', { Origin: 'https://evil.example' }),
    fine(200, ({ headers }) => expect(headers.get('access-control-allow-origin')).toBe(null)),
  ],
  [
    'a preflight of a foreign origin gets no CORS headers',
    {
      ...read('/v1/key', { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'DELETE' }),
      method: 'OPTIONS',
    },
    fine(204, ({ headers }) => expect(headers.get('access-control-allow-origin')).toBe(null)),
  ],
  [
    'a header called __proto__ is passed over',
    { bytes: getting('a', ['__proto__: x', 'constructor: y', 'toString: z', 'Connection: close']) },
    fine(),
  ],
  [
    'headers that a server sends are passed over',
    read('/v1/key', { 'Set-Cookie': 'evil=1', Location: '/evil', 'WWW-Authenticate': 'Basic' }),
    fine(),
  ],
  ['cookies of 15 KB are passed over', read('/v1/key', { Cookie: 'a=b; '.repeat(3_000) }), fine()],
  [
    'a word for a cache is no excuse',
    read('/v1/key', { 'Cache-Control': 'only-if-cached', Pragma: 'no-cache', 'Max-Forwards': '0' }),
    fine(),
  ],
  ['a request in one write is answered', { bytes: getting('a', ['Connection: close']) }, fine()],
]

campaign(openArena(import.meta.url), [...accepts, ...conditions, ...others])
