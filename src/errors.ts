/** Every way in which a request can fail, with the short title that people see. */
export const CATALOGUE = {
  BAD_REQUEST: 'The request is malformed',
  UNAUTHENTICATED: 'A valid API key is needed',
  INSUFFICIENT_SCOPE: 'The API key lacks a scope',
  NOT_FOUND: 'There is no such thing',
  PERSISTED_QUERY_NOT_FOUND: 'Send the query with its hash',
  METHOD_NOT_ALLOWED: 'The method is not allowed here',
  NOT_ACCEPTABLE: 'No acceptable representation',
  REQUEST_TIMEOUT: 'The request took too long to arrive',
  CONFLICT: 'It is already there',
  PRECONDITION_FAILED: 'It has changed meanwhile',
  PAYLOAD_TOO_LARGE: 'The body is too large',
  UNSUPPORTED_MEDIA_TYPE: 'The media type is not supported',
  VALIDATION_FAILED: 'The content is not acceptable',
  RATE_LIMITED: 'Too many requests',
  HEADERS_TOO_LARGE: 'The headers are too large',
  TOO_COMPLEX: 'The query asks for too much',
  INTERNAL: 'Something went wrong on our side',
  UNAVAILABLE: 'Not available just now',
  DEADLINE_EXCEEDED: 'The answer took too long',
} as const

export type Code = keyof typeof CATALOGUE

/** One thing wrong with what was sent: where, and what would be right. */
export interface Flaw {
  /** A JSON Pointer into the input. */
  readonly pointer?: string
  /** The name of an argument or parameter. */
  readonly parameter?: string
  readonly detail: string
}

interface FaultFacts {
  readonly flaws?: readonly Flaw[]
  readonly requiredScope?: string
  /** The id of what is already there (CONFLICT). */
  readonly existingId?: string
  /** For the log alone; no caller ever sees it. */
  readonly cause?: unknown
}

/** The one error of the program: a code, a sentence for the caller, a cause for the log. */
export class Fault extends Error {
  readonly code: Code
  readonly flaws: readonly Flaw[]
  readonly requiredScope: string | undefined
  readonly existingId: string | undefined

  constructor(code: Code, sentence: string, facts: FaultFacts = {}) {
    super(sentence, { cause: facts.cause })
    this.name = 'Fault'
    this.code = code
    this.flaws = facts.flaws ?? []
    this.requiredScope = facts.requiredScope
    this.existingId = facts.existingId
  }

  /** What a GraphQL error made of this tells its caller, also where the schema runs without our HTTP. */
  get extensions() {
    const { code, requiredScope, existingId, flaws } = this
    return {
      code,
      ...(requiredScope && { requiredScope }),
      ...(existingId && { existingId }),
      ...(flaws.length > 0 && { errors: flaws }),
    }
  }
}

export function badArgument(parameter: string, detail: string): Fault {
  return new Fault('BAD_REQUEST', `${parameter}: ${detail}`, { flaws: [{ parameter, detail }] })
}

/** How many flaws stand in the sentence itself; all of them are in `flaws`. */
const SAID_MAX = 5

/** A refusal whose sentence says why, for whoever shows no more than that. */
export function flawed(code: Code, sentence: string, flaws: readonly Flaw[]): Fault {
  const said = flaws.slice(0, SAID_MAX).map(({ pointer = '', parameter, detail }) => {
    const place = parameter ?? pointer.slice(1)
    return place === '' ? detail : `${place}: ${detail}`
  })
  const rest = flaws.length - said.length
  return new Fault(code, [sentence, ...said, ...(rest > 0 ? [`And ${rest} more.`] : [])].join(' '), { flaws })
}
