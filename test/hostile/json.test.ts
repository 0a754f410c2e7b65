import { type Attack, campaign, openArena, posted, query, type Row } from './arena.js'
import { fine, flawAt, problem, refused, type Verdict, wrongDocument, wrongRequest } from './verdicts.js'

const DEEP = 100_000
const bytes = (...hex: string[]) => Buffer.from(hex.join(''), 'hex')
const inside = (hex: string) => Buffer.concat([Buffer.from('{"name":"'), bytes(hex), Buffer.from('"}')])

/** No JSON, or not in UTF-8: refused with 400 wherever a body is taken. */
const MALFORMED: Record<string, string | Buffer> = {
  'nothing at all': '',
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
  'lists within lists, never closed': '['.repeat(DEEP),
  'objects within objects, never closed': '{"a":'.repeat(DEEP),
}

const patched =
  (body: string | Buffer): Attack =>
  ({ groupIds }) => ({ ...posted(`/v1/groups/${groupIds[0]}`, body), method: 'PATCH' })

const DOORS: Record<string, [(body: string | Buffer) => Attack, Verdict]> = {
  'POST /v1/personnel': [(body) => posted('/v1/personnel', body), problem('BAD_REQUEST', /JSON in UTF-8/)],
  'POST /v1/projects': [(body) => posted('/v1/projects', body), problem('BAD_REQUEST', /JSON in UTF-8/)],
  'PATCH /v1/groups': [patched, problem('BAD_REQUEST', /JSON in UTF-8/)],
  'POST /graphql': [(body) => posted('/graphql', body), wrongRequest(/JSON in UTF-8/)],
}

const malformed: Row[] = Object.entries(DOORS).flatMap(([door, [attack, verdict]]) =>
  Object.entries(MALFORMED).map(([name, body]): Row => [`${door} refuses ${name}`, attack(body), verdict]),
)

const deepList = '['.repeat(DEEP) + ']'.repeat(DEEP)
const deepObject = `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`

/** JSON in order, which is no person: what is wrong, and where it is said to be. */
const NO_PERSON: [name: string, body: string, pointer: string][] = [
  ['null', 'null', ''],
  ['true', 'true', ''],
  ['a number', '1', ''],
  ['minus zero', '-0', ''],
  ['a number that no computer holds', '1e400', ''],
  ['a text', '"name"', ''],
  ['a list', '[]', ''],
  ['a list of people', '[{"name":"A"}]', ''],
  [`lists ${DEEP} deep`, deepList, ''],
  [`objects ${DEEP} deep`, deepObject, '/a'],
  [`a name that is a list ${DEEP} deep`, `{"name":${deepList}}`, '/name'],
  [`a name that is an object ${DEEP} deep`, `{"name":${deepObject}}`, '/name'],
  [`groups ${DEEP} deep`, `{"name":"A","groupIds":${deepList}}`, '/groupIds/0'],
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
  [`POST /v1/personnel refuses ${name}`, posted('/v1/personnel', body), flawAt(pointer)],
])

/** JSON in order, which is no request to GraphQL. */
const NO_REQUEST: [name: string, body: string, verdict?: Verdict][] = [
  ['null', 'null'],
  ['a number', '1e400'],
  ['a text', '"{ __typename }"'],
  ['an empty object', '{}'],
  ['a batch', '[{"query":"{ __typename }"}]', wrongRequest(/batch/)],
  ['an empty batch', '[]', wrongRequest(/batch/)],
  [`lists ${DEEP} deep`, deepList, wrongRequest(/batch/)],
  [`objects ${DEEP} deep`, deepObject],
  ['a query that is a number', '{"query":1}'],
  ['a query that is a list', '{"query":["{ __typename }"]}'],
  [`a query that is an object ${DEEP} deep`, `{"query":${deepObject}}`],
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
const deepVariables = (query: string, name: string) =>
  posted('/graphql', `{"query":${JSON.stringify(query)},"variables":{"${name}":${deepList}}}`)

const variables: Row[] = [
  [`variables ${DEEP} deep that nobody asks for are passed over`, deepVariables('{ __typename }', 'x'), fine()],
  [`an id ${DEEP} deep is refused`, deepVariables(byId, 'id'), wrongDocument(/\$id/)],
  [`references ${DEEP} deep are refused`, deepVariables(entities, 'all'), refused('BAD_REQUEST', 200)],
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
  ['one byte order mark is passed over by REST', posted('/v1/personnel', '\ufeff{"name":1}'), flawAt('/name')],
]

campaign(openArena(import.meta.url), [...malformed, ...noPerson, ...noRequest, ...variables, ...marked])
