import { type GraphQLField, type GraphQLObjectType, type GraphQLSchema, isObjectType } from 'graphql'
import { publicError } from './faults.js'

/**
 * Makes resolvers and type checks throw GraphQLErrors that any server may show, also with a bare `execute`. Call it
 * last, so that it also covers errors of bounds and prices.
 */
export function publishErrors(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue
    publishTypeChecks(type)
    for (const field of Object.values(type.getFields())) publishField(field)
  }
}

/** The scope of a type is checked in `isTypeOf`. */
function publishTypeChecks(type: GraphQLObjectType): void {
  const { isTypeOf } = type
  if (!isTypeOf) return
  type.isTypeOf = (source, context, info) => published(() => isTypeOf(source, context, info))
}

function publishField(field: GraphQLField<unknown, unknown>): void {
  const { resolve } = field
  if (!resolve) return
  field.resolve = (source, args, context, info) => published(() => publishedValue(resolve(source, args, context, info)))
}

function published<T>(work: () => T): T {
  try {
    const result = work()
    // Only the rejection changes: the promise still resolves to the same type.
    return result instanceof Promise ? (result.then(publishedValue, publish) as T) : result
  } catch (error) {
    return publish(error)
  }
}

/** graphql treats a returned error as thrown, also as an entry of a list, as in `_entities`. */
function publishedValue(value: unknown): unknown {
  if (value instanceof Error) return publish(value)
  return Array.isArray(value) ? value.map(publishedEntry) : value
}

function publishedEntry(entry: unknown): unknown {
  if (entry instanceof Error) return publicError(entry)
  return entry instanceof Promise ? entry.then(publishedValue, publish) : entry
}

function publish(error: unknown): never {
  throw publicError(error)
}
