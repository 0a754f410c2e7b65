import type { BlockList } from 'node:net'
import type { Logger } from 'pino'
import type { AuthenticateOptions } from '../auth/authenticate.js'
import type { Documents } from '../config.js'
import type { Outcome, Received } from './observe/exchange.js'

export interface AppOptions extends AuthenticateOptions {
  readonly log: Logger
  /** The path that all routes are mounted at: empty, or a path such as `/ops`. */
  readonly basePath: string
  readonly graphiql: boolean
  /** The GraphQL documents that the operator has stored. */
  readonly documents?: Documents | undefined
  readonly demoKey?: string | undefined
  /** Whether `/` is the overview; true by default. */
  readonly overview?: boolean | undefined
  /** Who may show the overview in a frame: the value of the CSP directive, `'none'` by default. */
  readonly frameAncestors?: string | undefined
  readonly wholeListRowsMax: number
  readonly responseBytesMax?: number
  /** The rate limit of a key per minute; 0 for none. */
  readonly ratePerMinute: number
  /** The clock of the rate limit; `performance.now` by default. */
  readonly monotonicMs?: () => number
  /** How long the reads of a request may take. */
  readonly deadlineMs?: number
  /** The size of the response cache; 0 for none. */
  readonly responseCacheBytesMax: number
  /** The memory budget for request bodies and for responses that are being sent. */
  readonly inFlightBytesMax: number
  /** A request that takes longer is logged as a slow request. */
  readonly slowMs: number
  /** Networks of proxies whose word on the address of a client counts; none by default. */
  readonly trustedProxies?: BlockList | undefined
  /** The allowed CORS origins, comma-separated; empty for none. */
  readonly corsOrigins: string
  /** Called after every request, for the metrics. */
  readonly onFinished?: ((exchange: Received, outcome: Outcome) => void) | undefined
  /** Called after each write of a request. */
  readonly onWritten?: (() => void) | undefined
}
