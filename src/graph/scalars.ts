import { GraphQLError, print, type ValueNode, valueFromASTUntyped } from 'graphql'
import { isDay } from '../fields.js'
import { builder } from './builder.js'

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/

declare('Date', 'A day, as `YYYY-MM-DD`.', dayOf)
declare(
  'DateTime',
  'An instant, as ISO 8601 with a time zone, or a day for its beginning in UTC; responses are in UTC with milliseconds.',
  instantOf,
)

function declare(name: 'Date' | 'DateTime', description: string, read: (value: unknown) => string): void {
  const parseLiteral = (node: ValueNode) => ofLiteral(node, read)
  builder.scalarType(name, { description, serialize: (value) => value, parseValue: read, parseLiteral })
}

function dayOf(value: unknown): string {
  if (typeof value === 'string' && isDay(value)) return value
  throw new GraphQLError('Must be a day such as 2027-01-31.')
}

function instantOf(value: unknown): string {
  if (typeof value === 'string' && INSTANT.test(value) && isDay(value.slice(0, 10))) {
    const instant = new Date(value)
    // Beyond the year 9999 the text gets longer, and would no longer sort chronologically.
    if (!Number.isNaN(instant.getTime()) && instant.getUTCFullYear() <= 9999) return instant.toISOString()
  }
  if (typeof value === 'string' && isDay(value)) return `${value}T00:00:00.000Z`
  throw new GraphQLError('Must be a day such as 2027-01-31, or an instant such as 2027-01-31T09:30:00Z.')
}

const SHOWN_CHARACTERS = 60

/** Refuses a literal with its place and its text, which graphql-js adds only for variables. */
function ofLiteral(node: ValueNode, read: (value: unknown) => string): string {
  try {
    return read(valueFromASTUntyped(node))
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    throw new GraphQLError(`${print(node).slice(0, SHOWN_CHARACTERS)}: ${error.message}`, { nodes: node })
  }
}
