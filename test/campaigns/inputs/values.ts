/** The largest inputs of each kind. */
import {
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql'
import { LIMITS } from '../../../src/limits.js'

export interface Kind {
  readonly name: string
  readonly value: () => unknown
}

/** Letters whose folding, escaping or matching costs most. */
export const LETTERS: Readonly<Record<string, string>> = {
  a: 'a',
  'U+FDFA': '\ufdfa',
  'e and U+0301': 'e\u0301',
  'U+0130': '\u0130',
  'U+200B': '\u200b',
  'line breaks': '\n',
  blanks: ' ',
  quotes: '"',
  backslashes: '\\',
  '@': '@',
  '%': '%',
  commas: ',',
  digits: '9',
  'U+1F469 U+200D': '\u{1f469}\u200d',
}

/** What a body of a key that only reads may have. */
const BODY = LIMITS.bodyBytesMax - 20_000
const ITEMS = LIMITS.bodyItemsMax - 1
const SHOWN_MAX = 31_000
const LEVELS = LIMITS.bodyDepthMax - 10

/** Replaced in the text of a body: JSON.stringify cannot write such a number. */
export const DIGITS = '#digits#'
export const withDigits = (json: string) => json.replaceAll(`"${DIGITS}"`, '9'.repeat(SHOWN_MAX))

/** Pseudorandom numbers that a seed repeats. */
export type Random = (below: number) => number

export function randomFrom(seed: number): Random {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

export function oneOf<T>(random: Random, all: readonly T[]): T {
  return all[random(all.length)] as T
}

export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

/** A text of so many characters that differs by its number. */
const numbered = (index: number, length: number, letter: string) =>
  String(index) + letter.repeat(Math.max(0, Math.floor((length - String(index).length) / letter.length)))
const filled = (length: number, letter: string) => letter.repeat(Math.max(1, Math.floor(length / letter.length)))

function textKinds(max: number, random: Random): Kind[] {
  const [name, letter] = oneOf(random, Object.entries(LETTERS))
  const sized = (length: number, [of, one]: readonly [string, string]): Kind => ({
    name: `${length} x ${of}`,
    value: () => filled(length, one),
  })
  const whole = Math.floor(BODY / Buffer.byteLength(JSON.stringify(letter)))
  return [
    sized(max, ['a', 'a']),
    sized(max, ['U+FDFA', '\ufdfa']),
    sized(max, [name, letter]),
    sized(SHOWN_MAX, [name, letter]),
    sized(whole, [name, letter]),
    { name: `${LEVELS} levels of objects`, value: () => nested(LEVELS) },
  ]
}

function textListKinds(max: number, random: Random): Kind[] {
  const [name, letter] = oneOf(random, Object.entries(LETTERS))
  const longest = ([of, one]: readonly [string, string]): Kind => ({
    name: `the most different texts of ${max} x ${of}`,
    value: () => {
      const bytes = Buffer.byteLength(JSON.stringify(filled(max, one)))
      return times(Math.min(LIMITS.filterItemsMax, Math.floor(BODY / bytes)), (i) => numbered(i, max, one))
    },
  })
  return [
    longest(['U+FDFA', '\ufdfa']),
    longest([name, letter]),
    { name: `${ITEMS} different texts`, value: () => times(ITEMS, (i) => `x${i}`) },
    { name: `${ITEMS} times the same text`, value: () => times(ITEMS, () => 'x') },
    { name: `${ITEMS} times null`, value: () => times(ITEMS, () => null) },
    { name: `1 text of ${SHOWN_MAX} x ${name}`, value: () => [filled(SHOWN_MAX, letter)] },
  ]
}

const nested = (levels: number): unknown => (levels === 0 ? 'x' : { x: nested(levels - 1) })

const INT_KINDS: readonly Kind[] = [
  { name: 'the largest number', value: () => 2 ** 31 - 1 },
  { name: 'the smallest number', value: () => -(2 ** 31) },
  { name: `${SHOWN_MAX} digits`, value: () => DIGITS },
]
const DATE_KINDS: readonly Kind[] = [
  { name: 'the last day', value: () => '9999-12-31' },
  { name: `${SHOWN_MAX} digits of a second`, value: () => `2026-01-01T00:00:00.${'9'.repeat(SHOWN_MAX)}Z` },
  { name: `${SHOWN_MAX} digits of a year`, value: () => `${'9'.repeat(SHOWN_MAX)}-01-01` },
]
const WRONG_TEXT: readonly Kind[] = [
  { name: `a text of ${SHOWN_MAX} letters`, value: () => 'a'.repeat(SHOWN_MAX) },
  { name: `a text of ${SHOWN_MAX} quotes`, value: () => '"'.repeat(SHOWN_MAX) },
]

function enumListKinds(names: readonly string[]): Kind[] {
  return [
    { name: `${ITEMS} unknown names`, value: () => times(ITEMS, (i) => `UNKNOWN_${i}`) },
    { name: `${ITEMS} times a name`, value: () => times(ITEMS, (i) => names[i % names.length]) },
    { name: `a name of ${SHOWN_MAX} letters`, value: () => ['A'.repeat(SHOWN_MAX)] },
  ]
}

function objectKinds(members: readonly string[]): Kind[] {
  const near = (i: number) => `${members[i % members.length]}${i}`
  const most = LIMITS.bodyMembersMax - 10
  return [
    { name: `${most} unknown members`, value: () => Object.fromEntries(times(most, (i) => [near(i), 'x'])) },
    { name: `${LEVELS} levels`, value: () => nested(LEVELS) },
    { name: `${ITEMS} items instead of an object`, value: () => times(ITEMS, () => 1) },
    ...WRONG_TEXT,
  ]
}

/** Many objects with many unknown members: as many as a body may have. */
function objectListKinds(members: readonly string[]): Kind[] {
  const near = (i: number) => `${members[i % members.length]}${i}`
  const strange = Object.fromEntries(times(LIMITS.bodyMembersMax - 10, (i) => [near(i), 1]))
  const count = Math.floor(BODY / JSON.stringify(strange).length)
  return [
    { name: `${count} objects of unknown members`, value: () => times(count, () => strange) },
    { name: `${ITEMS} objects of one unknown member`, value: () => times(ITEMS, (i) => ({ [near(i % 500)]: 1 })) },
    { name: `${ITEMS} empty objects`, value: () => times(ITEMS, () => ({})) },
    { name: `${ITEMS} numbers instead of objects`, value: () => times(ITEMS, (i) => i) },
  ]
}

/** References to entities, most of them malformed. */
const REFERENCE_KINDS: readonly Kind[] = (
  [
    ['numbers', (i) => i],
    ['empty objects', () => ({})],
    ['objects without a key', () => ({ __typename: 'Person' })],
    ['unknown types', (i) => ({ __typename: `Unknown${i}`, id: 'x' })],
    ['ids that are not there', (i) => ({ __typename: 'Person', id: `usr_${i}` })],
    ['the same id', () => ({ __typename: 'Risk', id: 'rsk_x' })],
    ['nested keys', (i) => ({ __typename: 'Risk', project: { key: `P-${i}` }, reference: 'x' })],
  ] as const satisfies readonly (readonly [string, (index: number) => unknown])[]
).map(([name, make]) => ({ name: `the most references: ${name}`, value: () => withinBody(make) }))

function withinBody(make: (index: number) => unknown): unknown[] {
  const bytes = JSON.stringify(make(ITEMS)).length + 1
  return times(Math.min(ITEMS - 1_000, Math.floor(BODY / bytes)), make)
}

/** The largest values for a place of this type, within a body of a key that only reads. */
export function kindsOf(type: GraphQLInputType, charactersMax: number, random: Random): readonly Kind[] {
  const inner = getNullableType(type)
  if (isListType(inner)) {
    const item = getNullableType(inner.ofType)
    if (isEnumType(item)) return enumListKinds(item.getValues().map(({ name }) => name))
    if (isInputObjectType(item)) return objectListKinds(Object.keys(item.getFields()))
    if (String(item) === '_Any') return REFERENCE_KINDS
    return textListKinds(charactersMax, random)
  }
  if (isEnumType(inner) || String(inner) === 'Boolean') return WRONG_TEXT
  if (isInputObjectType(inner)) return objectKinds(Object.keys(inner.getFields()))
  if (String(inner) === 'Int') return [...INT_KINDS, ...WRONG_TEXT]
  if (String(inner) === 'Date' || String(inner) === 'DateTime') return [...DATE_KINDS, ...WRONG_TEXT]
  return textKinds(charactersMax, random)
}

/** A small valid value, where one is required beside the value that matters. */
export function smallest(type: GraphQLInputType, name: string, index = 0): unknown {
  const inner = getNullableType(type)
  if (isListType(inner)) return []
  if (isEnumType(inner)) return inner.getValues()[0]?.name
  if (isInputObjectType(inner)) {
    const required = Object.values(inner.getFields()).filter((field) => isNonNullType(field.type))
    return Object.fromEntries(required.map((field) => [field.name, smallest(field.type, field.name, index)]))
  }
  if (name === 'key') return 'INPUTS'
  switch (String(inner)) {
    case 'Int':
      return 1
    case 'Boolean':
      return true
    case 'Date':
      return '2026-01-01'
    case 'DateTime':
      return '1970-01-01T00:00:00Z'
    default:
      return `x${index}`
  }
}
