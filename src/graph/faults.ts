import { GraphQLError, Kind } from 'graphql'
import { oncePer } from '../caches.js'
import { type Code, Fault } from '../errors.js'
import { toFault } from '../store/faults.js'

/** Characters of one error message, which may quote the input. */
export const MESSAGE_CHARACTERS_MAX = 1_000

const HIDDEN = { message: 'Something went wrong on our side.', extensions: { code: 'INTERNAL' satisfies Code } }

/**
 * An error of a resolver, fit for any GraphQL server: servers mask an error whose origin is not a GraphQLError, and
 * a bare `execute` masks none. `cause` is what was thrown; no server sends it.
 */
class ResolverError extends GraphQLError {
  constructor(thrown: unknown) {
    const origin = toFault(thrown)
    const { message, extensions } = origin instanceof Fault ? origin : HIDDEN
    super(message, { extensions })
    Object.defineProperty(this, 'cause', { value: origin, enumerable: false })
  }
}

/** Converts what a resolver throws into an error that may leave the schema. */
export function publicError(thrown: unknown): GraphQLError {
  const isPublished = thrown instanceof ResolverError || (thrown instanceof GraphQLError && isAboutVariable(thrown))
  if (isPublished) return thrown
  return thrown instanceof Fault ? errorOf(thrown) : new ResolverError(thrown)
}

/** One error for each Fault: a list can be refused in every row, and formatting a stack takes longer than the row. */
const errorOf = oncePer((fault: Fault) => new ResolverError(fault))

/** An error as callers may see it: refusals and GraphQL's own errors stay, the rest is masked. */
export function maskError(error: unknown): GraphQLError {
  if (!(error instanceof GraphQLError)) return new ResolverError(error)
  const origin = originOf(error)
  return origin instanceof GraphQLError || isPublic(error) ? error : atPlaceOf(error, new ResolverError(origin))
}

/** An error with another message and extensions, at the same location and path. */
export function atPlaceOf(error: GraphQLError, { message, extensions }: Pick<GraphQLError, 'message' | 'extensions'>) {
  const { nodes, source, positions, path } = error
  return new GraphQLError(message, { nodes: nodes ?? null, source, positions, path, extensions })
}

/** Whether one of our resolvers threw it, so that nothing in it must be masked. */
function isPublic(error: Error | undefined): boolean {
  return error instanceof ResolverError || (error instanceof GraphQLError && isPublic(error.originalError))
}

/** The Fault of an execution error; an unexpected one becomes INTERNAL, with its cause for the log. */
export function faultOf(error: GraphQLError): Fault {
  const origin = toFault(originOf(error))
  if (origin instanceof Fault) return origin
  // graphql's own errors about a document or its variables have no path; with a path, it is our bug.
  if (origin instanceof GraphQLError && (error.path === undefined || isAboutVariable(origin))) {
    const [message, most] = [error.message, MESSAGE_CHARACTERS_MAX]
    const shown = message.length > most ? `${message.slice(0, most)}...` : message
    if (message !== 'Validation aborted.') return new Fault('BAD_REQUEST', shown)
    // graphql gives up after comparing the same field with itself a thousand times, without further details.
    return new Fault('TOO_COMPLEX', 'The query repeats its fields too often to be checked. Split the query.')
  }
  return internal(origin)
}

/** A null in a nullable variable passes validation, and is refused only where a non-null type needs it. */
function isAboutVariable({ nodes }: GraphQLError): boolean {
  return nodes?.some(({ kind }) => kind === Kind.VARIABLE) ?? false
}

/** The same for an error outside an execution. */
export function asFault(error: unknown): Fault {
  const origin = toFault(error)
  return origin instanceof Fault ? origin : internal(origin)
}

function internal(cause: unknown): Fault {
  return new Fault('INTERNAL', 'Something went wrong on our side. The log has it under the request id.', { cause })
}

/** Whether this program refused it, as opposed to graphql itself. */
export function isRefusal(error: GraphQLError): boolean {
  return originOf(error) instanceof Fault
}

function originOf(error: Error): unknown {
  if (error instanceof ResolverError) return error.cause
  return error instanceof GraphQLError && error.originalError ? originOf(error.originalError) : error
}
