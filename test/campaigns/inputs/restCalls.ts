/** Calls of every parameter and body of the REST routes, as their OpenAPI document lists them. */
import { type GraphQLSchema, isInputObjectType } from 'graphql'
import { LIMITS } from '../../../src/limits.js'
import type { Sent } from '../../hostile/support/wire.js'
import { anyKey, posted } from './graphqlCalls.js'
import type { Call } from './stage.js'
import { type Kind, kindsOf, LETTERS, oneOf, type Random, smallest, times, withDigits } from './values.js'

/** The parts of an OpenAPI document that the calls are made from. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

interface Operation {
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: { readonly $ref?: string } }>> }
}

interface Parameter {
  readonly in?: string
  readonly name?: string
  readonly required?: boolean
  readonly schema?: { readonly type?: string; readonly format?: string; readonly maxLength?: number }
}

interface Route {
  readonly method: string
  readonly path: string
  readonly operation: Operation
  /** The ids that exist, by the first step of a path. */
  readonly ids: Ids
}

/** An id that exists, by the name of a list. */
export type Ids = Readonly<Record<string, string>>

/** What a target may have, besides the other headers. */
const TARGET_MAX = LIMITS.headersBytesMax - 1_000

export function routesOf({ paths }: OpenApi, ids: Ids): Route[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation, ids })),
  )
}

/** The path with ids that exist, and the parameters that it needs. */
function targetOf({ path, operation, ids }: Route): string {
  const filled = path.replace(/^(\/v1\/(\w+))\/\{\w+\}/, (_, before: string, list: string) => `${before}/${ids[list]}`)
  const needed = (operation.parameters ?? []).filter((one) => one.in === 'query' && one.required)
  const given = needed.map(({ name, schema }) => `${name}=${schema?.format === 'date' ? '2026-01-01' : '1970-01-01'}`)
  return `${filled.replace('{personId}', ids['personnel'] ?? '')}?${given.join('&')}`
}

const fits = (text: string, max = TARGET_MAX) => text.slice(0, max).replace(/%.?$/, '')
const encoded = (letter: string) => fits(encodeURIComponent(letter).repeat(TARGET_MAX))

/** The largest values of a parameter in the query. */
function valuesOf({ name = '', schema }: Parameter, random: Random): (readonly [what: string, text: string])[] {
  const [of, letter] = oneOf(random, Object.entries(LETTERS))
  const longest = schema?.maxLength ?? 200
  const one = `${name}=`
  return [
    [`${longest} x U+FDFA`, fits(one + encodeURIComponent('\ufdfa'.repeat(longest)))],
    [`the most ${of}`, one + encoded(letter)],
    ['the most items', fits(`${one}${times(TARGET_MAX / 2, (i) => i % 10).join(',')}`)],
    ['the most empty items', fits(one + ','.repeat(TARGET_MAX))],
    ['the most unknown names', fits(`${one}${times(TARGET_MAX / 6, (i) => `UNK${i}`).join(',')}`)],
    ['given most often', fits(times(TARGET_MAX / name.length, (i) => `${one}${i % 10}`).join('&'))],
  ]
}

const METHODS_WITH_BODY = ['POST', 'PATCH']

/** Each parameter of each route with its largest values. */
export function parameterCalls(routes: readonly Route[], random: Random): Call[] {
  return routes.flatMap((route) => {
    const place = `${route.method} ${route.path}`
    const call = (name: string, target: string): Call => ({
      ...{ name, as: anyKey(random) },
      sent: () => ({ method: route.method, target }),
    })
    const inQuery = (route.operation.parameters ?? []).filter((one) => one.in === 'query')
    const base = targetOf(route)
    return [
      ...inQuery.flatMap((parameter) =>
        valuesOf(parameter, random).map(([what, text]) =>
          call(`${place}: ${parameter.name}: ${what}`, `${base}&${text}`),
        ),
      ),
      ...UNKNOWN.map(([what, text]) => call(`${place}: ${what}`, `${base}&${text()}`)),
      ...(route.path.includes('{')
        ? Object.entries(LETTERS).map(([of, letter]) =>
            call(`path: the most ${of}, at ${place}`, route.path.replace('{', encoded(letter)).replace(/\w*\}/g, '')),
          )
        : []),
    ]
  })
}

/** Query strings that no route takes. */
const UNKNOWN: readonly (readonly [what: string, text: () => string])[] = [
  ['the most unknown parameters', () => fits(times(TARGET_MAX / 4, (i) => `u${i}=`).join('&'))],
  ['the same unknown parameter most often', () => fits('filter[x]=1&'.repeat(TARGET_MAX))],
  ['an unknown parameter with the longest name', () => fits(`${'a'.repeat(TARGET_MAX)}=1`)],
  ['a parameter with the most brackets', () => fits(`${'a[b]'.repeat(TARGET_MAX)}=1`)],
  ['the most ampersands', () => fits('&'.repeat(TARGET_MAX))],
  ['the most signs that are not encoded', () => fits('%'.repeat(TARGET_MAX))],
]

/** Each member of each body with its largest values, and bodies that are large as a text. */
export function bodyCalls(routes: readonly Route[], schema: GraphQLSchema, random: Random): Call[] {
  return routes.flatMap((route) => {
    if (!METHODS_WITH_BODY.includes(route.method)) return []
    const call = (what: string, body: () => string | Buffer): Call => ({
      name: `${route.method} ${route.path}: ${what}`,
      as: anyKey(random),
      sent: () => bodyOf(route, body()),
    })
    const input = schema.getType(inputNameOf(route))
    if (!isInputObjectType(input)) return RAW.map(([what, body]) => call(what, body))
    return [
      ...Object.values(input.getFields()).flatMap(({ name, type, description }) =>
        kindsOf(type, Number(/at most (\d+) char/i.exec(description ?? '')?.[1] ?? 200), random).map((kind: Kind) =>
          call(`${name}: ${kind.name}`, () =>
            withDigits(JSON.stringify({ ...Object(smallest(input, name)), [name]: kind.value() })),
          ),
        ),
      ),
      ...kindsOf(input, 0, random).map((kind) => call(kind.name, () => withDigits(JSON.stringify(kind.value())))),
      ...RAW.map(([what, body]) => call(what, body)),
    ]
  })
}

function inputNameOf({ operation }: Route): string {
  const [content] = Object.values(operation.requestBody?.content ?? {})
  return content?.schema.$ref?.split('/').at(-1) ?? ''
}

function bodyOf(route: Route, body: string | Buffer): Sent {
  return { ...posted('', targetOf(route), route.method), body }
}

const BYTES = LIMITS.bodyBytesMax - 1_000
const SYNC_BYTES = LIMITS.syncBodyBytesMax - 1_000
const ITEMS = LIMITS.bodyItemsMax - 1

/** Bodies that are large as a text, valid JSON or not. */
export const RAW: readonly (readonly [what: string, body: () => string | Buffer])[] = [
  ['1 MB of line breaks, then nothing', () => '\n'.repeat(BYTES)],
  ['16 MB of line breaks, then nothing', () => '\n'.repeat(SYNC_BYTES)],
  ['1 MB of line breaks, then an object', () => `${'\n'.repeat(BYTES)}{}`],
  ['16 MB of blanks, then an object', () => `${' '.repeat(SYNC_BYTES)}{}`],
  ['1 MB of a text without an end', () => `{"name": "${'a'.repeat(BYTES)}`],
  ['1 MB of escaped quotes', () => `{"name": "${'\\"'.repeat(BYTES / 2)}"}`],
  ['16 MB of escaped letters without an end', () => `{"name": "${'\\u0061'.repeat(SYNC_BYTES / 6)}`],
  ['a name of 1 MB', () => `{"${'a'.repeat(BYTES)}": 1}`],
  ['the same member most often', () => `{${'"name":1,'.repeat(BYTES / 9)}"name":"x"}`],
  ['the deepest lists', () => '['.repeat(LIMITS.bodyDepthMax - 1) + ']'.repeat(LIMITS.bodyDepthMax - 1)],
  ['the most opened lists', () => '['.repeat(BYTES)],
  ['the most lists', () => `[${'[],'.repeat(ITEMS)}[]]`],
  ['a number of 1 MB', () => `{"name": ${'9'.repeat(BYTES)}}`],
  ['1 MB that is not UTF-8', () => Buffer.alloc(BYTES, 0xff)],
]
