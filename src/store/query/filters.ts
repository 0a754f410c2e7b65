import { and, gte, type SQL } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import { badArgument } from '../../errors.js'
import type { Bound, ValueType } from '../../fields.js'
import { type EnumName, type EnumValue, TEXT_MAX, type TextKind } from '../../vocabulary.js'
import type { Read } from '../store.js'
import type { Tables } from '../tables.js'
import { contains, type Naming, type Optional } from './conditions.js'
import type { List } from './page.js'

/*
 * A filter is declared once, in its noun: what callers may ask, in which bounds, and the condition that it puts on the
 * rows. The filter of a list (its TypeScript type, its GraphQL input, the parameters of REST, what is indexed, what names
 * other rows, and which scope it needs) is derived from its members.
 *
 *     level: anyOf('RiskLevel', 'At one of these levels.', ({ t }, levels) => isAtLevels(t.risk.sortKey, levels), INDEXED)
 *
 * `V` is the type of the value, which the function that declares the member knows; nobody writes it.
 */

/** A member of a filter. */
export interface FilterMember<V> extends MemberOptions<V> {
  readonly type: ValueType
  readonly isList: boolean
  /** Whether a null in its list means nobody. */
  readonly mayBeNobody?: boolean
  readonly bound?: Bound
  readonly description: string
  /** The condition; undefined if every row fulfils it. */
  where(read: Read, value: V, given: Given): SQL | undefined
}

/** What else a condition may depend on. */
export interface Given {
  /** The whole filter. */
  readonly filter: Readonly<Record<string, unknown>>
  /** Whether rows are found by something narrower, whose index a condition must not compete with. */
  readonly isNarrow: boolean
}

interface MemberOptions<V> {
  /** Whether an index has the rows with one value of it in the order of the list. */
  readonly isIndexed?: boolean
  /** The rows of other tables that its values name. */
  readonly names?: Naming
  /** The scope that a value needs besides the one of the list. */
  needs?(value: V): string | undefined
  /** The value that is meant if it is absent. */
  readonly absent?: unknown
}

export const INDEXED = { isIndexed: true } as const

type Where<V> = FilterMember<V>['where']

/** One of several values of an enum. */
export function anyOf<N extends EnumName, V extends EnumValue<N>>(
  type: N,
  description: string,
  where: Where<readonly V[]>,
  options: MemberOptions<readonly V[]> = {},
): FilterMember<readonly V[]> {
  return { type, isList: true, description, where, ...options }
}

/** One of several texts of a kind. */
export function anyText(
  kind: TextKind,
  description: string,
  where: Where<readonly string[]>,
  options: MemberOptions<readonly string[]> & { readonly type?: 'ID' } = {},
): FilterMember<readonly string[]> {
  return { type: 'String', isList: true, bound: { maxLength: TEXT_MAX[kind] }, description, where, ...options }
}

/** One of several people; a null in the list means nobody. */
export function anyHolder(
  description: string,
  where: Where<readonly Optional<string>[]>,
  options: MemberOptions<readonly Optional<string>[]>,
): FilterMember<readonly Optional<string>[]> {
  const bound = { maxLength: TEXT_MAX.email }
  return { type: 'ID', isList: true, mayBeNobody: true, bound, description, where, ...options }
}

export function oneText(
  kind: TextKind,
  description: string,
  where: Where<string>,
  options: MemberOptions<string> = {},
): FilterMember<string> {
  return { type: 'String', isList: false, bound: { maxLength: TEXT_MAX[kind] }, description, where, ...options }
}

export function oneNumber(
  minimum: number,
  maximum: number,
  description: string,
  where: Where<number>,
  options: MemberOptions<number> = {},
): FilterMember<number> {
  return { type: 'Int', isList: false, bound: { minimum, maximum }, description, where, ...options }
}

export function flag(
  description: string,
  where: Where<boolean>,
  options: MemberOptions<boolean> = {},
): FilterMember<boolean> {
  return { type: 'Boolean', isList: false, description, where, ...options }
}

export function oneDay(description: string, where: Where<string>): FilterMember<string> {
  return { type: 'Date', isList: false, description, where }
}

/** The filter for what was changed since an instant. */
export function changedSince(of: (t: Tables) => { readonly updatedAt: AnyPgColumn }): FilterMember<string> {
  const where: Where<string> = ({ t }, since) => gte(of(t).updatedAt, since)
  return { type: 'DateTime', isList: false, description: 'Changed at this instant or later.', where }
}

/** The filter for a text in one of these folded columns. */
export function searchIn(what: string, columns: (t: Tables) => readonly AnyPgColumn[]): FilterMember<string> {
  const description = `Contains this text in ${what}; case-insensitive.`
  return oneText('search', description, (read, text) => contains(read, text, ...columns(read.t)))
}

/** The members of a filter by their names; `never`, because each has a value of its own. */
export type FilterMembers = Readonly<Record<string, FilterMember<never>>>

/** A filter with these members, as callers give it: absent and null both mean "any". */
export type FilterOf<M extends FilterMembers> = {
  readonly [Name in keyof M]?: Optional<M[Name] extends FilterMember<infer V> ? V : never>
}

interface Basis<T extends PgTable, F> extends Omit<List<T, F>, 'table' | 'matching' | 'indexed' | 'names' | 'needs'> {
  /** The condition of every filter. */
  always?(read: Read, given: Given): SQL | undefined
  /** Whether a filter finds its rows by something narrower than the list. */
  isNarrow?(filter: F): boolean
}

export interface FilteredList<T extends PgTable, M extends FilterMembers> extends List<T, FilterOf<M>> {
  readonly members: M
  /** The same list where its rows are found by something narrower, such as the group of members; none is in order. */
  readonly narrow: List<T, FilterOf<M>>
}

/** A list of the rows of a table, whose filter has these members. */
export function filteredList<T extends PgTable, M extends FilterMembers>(
  table: (t: Tables) => T,
  members: M,
  { always, isNarrow: isNarrowed = () => false, ...basis }: Basis<NoInfer<T>, FilterOf<M>>,
): FilteredList<T, M> {
  const all = Object.entries(members)
  const matching = (read: Read, filter: FilterOf<M>, isNarrow = isNarrowed(filter)) => {
    const given = { filter, isNarrow }
    return and(always?.(read, given), ...all.map(([name, member]) => conditionOf(read, name, member, given)))
  }
  const list: List<T, FilterOf<M>> = {
    ...basis,
    table,
    matching: (read, filter) => matching(read, filter),
    indexed: all.flatMap(([name, { isIndexed }]) => (isIndexed ? name : [])),
    names: Object.fromEntries(all.flatMap(([name, { names }]) => (names ? [[name, names]] : []))),
    needs: (filter) => scopeOf(all, filter),
  }
  return {
    ...list,
    members,
    narrow: { ...list, needsScan: true, matching: (read, filter) => matching(read, filter, true) },
  }
}

function conditionOf(read: Read, name: string, member: FilterMember<never>, given: Given): SQL | undefined {
  const value = given.filter[name] ?? member.absent
  if (value == null) return undefined
  requireWithin(name, member.bound, value)
  // A cast: the value was coerced by the type of this member.
  return member.where(read, value as never, given)
}

function requireWithin(name: string, bound: Bound | undefined, value: unknown): void {
  if (typeof value !== 'number' || !bound || !('minimum' in bound)) return
  const { minimum, maximum } = bound
  if (value < minimum || value > maximum) throw badArgument(name, `Must be from ${minimum} to ${maximum}.`)
}

function scopeOf(all: readonly [string, FilterMember<never>][], filter: Readonly<Record<string, unknown>>) {
  for (const [name, { needs }] of all) {
    const scope = filter[name] == null ? undefined : needs?.(filter[name] as never)
    if (scope) return scope
  }
  return undefined
}
