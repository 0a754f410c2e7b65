import { LIMITS } from '../../src/limits.js'
import { type Attack, campaign, openArena, posted, query, type Row, sample } from './support/arena.js'
import { nested } from './support/documents.js'
import { fine, problem, refused, type Verdict, violationAt, wrongDocument, wrongRequest } from './support/verdicts.js'

const DEEP = 100_000
const DEPTH_MAX = LIMITS.bodyDepthMax
const TOO_DEEP = /^The body is nested deeper than 100 levels\.$/
const bytes = (...hex: string[]) => Buffer.from(hex.join(''), 'hex')
const inside = (hex: string) => Buffer.concat([Buffer.from('{"name":"'), bytes(hex), Buffer.from('"}')])

/** Invalid JSON or UTF-8: refused with 400 by every route with a body. */
const MALFORMED: Record<string, string | Buffer> = {
  'only white space': ' \r\n\t ',
  'one brace': '{',
  'one bracket': '[',
  'one quote': '"',
  'an object that breaks off in a string': '{"name":"A',
  'an object that breaks off after a member': '{"name":"A"',
  'an object that breaks off after a colon': '{"name":',
  'a comma too many in an object': '{"name":"A",}',
  'a comma too many in a list': '{"name":["A",]}',
  'single quotes': "{'name':'A'}",
  'a name without quotes': '{name:"A"}',
  'a brace too many': '{"name":"A"}}',
  'garbage after it': '{"name":"A"} x',
  'two objects': '{"name":"A"}{"name":"B"}',
  'two lines of objects': '{"name":"A"}\n{"name":"B"}\n',
  'a line of comment': '// A\n{"name":"A"}',
  'a comment inside': '{"name":/* A */"A"}',
  NaN: '{"name":NaN}',
  Infinity: '{"name":-Infinity}',
  undefined: '{"name":undefined}',
  'a number that begins with zero': '{"name":01}',
  'a number that begins with a point': '{"name":.5}',
  'a number with a plus': '{"name":+1}',
  'a number in hexadecimal': '{"name":0x10}',
  'True in capitals': '{"name":True}',
  'an escape that is none': '{"name":"\\x41"}',
  'an escape that breaks off': '{"name":"\\u12"}',
  'a NUL in a text': '{"name":"a\0b"}',
  'a NUL after it': '{"name":"A"}\0',
  'a line break in a text': '{"name":"a\nb"}',
  'bytes that are never UTF-8': inside('ff'),
  'an overlong slash': inside('c0af'),
  'a lone surrogate in bytes': inside('eda080'),
  'a letter beyond Unicode': inside('f4908080'),
  'a letter that breaks off': bytes('7b226e616d65223a22f09f98'),
  'UTF-16 with a mark': Buffer.from('\ufeff{"name":"A"}', 'utf16le'),
  'UTF-16 without one': Buffer.from('{"name":"A"}', 'utf16le'),
  'two byte order marks': '\ufeff\ufeff{"name":"A"}',
  'a form': 'name=A&email=a%40example.com',
  XML: '<person><name>A</name></person>',
  'lists within lists, never closed': '['.repeat(DEPTH_MAX),
  'objects within objects, never closed': '{"a":'.repeat(DEPTH_MAX),
}

const lists = (levels: number) => nested('[', '', ']', levels)
const objects = (levels: number) => nested('{"a":', '1', '}', levels)

/** Nested deeper than any body may be, whether it is JSON or not: refused with 400 before it is read. */
const TOO_DEEPS: Record<string, string> = {
  [`lists ${DEEP} deep, never closed`]: '['.repeat(DEEP),
  [`objects ${DEEP} deep, never closed`]: '{"a":'.repeat(DEEP),
  [`lists ${DEEP} deep`]: lists(DEEP),
  [`objects ${DEEP} deep`]: objects(DEEP),
  [`a name that is a list ${DEEP} deep`]: `{"name":${lists(DEEP)}}`,
  [`a query that is an object ${DEEP} deep`]: `{"query":${objects(DEEP)}}`,
  [`lists ${DEPTH_MAX + 1} deep, never closed`]: '['.repeat(DEPTH_MAX + 1),
}

const patched =
  (body: string | Buffer): Attack =>
  ({ groupIds }) => ({ ...posted(`/v1/groups/${groupIds[0]}`, body), method: 'PATCH' })

const badRequest = (message: RegExp) => problem('BAD_REQUEST', message)
const APIS: Record<string, [(body: string | Buffer) => Attack, (message: RegExp) => Verdict]> = {
  'POST /v1/personnel': [(body) => posted('/v1/personnel', body), badRequest],
  'POST /v1/projects': [(body) => posted('/v1/projects', body), badRequest],
  'PATCH /v1/groups': [patched, badRequest],
  'POST /graphql': [(body) => posted('/graphql', body), wrongRequest],
}

const refusedBy = (bodies: Record<string, string | Buffer>, message: RegExp): Row[] =>
  Object.entries(APIS).flatMap(([api, [attack, refusal]]) =>
    Object.entries(bodies).map(([name, body]): Row => [`${api} refuses ${name}`, attack(body), refusal(message)]),
  )

const malformed = refusedBy(MALFORMED, /JSON in UTF-8/)
const empty = refusedBy({ 'nothing at all': '' }, /^The body is empty/)
const tooDeep = refusedBy(TOO_DEEPS, TOO_DEEP)

/** Valid JSON that is no valid person: the error and its pointer. */
const NO_PERSON: [name: string, body: string, pointer: string][] = [
  ['null', 'null', ''],
  ['true', 'true', ''],
  ['a number', '1', ''],
  ['minus zero', '-0', ''],
  ['a number that no computer holds', '1e400', ''],
  ['a text', '"name"', ''],
  ['a list', '[]', ''],
  ['a list of people', '[{"name":"A"}]', ''],
  ['lists 100 deep', lists(DEPTH_MAX), ''],
  ['objects 100 deep', objects(DEPTH_MAX), '/a'],
  ['a name that is a list 99 deep', `{"name":${lists(DEPTH_MAX - 1)}}`, '/name'],
  ['a name that is an object 99 deep', `{"name":${objects(DEPTH_MAX - 1)}}`, '/name'],
  ['groups 99 deep', `{"name":"A","groupIds":${lists(DEPTH_MAX - 1)}}`, '/groupIds/0'],
  ['a name twice, the second of a wrong type', '{"name":"A","name":5}', '/name'],
  ['a prototype', '{"name":"A","__proto__":{"email":"a@example.com"}}', '/__proto__'],
  ['a prototype instead of members', '{"__proto__":{"name":"A","email":"a@example.com"}}', '/name'],
  ['a constructor', '{"name":"A","constructor":{"prototype":{"isAdmin":true}}}', '/constructor'],
  ['a member called prototype', '{"name":"A","prototype":{}}', '/prototype'],
  ['a member of every object', '{"name":"A","toString":1,"hasOwnProperty":1}', '/hasOwnProperty'],
  ['a member without a name', '{"name":"A","":1}', '/'],
  ['a member whose name needs escapes', '{"name":"A","a/b~c":1}', '/a~1b~0c'],
  ['a member whose name holds a NUL', '{"name":"A","email\\u0000":1}', '/email\0'],
  ['a NUL, escaped', '{"name":"a\\u0000b","externalId":"x"}', '/name'],
  ['the first half of a pair, escaped', '{"name":"a\\ud800","externalId":"x"}', '/name'],
  ['the second half of a pair, escaped', '{"name":"\\udc00a","externalId":"x"}', '/name'],
  ['halves in the wrong order, escaped', '{"name":"\\udc00\\ud800","externalId":"x"}', '/name'],
  ['a lone surrogate as an id', '{"name":"A","externalId":"\\ud800"}', '/externalId'],
  ['nothing but white space as a name', '{"name":"\\u00a0\\u2003 ","externalId":"x"}', '/name'],
  ['a number of 400 digits', `{"name":${'9'.repeat(400)}}`, '/name'],
  ['a number that no computer holds as a name', '{"name":1e400}', '/name'],
  ['a name of 900,000 letters', JSON.stringify({ name: 'é'.repeat(400_000), externalId: 'x' }), '/name'],
]

const noPerson = NO_PERSON.flatMap(([name, body, pointer]): Row[] => [
  [`POST /v1/personnel refuses ${name}`, posted('/v1/personnel', body), violationAt(pointer)],
])

/** Valid JSON that is no GraphQL request. */
const NO_REQUEST: [name: string, body: string, verdict?: Verdict][] = [
  ['null', 'null'],
  ['a number', '1e400'],
  ['a text', '"{ __typename }"'],
  ['an empty object', '{}'],
  ['a batch', '[{"query":"{ __typename }"}]', wrongRequest(/batch/)],
  ['an empty batch', '[]', wrongRequest(/batch/)],
  ['lists 100 deep', lists(DEPTH_MAX), wrongRequest(/batch/)],
  ['objects 100 deep', objects(DEPTH_MAX)],
  ['a query that is a number', '{"query":1}'],
  ['a query that is a list', '{"query":["{ __typename }"]}'],
  ['a query that is an object 99 deep', `{"query":${objects(DEPTH_MAX - 1)}}`],
  ['a query that is null', '{"query":null}'],
  ['a query twice, the second of a wrong type', '{"query":"{ __typename }","query":1}'],
  ['a query in the prototype', '{"__proto__":{"query":"{ __typename }"}}'],
  ['variables that are a list', '{"query":"{ __typename }","variables":[]}'],
  ['variables that are a text', '{"query":"{ __typename }","variables":"{}"}'],
  ['variables that are a number', '{"query":"{ __typename }","variables":1}'],
  ['an operation name that is a number', '{"query":"{ __typename }","operationName":1}'],
  ['an operation name that is an object', '{"query":"{ __typename }","operationName":{}}'],
  ['extensions that are a list', '{"query":"{ __typename }","extensions":[]}'],
  ['extensions that are a text', '{"query":"{ __typename }","extensions":"x"}'],
  ['a member that there is not', '{"query":"{ __typename }","doc_id":1}'],
  ['a prototype beside the query', '{"query":"{ __typename }","__proto__":{}}'],
]

const noRequest = NO_REQUEST.map(
  ([name, body, verdict]): Row => [
    `POST /graphql refuses ${name}`,
    posted('/graphql', body),
    verdict ?? wrongRequest(),
  ],
)

const byId = 'query ($id: ID!) { person(id: $id) { id } }'
const entities = 'query ($all: [_Any!]!) { _entities(representations: $all) { __typename } }'
const nobody = fine(200, ({ body }) => {
  if (body.data.person !== null) throw new Error('Somebody was found.')
})
const deepVariable = (query: string, name: string, levels: number) =>
  posted('/graphql', `{"query":${JSON.stringify(query)},"variables":{"${name}":${lists(levels)}}}`)
/** The body and its variables are levels as well. */
const WITHIN = DEPTH_MAX - 2

const variables: Row[] = [
  ['variables 98 deep that are not used are ignored', deepVariable('{ __typename }', 'x', WITHIN), fine()],
  ['an id 98 deep is refused', deepVariable(byId, 'id', WITHIN), wrongDocument(/\$id/)],
  ['references 98 deep are refused', deepVariable(entities, 'all', WITHIN), refused('BAD_REQUEST', 200)],
  ...[WITHIN + 1, DEEP].flatMap((levels): Row[] => [
    [
      `variables ${levels} deep that are not used are refused`,
      deepVariable('{ __typename }', 'x', levels),
      wrongRequest(TOO_DEEP),
    ],
    [`an id ${levels} deep is refused`, deepVariable(byId, 'id', levels), wrongRequest(TOO_DEEP)],
    [`references ${levels} deep are refused`, deepVariable(entities, 'all', levels), wrongRequest(TOO_DEEP)],
  ]),
  ['an id that holds a NUL is nobody', query(byId, { id: 'usr_\0' }), nobody],
  ['an id that is a lone surrogate is nobody', query(byId, { id: '\ud800' }), nobody],
  ['variables with a prototype are passed over', query(byId, JSON.parse('{"id":"x","__proto__":{"id":"y"}}')), nobody],
  [
    'a variable that is only in the prototype is missing',
    query(byId, JSON.parse('{"__proto__":{"id":"y"}}')),
    wrongDocument(/\$id/),
  ],
  [
    'a variable that every object has is missing',
    query('query ($toString: ID!) { person(id: $toString) { id } }', {}),
    wrongDocument(/\$toString/),
  ],
]

// RFC 8259, 8.1: a parser may pass over the mark.
const marked: Row[] = [
  ['one byte order mark is passed over by GraphQL', posted('/graphql', '\ufeff{"query":"{ __typename }"}'), fine()],
  ['one byte order mark is passed over by REST', posted('/v1/personnel', '\ufeff{"name":1}'), violationAt('/name')],
]

campaign(openArena(import.meta.url), [
  ...sample(malformed),
  ...empty,
  ...tooDeep,
  ...noPerson,
  ...noRequest,
  ...variables,
  ...marked,
])
