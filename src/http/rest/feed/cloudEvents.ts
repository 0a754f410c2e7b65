import { Content } from '../../wire/content.js'
import type { Entry } from '../csv.js'
import { EVENTS_TYPE } from '../routes.js'

/** The entries of a feed as a batch of CloudEvents 1.0; the id of an event is where to resume after it. */
export function eventsContent(entries: Iterable<Entry>, { path }: { readonly path: string }): Content {
  const events = Array.from(entries, (data) => ({
    specversion: '1.0',
    id: data['cursor'],
    source: path,
    type: `operations.${data['entity']}.${data['action']}`.toLowerCase(),
    time: data['recordedAt'],
    subject: data['entityId'],
    datacontenttype: 'application/json',
    data,
  }))
  return new Content(EVENTS_TYPE, Buffer.from(JSON.stringify(events)))
}
