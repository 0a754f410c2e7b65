import { said } from '../fields.js'
import type { Write } from '../store/store.js'
import { fold } from '../text.js'

interface EntryFacts {
  readonly reference?: string | null
  readonly title?: string | null
  readonly description?: string | null
  readonly url?: string | null
  readonly raisedOn?: string | null
}

/** What risks and issues store alike: what the values say, and for the rest what was there before. */
export function entryWith({ at }: Write, before: EntryFacts | undefined, values: EntryFacts) {
  const reference = values.reference ?? before?.reference ?? ''
  const title = values.title ?? before?.title ?? ''
  return {
    reference,
    title,
    searchFolded: fold(`${reference}\n${title}`),
    description: said(values.description, before?.description),
    url: said(values.url, before?.url),
    raisedOn: values.raisedOn ?? before?.raisedOn ?? at.slice(0, 10),
    createdAt: at,
    updatedAt: at,
  }
}
