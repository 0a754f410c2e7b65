import { type HeaderTest, headingKey } from '../header.js'
import type { JsonRecord } from '../json.js'
import { lackingIn, type Mapping } from '../mapping.js'
import { valuesAt } from './mappedObjects.js'

/** A map with the headings or paths by which its source is recognised. */
export interface Recognisable {
  readonly name: string
  /** What the source is, as in "This looks like a Jira export". */
  readonly product: string
  readonly source: 'table' | 'objects'
  /** One of each list must be there. */
  readonly signature: readonly (readonly string[])[]
  /** The members of an object of this source; what has another is none. */
  readonly only?: readonly string[] | undefined
  mapping(): Mapping
}

export function recognised(maps: readonly Recognisable[], headings: readonly string[]): Recognisable | undefined {
  const keys = new Set(headings.map(headingKey))
  return maps.find((map) => map.source === 'table' && isSuited(map, (name) => keys.has(headingKey(name))))
}

/** A header with the signature of a map is a header, whatever else is one. */
export function recognising(maps: readonly Recognisable[], test: HeaderTest): HeaderTest {
  return { ...test, count: (headings) => (recognised(maps, headings) ? Number.MAX_SAFE_INTEGER : test.count(headings)) }
}

export function recognisedObject(maps: readonly Recognisable[], { members }: JsonRecord): Recognisable | undefined {
  const isOwn = ({ only }: Recognisable) => !only || Object.keys(members).every((name) => only.includes(name))
  const has = (path: string) => valuesAt(members, path) !== undefined
  return maps.find((map) => map.source === 'objects' && isOwn(map) && isSuited(map, has))
}

/** Whether a source has the signature of a map, and all that the map needs. */
function isSuited({ signature, mapping }: Recognisable, has: (name: string) => boolean): boolean {
  return signature.every((names) => names.some(has)) && lackingIn(mapping(), has).length === 0
}
