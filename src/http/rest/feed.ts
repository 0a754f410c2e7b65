import { setImmediate as nextTurn } from 'node:timers/promises'
import { badArgument } from '../../errors.js'
import type { Gate } from '../gate.js'
import type { Identified } from '../observe/exchange.js'
import { POLL_EVERY_MS } from '../waiting.js'
import { Content } from '../wire/content.js'
import type { HttpResponse } from '../wire/request.js'
import { joined } from '../wire/slices.js'
import type { Entry, JsonLines } from './csv.js'
import { EVENTS_TYPE } from './routes.js'

const MS = 1_000

/** The variables of a feed's operation, and how long to wait. */
export function feedRequestOf(given: Readonly<Record<string, unknown>>) {
  const { wait, timeout, lastEventId, ...rest } = given as Readonly<Record<string, unknown>> & {
    readonly wait?: number
    readonly timeout?: number
    readonly lastEventId?: string
  }
  if (lastEventId !== undefined && 'cursor' in rest) throw badArgument('lastEventId', 'Give this or cursor, not both.')
  if (timeout !== undefined && wait !== undefined) throw badArgument('timeout', 'Give this or wait, not both.')
  const variables = { ...rest, ...(lastEventId !== undefined && { cursor: lastEventId }) }
  return { variables, waitMs: timeout ?? (wait ?? 0) * MS }
}

/** Reads a page, and reads it again after each change until it is not empty or the time is over. */
export async function longPoll(
  admitted: Identified,
  { waiting, restMs, renew }: Gate,
  waitMs: number,
  page: (identified: Identified) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const { request, deadline, startedAt, record } = admitted
  let identified = admitted
  for (let notBefore = 0; ; notBefore = performance.now() + POLL_EVERY_MS) {
    const response = await page(identified)
    const until = startedAt + waitMs
    if (!response.isEmpty || performance.now() >= until || waiting.isStopped || request.isGone) return response
    const { history: seen } = await identified.versions
    const { keyId } = identified.principal
    const since = performance.now()
    const endsAt = Math.min(until, since + restMs(identified.principal))
    await deadline.exempt(waiting.wait({ keyId, seen, until: endsAt, notBefore, isGone: () => request.isGone }))
    record.waitedMs = (record.waitedMs ?? 0) + performance.now() - since
    // The key may have been revoked meanwhile, or have expired.
    identified = await renew(identified)
  }
}

/** The entries of a feed as a batch of CloudEvents 1.0; the id of an event is where to resume after it. */
export async function eventsContent(entries: JsonLines, path: string): Promise<Content> {
  const parts: Buffer[] = []
  // A change may have all texts of a risk, before and after: a page of them has tens of megabytes.
  for (const slice of entries.slices()) {
    if (parts.length > 0) await nextTurn()
    const events = entries.work.time('serialise', () => slice.map((entry) => JSON.stringify(eventOf(entry, path))))
    parts.push(Buffer.from(`${parts.length > 0 ? ',' : ''}${events.join(',')}`))
  }
  return new Content(EVENTS_TYPE, await joined([Buffer.from('['), ...parts, Buffer.from(']')]))
}

function eventOf(data: Entry, source: string): object {
  return {
    specversion: '1.0',
    id: data['cursor'],
    source,
    type: `operations.${data['entity']}.${data['action']}`.toLowerCase(),
    time: data['recordedAt'],
    subject: data['entityId'],
    datacontenttype: 'application/json',
    data,
  }
}
