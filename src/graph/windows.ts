import { badArgument } from '../errors.js'
import { LIMITS } from '../limits.js'
import type { Key } from '../store/query/cursors.js'
import { type AnyList, placeAfter, type Window } from '../store/query/page.js'
import type { Context } from './builder.js'
import type { Arguments } from './sql/fields.js'

/** The parsed arguments of a list. */
export interface PageRequest extends Window {
  readonly filter: object
  /** The position of the cursor `after`. */
  readonly place: readonly Key[] | undefined
}

/** Parses the arguments of a list; refuses an invalid page size or cursor. */
export function pageRequestOf({ store, wholeListRowsMax: most }: Context, list: AnyList, args: Arguments): PageRequest {
  // Every list has the arguments of `listArgs`.
  const given = args as { first?: number | null; after?: string | null; filter?: object | null }
  const first = given.first ?? undefined
  if (first !== undefined && (first < 1 || first > LIMITS.pageRowsMax)) {
    throw badArgument('first', `Must be from 1 to ${LIMITS.pageRowsMax}.`)
  }
  const after = given.after ?? undefined
  return { filter: given.filter ?? {}, first, after, most, place: placeAfter(store.read, list, { after }) }
}
