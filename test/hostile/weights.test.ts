import { LIMITS } from '../../src/limits.js'
import { type Attack, campaign, openArena, posted, type Row, SMALL_KEY } from './arena.js'
import { ENTITIES, nested } from './documents.js'
import { flawAt, only, type Verdict } from './verdicts.js'
import type { Sent } from './wire.js'

/** Bodies as large as may be, made so as to cost as much as can be. */

/** As many of these as fit, with something between them. */
const fill = (bytes: number, part: string) => part.repeat(Math.floor(bytes / part.length)).slice(0, -1)

const numbered = (bytes: number, part: (index: number) => string) => {
  const parts: string[] = []
  for (let size = 0; size < bytes; size += (parts.at(-1)?.length ?? 0) + 1) parts.push(part(parts.length))
  return parts.join(',')
}

const asked = (query: string, name: string, value: string) =>
  `{"query":${JSON.stringify(query)},"variables":{"${name}":${value}}}`
const count = (variable: string, use: string) => `query (${variable}) { ${use} { totalCount } }`
const BY_GROUP = count('$x: [ID!]', 'personnel(first: 1, filter: { group: $x })')
const BY_OWNER = count('$x: [ID]', 'risks(first: 1, filter: { owner: $x })')
const BY_CATEGORY = count('$x: [String!]', 'risks(first: 1, filter: { category: $x })')
const BY_LEVEL = count('$x: [RiskLevel!]', 'risks(first: 1, filter: { level: $x })')
const BY_SEARCH = count('$x: String', 'personnel(first: 1, filter: { search: $x })')
const BY_EMAIL = count('$x: String', 'personnel(first: 1, filter: { email: $x })')
const BY_CURSOR = count('$x: String', 'personnel(first: 1, after: $x)')
const BY_FIRST = count('$x: Int', 'personnel(first: $x)')
const BY_INPUT = 'mutation ($x: AddPersonInput!) { addPerson(input: $x) { id } }'

/** It is refused, or nothing is found; what matters is what it costs. */
const anyAnswer: Verdict = (talk) => {
  const { status, body } = only(talk)
  if (![200, 400, 413, 422].includes(status)) throw new Error(`It is answered with ${status}.`)
  if (body.errors?.some((error: { extensions?: { code: string } }) => error.extensions?.code === 'INTERNAL')) {
    throw new Error('It is answered with INTERNAL.')
  }
}

const anyRefusal: Verdict = (talk) => {
  anyAnswer(talk)
  if (only(talk).status === 200) throw new Error('It was stored.')
}

type Weight = readonly [name: string, target: string, body: (bytes: number) => string, verdict?: Verdict]

const WEIGHTS: Weight[] = [
  ['white space', '/v1/groups', (bytes) => '{"name":1}'.padEnd(bytes), flawAt('/name')],
  ['lists in lists', '/v1/groups', (bytes) => nested('[', '', ']', bytes / 2)],
  ['objects in objects', '/v1/groups', (bytes) => nested('{"a":', '1', '}', Math.floor(bytes / 7))],
  ['numbers that nobody asks for', '/graphql', (bytes) => asked('{ __typename }', 'x', `[${fill(bytes, '1,')}]`)],
  ['a name of a person', '/v1/personnel', (bytes) => `{"externalId":"x","name":"${'é'.repeat(bytes / 2 - 50)}"}`],
  ['members that there are not', '/v1/personnel', (bytes) => `{${numbered(bytes - 20, (i) => `"k${i}":1`)}}`],
  ['the name of a member', '/v1/personnel', (bytes) => `{"${'/'.repeat(bytes - 20)}":1}`],
  [
    'groups of a person',
    '/v1/personnel',
    (bytes) => `{"externalId":"x","name":"x","groupIds":[${fill(bytes - 50, '"x",')}]}`,
  ],
  [
    'the name of a person by GraphQL',
    '/graphql',
    (bytes) => asked(BY_INPUT, 'x', `{"externalId":"x","name":"${'x'.repeat(bytes - 150)}"}`),
  ],
  ['groups to look for', '/graphql', (bytes) => asked(BY_GROUP, 'x', `[${fill(bytes - 150, '"x",')}]`)],
  [
    'groups to look for, each another',
    '/graphql',
    (bytes) => asked(BY_GROUP, 'x', `[${numbered(bytes - 150, (i) => `"${i}"`)}]`),
  ],
  ['owners to look for', '/graphql', (bytes) => asked(BY_OWNER, 'x', `[${fill(bytes - 150, 'null,')}]`)],
  ['categories to look for', '/graphql', (bytes) => asked(BY_CATEGORY, 'x', `[${fill(bytes - 150, '"é",')}]`)],
  ['a level that there is not', '/graphql', (bytes) => asked(BY_LEVEL, 'x', `"${'x'.repeat(bytes - 150)}"`)],
  ['a text to look for', '/graphql', (bytes) => asked(BY_SEARCH, 'x', `"${'x'.repeat(bytes - 150)}"`)],
  ['an e-mail to look for', '/graphql', (bytes) => asked(BY_EMAIL, 'x', `"${'é'.repeat(bytes / 2 - 150)}"`)],
  ['a cursor', '/graphql', (bytes) => asked(BY_CURSOR, 'x', `"${'x'.repeat(bytes - 150)}"`)],
  ['a number that is a text', '/graphql', (bytes) => asked(BY_FIRST, 'x', `"${'x'.repeat(bytes - 150)}"`)],
  [
    'references',
    '/graphql',
    (bytes) => asked(ENTITIES, 'all', `[${fill(bytes - 150, '{"__typename":"Risk","id":"x"},')}]`),
  ],
  ['a query', '/graphql', (bytes) => `{"query":"${'x '.repeat(bytes / 2 - 20)}"}`],
]

/** Only for a key with projects.manage, and not so large that an hour would not be enough. */
const SYNCS: [name: string, body: string][] = [
  ['100,000 risks without a title', `{"key":"FLOOD","name":"x","risks":[${fill(1_800_000, '{"reference":"1"},')}]}`],
  ['100,000 risks that are nothing', `{"key":"FLOOD","name":"x","risks":[${fill(300_000, '{},')}]}`],
  [
    '40,000 risks, the last of which is wrong',
    `{"key":"FLOOD","name":"x","risks":[${numbered(1_300_000, (i) => `{"reference":"${i}","title":"x"}`)},{"reference":"x","title":""}]}`,
  ],
  [
    '100,000 times the same issue',
    `{"key":"FLOOD","name":"x","issues":[${fill(4_700_000, '{"reference":"1","title":"x","severity":"LOW"},')}]}`,
  ],
]

/** Members of a person that there are not, by GraphQL, which tells of each of them. */
const strangers = (bytes: number) => asked(BY_INPUT, 'x', `{"name":"x",${numbered(bytes - 150, (i) => `"k${i}":1`)}}`)

const asSmall: Sent['headers'] = { Authorization: `Bearer ${SMALL_KEY}` }
const heavy = (target: string, body: () => string, headers: Sent['headers'] = {}): Attack => {
  // Made when it is its turn: all of them together would be a gigabyte.
  return () => posted(target, body(), headers)
}

/** Those that cost the most, and only to a key that may send so much. */
const WORST = new Set(['lists in lists', 'members that there are not', 'the name of a member', 'groups to look for'])

const rows: Row[] = [
  ...WEIGHTS.map(
    ([name, target, body, verdict]): Row => [
      `1 MB of ${name} keeps nobody waiting`,
      heavy(target, () => body(LIMITS.bodyBytesMax), asSmall),
      verdict ?? anyAnswer,
    ],
  ),
  ...WEIGHTS.filter(([name]) => WORST.has(name)).map(
    ([name, target, body]): Row => [
      `16 MB of ${name} keep nobody waiting`,
      heavy(target, () => body(LIMITS.syncBodyBytesMax)),
      anyAnswer,
    ],
  ),
  ...SYNCS.map(([name, body]): Row => [`${name} keep nobody waiting`, posted('/v1/projects', body), anyRefusal]),
]

const levels = (bytes: number) => asked(BY_LEVEL, 'x', `[${fill(bytes - 150, '"x",')}]`)

// The last of all: a server that writes down all of it, for each of them, does not answer again for an hour.
const last = (
  [
    ['30 KB of levels that there are not', () => levels(30_000)],
    ['30 KB of members that there are not, by GraphQL,', () => strangers(30_000)],
    ['60 KB of members that there are not, by GraphQL,', () => strangers(60_000)],
    ['1 MB of members that there are not, by GraphQL,', () => strangers(LIMITS.bodyBytesMax)],
  ] as const
).map(([name, body]): Row => [`${name} keep nobody waiting`, heavy('/graphql', body, asSmall), anyAnswer])

campaign(openArena(import.meta.url), [...rows, ...last])
