import { GraphQLError, Kind } from 'graphql'
import { Fault } from '../errors.js'
import { LIMITS } from '../limits.js'
import { toFault } from '../store/faults.js'

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

function originOf(error: Error): Error {
  return error instanceof GraphQLError && error.originalError ? originOf(error.originalError) : error
}
