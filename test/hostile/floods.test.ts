import { campaign, openArena, query, type Row } from './support/arena.js'
import {
  aliases,
  bomb,
  clique,
  deep,
  directives,
  introspection,
  long,
  nested,
  repeated,
  times,
  wideIntrospection,
  wordy,
} from './support/documents.js'
import { either, fine, tooComplex, type Verdict, wrongDocument } from './support/verdicts.js'

type Flood = readonly [name: string, text: string, verdict: Verdict]

const syntax = wrongDocument(/Syntax Error/)

const tooOften = (times: number) =>
  tooComplex(new RegExp(`\\b${times} repeated fields in the same place; the most is 200\\b`))
const tooCurious = (fields: number | string) =>
  tooComplex(new RegExp(`\\b${fields} fields of introspection; the most is 1000\\b`))

const NAMES: Flood[] = [
  ['51 names for one field are too many', aliases(51), tooComplex(/\b51\b.*\b50\b/)],
  ['300 names for one field are too many', aliases(300), tooComplex(/\b300\b.*\b50\b/)],
  [
    '51 names below the root are too many',
    `{ risks(first: 1) { nodes { ${times(51, (i) => `a${i}: id`)} } } }`,
    tooComplex(/\b52\b.*\b50\b/),
  ],
  ['51 fields at the root are too many', `{ ${'__typename '.repeat(51)} }`, tooComplex(/\b51\b.*\b50\b/)],
  [
    '51 fields at the root in fragments are too many',
    `{ ...f ... { __typename } } fragment f on Query { ${'__typename '.repeat(50)} }`,
    tooComplex(/\b51\b.*\b50\b/),
  ],
  [
    '51 mutations are too many',
    `mutation { ${times(51, (i) => `a${i}: changeGroup(id: "x", input: {}) { id }`)} }`,
    tooComplex(/\b50\b|tokens/),
  ],
  ['the same field 10,000 times is too much', `{ ${'id '.repeat(10_000)} }`, tooComplex(/\b10002\b.*\b1000\b/)],
  ['the same field 998 times is too much', `{ ${'__typename '.repeat(998)} }`, tooComplex(/\b998 root fields.*\b50\b/)],
  ['the same field 200 times below the root is one', repeated(200), fine()],
  ['the same field 201 times below the root is too much', repeated(201), tooOften(201)],
  ['the same field 980 times below the root is too much', repeated(980), tooOften(980)],
  [
    'the same field 201 times in a fragment is too much',
    `{ risks(first: 1) { nodes { ...f } } } fragment f on Risk { ${'id '.repeat(201)} }`,
    tooOften(201),
  ],
  [
    'the same field 101 times, each with a selection, is too much',
    `{ risks(first: 1) { nodes { ${'project { id } '.repeat(101)} } } }`,
    tooOften(202),
  ],
  [
    'the same field 100 times in each of eight fragments is too much',
    `{ risks(first: 1) { nodes { ${times(8, (i) => `...f${i}`)} } } } ${times(8, (i) => `fragment f${i} on Risk { ${'id '.repeat(100)} }`)}`,
    tooOften(800),
  ],
  [
    'lists under seven names in lists under seven names are few, or too much',
    `{ groups { nodes { ${times(7, (i) => `a${i}: members(first: 1000) { nodes { ...P } }`)} } } } fragment P on Person { ${times(7, (i) => `g${i}: groups { id }`)} }`,
    either(fine(), tooComplex(/cost is \d+; the most is 100000/)),
  ],
]

const DIRECTIVES: Flood[] = [
  ['9 directives are too many', directives(9), tooComplex(/\b9\b.*\b8\b/)],
  ['140 directives on a field are too many', directives(140), tooComplex(/\b140\b.*\b8\b/)],
  ['1,000 directives on a field are too many', directives(1_000), tooComplex(/\b7003\b.*\b1000\b/)],
  [
    '400 directives that there are not are too many',
    `{ __typename ${'@x '.repeat(400)} }`,
    tooComplex(/\b400\b.*\b8\b/),
  ],
  [
    'directives on fragments count',
    `{ ${times(9, () => '... @include(if: true) { __typename }')} }`,
    tooComplex(/\b9\b.*\b8\b/),
  ],
  ['a directive that there is not is refused', '{ __typename @defer }', wrongDocument()],
  ['a directive that streams is refused', '{ risks(first: 1) { nodes @stream { id } } }', wrongDocument()],
  ['a directive twice is refused', '{ __typename @skip(if: true) @skip(if: false) }', wrongDocument()],
  ['a directive of the schema is refused', '{ __typename @deprecated }', wrongDocument()],
]

const missing = wrongDocument(/Unknown fragment/)
const cyclic = wrongDocument(/Cannot spread fragment/)

const FRAGMENTS: Flood[] = [
  ['a fragment in itself is refused', '{ ...f } fragment f on Query { ...f }', cyclic],
  [
    'two fragments in each other are refused',
    '{ ...f } fragment f on Query { ...g } fragment g on Query { ...f }',
    cyclic,
  ],
  [
    'a ring of 90 fragments is refused',
    `{ ...f0 } ${times(90, (i) => `fragment f${i} on Query { ...f${(i + 1) % 90} }`)}`,
    cyclic,
  ],
  [
    'a ring below the root is refused',
    '{ risks(first: 1) { nodes { ...f } } } fragment f on Risk { project { ...g } } fragment g on Project { risks { nodes { ...f } } }',
    cyclic,
  ],
  [
    '140 fragments that nobody uses are refused',
    `{ __typename } ${times(140, (i) => `fragment f${i} on Query { x }`)}`,
    wrongDocument(),
  ],
  [
    '500 fragments are too many',
    `{ __typename } ${times(500, (i) => `fragment f${i} on Query { x }`)}`,
    tooComplex(/tokens/),
  ],
  [
    'a chain of 120 fragments is followed',
    `{ ...f0 } ${times(120, (i) => `fragment f${i} on Query { ...f${i + 1} }`)} fragment f120 on Query { __typename }`,
    fine(),
  ],
  ['a fragment bomb at the root is too much', bomb(90, '__typename'), tooComplex(/the most is 50/)],
  [
    'a fragment bomb below the root is one field',
    bomb(90, 'id', 'Risk', '{ risks(first: 1) { nodes { ...f0 } } }'),
    fine(),
  ],
  [
    'a fragment bomb of the schema is too much',
    bomb(80, 'name', '__Type', '{ __schema { types { ...f0 } } }'),
    tooCurious('[\\d.e+]+'),
  ],
  ['fragments, each twice in the one before, are refused though the last is missing', bomb(21, '...nowhere'), missing],
  [
    'fragments, each twice in the one before, are refused though the last is the first',
    bomb(21, '...f0'),
    either(cyclic, tooComplex()),
  ],
  ['nine fragments, each in all the others, are refused', clique(9), either(cyclic, tooComplex())],
  ['a fragment that is missing is refused', '{ ...f }', missing],
  ['a fragment of a type that there is not is refused', '{ ...f } fragment f on Nothing { id }', wrongDocument()],
  ['a fragment of an input is refused', '{ ...f } fragment f on PersonFilter { email }', wrongDocument()],
  [
    'a fragment twice is refused',
    '{ ...f } fragment f on Query { __typename } fragment f on Query { __typename }',
    wrongDocument(),
  ],
  ['a fragment called on is refused', '{ ...on } fragment on on Query { __typename }', syntax],
  ['240 fragments in line within each other are followed', `{ ${nested('... { ', '__typename', ' }', 240)} }`, fine()],
]

const DEPTHS: Flood[] = [
  ['11 levels are too deep', deep(11), tooComplex(/depth is at least 11; the most is 10/)],
  ['200 levels are too deep', deep(200), tooComplex(/depth is at least 11; the most is 10/)],
  ['10,000 levels are too deep', nested('{a', '', '}', 10_000), tooComplex(/tokens/)],
  ['330 levels of nothing are refused', nested('{ a ', '', '}', 330), wrongDocument()],
  [
    '450 levels of lists are refused',
    `{ risks(filter: { level: ${nested('[', '', ']', 450)} }) { totalCount } }`,
    wrongDocument(),
  ],
  [
    '240 levels of objects are refused',
    `{ risks(filter: ${nested('{ a: ', '1', ' }', 240)}) { totalCount } }`,
    wrongDocument(),
  ],
  [
    '450 levels of a type are refused',
    `query ($x: ${nested('[', 'Int', ']', 450)}) { risks(first: $x) { totalCount } }`,
    wrongDocument(),
  ],
]

const LENGTHS: Flood[] = [
  ['1,001 tokens are too many', long(1_001), tooComplex(/\b1001\b.*\b1000\b/)],
  ['33,000 characters are too many', wordy(33_000), tooComplex(/\b33000\b.*\b32000\b/)],
  ['a text of 31,000 letters is no id', `{ person(id: "${'x'.repeat(31_000)}") { id } }`, fine()],
  ['a block of 31,000 letters is no id', `{ person(id: """${'\n x'.repeat(10_000)}""") { id } }`, fine()],
  ['31,000 commas are passed over', `{ ${','.repeat(31_000)} __typename }`, fine()],
  ['31,000 letters of comment are passed over', wordy(31_000), fine()],
  ['a number of 30,000 digits is refused', `{ risks(first: ${'9'.repeat(30_000)}) { totalCount } }`, wrongDocument()],
  ['a name of 30,000 letters is refused', `{ ${'x'.repeat(30_000)} }`, wrongDocument()],
  ['30,000 escapes that break off are refused', `{ person(id: "${'\\u'.repeat(10_000)}") { id } }`, syntax],
  [
    '450 fields that there are not are refused',
    `{ ${times(450, (i) => `x${i}`)} }`,
    either(wrongDocument(), tooComplex()),
  ],
  [
    '300 arguments that there are not are refused',
    `{ risks(${times(300, (i) => `x${i}: 1`)}) { totalCount } }`,
    wrongDocument(),
  ],
]

const INTROSPECTION: Flood[] = [
  [
    'the schema 45 times over is served',
    `{ ${times(45, (i) => `a${i}: __schema { types { fields { name } } }`)} }`,
    fine(),
  ],
  [
    'fields of types of fields of types are refused',
    '{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }',
    either(wrongDocument(), tooComplex()),
  ],
  [
    'types of types, 200 levels down, are served',
    `{ __schema { types { ${nested('ofType { ', 'name', ' }', 200)} } } }`,
    fine(),
  ],
  ['1,000 fields of the schema are served', introspection(1_000), fine()],
  ['1,001 fields of the schema are too many', introspection(1_001), tooCurious(1_001)],
  [
    '1,001 fields of one type are too many',
    introspection(1_001).replace('__schema { types {', '__type(name: "Query") { ofType {'),
    tooCurious(1_001),
  ],
  ['the schema under 2 names at each of five levels is served', wideIntrospection(2), fine()],
  ['the schema under 3 names at each of five levels is served', wideIntrospection(3), fine()],
  ['the schema under 4 names at each of five levels is too much', wideIntrospection(4), tooCurious(2_388)],
  ['the schema under 6 names at each of five levels is too much', wideIntrospection(6), tooCurious(17_106)],
  ['a type that there is not is none', '{ __type(name: "__proto__") { name } }', fine()],
]

const rows = [...NAMES, ...DIRECTIVES, ...FRAGMENTS, ...DEPTHS, ...LENGTHS, ...INTROSPECTION].map(
  ([name, text, verdict]): Row => [name, query(text), verdict],
)

// The last of all: a server that counts these one by one never answers again.
const last: Row[] = [
  [
    '90 fragments, each twice in the one before, are refused though the last is missing',
    query(bomb(90, '...nowhere')),
    missing,
  ],
]

campaign(openArena(import.meta.url), [...rows, ...last])
