import { gzipSync } from 'node:zlib'
import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql'
import { compiledRoute } from '../../../src/http/rest/compiledRoutes.js'
import { ROUTES } from '../../../src/http/rest/routes.js'
import type { Company } from '../../support/fixtures.js'
import { AS_MANAGER, campaign, openArena, posted, type Row, sample } from '../support/arena.js'
import { fine, problem, refused, violationAt } from '../support/verdicts.js'
import type { Sent } from '../support/wire.js'

/** Values, as JSON, that a leaf of each type must refuse, besides objects and lists. */
const WRONG: Readonly<Record<string, readonly string[]>> = {
  String: ['1', 'true', '1e400', '"\\u0000"', '"\\ud800"'],
  ID: ['true', '1.5', '1e400', '{"__proto__":"x"}'],
  Int: ['"1"', 'true', '1.5', '1e400', '2147483648', '-1e10'],
  Date: ['1', 'true', '"2026-02-30"', '"2026-1-1"', '"0000-00-00"', '"２０２６-01-01"'],
  DateTime: ['1', 'true', '"2026-01-01"', '"2026-02-30T00:00:00Z"'],
  Enum: ['1', 'true', '""', '"NONE"', '"__proto__"', '"constructor"'],
}

interface Wrong {
  /** The member, as a person would write it. */
  readonly path: string
  readonly pointer: string
  readonly body: string
}

/** A body for each wrong value of each member of an input, those of lists of inputs included. */
function wrongBodies(
  type: GraphQLInputObjectType,
  wrap: (members: string) => string,
  pointer: string,
  path: string,
): Wrong[] {
  const needed = Object.values(type.getFields()).filter((field) => isNonNullType(field.type))
  return Object.values(type.getFields()).flatMap((field) => {
    // All other required members are present, so that only this one is wrong.
    const others = needed.filter(({ name }) => name !== field.name).map(({ name }) => `"${name}":"APOLLO"`)
    const wrong = (value: string, at = ''): Wrong => ({
      path: `${path}${field.name} ${value}`,
      pointer: `${pointer}/${field.name}${at}`,
      body: wrap([...others, `"${field.name}":${value}`].join(',')),
    })
    const inner = getNullableType(field.type)
    const item = isListType(inner) ? getNullableType(inner.ofType) : undefined
    return [
      wrong('{}'),
      wrong(item ? '{"0":"x"}' : '[]'),
      ...(isNonNullType(field.type) ? [wrong('null')] : []),
      ...(item ? ['1', '"x"'].map((value) => wrong(value)) : wrongLeaves(inner).map((value) => wrong(value))),
      ...(item ? ['null', '[]', ...wrongLeaves(item)].map((value) => wrong(`[${value}]`, '/0')) : []),
      ...(isInputObjectType(item)
        ? wrongBodies(
            item,
            (members) => wrap([...others, `"${field.name}":[{${members}}]`].join(',')),
            `${pointer}/${field.name}/0`,
            `${field.name}[0].`,
          )
        : []),
    ]
  })
}

function wrongLeaves(type: GraphQLInputType): readonly string[] {
  if (isInputObjectType(type)) return ['1', '"x"']
  return WRONG[isEnumType(type) ? 'Enum' : String(type)] ?? []
}

/** Every route that takes a body, and the type that it must have. */
const TAKING = ROUTES.flatMap((route) => {
  const input = getNullableType(compiledRoute(route).input)
  return isInputObjectType(input) ? [{ ...route, input }] : []
})

/** The path of an existing resource. */
function pathOf(path: string, { personIds, groupIds }: Company): string {
  return path.replace('{id}', (path.includes('personnel') ? personIds[0] : groupIds[0]) ?? '')
}

const wrongTypes = TAKING.flatMap(({ method, path, input }) =>
  wrongBodies(input, (members) => `{${members}}`, '', '').map(
    (wrong): Row => [
      `${method} ${path} refuses ${wrong.path}`,
      (company) => ({ ...posted(pathOf(path, company), wrong.body), method }),
      violationAt(wrong.pointer),
    ],
  ),
)

const unknownMembers = TAKING.map(
  ({ method, path }): Row => [
    `${method} ${path} refuses members that there are not`,
    (company) => ({ ...posted(pathOf(path, company), '{"isAdmin":true,"scopes":["personnel.manage"]}'), method }),
    violationAt('/isAdmin'),
  ],
)

const APIS: Record<string, (headers: Sent['headers'], body: string | Buffer) => Sent> = {
  'POST /v1/personnel': (headers, body) => posted('/v1/personnel', body, headers),
  'PATCH /v1/groups': (headers, body) => ({ ...posted('/v1/groups/x', body, headers), method: 'PATCH' }),
  'POST /graphql': (headers, body) => posted('/graphql', body, headers),
}

const FOREIGN_TYPES: Record<string, string | undefined> = {
  'no type': undefined,
  'an empty type': '',
  'plain text': 'text/plain',
  'plain text that says it is JSON': 'text/plain; application/json',
  'text/json': 'text/json',
  'a type that begins like JSON': 'application/jsonx',
  'a JSON patch': 'application/json-patch+json',
  'any JSON': 'application/*',
  'a JSON of somebody': 'application/vnd.api+json',
  'two types': 'application/json, text/plain',
  'two types, JSON second': 'text/plain, application/json',
  'a type without its first half': 'json',
  'a type after a semicolon': '; application/json',
  'a form': 'application/x-www-form-urlencoded',
  'a form in parts': 'multipart/form-data; boundary=x',
  'the text of a query': 'application/graphql',
  'JSON in UTF-16': 'application/json; charset=utf-16',
  'JSON in UTF-16, in quotes': 'application/json;charset="UTF-16"',
  'JSON in Latin-1': 'application/json; charset=iso-8859-1',
  'JSON in UTF-7': 'application/json; charset=utf-7',
  'JSON in no charset': 'application/json; charset=',
}

const WHOLE = '{"query":"mutation { addGroup(input: { name: \\"Evil\\" }) { id } }","name":"Evil"}'

const foreignTypes = Object.entries(APIS).flatMap(([api, sent]) =>
  Object.entries(FOREIGN_TYPES).map(([name, type]): Row => {
    const verdict = api.endsWith('graphql') ? refused('UNSUPPORTED_MEDIA_TYPE', 415) : problem('UNSUPPORTED_MEDIA_TYPE')
    return [`${api} takes nothing that comes as ${name}`, sent({ 'Content-Type': type }, WHOLE), verdict]
  }),
)

const bomb = gzipSync(Buffer.alloc(50_000_000))
const ENCODINGS = ['gzip', 'x-gzip', 'br', 'deflate', 'zstd', 'compress', 'gzip, gzip', 'GZIP', 'aes128gcm']

// Content-Length without a body: a server that reads first would wait for it.
const encodings = Object.entries(APIS).flatMap(([api, sent]) => {
  const verdict = api.endsWith('graphql')
    ? refused('UNSUPPORTED_MEDIA_TYPE', 415)
    : problem('UNSUPPORTED_MEDIA_TYPE', /uncompressed/)
  return ENCODINGS.map(
    (encoding): Row => [
      `${api} refuses a body in ${encoding} before it comes`,
      sent({ 'Content-Encoding': encoding, 'Content-Length': '900000' }, ''),
      verdict,
    ],
  ).concat([[`${api} does not unpack 50 MB of nothing`, sent({ 'Content-Encoding': 'gzip' }, bomb), verdict]])
})

const JSON_TYPES = [
  'application/json;charset=utf-8',
  'APPLICATION/JSON',
  'application/json; charset="UTF-8"',
  'application/json; x=y',
]

const ownTypes = JSON_TYPES.flatMap((type): Row[] => [
  [`GraphQL takes ${type}`, posted('/graphql', '{"query":"{ __typename }"}', { 'Content-Type': type }), fine()],
  [`REST takes ${type}`, posted('/v1/personnel', '{"name":1}', { 'Content-Type': type }), violationAt('/name')],
])

const unasked: Row[] = [
  ['a body of GET is passed over', { ...posted('/v1/key', WHOLE), method: 'GET' }, fine()],
  ['a body of HEAD is passed over', { ...posted('/v1/key', WHOLE), method: 'HEAD' }, fine()],
  ['a body of OPTIONS is passed over', { ...posted('/v1/personnel', WHOLE), method: 'OPTIONS' }, fine(204)],
  [
    'a body of DELETE is passed over',
    { ...posted('/v1/groups/x/members/y', WHOLE), method: 'DELETE' },
    problem('NOT_FOUND'),
  ],
  [
    'a query in the body of GET is passed over',
    { ...posted('/graphql', WHOLE), method: 'GET' },
    refused('BAD_REQUEST', 400),
  ],
  [
    'a key in a cookie is no key',
    { target: '/v1/key', headers: { Cookie: `Authorization=${AS_MANAGER.Authorization}` } },
    problem('UNAUTHENTICATED'),
  ],
]

campaign(openArena(import.meta.url), [
  ...sample(wrongTypes),
  ...unknownMembers,
  ...sample(foreignTypes),
  ...sample(encodings),
  ...ownTypes,
  ...unasked,
])
