import { turn } from '../../../graph/turns.js'
import { LIMITS } from '../../../limits.js'
import { Content } from '../../wire/content.js'
import { joined } from '../../wire/slices.js'
import type { Entry } from '../csv.js'
import { EVENTS_TYPE } from '../routes.js'

/** The entries of a feed as a batch of CloudEvents 1.0; the id of an event is where to resume after it. */
export async function eventsContent(entries: Iterable<Entry>, { path }: { readonly path: string }): Promise<Content> {
  const parts: Buffer[] = [Buffer.from('[')]
  let sliceStart = 0
  let size = 0
  for (const data of entries) {
    // A change may have all texts of a risk, before and after: a page of them has tens of megabytes.
    if (size - sliceStart > LIMITS.sliceBytes) {
      sliceStart = size
      await turn()
    }
    const event = Buffer.from(`${size === 0 ? '' : ','}${JSON.stringify(eventOf(data, path))}`)
    size += event.length
    parts.push(event)
  }
  parts.push(Buffer.from(']'))
  return new Content(EVENTS_TYPE, await joined(parts))
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
