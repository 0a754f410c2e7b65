import { LIMITS } from '../../src/limits.js'
import { type Attack, campaign, isShort, openArena, posted, type Row, SMALL_KEY } from './support/arena.js'
import { ENTITIES, nested } from './support/documents.js'
import { only, problem, type Verdict, violationAt, wrongRequest } from './support/verdicts.js'
import type { Sent } from './support/wire.js'

/** Bodies of the largest size with the highest cost. */

/** As many of these as fit, with something between them. */
const fill = (bytes: number, part: string) => part.repeat(Math.floor(bytes / part.length)).slice(0, -1)

const numbered = (bytes: number, part: (index: number) => string) => {
  const parts: string[] = []
  for (let size = 0; size < bytes; size += (parts.at(-1)?.length ?? 0) + 1) parts.push(part(parts.length))
  return parts.join(',')
}

/** So many parts, each filled up until they have this size together. */
const filled = (count: number, bytes: number, part: (index: number, filler: string) => string) => {
  const filler = 'x'.repeat(Math.floor(bytes / count) - part(count, '').length - 1)
  return Array.from({ length: count }, (_, i) => part(i, filler)).join(',')
}
const ENTRIES = LIMITS.bodyItemsMax
const entries = (bytes: number) => `[${filled(ENTRIES, bytes, (i, filler) => `"${i}${filler}"`)}]`
const members = (bytes: number) => filled(LIMITS.bodyMembersMax - 10, bytes, (i, filler) => `"k${i}":"${filler}"`)
/** Lists of as many numbers as may be, each the value of another member. */
const listsOfNumbers = (bytes: number) => {
  const numbers = `[${fill(2 * ENTRIES, '1,')}]`
  return Array.from({ length: Math.floor(bytes / (numbers.length + 8)) }, (_, i) => `"x${i}":${numbers}`).join(',')
}

const bodyOf = (query: string, name: string, value: string) =>
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

/** It is refused or finds nothing; only its cost matters. */
const anyAnswer: Verdict = (talk) => {
  const { status, body } = only(talk)
  if (![200, 400, 413, 422].includes(status)) throw new Error(`It is answered with ${status}.`)
  if (body.errors?.some((error: { extensions?: { code: string } }) => error.extensions?.code === 'INTERNAL')) {
    throw new Error('It is answered with INTERNAL.')
  }
}

const TOO_DEEP = /^The body is nested deeper than 100 levels\.$/
const TOO_MANY_ENTRIES = /^A list of the body has more than 50,000 entries\.$/
const TOO_MANY_TOGETHER = /^The lists of the body have more than 300,000 entries together\. Send it in parts\.$/
const TOO_MANY_MEMBERS = /^An object of the body has more than 1,000 members\.$/
const tooDeep = problem('BAD_REQUEST', TOO_DEEP)
const tooManyEntries = problem('BAD_REQUEST', TOO_MANY_ENTRIES)
const tooManyGiven = wrongRequest(TOO_MANY_ENTRIES)

type Weight = readonly [name: string, target: string, body: (bytes: number) => string, verdict?: Verdict]

const WEIGHTS: Weight[] = [
  ['white space', '/v1/groups', (bytes) => '{"name":1}'.padEnd(bytes), violationAt('/name')],
  ['lists in lists', '/v1/groups', (bytes) => nested('[', '', ']', bytes / 2), tooDeep],
  ['objects in objects', '/v1/groups', (bytes) => nested('{"a":', '1', '}', Math.floor(bytes / 7)), tooDeep],
  [
    'numbers that are not used',
    '/graphql',
    (bytes) => bodyOf('{ __typename }', 'x', `[${fill(bytes - 60, '1,')}]`),
    tooManyGiven,
  ],
  [
    'lists of 50,000 numbers that are not used',
    '/graphql',
    (bytes) => `{"query":"{ __typename }","variables":{${listsOfNumbers(bytes - 60)}}}`,
    wrongRequest(TOO_MANY_TOGETHER),
  ],
  ['a name of a person', '/v1/personnel', (bytes) => `{"externalId":"x","name":"${'é'.repeat(bytes / 2 - 50)}"}`],
  [
    'members that there are not',
    '/v1/personnel',
    (bytes) => `{${numbered(bytes - 20, (i) => `"k${i}":1`)}}`,
    problem('BAD_REQUEST', TOO_MANY_MEMBERS),
  ],
  ['990 members that there are not', '/v1/personnel', (bytes) => `{${members(bytes - 20)}}`, violationAt('/k0')],
  ['the name of a member', '/v1/personnel', (bytes) => `{"${'/'.repeat(bytes - 20)}":1}`],
  [
    'groups of a person',
    '/v1/personnel',
    (bytes) => `{"externalId":"x","name":"x","groupIds":[${fill(bytes - 50, '"x",')}]}`,
    tooManyEntries,
  ],
  [
    '50,000 groups of a person',
    '/v1/personnel',
    (bytes) => `{"externalId":"x","name":"x","groupIds":${entries(bytes - 50)}}`,
    violationAt('/groupIds'),
  ],
  [
    'the name of a person by GraphQL',
    '/graphql',
    (bytes) => bodyOf(BY_INPUT, 'x', `{"externalId":"x","name":"${'x'.repeat(bytes - 150)}"}`),
  ],
  ['groups to look for', '/graphql', (bytes) => bodyOf(BY_GROUP, 'x', `[${fill(bytes - 150, '"x",')}]`), tooManyGiven],
  ['50,000 groups to look for', '/graphql', (bytes) => bodyOf(BY_GROUP, 'x', entries(bytes - 150))],
  ['owners to look for', '/graphql', (bytes) => bodyOf(BY_OWNER, 'x', `[${fill(bytes - 150, 'null,')}]`), tooManyGiven],
  ['50,000 owners to look for', '/graphql', (bytes) => bodyOf(BY_OWNER, 'x', entries(bytes - 150))],
  ['50,000 owners who are nobody', '/graphql', () => bodyOf(BY_OWNER, 'x', `[${fill(5 * ENTRIES, 'null,')}]`)],
  ['50,000 categories to look for', '/graphql', (bytes) => bodyOf(BY_CATEGORY, 'x', entries(bytes - 150))],
  ['50,000 levels that there are not', '/graphql', (bytes) => bodyOf(BY_LEVEL, 'x', entries(bytes - 150))],
  ['a level that there is not', '/graphql', (bytes) => bodyOf(BY_LEVEL, 'x', `"${'x'.repeat(bytes - 150)}"`)],
  ['a text to look for', '/graphql', (bytes) => bodyOf(BY_SEARCH, 'x', `"${'x'.repeat(bytes - 150)}"`)],
  ['an e-mail to look for', '/graphql', (bytes) => bodyOf(BY_EMAIL, 'x', `"${'é'.repeat(bytes / 2 - 150)}"`)],
  ['a cursor', '/graphql', (bytes) => bodyOf(BY_CURSOR, 'x', `"${'x'.repeat(bytes - 150)}"`)],
  ['a number that is a text', '/graphql', (bytes) => bodyOf(BY_FIRST, 'x', `"${'x'.repeat(bytes - 150)}"`)],
  [
    'references',
    '/graphql',
    (bytes) => bodyOf(ENTITIES, 'all', `[${fill(bytes - 150, '{"__typename":"Risk","id":"x"},')}]`),
  ],
  ['a query', '/graphql', (bytes) => `{"query":"${'x '.repeat(bytes / 2 - 20)}"}`],
]

/** Unknown members of a person in GraphQL, which reports each of them. */
const strangers = (bytes: number) => bodyOf(BY_INPUT, 'x', `{"name":"x",${numbered(bytes - 150, (i) => `"k${i}":1`)}}`)
const longStrangers = (bytes: number) => bodyOf(BY_INPUT, 'x', `{"name":"x",${members(bytes - 150)}}`)

const asSmall: Sent['headers'] = { Authorization: `Bearer ${SMALL_KEY}` }
const heavy = (target: string, body: () => string, headers: Sent['headers'] = {}): Attack => {
  // Made when it is its turn: all of them together would be a gigabyte.
  return () => posted(target, body(), headers)
}

/** The most expensive ones, only for a key that may send as much. */
const WORST = new Set([
  'lists in lists',
  'members that there are not',
  '990 members that there are not',
  'the name of a member',
  'groups to look for',
  '50,000 groups to look for',
  'lists of 50,000 numbers that are not used',
])

const rows: Row[] = [
  ...WEIGHTS.map(
    ([name, target, body, verdict]): Row => [
      `1 MB of ${name} keeps nobody waiting`,
      heavy(target, () => body(LIMITS.bodyBytesMax), asSmall),
      verdict ?? anyAnswer,
    ],
  ),
  ...WEIGHTS.filter(([name]) => !isShort && WORST.has(name)).map(
    ([name, target, body, verdict]): Row => [
      `16 MB of ${name} keep nobody waiting`,
      // Of all routes, only that of a whole project reads as much.
      heavy(target === '/graphql' ? target : '/v1/projects', () => body(LIMITS.syncBodyBytesMax)),
      verdict ?? anyAnswer,
    ],
  ),
]

const levels = (bytes: number) => bodyOf(BY_LEVEL, 'x', `[${fill(bytes - 150, '"x",')}]`)

// The last of all: a server that writes down all of it, for each of them, does not answer again for an hour.
const last = (
  [
    ['30 KB of levels that there are not', () => levels(30_000)],
    ['30 KB of members that there are not, by GraphQL,', () => strangers(30_000)],
    ['60 KB of members that there are not, by GraphQL,', () => strangers(60_000)],
    ['1 MB of 990 members that there are not, by GraphQL,', () => longStrangers(LIMITS.bodyBytesMax)],
    [
      '1 MB of members that there are not, by GraphQL,',
      () => strangers(LIMITS.bodyBytesMax),
      wrongRequest(TOO_MANY_MEMBERS),
    ],
  ] as const
).map(
  ([name, body, verdict]): Row => [
    `${name} keep nobody waiting`,
    heavy('/graphql', body, asSmall),
    verdict ?? anyAnswer,
  ],
)

const deepLists = `[${Array(ENTRIES)
  .fill(nested('[', '', ']', 97))
  .join(',')}]`
const found: Row[] = [
  [
    '16 MB of 990 members that there are not, by GraphQL, keep nobody waiting',
    heavy('/graphql', () => longStrangers(LIMITS.syncBodyBytesMax)),
    anyAnswer,
  ],
  [
    '50,000 lists 97 deep that are not used delay no other request',
    heavy('/graphql', () => bodyOf('{ __typename }', 'x', deepLists)),
    anyAnswer,
  ],
]

campaign(openArena(import.meta.url), [...rows, ...last, ...found])
