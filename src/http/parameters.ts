import {
  GraphQLBoolean,
  GraphQLEnumType,
  GraphQLError,
  type GraphQLInputType,
  GraphQLInt,
  type GraphQLLeafType,
  getNullableType,
  isLeafType,
  isListType,
  isNonNullType,
} from 'graphql'
import { Fault, type Flaw } from '../errors.js'
import { LIMITS } from '../limits.js'
import type { StoredOperation } from './stored.js'

/** Means null in a list of ids: entries without an owner or an assignee. */
const NOBODY = 'none'

/** Reads the variables of an operation from the path and the query, or throws a Fault that names each bad parameter. */
export function readParameters(
  { parameters }: StoredOperation,
  path: Readonly<Record<string, string>>,
  query: URLSearchParams,
): Record<string, unknown> {
  const known = new Map(parameters.map((parameter) => [parameter.name, parameter]))
  const variables: Record<string, unknown> = { ...path }
  const flaws: Flaw[] = []
  for (const name of new Set(query.keys())) {
    const parameter = known.get(name)
    const values = query.getAll(name)
    try {
      if (!parameter || parameter.in === 'path') throw new GraphQLError(unknownParameter(name, [...known.keys()]))
      variables[name] = readValues(values, parameter.type)
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error
      flaws.push({ parameter: name, detail: error.message })
      if (flaws.length === LIMITS.flawsMax) break
    }
  }
  if (flaws.length > 0) throw new Fault('BAD_REQUEST', 'The query parameters cannot be used as given.', { flaws })
  return variables
}

function unknownParameter(name: string, known: readonly string[]): string {
  const listed = known.length > 0 ? `This path takes ${known.join(', ')}.` : 'This path takes no parameters.'
  return `There is no parameter ${JSON.stringify(name)} here. ${listed}`
}

/** A list parameter may be repeated or comma-separated; any other may occur once. */
function readValues(values: readonly string[], type: GraphQLInputType): unknown {
  if (isListType(getNullableType(type))) return values.flatMap((value) => readValue(value, type))
  if (values.length > 1) throw new GraphQLError('Give it once: it takes a single value.')
  return readValue(values[0] ?? '', type)
}

function readValue(text: string, type: GraphQLInputType): unknown {
  const inner = getNullableType(type)
  if (text.trim() === '') throw new GraphQLError('Must not be empty.')
  if (isListType(inner)) return text.split(',').map((part) => readItem(part.trim(), inner.ofType))
  if (isLeafType(inner)) return readLeaf(text, inner)
  throw new Error(`A parameter cannot be of the type ${inner.toString()}.`)
}

function readItem(text: string, type: GraphQLInputType): unknown {
  return text.toLowerCase() === NOBODY && !isNonNullType(type) ? null : readValue(text, type)
}

function readLeaf(text: string, type: GraphQLLeafType): unknown {
  if (type instanceof GraphQLEnumType) return readEnum(text, type)
  if (type === GraphQLBoolean) {
    if (text !== 'true' && text !== 'false') throw new GraphQLError('Must be true or false.')
    return text === 'true'
  }
  if (type === GraphQLInt) {
    if (!/^-?\d{1,9}$/.test(text)) throw new GraphQLError('Must be a whole number of at most nine digits.')
    return Number(text)
  }
  // Custom scalars throw an error that says what they accept.
  type.parseValue(text)
  return text
}

/** The value of an enum; REST ignores upper and lower case. */
export function readEnum(value: unknown, type: GraphQLEnumType): string {
  const names = type.getValues().map(({ name }) => name)
  const name = names.find((one) => typeof value === 'string' && one === value.toUpperCase())
  if (name === undefined) throw new GraphQLError(`Must be one of ${names.join(', ')}.`)
  return name
}
