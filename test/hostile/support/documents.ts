import { LIMITS } from '../../../src/limits.js'

/** Queries that are too large or make no sense. */

/** Of each of two fields. */
const REPEATS_MAX = LIMITS.queryRepeatsMax / 2

export const times = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => text(i)).join(' ')

export const aliases = (count: number) => `{ ${times(count, (i) => `a${i}: __typename`)} }`
export const directives = (count: number) => `{ __typename ${'@include(if: true) '.repeat(count)} }`

/** A query of this depth: 1 is the risks themselves. */
export function deep(depth: number): string {
  const steps = Array.from({ length: depth - 1 }, (_, i) => ['risks(first: 1)', 'nodes', 'project'][i % 3])
  return `{ ${steps.join(' { ')} { __typename }${' }'.repeat(depth - 1)}`
}

/** A query of this many tokens. */
export function long(tokens: number): string {
  return `{ personnel(filter: { group: [${'"x" '.repeat(tokens - 19)}] }) { nodes { id } } }`
}

/** A query of so many characters, most of them a comment. */
export function wordy(characters: number): string {
  return '{ __typename } #'.padEnd(characters, 'x')
}

/** Fragments each of which is in the one before it twice, so that the last is there 2 to the power of `levels` times. */
export function bomb(levels: number, last: string, type = 'Query', around = '{ ...f0 }'): string {
  const fragments = times(levels, (i) => `fragment f${i} on ${type} { ...f${i + 1} ...f${i + 1} }`)
  return `${around} ${fragments} fragment f${levels} on ${type} { ${last} }`
}

/** Fragments each of which is in all the others. */
export function clique(count: number): string {
  const others = (own: number) => times(count, (i) => (i === own ? '' : `...f${i}`))
  return `{ ...f0 } ${times(count, (i) => `fragment f${i} on Query { ${others(i)} }`)}`
}

/** Introspection under this many aliases at each of five levels. */
export function wideIntrospection(names: number): string {
  const under = (field: string, fragment: string, name: string) =>
    times(names, (i) => `${name}${i}: ${field} { ...${fragment} }`)
  return `{ __schema { ${under('types', 'T', 's')} } }
    fragment T on __Type { ${under('fields', 'F', 'f')} } fragment F on __Field { ${under('args', 'A', 'a')} }
    fragment A on __InputValue { ${under('type', 'N', 't')} } fragment N on __Type { ${under('ofType', 'O', 'o')} }
    fragment O on __Type { name }`
}

/** So many fields of introspection, one place of which holds as many of the same as may be. */
export function introspection(fields: number): string {
  const inFull = Math.floor((fields - 1) / REPEATS_MAX)
  const left = (fields - 1) % REPEATS_MAX
  return `{ __schema { types { ${'...F '.repeat(inFull)} ${left > 0 ? '...L' : ''} } } }
    fragment F on __Type { ${'name '.repeat(REPEATS_MAX)} } ${left > 0 ? `fragment L on __Type { ${'kind '.repeat(left)} }` : ''}`
}

export const repeated = (count: number) => `{ risks(first: 1) { nodes { ${'id '.repeat(count)} } } }`

export const nested = (open: string, inner: string, close: string, count: number) =>
  open.repeat(count) + inner + close.repeat(count)

export const ENTITIES = 'query ($all: [_Any!]!) { _entities(representations: $all) { __typename } }'
/** The same with 45 fields of each. */
export const DETAILED = ENTITIES.replace('__typename', `... on Person { ${times(45, (i) => `a${i}: name`)} }`)
export const strangers = (count: number) => ({
  all: Array.from({ length: count }, (_, index) => ({ __typename: 'Person', id: `usr_${index}` })),
})
export const references = (count: number) => ({ all: Array(count).fill({ __typename: 'Person', id: 'usr_x' }) })

/** What each refused flood costs is measured with these. */
export const FLOODS: Readonly<Record<string, [text: string, variables?: unknown]>> = {
  '1,000 names at the root': [aliases(330)],
  'the same field 998 times': [`{ ${'__typename '.repeat(998)} }`],
  'the same field 980 times, below': [repeated(980)],
  'the schema in 1,001 fields': [introspection(1_001)],
  'the same field 10,000 times': [`{ ${'id '.repeat(10_000)} }`],
  '140 directives on a field': [directives(140)],
  '400 directives that there are not': [`{ __typename ${'@x '.repeat(400)} }`],
  'a fragment bomb at the root': [bomb(90, '__typename')],
  'a fragment bomb below': [bomb(90, 'id', 'Risk', '{ risks(first: 1) { nodes { ...f0 } } }')],
  'a fragment bomb of nothing': [bomb(16, '...nowhere')],
  'seven fragments, each in all the others': [clique(7)],
  '330 levels': [nested('{ a ', '', '}', 330)],
  '10,000 levels': [nested('{a', '', '}', 10_000)],
  '450 levels of a list': [`{ risks(filter: { level: ${nested('[', '', ']', 450)} }) { totalCount } }`],
  '1,001 tokens': [long(1_001)],
  '33,000 characters': [wordy(33_000)],
  'a page of everything in everything': ['{ groups { nodes { members(first: 1000) { nodes { name } } } } }'],
  '40 trends of a year of days': [
    `{ ${times(40, (i) => `t${i}: riskTrend(from: "2026-01-01", to: "2026-12-31", step: DAY) { ...points }`)} }
    fragment points on RiskTrend { points { on live score critical high medium low unassessed again: live } }`,
  ],
  '3,000 different references': [DETAILED, strangers(3_000)],
  '15,000 references': [DETAILED, references(15_000)],
  'fields that there are not': [`{ ${times(450, (i) => `x${i}`)} }`],
  'arguments that there are not': [`{ risks(${times(300, (i) => `x${i}: 1`)}) { totalCount } }`],
  'variables that there are not': [`query (${times(240, (i) => `$x${i}: Int`)}) { __typename }`],
}
