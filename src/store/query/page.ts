import { setImmediate as nextTurn } from 'node:timers/promises'
import { type AnyColumn, and, desc, getTableColumns, getTableName, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import { oncePer } from '../../caches.js'
import { Fault, TooComplex } from '../../errors.js'
import { isId } from '../../ids.js'
import type { Extent, Read } from '../store.js'
import type { Tables } from '../tables.js'
import type { Naming } from './conditions.js'
import { type Key, readCursor } from './cursors.js'
import { listed } from './json.js'

/** A list as its noun declares it: its rows, their total orders, and the meaning of its filter. */
export interface List<T extends PgTable, F> {
  /** The name stored in its cursors. */
  readonly name: string
  table(t: Tables): T
  order(table: T): readonly AnyPgColumn[]
  /** Whether its order is the reverse of that: an index serves both. */
  readonly isDescending?: boolean
  /** What is different in its other orders, by name. */
  readonly orders?: Readonly<Record<string, Order<T, F>>>
  matching(read: Read, filter: F): SQL | undefined
  /** Filter members that an index serves in list order, if the filter has no other member. */
  readonly indexed?: readonly string[]
  /** The members of a filter that name rows of other tables. */
  readonly names?: Readonly<Record<string, Naming>>
  /** Whether no index has the rows in order, so that every page reads all of them. */
  readonly needsScan?: boolean
  /**
   * The filter as several conditions, for which `matching` would need a scan: each row matches at most one of them, and
   * an index has the rows of each in list order. Undefined if `matching` is served as it is, or not at all.
   */
  parts?(read: Read, filter: F): readonly SQL[] | undefined
  /** Whether an index or `parts` serve a filter; by default `indexed` says so. */
  serves?(filter: F): boolean
  /** The scope that a filter needs besides the one of the list. */
  needs?(filter: F): string | undefined
  /** The filter limited to what the caller may read; throws if it asks for more by name. */
  visible?(filter: F, caller: Caller): F
  /**
   * A random value of each row that its cursors hold: if the row of a cursor is gone or has another one, so is the
   * position. Such a list can be followed: its `endCursor` is never null.
   */
  rowNonce?(table: T): AnyPgColumn
}

interface Order<T extends PgTable, F> {
  order(table: T): readonly AnyPgColumn[]
  readonly isDescending?: boolean
  readonly indexed: readonly string[]
  /** The condition of its indexed members, on columns that other orders hide from the index. */
  range?(table: T, filter: F): SQL | undefined
}

/** What a list asks about its reader. */
export interface Caller {
  mayRead(scope: string): boolean
  /** Throws if the caller lacks the scope. */
  require(scope: string): void
}

export type AnyList = List<PgTable, object>

/** The list in one of its orders, which its cursors name; in its own order for any other name. */
export function orderedBy<L extends Pick<AnyList, 'name' | 'table' | 'orders' | 'matching'>>(
  list: L,
  order: string | null | undefined,
): L {
  const other = order == null ? undefined : list.orders?.[order]
  if (!other) return list
  const { range, indexed } = other
  const matching: L['matching'] = (read, filter) => {
    const rest = Object.entries(filter).filter(([name]) => !indexed.includes(name))
    return and(list.matching(read, Object.fromEntries(rest)), range?.(list.table(read.t), filter))
  }
  return { ...list, ...other, ...(range && { matching }), name: `${list.name} ${order}` }
}

/** The ORDER BY of a list, or the reverse of it. */
export function sortOf<T extends PgTable, F>(list: List<T, F>, table: T, isReversed = false): SQL {
  const keys = list.order(table)
  return listed(Boolean(list.isDescending) === isReversed ? keys : keys.map((key) => desc(key)))
}

const ROWS_AT_ONCE = 1_000

/** Builds rows in chunks, and yields to the event loop between them. */
export async function rowsFromValues<T extends PgTable>(
  table: T,
  all: Iterable<unknown[]>,
): Promise<T['$inferSelect'][]> {
  const rows: T['$inferSelect'][] = []
  for (const values of all) {
    if (rows.push(rowOf(table, values)) % ROWS_AT_ONCE === 0) await nextTurn()
  }
  return rows
}

/** How many rows a page reads: all of them if no index serves the filter. */
export function extentOf<T extends PgTable, F>(
  { t }: Read,
  list: List<T, F>,
  filter: F,
  first = Number.POSITIVE_INFINITY,
): Extent {
  return { table: list.table(t), rows: isIndexed(list as AnyList, filter as object) ? first : Number.POSITIVE_INFINITY }
}

type Served = Pick<AnyList, 'indexed' | 'needsScan' | 'serves'>

/** Whether an index has exactly the rows that match the filter, in list order. */
export function isIndexed({ indexed = [], needsScan = false, serves }: Served, filter: object): boolean {
  if (serves) return serves(filter)
  const [given, ...more] = Object.entries(filter).filter(([, value]) => value != null)
  if (needsScan || more.length > 0) return false
  if (!given) return true
  const [name, value] = given
  return indexed.some((one) => one === name) && (!Array.isArray(value) || value.length === 1)
}

/** The WHERE clause with the guard of a heavy statement, if it is one. */
export function guarded(read: Read, condition: SQL | undefined, extent: Extent): { where: SQL; isHeavy: boolean } {
  const guard = read.guard(extent)
  // The guard comes first: SQL evaluates the rest only for rows that pass it.
  const whole = and(guard, condition)
  return { where: whole ? sql` where ${whole}` : sql.raw(''), isHeavy: guard !== undefined }
}

export function placeAfter({ t }: Read, list: AnyList, after: string): readonly Key[] {
  return readCursor(list.name, cursorKeys(list, list.table(t)), after)
}

export function cursorKeys<T extends PgTable, F>({ order, rowNonce }: List<T, F>, table: T): readonly AnyPgColumn[] {
  return rowNonce ? [...order(table), rowNonce(table)] : order(table)
}

/** The condition that the row of a cursor is no longer the one that it was made for; of nothing it can always begin. */
export function isGone<T extends PgTable, F>(list: List<T, F>, table: T, place: readonly unknown[]): SQL {
  const keys = cursorKeys(list, table).map((key, index) => sql`${key} = ${place[index]}`)
  const there = sql`select 1 from ${table} where ${sql.join(keys, sql` and `)}`
  return sql`(cast(${place[0]} as bigint) <> ${sql.raw(String(BEGINNING))} and not exists (${there}))`
}

/** The position of a list that can be followed before its first row. */
export const BEGINNING = 0

export function cursorGone(): Fault {
  return new Fault(
    'CURSOR_GONE',
    'This cursor belongs to another store, or to writes that were lost when this one was restored. Read the lists again, and follow from the beginning or from `since`.',
  )
}

/** One row-value comparison, which is an index search at any depth. */
export function isAfter<T extends PgTable, F>(list: List<T, F>, table: T, place: readonly unknown[]): SQL {
  const order = list.order(table)
  // A cursor may hold more than the position.
  const values = place.slice(0, order.length).map((key) => sql`${key}`)
  return sql`(${listed(order)}) ${sql.raw(list.isDescending ? '<' : '>')} (${listed(values)})`
}

/** Refuses a list without pages that is too long. */
export function requireWhole(rows: number, { first, most }: { first: number | undefined; most: number }): void {
  if (first !== undefined || rows <= most) return
  throw new TooComplex(`This list has more than ${most} rows.`, (page) => `Request it in pages, with ${page()}.`)
}

const STEP_ROWS = 1_000

/** All pages of a list, one after the other. */
export async function* pagesOf<T extends PgTable, F>(
  read: Read,
  list: List<T, F>,
  filter: F,
): AsyncGenerator<readonly T['$inferSelect'][]> {
  const table = list.table(read.t)
  const extent = extentOf(read, list, filter, STEP_ROWS)
  const order = list.order(table)
  const sorted = sql`order by ${sortOf(list, table)} limit ${read.limit(STEP_ROWS)}`
  let after: SQL | undefined
  for (;;) {
    const parts = list.parts?.(read, filter)?.map((part) => and(read.guard(extent), part, after))
    const { where, isHeavy } = guarded(read, parts ? undefined : and(list.matching(read, filter), after), extent)
    const from = parts ? unionOf(table, parts) : sql`${table}${where}`
    const statement = read.compile(sql`select ${columnList(table)} from ${from} ${sorted}`)
    const rows = await rowsFromValues(table, await read.rows({ ...statement, isHeavy }))
    const last = rows.at(-1)
    if (last) yield rows
    if (!last || rows.length < STEP_ROWS) return
    after = isAfter(list, table, placeOf(table, order, last))
  }
}

function placeOf<T extends PgTable>(table: T, order: readonly AnyPgColumn[], row: T['$inferSelect']): unknown[] {
  const members = new Map(Object.entries<AnyColumn>(getTableColumns(table)).map(([member, column]) => [column, member]))
  return order.map((key) => row[members.get(key) ?? ''])
}

/** All columns of a table in the order that `rowOf` expects. */
export function columnList(table: PgTable): SQL {
  return listed(Object.values(getTableColumns(table)))
}

/** The rows of several conditions under the table's own name; both engines merge the indexes that serve them. */
export function unionOf(table: PgTable, conditions: readonly (SQL | undefined)[]): SQL {
  const parts = conditions.map((one) => sql`select ${columnList(table)} from ${table} where ${one}`)
  return sql`(${sql.join(parts, sql.raw(' union all '))}) ${sql.identifier(getTableName(table))}`
}

/** Builds a row from its column values. */
export function rowOf<T extends PgTable>(table: T, values: readonly unknown[]): T['$inferSelect'] {
  const names = membersOf(table)
  const row: Record<string, unknown> = {}
  for (let i = 0; i < names.length; i++) row[names[i] ?? ''] = values[i]
  // Columns are texts and numbers, so driver values need no conversion.
  return row as T['$inferSelect']
}

const membersOf = oncePer((table: PgTable) => Object.keys(getTableColumns(table)))

/** Caches by engine, for SQL text that never changes: compiling it takes longer than the look-up itself. */
export function oncePerEngine<V>(build: (read: Read) => V): (read: Read) => V {
  const known = new Map<Tables, V>()
  return (read) => {
    const compiled = known.get(read.t) ?? build(read)
    known.set(read.t, compiled)
    return compiled
  }
}

/** Looks up whole rows by the keys in one column, with prepared SQL text that differs only in the keys. */
export function rowsWith<T extends PgTable>(table: (t: Tables) => T, column: (table: T) => AnyPgColumn) {
  const texts = oncePerEngine((read) => {
    const from = table(read.t)
    const textFor = (keys: readonly string[]) =>
      read.compile(sql`select ${columnList(from)} from ${from} where ${read.among(column(from), keys)}`).text
    return { one: textFor(['']), several: textFor([]) }
  })
  return async (read: Read, keys: readonly string[]): Promise<T['$inferSelect'][]> => {
    const { one, several } = texts(read)
    const { values } = read.compile(read.among(sql.raw('key'), keys))
    const found = await read.rows({ text: keys.length === 1 ? one : several, values, hasStablePlan: true })
    return rowsFromValues(table(read.t), found)
  }
}

const byIdIn = oncePer((table: (t: Tables) => PgTable & { id: AnyPgColumn }) => rowsWith(table, ({ id }) => id))

/** The rows with these ids, also those that the list itself does not show. */
export async function byIds<T extends PgTable & { id: AnyPgColumn }, F>(
  read: Read,
  { table }: List<T, F>,
  ids: readonly string[],
): Promise<Map<string, T['$inferSelect']>> {
  const rows = await byIdIn(table)(read, ids)
  return new Map(rows.map((row) => [String(row['id']), row]))
}

/** The row that a change refers to; throws if there is none: a change never silently does nothing. */
export async function referredRow<T extends PgTable & { id: AnyPgColumn }, F>(
  read: Read,
  list: List<T, F>,
  naming: Naming,
  reference: string,
): Promise<T['$inferSelect']> {
  const hasIdForm = isId(naming.kind, reference)
  const id = hasIdForm ? reference : await idNamed(read, naming, reference)
  const row = id === undefined ? undefined : (await byIds(read, list, [id])).get(id)
  if (row) return row
  const sentence = hasIdForm
    ? `with the id ${JSON.stringify(reference)}.`
    : `'${reference}'. Name it by ${naming.identifiers}.`
  throw new Fault('NOT_FOUND', `There is no ${naming.kind} ${sentence}`)
}

async function idNamed(read: Read, { table, key }: Naming, name: string): Promise<string | undefined> {
  if (!key) return undefined
  const { id } = table(read.t)
  const isIt = sql`${key.column(read.t)} = ${key.canonical(name)}`
  const [row] = await read.rows(read.compile(sql`select ${id} from ${table(read.t)} where ${isIt}`))
  return row && String(row[0])
}

/** The number of rows that match; counting stops after `most` + 1 of them. */
export async function countOf<T extends PgTable, F>(
  read: Read,
  list: Pick<List<T, F>, 'table' | 'matching'>,
  filter: F,
  most?: number,
): Promise<number> {
  const table = list.table(read.t)
  const { where, isHeavy } = guarded(read, list.matching(read, filter), { table, rows: Number.POSITIVE_INFINITY })
  const some = () => sql`(select 1 from ${table}${where} limit ${read.limit((most ?? 0) + 1)}) found`
  const statement = sql`select count(*) from ${most === undefined ? sql`${table}${where}` : some()}`
  const [row] = await read.rows({ ...read.compile(statement), isHeavy })
  return Number(row?.[0])
}

/** The column of a table by the name that its rows have for it. */
export function memberColumn(table: PgTable, member: string): AnyPgColumn {
  const column = getTableColumns(table)[member]
  if (!column) throw new Error(`There is no column for ${member}.`)
  return column
}
