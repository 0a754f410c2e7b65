import {
  GraphQLBoolean,
  GraphQLEnumType,
  GraphQLError,
  type GraphQLInputType,
  GraphQLInt,
  getNullableType,
  isLeafType,
  isListType,
  isNonNullType,
} from 'graphql'
import { SEPARATOR_NAMES, type Separator } from '../../csv.js'
import { badArgument, invalid, type Violation } from '../../errors.js'
import { isAmong, meantBy, orderHint } from '../../graph/hints/suggestions.js'
import { ORDERING, PAGING } from '../../graph/hints/synonyms.js'
import { checkedInput, readEnum } from '../../graph/inputViolations.js'
import { LIMITS } from '../../limits.js'
import type { Work } from '../../work.js'
import { type CompiledRoute, isParameter, type Parameter } from './compiledRoutes.js'
import type { RouteCall } from './results.js'
import { CSV_TYPE } from './routes.js'

export const NONE = 'none'
/** Each means null in a list of ids: entries without an owner or an assignee. The documents name the first. */
const NOBODY = new Set([NONE, 'nobody', 'unassigned', 'null'])

/** Reads the variables of an operation from the path and the query, or throws a Fault that names each bad parameter. */
export function readParameters({ operation, request, parameters: path, type }: RouteCall): Record<string, unknown> {
  const { parameters, columns } = operation
  const query = request.url.searchParams
  const known = new Map(parameters.map((parameter) => [parameter.name, parameter]))
  const variables: Record<string, unknown> = { ...path }
  const violations: Violation[] = []
  for (const name of new Set(query.keys())) {
    if (columns && name === SEPARATOR) continue
    const parameter = known.get(name)
    const values = query.getAll(name)
    try {
      if (!parameter || parameter.in === 'path')
        throw new GraphQLError(`There is no parameter ${JSON.stringify(name)} here. ${hintFor(name, operation)}`)
      // `total` has no place in CSV, and its absence loses nothing.
      if (type === CSV_TYPE && name !== 'total' && !isParameter(parameter, { type }))
        throw new GraphQLError('It is not for CSV.')
      variables[name] = withinBounds(readValues(values, parameter.type), parameter)
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error
      violations.push({ parameter: name, detail: error.message })
      if (violations.length === LIMITS.violationsMax) break
    }
  }
  for (const { name, isRequired, in: place } of parameters) {
    if (isRequired && place === 'query' && !query.has(name))
      violations.push({ parameter: name, detail: 'Must be given.' })
  }
  if (violations.length > 0) throw invalid('BAD_REQUEST', 'The query parameters cannot be used as given.', violations)
  return variables
}

/** The parameter of CSV that is no variable. */
export const SEPARATOR = 'separator'

/** The separator of CSV cells from the query; a comma by default. */
export function readSeparator({ operation, request, type }: RouteCall): Separator {
  const name = operation.columns ? request.url.searchParams.get(SEPARATOR) : null
  if (name === null) return ','
  if (type !== 'text/csv') throw badArgument(SEPARATOR, 'It is for CSV alone: ask with `Accept: text/csv`.')
  const found = Object.entries(SEPARATOR_NAMES).find(([one]) => one === name.toLowerCase())
  if (!found) throw badArgument(SEPARATOR, `Must be one of ${Object.keys(SEPARATOR_NAMES).join(', ')}.`)
  return found[1]
}

/** The names of paging in GraphQL, in which the synonyms and the descriptions are written. */
export const IN_GRAPHQL: Readonly<Record<string, string>> = {
  limit: 'first',
  cursor: 'after',
  'page.next': 'endCursor',
}
const ENTIRE = ['fields', 'select', 'include', 'expand', 'embed']

/** What people try first, by what it is called here; all parameters if that is not known. */
function hintFor(given: string, { parameters, columns, shown }: CompiledRoute): string {
  const inQuery = parameters.filter((one) => one.in === 'query').map(({ name }) => name)
  const known = columns ? [...inQuery, SEPARATOR] : inQuery
  const [, name = given] = /^\w+\[(\w+)\]$/.exec(given) ?? []
  if (known.includes('cursor')) {
    if (isAmong(ORDERING, name)) return orderHint(shown.field, 'order')
    if (isAmong(PAGING, name)) return 'Pages follow each other: give `next` of the last one as `cursor`.'
    if (isAmong(ENTIRE, name)) return 'Each entry is shown with all of its fields.'
    if (name === 'format') return 'For CSV add `.csv` to the path.'
  }
  const names = known.map((one) => IN_GRAPHQL[one] ?? one)
  const [meant] = meantBy(name, names)
  if (meant !== undefined) return `Did you mean ${known[names.indexOf(meant)]}?`
  return `This path takes ${known.length > 0 ? known.join(', ') : 'no parameters'}.`
}

/** Not one after a backslash, which belongs to a value. */
const COMMA = /(?<!\\),/

/** A list parameter may be repeated or comma-separated; any other may occur once. */
function readValues(values: readonly string[], given: GraphQLInputType): unknown {
  const type = getNullableType(given)
  if (isListType(type))
    return values.flatMap((value) =>
      value.split(COMMA).map((part) => readItem(part.trim().replaceAll('\\,', ','), type.ofType)),
    )
  if (values.length > 1) throw new GraphQLError('Give it once: it takes a single value.')
  return readLeaf(values[0] ?? '', type)
}

/** A number within the bounds of what it feeds. */
function withinBounds(value: unknown, { use: { extensions } }: Parameter): unknown {
  if (typeof value !== 'number') return value
  const { minimum, maximum } = extensions as { minimum?: number; maximum?: number }
  if (value >= (minimum ?? value) && value <= (maximum ?? value)) return value
  const must = minimum === undefined ? 'be a whole number of at most nine digits' : `be from ${minimum} to ${maximum}`
  throw new GraphQLError(`Must ${must}.`)
}

function readItem(text: string, type: GraphQLInputType): unknown {
  return NOBODY.has(text.toLowerCase()) && !isNonNullType(type) ? null : readLeaf(text, getNullableType(type))
}

function readLeaf(text: string, type: GraphQLInputType): unknown {
  if (!isLeafType(type)) throw new Error(`A parameter cannot be of the type ${type.toString()}.`)
  if (text.trim() === '') throw new GraphQLError('Must not be empty.')
  if (type instanceof GraphQLEnumType) return readEnum(text, type)
  if (type === GraphQLBoolean) {
    if (text !== 'true' && text !== 'false') throw new GraphQLError('Must be true or false.')
    return text === 'true'
  }
  if (type === GraphQLInt) return /^-?\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  // Custom scalars throw an error that says what they accept.
  type.parseValue(text)
  return text
}

/** Coerces a body to its input type, or throws a Fault with a JSON Pointer for every violation. */
export async function readBody(body: unknown, type: GraphQLInputType, work: Work): Promise<unknown> {
  const { value, violations, isCut } = await checkedInput(body, type, work, false)
  if (violations.length === 0) return value
  const cut = isCut ? ` These are the first ${violations.length} errors.` : ''
  throw invalid('VALIDATION_FAILED', `The body does not match its schema.${cut}`, violations)
}
