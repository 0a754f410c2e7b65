import {
  type GraphQLArgument,
  type GraphQLError,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql'
import { nearest } from '../../text.js'
import { atPlaceOf, MESSAGE_CHARACTERS_MAX } from '../faults.js'
import { ELSEWHERE, ORDERING, PAGING, SYNONYMS, SYNONYMS_OF_NOUNS, VERBS } from './synonyms.js'

/** Returns a hint to add to the message of a validation error; undefined leaves the message as it is. */
type Explain = (schema: GraphQLSchema, words: readonly string[]) => string | undefined

const EXPLAINED: readonly (readonly [pattern: RegExp, explain: Explain])[] = [
  [/^Cannot query field "(\w+)" on type "(\w+)"\./, unknownField],
  [/^Unknown argument "(\w+)" on field "(\w+)\.(\w+)"\./, unknownArgument],
  [/^Field "(\w+)" is not defined by type "(\w+)"\./, unknownMember],
  [
    /^Field "(\w+)" of type "(?:\w+)Connection!?" must have a selection of subfields\./,
    (_, [name]) => `\`${name}\` is a connection: ask for \`${name} { nodes { ... } }\`.`,
  ],
  [/Value "([^"]*)" does not exist in "(\w+)" enum\./, unknownValue],
  [/Enum "(\w+)" cannot represent non-enum value: "?([^".]*)"?\./, quotedValue],
  [
    /(?:String cannot represent a non string|ID cannot represent a non-string and non-integer) value: (\w+)$/,
    (_, [text]) => `(put it in quotes: "${text}").`,
  ],
  [/^Schema is not configured to execute subscription operation\./, () => 'Follow `changes` instead.'],
]

/** Adds a hint to a validation error of graphql-js; other errors are returned unchanged. */
export function explained(schema: GraphQLSchema, error: GraphQLError): GraphQLError {
  if (error.path !== undefined || error.originalError) return error
  // It will be cut, and what it quotes is no guess at a name.
  if (error.message.length > MESSAGE_CHARACTERS_MAX) return error
  for (const [pattern, explain] of EXPLAINED) {
    const found = pattern.exec(error.message)
    if (!found) continue
    const [matched, ...words] = found
    const hint = explain(schema, words)
    if (hint === undefined) return error
    const message = `${error.message.slice(0, found.index)}${matched} ${hint}`
    return atPlaceOf(error, { message, extensions: error.extensions })
  }
  return error
}

function fieldsByName(
  type: GraphQLNamedType | null | undefined,
): Readonly<Record<string, GraphQLField<unknown, unknown>>> {
  return isObjectType(type) || isInterfaceType(type) ? type.getFields() : {}
}

function unknownField(schema: GraphQLSchema, [name = '', typeName = '']: readonly string[]) {
  const type = schema.getType(typeName)
  const fields = fieldsByName(type)
  const entry = getNamedType(fields['nodes']?.type)
  if (entry && name in fieldsByName(entry)) return `${typeName} is a connection: ask for \`nodes { ${name} }\`.`
  if (name === 'nodes' || name === 'edges')
    return `${typeName} is not a connection: ask for its fields themselves, without \`${name}\`.`
  if (typeName.toLowerCase() === name.toLowerCase()) return `This is the ${typeName} itself: ask for its fields.`
  const [query, mutation] = [schema.getQueryType(), schema.getMutationType()]
  if (type === query && mutation && name in mutation.getFields())
    return `Begin with \`mutation { ${name}\`: it changes something.`
  if (type === mutation && query && name in query.getFields()) return `Leave out \`mutation\`: \`${name}\` only reads.`
  if ((type === query || type === mutation) && Object.hasOwn(ELSEWHERE, name)) return ELSEWHERE[name]
  const counted = `${/^(\w+?)s?Count$/.exec(name)?.[1]}s`
  if (type === query && counted in fields) return `Did you mean \`${counted} { totalCount }\`?`
  return didYouMean(name, Object.keys(fields))
}

function unknownArgument(schema: GraphQLSchema, [name = '', typeName = '', fieldName = '']: readonly string[]) {
  const field = fieldsByName(schema.getType(typeName))[fieldName]
  const names = field?.args.map((one) => one.name) ?? []
  if (names.includes('after')) {
    if (isAmong(ORDERING, name)) return orderHint(field, 'orderBy')
    if (isAmong(PAGING, name)) return 'Pages follow each other: give the `endCursor` of the last one as `after`.'
  }
  const [argument] = meantBy(name, names)
  const inner = field?.args.flatMap((one) => memberOf(one, name)) ?? []
  if (argument !== undefined) return `Did you mean "${argument}"?`
  if (inner[0] !== undefined) return `Did you mean \`${inner[0]}\`?`
  return names.length === 0 ? `\`${fieldName}\` takes no arguments.` : `\`${fieldName}\` takes ${listed(names)}.`
}

/** A guess that is a member of an argument, as it would be written. */
function memberOf({ name: argument, type }: GraphQLArgument, name: string): string[] {
  const members = namesIn(getNamedType(type))
  const [member] = members.includes(name) ? [name] : meantBy(name, members)
  return member === undefined ? [] : [`${argument}: { ${member}: ... }`]
}

/** The orders of a list; of one that has a single order its description, which says how. */
export function orderHint(
  field: Pick<GraphQLField<unknown, unknown>, 'args' | 'description'> | undefined,
  name: string,
) {
  const order = field?.args.find((one) => one.name === 'orderBy')
  if (order) return `Give \`${name}\`, one of ${listed(namesIn(getNamedType(order.type)))}.`
  return `The order is fixed${field?.description ? `: ${field.description}` : '.'}`
}

function unknownMember(schema: GraphQLSchema, [name = '', typeName = '']: readonly string[]) {
  if (!isAmong(ORDERING, name)) return didYouMean(name, namesIn(schema.getType(typeName)))
  return 'A filter has no order: give `orderBy` beside it, where a list has several.'
}

/** The members of an input type, or the values of an enum. */
function namesIn(type: GraphQLNamedType | null | undefined): string[] {
  if (isEnumType(type)) return type.getValues().map(({ name }) => name)
  return isInputObjectType(type) ? Object.keys(type.getFields()) : []
}

function unknownValue(schema: GraphQLSchema, [value = '', typeName = '']: readonly string[]) {
  const names = namesIn(schema.getType(typeName))
  const meant = nearest(value, names)
  return meant === undefined ? `There are ${listed(names)}.` : `Did you mean "${meant}"?`
}

function quotedValue(schema: GraphQLSchema, [typeName = '', value = '']: readonly string[]) {
  const names = namesIn(schema.getType(typeName))
  return `Write ${nearest(value, names) ?? `one of ${names.join(', ')}`}, without quotes.`
}

function didYouMean(name: string, known: readonly string[]): string {
  const meant = meantBy(name, known)
  return meant.length === 0
    ? `There are ${listed(known)}.`
    : `Did you mean ${meant.map((one) => `"${one}"`).join(' or ')}?`
}

const SUGGESTED_MAX = 5

/** Longer names are no guesses: comparing them only takes time. */
const LONGEST = 100

/** The same for `perPage`, `per_page` and `PerPage`. */
function spelling(name: string): string {
  return name.toLowerCase().replaceAll('_', '')
}

export function isAmong(names: readonly string[], name: string): boolean {
  return names.some((one) => spelling(one) === spelling(name))
}

const BY_SPELLING = new Map(Object.entries(SYNONYMS).map(([name, meant]) => [spelling(name), meant]))

/** The known names that may be meant: a synonym, else the nearest spelling, else those that share a word. */
export function meantBy(name: string, known: readonly string[]): readonly string[] {
  if (name.length > LONGEST) return []
  const isKnown = (one: string) => known.includes(one)
  const [synonym] = (BY_SPELLING.get(spelling(name)) ?? []).filter(isKnown)
  if (synonym !== undefined) return [synonym]
  const [, verb = '', noun = ''] = /^([a-z]+)([A-Z]\w*)$/.exec(name) ?? []
  const verbs = [verb, ...(Object.hasOwn(VERBS, verb) ? (VERBS[verb] ?? []) : [])]
  const ours = Object.hasOwn(SYNONYMS_OF_NOUNS, noun) ? SYNONYMS_OF_NOUNS[noun] : noun
  const [renamed] = verbs.map((one) => `${one}${ours}`).filter(isKnown)
  if (renamed !== undefined) return [renamed]
  const near = nearest(name, known)
  if (near !== undefined) return [near]
  const words = wordsOfName(name)
  return known.filter((one) => wordsOfName(one).some((word) => words.includes(word))).slice(0, SUGGESTED_MAX)
}

function wordsOfName(name: string): string[] {
  return name.split(/(?=[A-Z])|_/).map((word) => word.toLowerCase())
}

function listed(names: readonly string[]): string {
  return names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : names.join()
}
