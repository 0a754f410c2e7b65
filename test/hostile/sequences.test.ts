import { LIMITS } from '../../src/limits.js'
import { campaign, KEY, openArena, type Row, SMALL_KEY } from './support/arena.js'
import { BODY, getting, HIDDEN, length, lines, posting } from './support/requests.js'
import { either, inOrder, only, silence, statuses, unreadable, type Verdict } from './support/verdicts.js'

const untouched: Verdict = (talk) => {
  const { status } = only(talk)
  if (status !== 200) throw new Error(`The request was in order and is answered with ${status}.`)
}
const hiding = (target: string, headers: string[]) =>
  lines(`POST ${target} HTTP/1.1`, 'Host: localhost', ...headers, length(HIDDEN)) + HIDDEN

const sequences: Row[] = [
  [
    'requests in a row are answered in a row',
    { bytes: ['a', 'b', 'c', 'd', 'e'].map((id) => getting(id)).join('') },
    inOrder('a', 'b', 'c', 'd', 'e'),
  ],
  [
    'fifty requests in one packet are answered in their order',
    { bytes: Array.from({ length: 50 }, (_, i) => getting(`r${i}`)).join('') },
    inOrder(...Array.from({ length: 50 }, (_, i) => `r${i}`)),
  ],
  ['what follows Connection: close is not read', { bytes: getting('a', ['Connection: close']) + HIDDEN }, inOrder('a')],
  ['a request in the body of GET is no request', { bytes: getting('a', [length(HIDDEN)], HIDDEN) }, inOrder('a')],
  [
    'a request in the chunks of GET is no request',
    { bytes: getting('a', ['Transfer-Encoding: chunked'], `${HIDDEN.length.toString(16)}\r\n${HIDDEN}\r\n0\r\n\r\n`) },
    either(inOrder('a'), unreadable),
  ],
  ['a request in a body without a key is no request', { bytes: hiding('/v1/personnel', []) }, statuses(401)],
  [
    'a request in a body of a foreign type is no request',
    { bytes: hiding('/v1/personnel', [`Authorization: Bearer ${KEY}`]) },
    statuses(415),
  ],
  [
    'a request in a body to nowhere is no request',
    { bytes: hiding('/v1/nowhere', [`Authorization: Bearer ${KEY}`]) },
    statuses(404),
  ],
  [
    'a query without a key is refused before it has come',
    {
      bytes: lines('POST /graphql HTTP/1.1', 'Host: localhost', 'Content-Type: application/json', 'Content-Length: 99'),
    },
    statuses(401),
  ],
  [
    'a request after a refused body is answered',
    { bytes: hiding('/v1/personnel', []) + getting('b') },
    statuses(401, 200),
  ],
  [
    'a request after a body that is too large is answered',
    {
      bytes: `${lines('POST /v1/personnel HTTP/1.1', 'Host: localhost', `Authorization: Bearer ${SMALL_KEY}`, 'Content-Type: application/json', `Content-Length: ${LIMITS.bodyBytesMax + 1}`)}${' '.repeat(LIMITS.bodyBytesMax + 1)}${getting('b')}`,
    },
    statuses(413, 200),
  ],
  ['empty lines before a request are passed over', { bytes: `\r\n\r\n${getting('a')}` }, inOrder('a')],
  [
    'a request in order is answered whatever comes after it',
    { bytes: `${getting('a')}NONSENSE\r\n\r\n` },
    either(statuses(200, 400), untouched),
  ],
  [
    'a query in order is answered whatever comes after it',
    { bytes: `${posting([length(BODY)], BODY).bytes}\0\0\0\0` },
    either(statuses(200, 400), untouched),
  ],
  [
    'a request in order is answered though our side is closed',
    { bytes: getting('a'), isHalfClosed: true },
    inOrder('a'),
  ],
]

const noHttp: Row[] = [
  ['nothing at all, and closed', { bytes: '', isHalfClosed: true }, silence],
  ['a greeting of TLS', { bytes: Buffer.from('16030100a5010000a10303\r\n\r\n', 'latin1') }, unreadable],
  ['a greeting of HTTP/2', { bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' }, unreadable],
  ['a greeting of SSH', { bytes: 'SSH-2.0-OpenSSH_9.6\r\n' }, unreadable],
  ['a command of SMTP', { bytes: 'EHLO example.com\r\n' }, unreadable],
  ['a command of Redis', { bytes: '*1\r\n$4\r\nPING\r\n' }, unreadable],
  ['HTTP/1.2', { bytes: getting('a').replace('1.1', '1.2') }, unreadable],
  ['HTTP/3.0', { bytes: getting('a').replace('1.1', '3.0') }, unreadable],
  ['http in small letters', { bytes: getting('a').replace('HTTP', 'http') }, unreadable],
  ['two versions', { bytes: getting('a').replace(' HTTP', ' HTTP/1.1 HTTP') }, unreadable],
  ['a tab before the path', { bytes: getting('a').replace('GET ', 'GET\t') }, unreadable],
  ['a request line that ends in a line feed', { bytes: getting('a').replace('\r\n', '\n') }, unreadable],
  ['bytes of chance', { bytes: Buffer.from('\x00\xff\x13\x37'.repeat(500), 'latin1') }, unreadable],
  ['a million zeros', { bytes: Buffer.alloc(1_000_000) }, unreadable],
].map(([name, attack, verdict]) => [`${name} is no request`, attack, verdict] as Row)

/** As many as fit into what is read off a connection at once, none of them with a key. */
const many = (request: string, count: number) => ({ bytes: request.repeat(count), withinMs: 40_000 })
const SHORTEST = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'
const NOWHERE = 'GET /x HTTP/1.1\r\nHost: a\r\n\r\n'

/** Each gets a response, or the connection is closed before; none gets two. */
const atMost =
  (count: number, status: number): Verdict =>
  ({ answers }) => {
    if (answers.length > count) throw new Error(`${answers.length} answers to ${count} requests`)
    for (const answer of answers) if (answer.status !== status) throw new Error(`an answer of ${answer.status}`)
  }

/** Earlier requests may get a response; the connection is closed in any case. */
const cutOff =
  (count: number): Verdict =>
  (talk) => {
    atMost(count, 200)(talk)
    if (talk.end === 'open') throw new Error('The connection is still open.')
  }

const crowds: Row[] = [
  ['100 requests in one packet are answered', many(SHORTEST, LIMITS.pipelinedMax), statuses(...Array(100).fill(200))],
  ['101 requests in one packet end the connection', many(SHORTEST, LIMITS.pipelinedMax + 1), cutOff(100)],
  ['500 requests in one packet keep nobody waiting', many(SHORTEST, 500), atMost(500, 200)],
  ['1,500 requests in one packet keep nobody waiting', many(SHORTEST, 1_500), atMost(1_500, 200)],
  ['1,500 requests to nowhere keep nobody waiting', many(NOWHERE, 1_500), atMost(1_500, 404)],
]

campaign(openArena(import.meta.url), [...sequences, ...noHttp, ...crowds])
