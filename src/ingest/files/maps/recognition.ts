import { type HeadedTable, headedTable, headingKey } from '../header.js'
import type { JsonRecord } from '../json.js'
import type { Mapping } from '../mapping.js'
import type { Table } from '../table.js'
import { hasPath } from './paths.js'

/** A map with the headings or paths by which its source is recognised. */
export interface Recognisable {
  readonly name: string
  /** What the source is, as in "This looks like a Jira export". */
  readonly product: string
  readonly source: 'table' | 'objects'
  /** One of each list must be there. */
  readonly signature: readonly (readonly string[])[]
  mapping(): Mapping
}

/** The map whose signature a table has, and where its header is. */
export function recognisedTable(
  tables: Iterable<Table>,
  maps: readonly Recognisable[],
): { map: Recognisable; found: HeadedTable } | undefined {
  const candidates = maps.filter(({ source }) => source === 'table')
  if (candidates.length === 0) return undefined
  const mapOf = (headings: readonly string[]) => {
    const keys = new Set(headings.map(headingKey))
    return candidates.find(({ signature }) => isSigned(signature, (name) => keys.has(headingKey(name))))
  }
  const found = headedTable(tables, { needed: 1, count: (headings) => (mapOf(headings) ? 1 : 0) })
  const map = found && mapOf(found.header.cells)
  return map && { map, found }
}

/** The map whose signature the first object has, and all objects. */
export function recognisedObjects(
  source: Iterable<JsonRecord>,
  maps: readonly Recognisable[],
): { map: Recognisable | undefined; records: Iterable<JsonRecord> } {
  const rest = source[Symbol.iterator]()
  const first = rest.next()
  if (first.done) return { map: undefined, records: [] }
  const { members } = first.value
  const map = maps.find((one) => one.source === 'objects' && isSigned(one.signature, (path) => hasPath(members, path)))
  const records = (function* () {
    yield first.value
    for (let next = rest.next(); !next.done; next = rest.next()) yield next.value
  })()
  return { map, records }
}

export function recognisedNote({ product, name }: Recognisable): string {
  return `This looks like ${product}: using the map ${name}.`
}

function isSigned(signature: Recognisable['signature'], has: (name: string) => boolean): boolean {
  return signature.every((names) => names.some(has))
}
