import { type GraphQLField, type GraphQLObjectType, type GraphQLSchema, isObjectType } from 'graphql'
import { ResolverError } from './faults.js'

/**
 * Has whatever resolvers and type checks throw leave the schema as a `ResolverError`, whoever executes it. To be called
 * last, so that what bounds and prices refuse is published as well.
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
  field.resolve = (source, args, context, info) => {
    const result = published(() => resolve(source, args, context, info))
    // The entries of a list may be promises of their own, such as the references of `_entities`.
    return Array.isArray(result) ? result.map(publishedEntry) : result
  }
}

function published<T>(work: () => T): T {
  try {
    const result = work()
    // A promise stays one of the same kind of value: only what it rejects with changes.
    return result instanceof Promise ? (result.then(publishedList, publish) as T) : result
  } catch (error) {
    return publish(error)
  }
}

function publishedList(result: unknown): unknown {
  return Array.isArray(result) ? result.map(publishedEntry) : result
}

function publishedEntry(entry: unknown): unknown {
  return entry instanceof Promise ? entry.catch(publish) : entry
}

function publish(error: unknown): never {
  throw error instanceof ResolverError ? error : new ResolverError(error)
}
