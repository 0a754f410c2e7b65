/** Every error code, with the title that callers see. */
export const CATALOGUE = {
  BAD_REQUEST: 'Bad request',
  UNAUTHENTICATED: 'API key needed',
  INSUFFICIENT_SCOPE: 'Scope missing',
  NOT_FOUND: 'Not found',
  PERSISTED_QUERY_NOT_FOUND: 'Persisted query not found',
  METHOD_NOT_ALLOWED: 'Method not allowed',
  NOT_ACCEPTABLE: 'Not acceptable',
  REQUEST_TIMEOUT: 'Request timeout',
  CONFLICT: 'Already exists',
  CURSOR_GONE: 'Position gone',
  PRECONDITION_FAILED: 'Changed meanwhile',
  PAYLOAD_TOO_LARGE: 'Body too large',
  UNSUPPORTED_MEDIA_TYPE: 'Unsupported media type',
  VALIDATION_FAILED: 'Not valid',
  RATE_LIMITED: 'Too many requests',
  HEADERS_TOO_LARGE: 'Headers too large',
  TOO_COMPLEX: 'Too much at once',
  INTERNAL: 'Internal error',
  UNAVAILABLE: 'Not available',
  DEADLINE_EXCEEDED: 'Took too long',
} as const

export type Code = keyof typeof CATALOGUE

/** One violation of the input: where it is, and what would be right. */
export interface Violation {
  /** A JSON Pointer into the input. */
  readonly pointer?: string
  /** The name of an argument or parameter. */
  readonly parameter?: string
  readonly detail: string
}

interface FaultFacts {
  readonly violations?: readonly Violation[]
  readonly requiredScope?: string
  /** The id of the existing entity (CONFLICT). */
  readonly existingId?: string
  /** For the log only; never sent to a caller. */
  readonly cause?: unknown
}

/** The one error class: a code, a sentence for the caller, a cause for the log. */
export class Fault extends Error {
  readonly code: Code
  readonly violations: readonly Violation[]
  readonly requiredScope: string | undefined
  readonly existingId: string | undefined

  constructor(code: Code, sentence: string, facts: FaultFacts = {}) {
    super(sentence, { cause: facts.cause })
    this.name = 'Fault'
    this.code = code
    this.violations = facts.violations ?? []
    this.requiredScope = facts.requiredScope
    this.existingId = facts.existingId
  }

  /** The extensions of a GraphQL error made from this, also if the schema runs without our HTTP layer. */
  get extensions() {
    const { code, requiredScope, existingId, violations } = this
    return {
      code,
      ...(requiredScope && { requiredScope }),
      ...(existingId && { existingId }),
      ...(violations.length > 0 && { errors: violations }),
    }
  }
}

/** Writes the size of a page as an API has it: of a list, of any list, or only the name of the argument. */
type PageSize = (rows?: number, list?: string) => string

/** What to ask for instead, in the words of an API. */
export type Advice = (page: PageSize) => string

const IN_GRAPHQL: PageSize = (rows, list) => {
  if (rows === undefined) return '`first`'
  return list === undefined ? `\`first: ${rows}\`` : `\`${list}(first: ${rows})\``
}
const IN_REST: PageSize = (rows) => (rows === undefined ? '`limit`' : `\`limit=${rows}\``)

/** A query that reads too much, with advice. */
export class TooComplex extends Fault {
  private readonly problem: string
  private readonly advice: Advice

  constructor(problem: string, advice: Advice, page = IN_GRAPHQL) {
    super('TOO_COMPLEX', `${problem} ${advice(page)}`)
    this.problem = problem
    this.advice = advice
  }

  inRest(): Fault {
    return new TooComplex(this.problem, this.advice, IN_REST)
  }
}

/** The response would be larger than its limit. */
export class ResponseTooLong extends TooComplex {
  constructor(bytesMax: number, advice: Advice = (page) => `Request smaller pages, with ${page()}, or fewer fields.`) {
    super(`The response would have more than ${bytesMax.toLocaleString('en')} bytes.`, advice)
  }
}

/** A 503 that is no failure of the store, and so not logged as an error: too much at once, or no identity provider. */
export class Overloaded extends Fault {
  readonly retryAfterSeconds: number

  constructor(sentence: string, retryAfterSeconds = 1) {
    super('UNAVAILABLE', `${sentence} Try again in ${retryAfterSeconds === 1 ? 'a moment' : `${retryAfterSeconds} s`}.`)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** A 429: the rate limit is exceeded; `Retry-After` carries the seconds to wait. */
export class RateExceeded extends Fault {
  readonly retryAfterSeconds: number

  constructor(sentence: string, { retryInSeconds }: { readonly retryInSeconds: number }) {
    super('RATE_LIMITED', `${sentence} Try again in ${retryInSeconds} s.`)
    this.retryAfterSeconds = retryInSeconds
  }
}

export function badArgument(parameter: string, detail: string): Fault {
  return new Fault('BAD_REQUEST', `${parameter}: ${detail}`, { violations: [{ parameter, detail }] })
}

/** The violations that were found first, and of the others those of values in which none was found yet. */
export function mergedViolations(first: readonly Violation[], others: readonly Violation[]): Violation[] {
  const known = new Set(first.flatMap(({ pointer = '' }) => pathTo(pointer)))
  return [...first, ...others.filter(({ pointer = '' }) => !known.has(pointer))]
}

/** A JSON Pointer and those of all values around it. */
function pathTo(pointer: string): string[] {
  const steps = pointer.split('/')
  return steps.map((_, index) => steps.slice(0, index + 1).join('/'))
}

/** The maximum number of violations in the message; `violations` has all of them. */
const SHOWN_MAX = 5

/** A Fault whose message includes the violations, for clients that show only the message. */
export function invalid(code: Code, sentence: string, violations: readonly Violation[]): Fault {
  const shown = violations.slice(0, SHOWN_MAX).map(({ pointer = '', parameter, detail }) => {
    const place = parameter ?? pointer.slice(1)
    return place === '' ? detail : `${place}: ${detail}`
  })
  const rest = violations.length - shown.length
  return new Fault(code, [sentence, ...shown, ...(rest > 0 ? [`And ${rest} more.`] : [])].join(' '), { violations })
}
