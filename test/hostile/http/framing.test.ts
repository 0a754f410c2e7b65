import { expect } from 'vitest'
import { LIMITS } from '../../../src/limits.js'
import { type Attack, campaign, openArena, posted, type Row, SMALL_KEY } from '../support/arena.js'
import { BODY, CHUNKS, getting, HIDDEN, length, lines, posting, SIZE } from '../support/requests.js'
import { either, fine, problem, refused, statuses, unreadable, type Verdict, violationAt } from '../support/verdicts.js'
import type { Sent } from '../support/wire.js'

const WRONG_LENGTHS = [
  '-1',
  '+5',
  'abc',
  '0x1a',
  '1e1',
  '26,26',
  '26, 26',
  '26 26',
  '2_6',
  '２６',
  '99999999999999999999',
  '18446744073709551616',
  '',
]

const lengths: Row[] = [
  ...WRONG_LENGTHS.map(
    (value): Row => [
      `a Content-Length of ${value || 'nothing'} cannot be read`,
      posting([`Content-Length: ${value}`], BODY),
      unreadable,
    ],
  ),
  ['the same length twice cannot be read', posting([length(BODY), length(BODY)], BODY), unreadable],
  ['two different lengths cannot be read', posting([length(BODY), 'Content-Length: 5'], BODY), unreadable],
  ['a length with zeros before it is a length', posting(['Content-Length: 00026', 'Connection: close'], BODY), fine()],
  [
    'a length in white space is a length, or none',
    posting(['Content-Length: \t 26 \t', 'Connection: close'], BODY),
    either(fine(), unreadable),
  ],
  ['too short a length leaves garbage', posting(['Content-Length: 20'], BODY), either(statuses(400, 400), unreadable)],
  [
    'too long a length waits in vain',
    { ...posting(['Content-Length: 40'], BODY), isHalfClosed: true },
    problem('BAD_REQUEST'),
  ],
  [
    'a length and no body waits in vain',
    { ...posting(['Content-Length: 40'], ''), isHalfClosed: true },
    problem('BAD_REQUEST'),
  ],
  ['a POST without a length has an empty body', posting(['Connection: close'], ''), refused('BAD_REQUEST', 400)],
]

const tooLarge = (target: string): Verdict =>
  target === '/graphql' ? refused('PAYLOAD_TOO_LARGE', 413) : problem('PAYLOAD_TOO_LARGE')
const asSmall: Sent['headers'] = { Authorization: `Bearer ${SMALL_KEY}` }
const padded = (size: number) => '{"name":1}'.padEnd(size)
const declared = (target: string, size: string, body = ''): Attack =>
  posted(target, body, { ...asSmall, 'Content-Length': size })
/** The start of the next request is ambiguous. */
const badCoding: Verdict = (talk) => {
  problem('BAD_REQUEST', /^The only Transfer-Encoding that is understood is chunked\.$|cannot be read as an HTTP/)(talk)
  expect(talk.end).toBe('closed')
}
const FEW = LIMITS.bodyBytesMax
const MANY = LIMITS.syncBodyBytesMax

/** On GraphQL the key may sync the roster, and so send more. */
const mostAt = (target: string) => (target === '/graphql' ? MANY : FEW)

/** A chunked body that ends only with the connection. */
async function* endless(target: string) {
  yield lines(
    `POST ${target} HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${SMALL_KEY}`,
    'Content-Type: application/json',
    'Transfer-Encoding: chunked',
  )
  for (let sent = 0; sent < mostAt(target) + 2_000_000; sent += 0x1_00_00) yield `10000\r\n${' '.repeat(0x1_00_00)}\r\n`
}

const sizes: Row[] = ['/v1/personnel', '/v1/groups', '/graphql'].flatMap((target): Row[] => [
  [
    `2 GB that are announced to ${target} are refused before they come`,
    declared(target, '2147483648'),
    tooLarge(target),
  ],
  [
    `as much as a number holds, announced to ${target}, is refused`,
    declared(target, '18446744073709551615'),
    tooLarge(target),
  ],
  [
    `a byte too many is refused at ${target}`,
    declared(target, String(mostAt(target) + 1), padded(mostAt(target) + 1)),
    tooLarge(target),
  ],
  [`chunks without end are refused at ${target}`, { bytes: endless(target) }, tooLarge(target)],
])

const bounds: Row[] = [
  ['as many bytes as may be are read', declared('/v1/personnel', String(FEW), padded(FEW)), violationAt('/name')],
  ['as many bytes as may be of a whole project are read', posted('/v1/projects', padded(MANY)), violationAt('/key')],
  [
    'a byte too many of a whole project is refused',
    posted('/v1/projects', padded(MANY + 1)),
    problem('PAYLOAD_TOO_LARGE', /larger than 16 MB/),
  ],
  [
    '2 GB that nobody may send are refused for want of a key',
    { ...posted('/v1/personnel', '', { Authorization: undefined, 'Content-Length': '2147483648' }) },
    problem('UNAUTHENTICATED'),
  ],
  [
    '2 GB with GET are passed over',
    { ...posted('/v1/key', '', { 'Content-Length': '2147483648' }), method: 'GET' },
    fine(),
  ],
  ['Expect: 100-continue gets 100 Continue', posted('/graphql', BODY, { Expect: '100-continue' }), fine()],
]

const transferring = (...values: string[]) =>
  posting(
    values.map((value) => `Transfer-Encoding: ${value}`),
    CHUNKS + HIDDEN,
  )
const WRONG_CODINGS = [
  'xchunked',
  'chunkedx',
  'identity',
  'chunked, identity',
  'chunked, gzip',
  '"chunked"',
  'chunked;q=1',
  '\x0bchunked',
  'chunked\0',
  'cow',
  '',
  ',',
]

/** A request hidden in a body must not get a response, unless the standard parses it as a request. */
const transfers: Row[] = [
  ...WRONG_CODINGS.map(
    (value): Row => [`Transfer-Encoding ${JSON.stringify(value)} cannot be read`, transferring(value), badCoding],
  ),
  ['chunks twice over cannot be read', transferring('chunked', 'chunked'), unreadable],
  ['chunks, then something else, cannot be read', transferring('chunked', 'identity'), unreadable],
  ['something else, then chunks, cannot be read', transferring('cow', 'chunked'), badCoding],
  ['chunks, then an empty coding, cannot be read', transferring('chunked', ''), badCoding],
  ['an empty coding, then chunks, cannot be read', transferring('', 'chunked'), badCoding],
  [
    'an empty coding beside a length cannot be read',
    posting(['Transfer-Encoding:', length(BODY)], BODY + HIDDEN),
    badCoding,
  ],
  ['an empty coding of GET cannot be read', { bytes: getting('a', ['Transfer-Encoding:'], HIDDEN) }, badCoding],
  [
    'a length before chunks (CL.TE) cannot be read',
    posting(['Content-Length: 4', 'Transfer-Encoding: chunked'], CHUNKS + HIDDEN),
    unreadable,
  ],
  [
    'chunks before a length (TE.CL) cannot be read',
    posting(['Transfer-Encoding: chunked', 'Content-Length: 4'], CHUNKS + HIDDEN),
    unreadable,
  ],
  [
    'a length of 0 beside chunks cannot be read',
    posting(['Content-Length: 0', 'Transfer-Encoding: chunked'], CHUNKS + HIDDEN),
    unreadable,
  ],
  [
    'a space before the colon cannot be read',
    posting(['Transfer-Encoding : chunked', length(CHUNKS)], CHUNKS),
    unreadable,
  ],
  [
    'a header in two lines cannot be read',
    posting(['X: y', ' Transfer-Encoding: chunked', length(CHUNKS)], CHUNKS),
    unreadable,
  ],
  ['a coding in the next line cannot be read', posting(['Transfer-Encoding:', ' chunked'], CHUNKS), unreadable],
  [
    'a first header that is folded cannot be read',
    { bytes: `GET /v1/key HTTP/1.1\r\n Host: localhost\r\n\r\n` },
    unreadable,
  ],
  [
    'a line feed alone ends no header',
    posting(['X: y\nTransfer-Encoding: chunked', length(CHUNKS)], CHUNKS),
    unreadable,
  ],
  [
    'a carriage return alone ends no header',
    posting(['X: y\rTransfer-Encoding: chunked', length(CHUNKS)], CHUNKS),
    unreadable,
  ],
  ['a NUL in a header cannot be read', posting(['X: a\0b', length(BODY)], BODY), unreadable],
  ['a header without a colon cannot be read', posting(['Transfer-Encoding', length(BODY)], BODY), unreadable],
  ['a header without a name cannot be read', posting([': chunked', length(BODY)], BODY), unreadable],
  [
    'chunks in HTTP/1.0 cannot be read',
    { bytes: posting(['Transfer-Encoding: chunked'], CHUNKS).bytes.toString().replace('1.1', '1.0') },
    either(unreadable, fine()),
  ],
  [
    'a name that only looks like it is another header',
    posting(['Transfer_Encoding: chunked', 'TE: chunked', length(BODY), 'Connection: close'], BODY),
    fine(),
  ],
  ['capitals mean chunks too', posting(['TRANSFER-ENCODING: CHUNKED', 'Connection: close'], CHUNKS), fine()],
]

const inChunks = (chunks: string) => posting(['Transfer-Encoding: chunked', 'Connection: close'], chunks)
const WRONG_SIZES = ['-1', '+1a', '0x1a', '1g', '', ' 1a', '1a\0', 'FFFFFFFFFFFFFFFF1a', '1_a']

const chunks: Row[] = [
  ...WRONG_SIZES.map(
    (size): Row => [
      `a chunk of ${JSON.stringify(size)} bytes cannot be read`,
      inChunks(`${size}\r\n${BODY}\r\n0\r\n\r\n`),
      unreadable,
    ],
  ),
  ['a chunk that is longer than it says cannot be read', inChunks(`5\r\n${BODY}\r\n0\r\n\r\n`), unreadable],
  ['a chunk that ends in line feeds alone cannot be read', inChunks(CHUNKS.replaceAll('\r\n', '\n')), unreadable],
  ['a chunk whose size ends in a line feed cannot be read', inChunks(`${SIZE}\n${BODY}\r\n0\r\n\r\n`), unreadable],
  [
    'a chunk whose size is in capitals and zeros is a chunk',
    inChunks(`000${SIZE.toUpperCase()}\r\n${BODY}\r\n000\r\n\r\n`),
    fine(),
  ],
  ['an extension of a chunk is passed over', inChunks(`${SIZE};a=b;c="d"\r\n${BODY}\r\n0;e\r\n\r\n`), fine()],
  [
    'an extension of 20 KB cannot be read',
    inChunks(`${SIZE};a=${'b'.repeat(20_000)}\r\n${BODY}\r\n0\r\n\r\n`),
    unreadable,
  ],
  ['single bytes are chunks', inChunks(`${[...BODY].map((letter) => `1\r\n${letter}\r\n`).join('')}0\r\n\r\n`), fine()],
  [
    'trailers are passed over',
    inChunks(`${SIZE}\r\n${BODY}\r\n0\r\nAuthorization: Bearer x\r\nContent-Length: 0\r\n\r\n`),
    either(fine(), unreadable),
  ],
  [
    'trailers of 20 KB are refused',
    inChunks(`${SIZE}\r\n${BODY}\r\n0\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`),
    either(problem('HEADERS_TOO_LARGE'), fine()),
  ],
  [
    'chunks that break off are refused',
    { ...inChunks(`${SIZE}\r\n{"query`), isHalfClosed: true },
    problem('BAD_REQUEST'),
  ],
  [
    'chunks without the last one are refused',
    { ...inChunks(`${SIZE}\r\n${BODY}\r\n`), isHalfClosed: true },
    problem('BAD_REQUEST'),
  ],
]

campaign(openArena(import.meta.url), [...lengths, ...sizes, ...bounds, ...transfers, ...chunks])
