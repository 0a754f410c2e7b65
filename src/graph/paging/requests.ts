import type { Principal } from '../../auth/principal.js'
import { grants, type Scope } from '../../auth/scopes.js'
import { badArgument } from '../../errors.js'
import { LIMITS } from '../../limits.js'
import type { Key } from '../../store/query/cursors.js'
import { type AnyList, type Caller, placeAfter, type Window } from '../../store/query/page.js'
import { type Context, requireScope } from '../builder.js'
import type { Arguments } from '../fields.js'

/** The parsed arguments of a list. */
export interface PageRequest extends Window {
  readonly filter: object
  /** The position of the cursor `after`. */
  readonly place: readonly Key[] | undefined
}

/** Parses the arguments of a list; refuses an invalid page size or cursor. */
export function pageRequestOf(context: Context, list: AnyList, args: Arguments): PageRequest {
  const { store, principal, wholeListRowsMax: most } = context
  // Every list has the arguments of `listArgs`.
  const given = args as { first?: number | null; after?: string | null; filter?: object | null }
  const first = given.first ?? undefined
  requirePageSize(first)
  const after = given.after ?? undefined
  const filter = given.filter ?? {}
  const visible = list.visible?.(filter, callerOf(principal)) ?? filter
  return { filter: visible, first, after, most, place: placeAfter(store.read, list, { after }) }
}

export function requirePageSize(first: number | null | undefined): void {
  if (first != null && (first < 1 || first > LIMITS.pageRowsMax)) {
    throw badArgument('first', `Must be from 1 to ${LIMITS.pageRowsMax}.`)
  }
}

function callerOf(principal: Principal): Caller {
  // The nouns name scopes; the store, which declares lists, knows none.
  return {
    mayRead: (scope) => grants(principal.scopes, scope as Scope),
    require: (scope) => requireScope(principal, scope as Scope),
  }
}
