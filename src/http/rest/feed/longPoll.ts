import type { Principal } from '../../../auth/principal.js'
import { grants } from '../../../auth/scopes.js'
import { badArgument } from '../../../errors.js'
import { type FeedFilter, kindsIn, scopeOfKind } from '../../../history/feed.js'
import { LIMITS } from '../../../limits.js'
import type { RateLimits } from '../../access/rateLimits.js'
import type { Exchange } from '../../observe/exchange.js'
import type { HttpResponse } from '../../wire/request.js'
import { AUTHOR } from '../compiledRoutes.js'
import type { Waiting } from './waiting.js'

const MS = 1_000

interface FeedRequest {
  readonly variables: Record<string, unknown>
  readonly waitMs: number
}

/** The variables of a feed's operation, and how long to wait. */
export function feedRequestOf(principal: Principal, given: Readonly<Record<string, unknown>>): FeedRequest {
  const { wait, timeout, lastEventId, ...rest } = given as Readonly<Record<string, unknown>> & {
    readonly wait?: number
    readonly timeout?: number
    readonly lastEventId?: string
  }
  if (lastEventId !== undefined && 'cursor' in rest) throw badArgument('lastEventId', 'Give this or cursor, not both.')
  if (timeout !== undefined && wait !== undefined) throw badArgument('timeout', 'Give this or wait, not both.')
  const variables = { ...rest, ...(lastEventId !== undefined && { cursor: lastEventId }) }
  return { variables: { ...variables, [AUTHOR]: managesAll(principal, rest) }, waitMs: timeout ?? (wait ?? 0) * MS }
}

/** Whether a key may see who made each change that a feed shows with these parameters. */
function managesAll({ scopes }: Principal, filter: FeedFilter): boolean {
  const shown = kindsIn(filter).filter((kind) => filter.entity || grants(scopes, scopeOfKind(kind, 'read')))
  return shown.every((kind) => grants(scopes, scopeOfKind(kind, 'manage')))
}

/** Reads a page, and reads it again after each change until it is not empty or the time is over. */
export async function longPoll(
  exchange: Exchange,
  { waiting, rateLimits }: { readonly waiting: Waiting; readonly rateLimits: RateLimits },
  waitMs: number,
  page: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const { request, deadline } = exchange
  for (let notBefore = 0; ; notBefore = performance.now() + LIMITS.waitLookMs) {
    const response = await page()
    const until = exchange.startedAt + waitMs
    if (!response.isEmpty || performance.now() >= until || waiting.isStopped || request.isGone) return response
    const seen = (await exchange.versions)?.history
    const keyId = exchange.principal?.keyId ?? ''
    const since = performance.now()
    await deadline.exempt(waiting.wait({ keyId, seen, until, notBefore, isGone: () => request.isGone }))
    exchange.waitedMs = (exchange.waitedMs ?? 0) + performance.now() - since
    // The key may have been revoked meanwhile.
    await rateLimits.renew(exchange)
  }
}
