import { GraphQLError, Kind } from 'graphql'
import { type Code, Fault } from '../errors.js'
import { LIMITS } from '../limits.js'
import { toFault } from '../store/faults.js'

const HIDDEN = 'Something went wrong on our side.'

/**
 * What a resolver throws, as any GraphQL server may show it: servers mask an error whose origin is not a GraphQLError,
 * and a bare `execute` masks none. The `cause` is what was thrown; no server sends it.
 */
export class ResolverError extends GraphQLError {
  constructor(thrown: unknown) {
    const origin = toFault(thrown)
    const { message, extensions } = origin instanceof Fault ? origin : { message: HIDDEN, extensions: INTERNAL }
    super(message, { extensions })
    Object.defineProperty(this, 'cause', { value: origin, enumerable: false })
  }
}

const INTERNAL = { code: 'INTERNAL' } as const satisfies { code: Code }

/** What a resolver throws, as it may leave the schema. */
export function publicError(thrown: unknown): GraphQLError {
  const isPublished = thrown instanceof ResolverError || (thrown instanceof GraphQLError && isAboutVariable(thrown))
  return isPublished ? thrown : new ResolverError(thrown)
}

/** An error as callers of any server may see it: refusals and what GraphQL itself says stay, the rest is hidden. */
export function maskError(error: unknown): GraphQLError {
  if (!(error instanceof GraphQLError)) return new ResolverError(error)
  const origin = originOf(error)
  return origin instanceof GraphQLError || isPublic(error) ? error : atPlaceOf(error, new ResolverError(origin))
}

/** What is said instead of an error, at its place in the document and in the answer. */
export function atPlaceOf(error: GraphQLError, { message, extensions }: Pick<GraphQLError, 'message' | 'extensions'>) {
  const { nodes, source, positions, path } = error
  return new GraphQLError(message, {
    ...(nodes && { nodes }),
    ...(source && { source }),
    ...(positions && { positions }),
    ...(path && { path }),
    extensions,
  })
}

/** Whether a resolver of ours threw it, so that nothing is in it that must be hidden. */
function isPublic(error: Error | undefined): boolean {
  return error instanceof ResolverError || (error instanceof GraphQLError && isPublic(error.originalError))
}

/** What an error of an execution means to the caller; whatever nobody foresaw becomes INTERNAL, its cause for the log. */
export function faultOf(error: GraphQLError): Fault {
  const origin = toFault(originOf(error))
  if (origin instanceof Fault) return origin
  // graphql's own complaints about a document or its variables come without a path; below a path, it is our mistake.
  if (origin instanceof GraphQLError && (error.path === undefined || isAboutVariable(origin))) {
    return error.message === 'Validation aborted.'
      ? tooRepetitive()
      : new Fault('BAD_REQUEST', shortened(error.message))
  }
  return internal(origin)
}

/** A null in a nullable variable passes validation, and is refused only where something else is needed. */
function isAboutVariable({ nodes }: GraphQLError): boolean {
  return nodes?.some(({ kind }) => kind === Kind.VARIABLE) ?? false
}

/** The same of what was thrown outside an execution. */
export function asFault(error: unknown): Fault {
  const origin = toFault(error)
  return origin instanceof Fault ? origin : internal(origin)
}

function internal(cause: unknown): Fault {
  return new Fault('INTERNAL', 'Something went wrong on our side. The log has it under the request id.', { cause })
}

// graphql gives up on comparing the same field with itself a thousand times, and says no more than that.
function tooRepetitive(): Fault {
  return new Fault('TOO_COMPLEX', 'The query repeats its fields too often to be checked. Ask in smaller parts.')
}

function shortened(message: string): string {
  const most = LIMITS.messageCharactersMax
  return message.length > most ? `${message.slice(0, most)}...` : message
}

/** Whether the program refused it, and not graphql on its own. */
export function isRefusal(error: GraphQLError): boolean {
  return originOf(error) instanceof Fault
}

function originOf(error: Error): unknown {
  if (error instanceof ResolverError) return error.cause
  return error instanceof GraphQLError && error.originalError ? originOf(error.originalError) : error
}
