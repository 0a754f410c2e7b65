import type { IncomingMessage } from 'node:http'
import { Fault } from '../errors.js'
import type { Store } from '../store/store.js'
import { authenticator, bearerIn, type Principal } from './principal.js'
import type { Tokens } from './tokens.js'

/** What a credential can be in. */
export interface Credentials {
  header(name: string): string | undefined
  /** The request as an embedding program knows it. */
  readonly original: IncomingMessage | Request
}

/** Ends a wait for others in time. */
interface Deadline {
  bound<T>(work: Promise<T>): Promise<T>
  boundLook<T>(look: Promise<T>): Promise<T>
}

/** The caller of a request, or a Fault: the one place that knows credentials. Pass the versions if they were read already. */
export type Authenticate = (
  request: Credentials,
  versions: Store['versions'],
  deadline: Deadline,
) => Principal | Promise<Principal>

export interface AuthenticateOptions {
  readonly store: Store
  readonly clock: () => Date
  /** Of an embedding program or a command: whoever it does not know is asked for a key. */
  readonly callerOf?: ((request: IncomingMessage | Request) => Promise<Principal | undefined>) | undefined
  readonly tokens?: Tokens | undefined
}

export function createAuthenticate({ store, clock, callerOf, tokens }: AuthenticateOptions): Authenticate {
  const ofKey = authenticator(store, clock)
  const ofHeader: Authenticate = (request, versions, deadline) => {
    const authorization = request.header('authorization')
    const token = tokens && tokenIn(authorization)
    if (!tokens || token === undefined) return deadline.boundLook(ofKey(authorization, versions))
    const found = tokens.principalOf(token)
    return found instanceof Promise ? deadline.bound(found) : found
  }
  if (!callerOf) return ofHeader
  return async (request, versions, deadline) => {
    const hosted = await deadline.bound(callerOf(request.original))
    return hosted ?? ofHeader(request, versions, deadline)
  }
}

/** Whatever cannot be meant as a key: by chance, a token may have the beginning of one in it. */
function tokenIn(authorization = ''): string | undefined {
  const sent = bearerIn(authorization)
  if (sent === undefined && JWT.test(authorization.trim().split(' ').at(-1) ?? ''))
    throw new Fault(
      'UNAUTHENTICATED',
      'The token must follow the word `Bearer` and a space, with nothing else around it.',
    )
  if (sent === undefined || sent === '<API_KEY>') return undefined
  return !sent.includes('ops_') || JWT.test(sent) ? sent : undefined
}

const JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/
