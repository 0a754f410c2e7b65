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

/** The caller of a request, or a Fault: the one place that knows credentials. Pass the versions if they were read already. */
export type Authenticate = (request: Credentials, versions: Store['versions']) => Promise<Principal>

export interface AuthenticateOptions {
  readonly store: Store
  readonly clock: () => Date
  /** Of an embedding program or a command: whoever it does not know is asked for a key. */
  readonly callerOf?: ((request: IncomingMessage | Request) => Promise<Principal | undefined>) | undefined
  readonly tokens?: Tokens | undefined
}

export function createAuthenticate({ store, clock, callerOf, tokens }: AuthenticateOptions): Authenticate {
  const ofKey = authenticator(store, clock)
  return async (request, versions) => {
    const hosted = callerOf && (await callerOf(request.original))
    if (hosted) return hosted
    const authorization = request.header('authorization')
    const token = tokens && tokenIn(authorization)
    return tokens && token !== undefined ? tokens.principalOf(token) : ofKey(authorization, versions)
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
  return JWT.test(sent) || !sent.includes('ops_') ? sent : undefined
}

const JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/
