import { bad, compareTexts } from './rows.js'

/** Pages and cursors. A cursor is opaque: ours says the list and the place, and is compared by position only. */

type Place = readonly (string | number)[]

/** Marks a value that the service may spell as it likes. */
export const OPAQUE = '\u0001'

function cursorAt(list: string, place: Place): string {
  return OPAQUE + JSON.stringify([list, ...place])
}

function placeIn(list: string, cursor: string): Place {
  if (!cursor.startsWith(OPAQUE)) throw bad()
  const [of, ...place] = JSON.parse(cursor.slice(1))
  if (of !== list) throw bad()
  return place
}

function comparePlaces(one: Place, other: Place): number {
  for (const [index, value] of one.entries()) {
    const against = other[index] ?? 0
    const isNumber = typeof value === 'number' && typeof against === 'number'
    const order = isNumber ? value - against : compareTexts(String(value), String(against))
    if (order !== 0) return order
  }
  return 0
}

interface PageRequest {
  readonly first?: number | null | undefined
  readonly after?: string | null | undefined
}

export function requireFirst(first: number | null | undefined): void {
  if (first != null && (first < 1 || first > 1000)) throw bad()
}

export function requireCursor(list: string, after: string | null | undefined): void {
  if (after != null) placeIn(list, after)
}

/** A page of these rows. A feed has an end also where nothing is listed: the number of the last change. */
export function pageOf<Row>(
  list: string,
  rows: readonly Row[],
  placeOf: (row: Row) => Place,
  { first, after }: PageRequest,
  feedEnd?: number,
  isDescending = false,
) {
  const start = after == null ? undefined : placeIn(list, after)
  const compare = (one: Place, other: Place) => (isDescending ? -1 : 1) * comparePlaces(one, other)
  const sorted = rows.toSorted((one, other) => compare(placeOf(one), placeOf(other)))
  const following = start ? sorted.filter((row) => compare(placeOf(row), start) > 0) : sorted
  const nodes = following.slice(0, first ?? undefined)
  const edges = nodes.map((node) => ({ node, cursor: cursorAt(list, placeOf(node)) }))
  const end = feedEnd === undefined ? null : cursorAt(list, [feedEnd])
  return {
    nodes,
    edges,
    totalCount: rows.length,
    pageInfo: {
      hasNextPage: nodes.length < following.length,
      hasPreviousPage: after != null,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? end,
    },
  }
}

export const changeCursor = (number: number) => cursorAt('changes', [number])
