import { LIMITS } from '../../src/limits.js'
import { DEAR_PERSON } from '../support/fixtures.js'
import { campaign, openArena, posted, query, type Row, read } from './support/arena.js'
import { DETAILED, ENTITIES, references, strangers, times, wordy } from './support/documents.js'
import {
  either,
  fine,
  problem,
  refused,
  tooComplex,
  type Verdict,
  wrongDocument,
  wrongRequest,
} from './support/verdicts.js'

type Query = readonly [name: string, text: string, verdict: Verdict, variables?: unknown, more?: object]

const tooManyMembers = wrongRequest(/^An object of the body has more than 1,000 members\.$/)
const tooManyEntries = wrongRequest(/^A list of the body has more than 50,000 entries\.$/)
const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`x${i}`, i]))

const syntax = wrongDocument(/Syntax Error/)
const noOperation = either(wrongDocument(), wrongRequest())

const TEXTS: Query[] = [
  ['only a comment is refused', '# nothing', syntax],
  ['only a mark of byte order is refused', '\ufeff', either(syntax, wrongRequest())],
  ['a mark of byte order is passed over', '\ufeff{ __typename }', fine()],
  ['only commas are refused', ',,,', syntax],
  ['only white space is refused', ' \t\r\n', wrongRequest()],
  ['nothing is refused', '', wrongRequest()],
  ['a NUL is refused', '{ __typename }\0', syntax],
  ['a letter beyond ASCII is refused', '{ naïve }', syntax],
  ['a lone surrogate is refused', '{ person(id: "\ud800") { id } }', syntax],
  ['an escaped lone surrogate is refused', '{ person(id: "\\ud800") { id } }', syntax],
  ['an escape beyond Unicode is refused', '{ person(id: "\\u{110000}") { id } }', syntax],
  ['an escape that is none is refused', '{ person(id: "\\x41") { id } }', syntax],
  ['an escaped NUL is no id', '{ person(id: "\\u0000") { id } }', fine()],
  ['a text that does not end is refused', '{ person(id: "x) { id } }', syntax],
  ['braces that do not match are refused', '{ __typename }}', syntax],
  ['JSON is refused', '{"query":"{ __typename }"}', syntax],
  ['SQL is refused', 'drop table person', syntax],
  ["a type of one's own is refused", 'type Query { x: Int }', noOperation],
  ['a type that is extended is refused', '{ __typename } extend type Person { evil: Int }', wrongDocument()],
  ["a schema of one's own is refused", 'schema { query: Person }', noOperation],
]

const twoOperations = 'query a { __typename } query b { __typename }'
const OPERATIONS: Query[] = [
  ['a subscription is refused', 'subscription { risks { totalCount } }', wrongDocument()],
  ['an operation of another kind is refused', 'live { __typename }', syntax],
  ['two operations and no name are refused', twoOperations, noOperation],
  ['a name that is none of them is refused', twoOperations, noOperation, undefined, { operationName: 'c' }],
  ['a name of every object is refused', twoOperations, noOperation, undefined, { operationName: '__proto__' }],
  ['a name of 30,000 letters is refused', twoOperations, noOperation, undefined, { operationName: 'x'.repeat(30_000) }],
  [
    'an empty name of an operation is none',
    '{ __typename }',
    either(fine(), wrongDocument(), wrongRequest()),
    undefined,
    { operationName: '' },
  ],
  [
    'the operation that is named is the one that is run',
    `${twoOperations} mutation c { addGroup(input: { name: "Evil" }) { id } }`,
    fine(),
    undefined,
    { operationName: 'b' },
  ],
  [
    'variables of an operation that is not run are not required',
    'query a($x: Int!) { risks(first: $x) { totalCount } } query b { __typename }',
    fine(),
    {},
    { operationName: 'b' },
  ],
  [
    'two operations of one name are refused',
    'query a { __typename } query a { __typename }',
    wrongDocument(),
    undefined,
    { operationName: 'a' },
  ],
  ['two operations without a name are refused', '{ __typename } { __typename }', noOperation],
  [
    '300 operations are one, or too many',
    times(90, (i) => `query q${i} { __typename }`),
    either(fine(), tooComplex()),
    undefined,
    { operationName: 'q1' },
  ],
  [
    'a persisted query that is none is refused',
    '{ __typename }',
    wrongRequest(),
    undefined,
    { extensions: { persistedQuery: { version: 1, sha256Hash: 'x' } } },
  ],
  [
    'extensions of 1,000 members are passed over',
    '{ __typename }',
    fine(),
    undefined,
    { extensions: members(LIMITS.bodyMembersMax) },
  ],
  ...[LIMITS.bodyMembersMax + 1, 100_000].map(
    (count): Query => [
      `extensions of ${count} members are refused`,
      '{ __typename }',
      tooManyMembers,
      undefined,
      { extensions: members(count) },
    ],
  ),
]

const byFirst = (type: string) => `query ($x: ${type}) { risks(first: $x) { totalCount } }`
const VARIABLES: Query[] = [
  ['1,000 variables that are not used are ignored', '{ __typename }', fine(), members(LIMITS.bodyMembersMax)],
  ...[LIMITS.bodyMembersMax + 1, 10_000].map(
    (count): Query => [
      `${count} variables that are not used are refused`,
      '{ __typename }',
      tooManyMembers,
      members(count),
    ],
  ),
  [
    '240 variables that are not used are refused',
    `query (${times(240, (i) => `$x${i}: Int`)}) { __typename }`,
    either(wrongDocument(), tooComplex()),
  ],
  ['a variable that is not declared is refused', '{ risks(first: $x) { totalCount } }', wrongDocument(/\$x/)],
  ['a variable twice is refused', 'query ($x: Int, $x: Int) { risks(first: $x) { totalCount } }', wrongDocument()],
  ['a variable of a type that there is not is refused', byFirst('Nothing'), wrongDocument()],
  ['a variable of a type that is no input is refused', byFirst('Person'), wrongDocument()],
  ['a variable of another type is refused', byFirst('String'), wrongDocument()],
  ['a variable that is missing is refused', byFirst('Int!'), wrongDocument(/\$x/), {}],
  ['a variable that is null is refused', byFirst('Int!'), wrongDocument(/\$x/), { x: null }],
  ['a variable that is a text is refused', byFirst('Int'), wrongDocument(/\$x/), { x: '5' }],
  ['a variable that is a part is refused', byFirst('Int'), wrongDocument(/\$x/), { x: 1.5 }],
  ['a variable that is too large is refused', byFirst('Int'), wrongDocument(/\$x/), { x: 2 ** 31 }],
  ['a variable that is a list is refused', byFirst('Int'), wrongDocument(/\$x/), { x: [5] }],
  ['a default of a wrong type is refused', byFirst('Int = "x"'), wrongDocument()],
  ['a page of none is refused', byFirst('Int'), refused('BAD_REQUEST', 200), { x: 0 }],
  ['a page of less than none is refused', byFirst('Int'), refused('BAD_REQUEST', 200), { x: -(2 ** 31) }],
  ['a page of 1,001 is refused', byFirst('Int'), refused('BAD_REQUEST', 200, /1000/), { x: 1_001 }],
  [
    'a page of two billions is refused',
    '{ risks(first: 2147483647) { nodes { id } } }',
    refused('TOO_COMPLEX', 200, /2147483648; the most is 100000/),
  ],
  [
    'a page of less than none does not make another one cheap',
    `{ a: risks(first: -2147483648) { nodes { id } } personnel(first: 1000) { nodes { ${DEAR_PERSON} } } }`,
    tooComplex(/the most is 100000/),
  ],
]

const refusedReference = refused('BAD_REQUEST', 200, /representation/)
const REFERENCES: Query[] = [
  ['50,000 different references are too many', ENTITIES, tooComplex(/\b50000 items\b/), strangers(LIMITS.bodyItemsMax)],
  ['3,000 different references of 45 fields cost too much', DETAILED, tooComplex(/\b138001\b/), strangers(3_000)],
  ['15,000 repeats of 45 fields cost too much', DETAILED, tooComplex(/\b500000\b/), references(15_000)],
  ['50,001 references are refused', ENTITIES, tooManyEntries, references(LIMITS.bodyItemsMax + 1)],
  ['100,000 references are refused', ENTITIES, tooManyEntries, references(100_000)],
  ['no references are none', ENTITIES, fine(), { all: [] }],
  ['a reference of null is refused', ENTITIES, wrongDocument(), { all: [null] }],
  ['references of null are refused', ENTITIES, wrongDocument(), { all: null }],
  ['references that are missing are refused', '{ _entities { __typename } }', wrongDocument()],
  ...[
    {},
    1,
    'x',
    true,
    [],
    [[]],
    { id: 'x' },
    { __typename: 'Nothing', id: 'x' },
    { __typename: '__proto__' },
    { __typename: 'toString', id: 'x' },
    { __typename: 1, id: 'x' },
    { __typename: 'Person' },
    { __typename: 'Person', id: 1 },
    { __typename: 'Person', id: null },
    { __typename: 'Person', id: ['x'] },
    { __typename: 'Person', name: 'y' },
    { __typename: 'Person', constructor: 'x' },
    { __typename: 'ApiKey', id: 'x' },
  ].map(
    (one): Query => [`the reference ${JSON.stringify(one)} is refused`, ENTITIES, refusedReference, { all: [one] }],
  ),
]

const rows = [...TEXTS, ...OPERATIONS, ...VARIABLES, ...REFERENCES].map(
  ([name, text, verdict, variables, more]): Row => [name, query(text, variables, more), verdict],
)

const got = (params: Record<string, string>) => read(`/graphql?${new URLSearchParams(params)}`)
const MUTATION = 'mutation { addGroup(input: { name: "Evil" }) { id } }'
const byGet: Row[] = [
  ['no mutation comes in by GET', got({ query: MUTATION }), refused('METHOD_NOT_ALLOWED', 405)],
  [
    'no mutation comes in by GET behind a query',
    got({ query: `query a { __typename } ${MUTATION.replace('mutation', 'mutation b')}`, operationName: 'b' }),
    refused('METHOD_NOT_ALLOWED', 405),
  ],
  ['variables that are no JSON are refused', got({ query: '{ __typename }', variables: '{' }), wrongRequest()],
  ['variables that are a list are refused', got({ query: '{ __typename }', variables: '[]' }), wrongRequest()],
  ['extensions that are no JSON are refused', got({ query: '{ __typename }', extensions: 'x' }), wrongRequest()],
  [
    'a persisted query without a query is refused',
    got({ extensions: '{"persistedQuery":{"version":1,"sha256Hash":"x"}}' }),
    wrongRequest(),
  ],
  [
    'a query of 17,000 characters is too large for an address',
    got({ query: wordy(17_000) }),
    problem('HEADERS_TOO_LARGE'),
  ],
  [
    'a persisted query without a query is refused by POST',
    posted('/graphql', '{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"x"}}}'),
    wrongRequest(),
  ],
]

campaign(openArena(import.meta.url), [...rows, ...byGet])
