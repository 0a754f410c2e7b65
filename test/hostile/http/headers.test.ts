import { expect } from 'vitest'
import { LIMITS } from '../../../src/limits.js'
import type { TestResponse } from '../../support/harness.js'
import { AS_MANAGER, campaign, KEY, openArena, posted, type Row, read, sample } from '../support/arena.js'
import { lines, OWN } from '../support/requests.js'
import { either, fine, problem, unreadable, type Verdict } from '../support/verdicts.js'

const tooLarge = problem('HEADERS_TOO_LARGE', /the most|larger than/)
const one = (...headers: string[]) => ({ bytes: lines('GET /v1/key HTTP/1.1', ...headers, 'Connection: close') })
const filler = (count: number) => Array.from({ length: count }, () => 'a:b')
/** A request whose address and headers, each with its colon and line end, have so many bytes. */
const exactly = (bytes: number) => {
  const counted = [...OWN, 'Connection: close', 'X: '].map((line) => line.replace(': ', ':').length + '\r\n'.length)
  const own = counted.reduce((sum, size) => sum + size, '/v1/key'.length)
  return one(...OWN, `X: ${'y'.repeat(bytes - own)}`)
}

const sizes: Row[] = [
  ['a header of 17 KB is too large', one(...OWN, `X: ${'y'.repeat(17_000)}`), tooLarge],
  ['a name of 17 KB is too large', one(...OWN, `${'x'.repeat(17_000)}: y`), tooLarge],
  ['headers of 17 KB together are too large', one(...OWN, ...filler(3_500)), tooLarge],
  ['headers of a megabyte are too large', one(...OWN, `X: ${'y'.repeat(1_000_000)}`), tooLarge],
  ['a key of 17 KB is too large', one('Host: localhost', `Authorization: Bearer ${'x'.repeat(17_000)}`), tooLarge],
  [
    'a key of 15 KB is no key',
    one('Host: localhost', `Authorization: Bearer ${'x'.repeat(15_000)}`),
    problem('UNAUTHENTICATED'),
  ],
  ['a header of 15 KB is passed over', one(...OWN, `X: ${'y'.repeat(15_000)}`), fine()],
  ['headers of 16,384 bytes together are passed over', exactly(LIMITS.headersBytesMax), fine()],
  ['headers of 16,385 bytes together are too large', exactly(LIMITS.headersBytesMax + 1), tooLarge],
  ['a header without a value is passed over', one(...OWN, 'X:'), fine()],
  ['100 headers are passed over', one(...OWN, ...filler(100)), fine()],
  ['2,000 headers are passed over', one(...OWN, ...filler(2_000)), fine()],
  [
    'a key after 2,000 headers is a key',
    one('Host: localhost', ...filler(2_000), `Authorization: Bearer ${KEY}`),
    fine(),
  ],
  [
    'a type after 2,000 headers is a type',
    {
      bytes: `${lines(
        'POST /v1/personnel HTTP/1.1',
        ...OWN,
        'Content-Length: 2',
        'Connection: close',
        ...filler(2_000),
        'Content-Type: application/json',
      )}{}`,
    },
    problem('VALIDATION_FAILED'),
  ],
]

const badHost = problem('BAD_REQUEST', /Host|HTTP/)
const unclearHost = problem('BAD_REQUEST', /^The address or the Host header of the request cannot be read\.$/)
const HOSTS = [
  '',
  ' ',
  'a b',
  'a/b',
  'a?b',
  'a#b',
  'a@b',
  'http://a',
  'a:99999',
  'a:x',
  'a:-1',
  '[::1',
  '::1',
  '<a>',
  'a\\b',
  'ä',
  '%00',
  'a,b',
  'a;b',
  '{}',
  '"a"',
  '..',
  '256.256.256.256',
]

const hosts: Row[] = [
  ...HOSTS.map(
    (host): Row => [
      `the host ${JSON.stringify(host)} is refused`,
      one(`Host: ${host}`, `Authorization: Bearer ${KEY}`),
      host === '..' ? either(badHost, fine()) : badHost,
    ],
  ),
  ['no host is refused', one(`Authorization: Bearer ${KEY}`), badHost],
  ['two hosts are refused', one(...OWN, 'Host: example.com'), unclearHost],
  ['two hosts, far apart and in other letters, are refused', one(...OWN, ...filler(2_000), 'hOST: a'), unclearHost],
  ['the same host twice is refused', one(...OWN, 'Host: localhost'), unclearHost],
  ['a host of another name is passed over', one('Host: example.com:81', `Authorization: Bearer ${KEY}`), fine()],
  ['a host of IPv6 is passed over', one('Host: [::1]:80', `Authorization: Bearer ${KEY}`), fine()],
  [
    'a forwarded host is passed over',
    read('/v1/personnel?limit=1', { 'X-Forwarded-Host': 'evil.example', Forwarded: 'host=evil.example' }),
    fine(200, ({ headers }) => expect(headers.get('link')).toMatch(/^<\/v1\//)),
  ],
]

const noKey = problem('UNAUTHENTICATED')
const twoKeys = problem('UNAUTHENTICATED', /^Send the Authorization header once\.$/)
const AUTHORIZATIONS = [
  '',
  'Bearer',
  'Bearer ',
  'bearer',
  'Basic eDp5',
  'Bearer\tTHE',
  'Bearer  ',
  `Bearer "${KEY}"`,
  `Bearer ${KEY},`,
  `Bearer ${KEY} ${KEY}`,
  `Bearer ${KEY}\x7f`,
  `Bearer=${KEY}`,
  KEY,
  `Token ${KEY}`,
  `Bearer: ${KEY}`,
  `Bearer ${KEY.slice(1)}`,
  'Bearer null',
  'Bearer undefined',
  'Bearer __proto__',
  "Bearer ' or 1=1 --",
  'Bearer %00',
  `Bearer ops_${'0'.repeat(36)}`,
  `Bearer ${'é'.repeat(40)}`,
  'Digest username="x"',
  'Negotiate',
]

const keys: Row[] = [
  ...AUTHORIZATIONS.map(
    (value): Row => [
      `Authorization ${JSON.stringify(value)} is no key`,
      one('Host: localhost', `Authorization: ${value}`),
      either(noKey, unreadable),
    ],
  ),
  ['a key in a line of its own is none', one('Host: localhost', 'Authorization: Bearer', ` ${KEY}`), unreadable],
  ['a key twice is not taken as either', one(...OWN, `Authorization: Bearer ops_${'0'.repeat(36)}`), twoKeys],
  [
    'a wrong key before a right one is not passed over',
    one('Host: localhost', `Authorization: Bearer ops_${'0'.repeat(36)}`, `Authorization: Bearer ${KEY}`),
    twoKeys,
  ],
  ['the same key twice is no key', one(...OWN, `authorization: Bearer ${KEY}`), twoKeys],
  ['a key in the address is none', { target: `/v1/key?access_token=${KEY}` }, noKey],
  [
    'a key of a proxy is none',
    { target: '/v1/key', headers: { 'Proxy-Authorization': AS_MANAGER.Authorization } },
    noKey,
  ],
  ['a scheme in small letters is one', read('/v1/key', { Authorization: `bearer ${KEY}` }), fine()],
]

/** No value of a request header is found in the response headers. */
const notEchoed: Verdict = (talk) =>
  fine(200, ({ headers }: TestResponse) => expect(JSON.stringify([...headers])).not.toMatch(/evil|injected/i))(talk)
const INJECTIONS = [
  'a\r\nInjected: evil',
  'a\nInjected: evil',
  'a\rInjected: evil',
  'a\0evil',
  'evil\u0085evil',
  '<script>evil</script>',
  '"; evil',
  'é evil',
  `evil${'x'.repeat(200)}`,
  'evil%0d%0aInjected:evil',
]
const REFLECTED = [
  'Request-Id',
  'Origin',
  'Access-Control-Request-Headers',
  'Referer',
  'User-Agent',
  'X-Request-Id',
  'Traceparent',
  'Accept-Language',
]

const injections = REFLECTED.flatMap((name) =>
  INJECTIONS.map(
    (value): Row => [
      `${name}: ${JSON.stringify(value.slice(0, 30))} comes back nowhere`,
      one(...OWN, `${name}: ${value}`),
      either(notEchoed, unreadable),
    ],
  ),
)

const TOKENS = ['', '""', 'two words', 'a\tb', 'é', 'x'.repeat(256), `"${'x'.repeat(256)}"`, 'a\x7f', 'a, b']
const tokens = TOKENS.map(
  (value): Row => [
    `Idempotency-Key ${JSON.stringify(value.slice(0, 30))} is refused`,
    posted('/v1/groups', '{"name":"x"}', { 'Idempotency-Key': value }),
    either(problem('BAD_REQUEST', /Idempotency-Key/), unreadable),
  ],
)

campaign(openArena(import.meta.url), [...sizes, ...hosts, ...keys, ...sample(injections), ...tokens])
