import { setImmediate as nextTurn } from 'node:timers/promises'
import { Content } from '../../wire/content.js'
import { joined } from '../../wire/slices.js'
import type { Entry, JsonLines } from '../csv.js'
import { EVENTS_TYPE } from '../routes.js'

/** The entries of a feed as a batch of CloudEvents 1.0; the id of an event is where to resume after it. */
export async function eventsContent(entries: JsonLines, path: string): Promise<Content> {
  const parts: Buffer[] = []
  // A change may have all texts of a risk, before and after: a page of them has tens of megabytes.
  for (const slice of entries.slices()) {
    if (parts.length > 0) await nextTurn()
    const events = slice.map((entry) => JSON.stringify(eventOf(entry, path)))
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
