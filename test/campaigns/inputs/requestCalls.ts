/** Calls with the largest headers, paths, query strings and documents. */
import { LIMITS } from '../../../src/limits.js'
import { FLOODS } from '../../hostile/support/documents.js'
import type { Sent } from '../../hostile/support/wire.js'
import { anyKey, posted, queried } from './graphqlCalls.js'
import { type Ids, RAW } from './restCalls.js'
import type { Call } from './stage.js'
import { LETTERS, oneOf, type Random, times } from './values.js'

const HEADERS = [
  ...['Accept', 'Accept-Charset', 'Accept-Encoding', 'Accept-Language', 'Access-Control-Request-Headers'],
  ...[
    'Access-Control-Request-Method',
    'Apollo-Require-Preflight',
    'Authorization',
    'Cache-Control',
    'Content-Encoding',
  ],
  ...['Content-Type', 'Cookie', 'Forwarded', 'Idempotency-Key', 'If-Match', 'If-Modified-Since', 'If-None-Match'],
  ...['If-Unmodified-Since', 'Last-Event-Id', 'Origin', 'Prefer', 'Range', 'Referer', 'Request-Id', 'Sec-Fetch-Dest'],
  ...['Traceparent', 'Tracestate', 'User-Agent', 'X-Forwarded-For', 'X-Http-Method-Override', 'X-Request-Id'],
]

const VALUE_MAX = LIMITS.headersBytesMax - 1_000
const fits = (piece: string) => piece.repeat(VALUE_MAX).slice(0, VALUE_MAX)

/** The largest values of a header. */
const VALUES: readonly (readonly [what: string, text: () => string])[] = [
  ['letters', () => fits('a')],
  ['escaped quotes', () => `"${fits('\\"')}`],
  ['quotes', () => fits('"')],
  ['commas', () => fits(',')],
  ['commas and blanks', () => `"a"${fits(' , ')}x`],
  ['semicolons', () => fits(';')],
  ['weighted types', () => fits('text/x;q=0.1,')],
  ['tags', () => fits('W/"a", ')],
  ['tags without an end', () => `${fits('"a",')}"`],
  ['blanks inside', () => `a${fits(' ')}a`],
  ['tokens', () => `Bearer ${fits('a ')}`],
  ['a key', () => `Bearer ops_${fits('a')}`],
  ['digits', () => fits('9')],
  ['bytes above ASCII', () => fits('\xe9')],
  ['repeated headers', () => 'a'],
]

function targetsOf(ids: Ids): readonly Sent[] {
  const json = { 'Content-Type': 'application/json' }
  return [
    { target: '/v1/key' },
    { target: '/v1/risks?limit=1' },
    { target: '/v1/risks.csv?limit=1' },
    { target: '/v1/changes?limit=1&wait=0' },
    { target: '/graphql?query={__typename}' },
    { target: '/graphql', headers: { Accept: 'text/html' } },
    { target: '/' },
    { target: '/nowhere' },
    { method: 'OPTIONS', target: '/v1/risks' },
    posted('{"query":"{ __typename }"}'),
    posted('{}', '/v1/groups'),
    { method: 'PATCH', target: `/v1/personnel/${ids['personnel']}`, headers: json, body: '{}' },
    { method: 'PUT', target: `/v1/groups/${ids['groups']}/members/${ids['personnel']}` },
  ]
}

/** Each header with each of its largest values, at some of the targets. */
export function headerCalls(ids: Ids, random: Random): Call[] {
  const targets = targetsOf(ids)
  return HEADERS.flatMap((name) =>
    VALUES.flatMap(([what, text]) =>
      times(2, (): Call => {
        const sent = oneOf(random, targets)
        const value = () => (what === 'repeated headers' ? repeated(name) : text())
        return {
          name: `${name}: ${what}, at ${sent.method ?? 'GET'} ${sent.target}`,
          as: anyKey(random),
          sent: () => ({ ...sent, headers: { ...sent.headers, [name]: value() } }),
        }
      }),
    ),
  ).concat(
    targets.map((sent) => ({
      name: `the most headers, at ${sent.target}`,
      as: anyKey(random),
      sent: () => ({ ...sent, headers: { ...sent.headers, ...manyHeaders() } }),
    })),
  )
}

/** A value that ends its line and repeats the header, as raw bytes may. */
const repeated = (name: string) => times(VALUE_MAX / (name.length + 6), () => 'a').join(`\r\n${name}: `)
const manyHeaders = () => Object.fromEntries(times(1_500, (i) => [`x${i}`, 'a']))

const TARGET_MAX = LIMITS.headersBytesMax - 1_000
const targetOf = (piece: string) => piece.repeat(TARGET_MAX).slice(0, TARGET_MAX).replace(/%.?$/, '')

/** Paths that do not exist. */
export function pathCalls(random: Random): Call[] {
  const pieces = [
    ...Object.values(LETTERS).map(encodeURIComponent),
    'a/',
    '/',
    '../',
    './',
    '%2F',
    'a@',
    'a.',
    '~',
    'a%40',
  ]
  const call = (path: string): Call => ({
    name: `path: ${path.slice(0, 20)}... (${path.length} characters)`,
    as: anyKey(random),
    sent: () => ({ target: path }),
  })
  const begins = ['/', '/v1/', '/v1/risks/', '/assets/', '/graphql/']
  return pieces.flatMap((piece) => begins.map((begin) => call(begin + targetOf(piece))))
}

const CHARACTERS = LIMITS.queryCharactersMax - 100
const one = (text: string) => `{ risks(first: 1) { nodes { ${text} } } }`

const DOCUMENTS: Readonly<Record<string, () => string>> = {
  'a comment of the most letters': () => `{ __typename } #${'x'.repeat(CHARACTERS)}`,
  'the most line breaks': () => `{${'\n'.repeat(CHARACTERS)}__typename }`,
  'the most commas': () => `{${','.repeat(CHARACTERS)}__typename }`,
  'the most line breaks and a violation': () => `{${'\n'.repeat(CHARACTERS)}`,
  'a name of the most letters': () => `{ ${'x'.repeat(CHARACTERS)} }`,
  'an unknown field of the most letters below': () => one('x'.repeat(CHARACTERS)),
  'the most unknown fields': () => one(times(880, (i) => `x${i}`).join(' ')),
  'the most repeated fields': () => one('id '.repeat(880)),
  'the most repeated fields with selections': () => one('project { id } '.repeat(240)),
  'the most fields with other arguments': () =>
    `{ projects(first: 1) { nodes { ${times(100, (i) => `risks(first: ${i}) { totalCount }`).join(' ')} } } }`,
  'the most fragments': () =>
    `{ ...f0 } ${times(120, (i) => `fragment f${i} on Query { ...f${i + 1} }`).join(' ')} fragment f120 on Query { __typename }`,
  'the most unused variables': () => `query (${times(240, (i) => `$x${i}: Int`).join(' ')}) { __typename }`,
  'the most undefined variables': () =>
    `{ risks(filter: { category: [${times(480, (i) => `$x${i}`).join(' ')}] }) { totalCount } }`,
  'the deepest lists': () => `{ risks(filter: { category: ${'['.repeat(450)}${']'.repeat(450)} }) { totalCount } }`,
  'the deepest type': () => `query ($x: ${'['.repeat(450)}Int${']'.repeat(450)}) { __typename }`,
  'an enum value of the most letters': () => `{ risks(filter: { status: ${'X'.repeat(CHARACTERS)} }) { totalCount } }`,
  'a text in the place of an enum': () =>
    `{ risks(filter: { status: "${'x'.repeat(CHARACTERS - 100)}" }) { totalCount } }`,
  'quotes in the place of an enum': () =>
    `{ risks(filter: { status: "${'\\"'.repeat(CHARACTERS / 2 - 100)}" }) { totalCount } }`,
  'the most operations': () => times(240, (i) => `query q${i} { __typename }`).join(' '),
}

/** Documents that are large, or refused after much work. */
export function documentCalls(random: Random): Call[] {
  const floods = Object.entries(FLOODS).map(([name, [text, variables]]): Call => {
    return { name: `document: ${name}`, as: anyKey(random), sent: () => queried(text, variables) }
  })
  const own = Object.entries(DOCUMENTS).flatMap(([name, text]): Call[] => [
    { name: `document: ${name}`, as: anyKey(random), sent: () => queried(text()) },
    {
      name: `GET /graphql, document: ${name}`,
      as: anyKey(random),
      sent: () => ({ target: `/graphql?query=${encodeURIComponent(text()).slice(0, TARGET_MAX).replace(/%.?$/, '')}` }),
    },
  ])
  return [...floods, ...own, ...envelopeCalls(random)]
}

/** The members of a GraphQL request besides its document. */
function envelopeCalls(random: Random): Call[] {
  const text = 'a'.repeat(LIMITS.bodyBytesMax - 1_000)
  const many = () => Object.fromEntries(times(LIMITS.bodyMembersMax - 10, (i) => [`x${i}`, { y: i }]))
  const query = '{ __typename }'
  const bodies: Readonly<Record<string, () => unknown>> = {
    'operationName of 1 MB': () => ({ query, operationName: text }),
    'a query of 1 MB': () => ({ query: text }),
    'a query of 1 MB of blanks': () => ({ query: ' '.repeat(LIMITS.bodyBytesMax - 1_000) }),
    'the most variables': () => ({ query, variables: many() }),
    'the most extensions': () => ({ query, extensions: many() }),
    'a hash of 1 MB': () => ({ extensions: { persistedQuery: { version: 1, sha256Hash: text } } }),
    'an unknown hash': () => ({ extensions: { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } } }),
    'a wrong hash of the longest query': () => ({
      query: 'a'.repeat(CHARACTERS),
      extensions: { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } },
    }),
    'the most unknown members': many,
    'the most operations': () => times(LIMITS.bodyItemsMax - 1, () => ({ query })),
  }
  const named = Object.entries(bodies).map(([name, body]): Call => {
    return { name: `POST /graphql: ${name}`, as: anyKey(random), sent: () => posted(JSON.stringify(body())) }
  })
  const raw = RAW.map(([name, body]): Call => {
    return { name: `POST /graphql: ${name}`, as: anyKey(random), sent: () => ({ ...posted(''), body: body() }) }
  })
  const urls = ['variables', 'extensions', 'operationName', 'unknown'].flatMap((name) =>
    ['[', '{"a":', '"', '9', '%22%5C%22'].map((piece): Call => {
      const target = `/graphql?query={__typename}&${name}=${targetOf(piece)}`
      return { name: `GET /graphql: ${name} of the most ${piece}`, as: anyKey(random), sent: () => ({ target }) }
    }),
  )
  return [...named, ...raw, ...urls]
}
