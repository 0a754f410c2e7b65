import { expect } from 'vitest'
import { LIMITS } from '../../src/limits.js'
import { type Attack, campaign, isShort, openArena, posted, type Row } from './support/arena.js'
import { nested } from './support/documents.js'
import { fine, problem, type Verdict, violationAt, wrongRequest } from './support/verdicts.js'

/** The limits of the shape of a body, each at its boundary, in both APIs. */

/** Both APIs put two levels around a value. */
const DEPTH = LIMITS.bodyDepthMax - 2
const ENTRIES = LIMITS.bodyItemsMax
const MEMBERS = LIMITS.bodyMembersMax

const TOO_DEEP = /^The body is nested deeper than 100 levels\.$/
const TOO_MANY_ENTRIES = /^A list of the body has more than 50,000 entries\.$/
const TOO_MANY_TOGETHER = /^The lists of the body have more than 300,000 entries together\. Send it in parts\.$/
const TOO_MANY_MEMBERS = /^An object of the body has more than 1,000 members\.$/

const list = (count: number, entry = '1') => `[${Array(count).fill(entry).join(',')}]`
const object = (count: number, value = '1') =>
  `{${Array.from({ length: count }, (_, i) => `"${i}":${value}`).join(',')}}`
/** Five lists of as many entries as may be, one of fewer, and the list of all six. */
const sixLists = (entriesOfLast: number) => `[${Array(5).fill(list(ENTRIES)).join(',')},${list(entriesOfLast)}]`
const lists = (levels: number) => nested('[', '', ']', levels)
const objects = (levels: number) => nested('{"a":', '1', '}', levels)
/** Steps down, with two more levels beside each of them. */
const stairs = (steps: number) => nested('[{"a":[]},', '1', ']', steps)
const text = (content: string) => JSON.stringify(content)

const WITHIN: Record<string, string> = {
  '100 levels, the last of them lists': lists(DEPTH),
  '100 levels of objects': objects(DEPTH),
  '100 levels of lists and objects in turn': nested('[{"a":', '1', '}]', DEPTH / 2),
  'levels that are closed before others are opened': list(1_000, lists(DEPTH - 1)),
  'steps whose sides reach 100 levels': stairs(DEPTH - 2),
  '50,000 entries': list(ENTRIES),
  '50,000 entries in white space': list(ENTRIES, ' \n1\t'),
  '50,000 entries that are lists': list(ENTRIES, '[1,2]'),
  '50,000 entries that are objects': list(ENTRIES, '{"a":1,"b":2}'),
  '50,000 entries that are texts with commas': list(ENTRIES, '",,"'),
  'three lists of 50,000 entries': list(3, list(ENTRIES)),
  '300,000 entries in six lists and one of them': sixLists(ENTRIES - 6),
  '1,001 entries': list(MEMBERS + 1),
  '1,000 members': object(MEMBERS),
  '1,000 members, each an object': object(MEMBERS, '{"a":1,"b":1}'),
  '100 objects of 1,000 members': list(100, object(MEMBERS)),
  '200 braces in a text': text('[{'.repeat(100)),
  '200 braces in the name of a member': `{${text('{['.repeat(100))}:1}`,
  '60,000 commas in a text': text(','.repeat(60_000)),
  'braces after an escaped quote': text(`"${'['.repeat(200)}`),
  'braces between escaped quotes': text('"['.repeat(200)),
  'braces after an escaped backslash and an escaped quote': text(`\\"${'{'.repeat(200)}`),
  'braces after a quote that is written as a code': `"\\u0022${'['.repeat(200)}"`,
  'braces in 200 texts that end in a backslash': list(200, text('[\\')),
  'braces after letters of several bytes': text(`é😀\u2028${'['.repeat(200)}`),
}

const BEYOND: Record<string, [value: string, message: RegExp]> = {
  '101 levels, the last of them lists': [lists(DEPTH + 1), TOO_DEEP],
  '101 levels, the last of them objects': [objects(DEPTH + 1), TOO_DEEP],
  '101 levels below the last entry of a list': [`[1,1,${lists(DEPTH)}]`, TOO_DEEP],
  '101 levels after others that were closed': [list(10, lists(DEPTH)), TOO_DEEP],
  'steps whose sides reach 101 levels': [stairs(DEPTH - 1), TOO_DEEP],
  '101 levels after a text that ends in a backslash': [`[${text('\\')},${lists(DEPTH)}]`, TOO_DEEP],
  '101 levels after a text that ends in a quote': [`[${text('"')},${lists(DEPTH)}]`, TOO_DEEP],
  '101 levels after a text that ends in both': [`[${text('\\"\\')},${lists(DEPTH)}]`, TOO_DEEP],
  '101 levels after braces too many': [`1}]}}${lists(LIMITS.bodyDepthMax + 1)}`, TOO_DEEP],
  '50,001 entries': [list(ENTRIES + 1), TOO_MANY_ENTRIES],
  '50,001 entries that are lists': [list(ENTRIES + 1, '[]'), TOO_MANY_ENTRIES],
  '50,001 entries that are objects': [list(ENTRIES + 1, '{"a":1,"b":2}'), TOO_MANY_ENTRIES],
  '50,001 entries that are texts': [list(ENTRIES + 1, '"\\""'), TOO_MANY_ENTRIES],
  '50,001 entries after 50,000 elsewhere': [`[${list(ENTRIES)},${list(ENTRIES + 1)}]`, TOO_MANY_ENTRIES],
  '50,000 commas with nothing between them': [`[${','.repeat(ENTRIES)}]`, TOO_MANY_ENTRIES],
  '300,001 entries in six lists and one of them': [sixLists(ENTRIES - 5), TOO_MANY_TOGETHER],
  '1,001 members': [object(MEMBERS + 1), TOO_MANY_MEMBERS],
  '1,001 members, each an object': [object(MEMBERS + 1, '{"a":1,"b":1}'), TOO_MANY_MEMBERS],
  '1,001 members of one name': [
    `{${Array(MEMBERS + 1)
      .fill('"a":1')
      .join(',')}}`,
    TOO_MANY_MEMBERS,
  ],
  '1,001 members after 1,000 elsewhere': [`[${object(MEMBERS)},${object(MEMBERS + 1)}]`, TOO_MANY_MEMBERS],
}

interface Api {
  readonly sent: (value: string) => Attack
  /** The expected response to a body of valid shape. */
  readonly passed: Verdict
  readonly refused: (message: RegExp) => Verdict
}

const badRequest = (message: RegExp) => problem('BAD_REQUEST', message)

const APIS: Record<string, Api> = {
  'POST /v1/personnel': {
    sent: (value) => posted('/v1/personnel', `{"name":"A","evil":{"x":${value}}}`),
    passed: violationAt('/evil'),
    refused: badRequest,
  },
  'PATCH /v1/groups': {
    sent:
      (value) =>
      ({ groupIds }) => ({ ...posted(`/v1/groups/${groupIds[0]}`, `{"evil":{"x":${value}}}`), method: 'PATCH' }),
    passed: violationAt('/evil'),
    refused: badRequest,
  },
  'POST /v1/projects': {
    sent: (value) => posted('/v1/projects', `{"key":"EVIL","name":"x","evil":{"x":${value}}}`),
    passed: violationAt('/evil'),
    refused: badRequest,
  },
  'POST /graphql': {
    sent: (value) => posted('/graphql', `{"query":"mutation { __typename }","variables":{"x":${value}}}`),
    passed: fine(200, ({ body }) => expect(body).toEqual({ data: { __typename: 'Mutation' } })),
    refused: wrongRequest,
  },
}

// All REST routes parse bodies in the same place.
const apis = Object.entries(APIS).filter(([api]) => !isShort || /personnel|graphql/.test(api))

const rows = apis.flatMap(([api, { sent, passed, refused }]): Row[] => [
  ...Object.entries(WITHIN).map(([name, value]): Row => [`${api} takes ${name}`, sent(value), passed]),
  ...Object.entries(BEYOND).map(
    ([name, [value, message]]): Row => [`${api} refuses ${name}`, sent(value), refused(message)],
  ),
])

campaign(openArena(import.meta.url), rows)
