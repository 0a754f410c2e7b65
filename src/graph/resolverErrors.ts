import {
  GraphQLError,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isNullableType,
  isObjectType,
  responsePathAsArray,
} from 'graphql'
import { grants, type Scope } from '../auth/scopes.js'
import { LIMITS } from '../limits.js'
import { type Context, missingScope } from './builder.js'
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
  const { scope } = field.extensions as { scope?: Scope | null }
  const mayBeNull = isNullableType(field.type)
  const hasArguments = field.args.length > 0
  field.resolve = (source, args, context, info) => {
    if (scope && mayBeNull && !grants((context as Context).principal.scopes, scope)) {
      if (isUnlisted(context as Context)) return null
      // Errors in the arguments come first.
      if (!hasArguments) throw refusedAt(scope, info)
    }
    return published(() => publishedValue(resolve(source, args, context, info)))
  }
}

/** Whether a field or an entry is refused beyond what a response lists; its last error has the number of the others. */
export function isUnlisted({ refusals }: Context): boolean {
  if (!refusals) return false
  if (refusals.reported <= LIMITS.errorsMax) {
    refusals.reported += 1
    return false
  }
  refusals.unlisted += 1
  return true
}

/** The error that graphql would make of the refusal, without a stack: capturing one takes longer than the row. */
function refusedAt(scope: Scope, { fieldNodes, path }: GraphQLResolveInfo): GraphQLError {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    const originalError = publicError(missingScope(scope))
    const { message } = originalError
    return new GraphQLError(message, { nodes: fieldNodes, path: responsePathAsArray(path), originalError })
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
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
