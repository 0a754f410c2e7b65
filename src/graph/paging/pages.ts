import { and } from 'drizzle-orm'
import { LIMITS } from '../../limits.js'
import { JsonPage, listSource, type PageFacts, pageFacts, readFacts } from '../../store/query/jsonPage.js'
import { type AnyList, countOf, cursorOf, extentOf, pageOf, requirePlace } from '../../store/query/page.js'
import type { Read } from '../../store/store.js'
import type { Context } from '../builder.js'
import { readTogether } from '../loaders.js'
import type { PageRequest } from './requests.js'

/** A page whose parts are read lazily. */
export interface Connection<Row> {
  readonly rows: () => Promise<readonly Row[]>
  readonly facts: () => Promise<PageFacts>
  readonly count: () => Promise<number>
  readonly cursor: (row: Row) => string
}

/** Reads a part of a list once in a request. */
export type Once = <V>(what: string, by: Partial<PageRequest>, load: () => Promise<V>) => Promise<V>

/**
 * A page of a list that can be followed. One statement reads the rows from which all of it is derived: a row stored
 * between two statements would be in neither this page nor the next.
 */
export function followed(
  context: Context,
  list: AnyList,
  pageRequest: PageRequest,
  once: Once,
): Connection<Record<string, unknown>> {
  const { read } = context.store
  const { filter, place, first = LIMITS.nestedPageRows } = pageRequest
  const found = () =>
    once('found', pageRequest, async () => {
      const before = await factsOf(read, list, { ...pageRequest, first: 1 })
      const rows = await pageOf(read, list, filter, { ...pageRequest, first: first + 1 })
      await requirePlace(read, list, place)
      return { resume: before.endCursor, rows: readTogether(rows.slice(0, first)), hasNextPage: rows.length > first }
    })
  const cursor = (row: Record<string, unknown>) => cursorOf(read, list, row)
  return {
    cursor,
    rows: async () => (await found()).rows,
    count: () => once('count', { filter }, () => countOf(read, list, filter)),
    facts: async () => {
      const { rows, hasNextPage, resume } = await found()
      const [start, end] = [rows[0], rows.at(-1)]
      return {
        ...{ hasNextPage, hasPreviousPage: place !== undefined },
        startCursor: start ? cursor(start) : null,
        endCursor: end ? cursor(end) : resume,
      }
    },
  }
}

/** The pageInfo of a page. */
export async function factsOf(read: Read, list: AnyList, pageRequest: PageRequest): Promise<PageFacts> {
  const source = listSource(read, list, pageRequest.filter)
  // Of a complete list only its two ends are read.
  const guard = read.guard(extentOf(read, list, pageRequest.filter, { first: pageRequest.first ?? 1 }))
  const page = new JsonPage(read, { ...source, condition: and(guard, source.condition) }, pageRequest, 'page')
  const [row] = await read.rows({ ...read.compile(pageFacts(read, page)), isHeavy: guard !== undefined })
  return readFacts(row?.[0])
}
