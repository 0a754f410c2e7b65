import { setImmediate as nextTurn } from 'node:timers/promises'
import { type AnyColumn, and, getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import { Fault } from '../../errors.js'
import type { Extent, Read } from '../store.js'
import type { Tables } from '../tables.js'
import { cursorAt, type Key, readCursor } from './cursors.js'
import { columnsOf, rowOf, rowsWith, unionOf } from './lookups.js'
import type { Naming } from './names.js'

/** A list as its noun declares it: its rows, their fixed total order, and the meaning of its filter. */
export interface List<T extends PgTable, F> {
  /** The name stored in its cursors. */
  readonly name: string
  table(t: Tables): T
  order(table: T): readonly AnyPgColumn[]
  matching(read: Read, filter: F): SQL | undefined
  /** Filter members that an index serves in list order, if the filter has no other member. */
  readonly indexed?: readonly string[]
  /** The members of a filter that name rows of other tables. */
  readonly names?: Readonly<Record<string, Naming>>
  /** Whether no index has the rows in order, so that every page reads all of them. */
  readonly isSought?: boolean
  /**
   * The filter as several conditions, for which `matching` would need a scan: each row matches at most one of them, and
   * an index has the rows of each in list order. Undefined if `matching` is served as it is, or not at all.
   */
  parts?(read: Read, filter: F): readonly SQL[] | undefined
  /** Whether an index or `parts` serve a filter; by default `indexed` says so. */
  serves?(filter: F): boolean
  /** The filter limited to what the caller may read; throws if it asks for more by name. */
  visible?(filter: F, caller: Caller): F
  /**
   * A random value of each row that its cursors hold: if the row of a cursor is gone or has another one, so is the
   * position. Such a list can be followed: its `endCursor` is never null.
   */
  mark?(table: T): AnyPgColumn
}

/** What a list asks about its reader. */
export interface Caller {
  mayRead(scope: string): boolean
  /** Throws if the caller lacks the scope. */
  require(scope: string): void
}

export type AnyList = List<PgTable, object>

/** The requested part of a list; without `first` all of it, up to `most` rows. */
export interface Window {
  readonly first: number | undefined
  readonly after: string | undefined
  readonly most: number
}

export async function pageOf<T extends PgTable, F>(
  read: Read,
  list: List<T, F>,
  filter: F,
  window: Window,
): Promise<readonly T['$inferSelect'][]> {
  const table = list.table(read.t)
  const place = placeAfter(read, list, window)
  const after = place && isAfter(list.order(table), place)
  const extent = extentOf(read, list, filter, window)
  const parts = list.parts?.(read, filter)?.map((part) => and(read.guard(extent), part, after))
  const { where, isHeavy } = guarded(read, parts ? undefined : and(list.matching(read, filter), after), extent)
  const order = sql.join([...list.order(table)], sql.raw(', '))
  const rows = read.limit(window.first ?? window.most + 1)
  const from = parts ? unionOf(table, parts) : sql`${table}${where}`
  const statement = sql`select ${columnsOf(table)} from ${from} order by ${order} limit ${rows}`
  const found = await rowsOf(table, await read.rows({ ...read.compile(statement), isHeavy }))
  requireWhole(found.length, window)
  return found
}

const ROWS_AT_ONCE = 1_000

/** Builds rows in chunks, and yields to the event loop between them. */
export async function rowsOf<T extends PgTable>(table: T, all: Iterable<unknown[]>): Promise<T['$inferSelect'][]> {
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
  { first = Number.POSITIVE_INFINITY }: Pick<Window, 'first'>,
): Extent {
  return { table: list.table(t), rows: isServed(list as AnyList, filter as object) ? first : Number.POSITIVE_INFINITY }
}

type Served = Pick<AnyList, 'indexed' | 'isSought' | 'serves'>

/** Whether an index has exactly the rows that match the filter, in list order. */
export function isServed({ indexed = [], isSought = false, serves }: Served, filter: object): boolean {
  if (serves) return serves(filter)
  const [given, ...more] = Object.entries(filter).filter(([, value]) => value != null)
  if (isSought || more.length > 0) return false
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

/** The position of the `after` cursor. */
export function placeAfter<T extends PgTable, F>(
  { t }: Read,
  list: List<T, F>,
  { after }: Pick<Window, 'after'>,
): readonly Key[] | undefined {
  return after === undefined ? undefined : readCursor(list.name, cursorKeys(list, list.table(t)), after)
}

/** The columns whose values make a cursor. */
export function cursorKeys<T extends PgTable, F>({ order, mark }: List<T, F>, table: T): readonly AnyPgColumn[] {
  return mark ? [...order(table), mark(table)] : order(table)
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

/** Throws if the row of a cursor is gone; called after its page was read. */
export async function requirePlace<T extends PgTable, F>(
  read: Read,
  list: List<T, F>,
  place: readonly Key[] | undefined,
): Promise<void> {
  if (!list.mark || !place) return
  const gone = sql`select 1 where ${isGone(list, list.table(read.t), place)}`
  if ((await read.rows(read.compile(gone))).length > 0) throw cursorGone()
}

/** One row-value comparison on an ascending key, which is an index search at any depth. */
export function isAfter(order: readonly AnyPgColumn[], place: readonly unknown[]): SQL {
  // A cursor may hold more than the position.
  const values = place.slice(0, order.length).map((key) => sql`${key}`)
  return sql`(${sql.join([...order], sql`, `)}) > (${sql.join(values, sql`, `)})`
}

export function requireWhole(rows: number, { first, most }: Pick<Window, 'first' | 'most'>): void {
  if (first !== undefined || rows <= most) return
  throw new Fault('TOO_COMPLEX', `This list has more than ${most} rows. Request it in pages, with \`first\`.`)
}

const STEP_ROWS = 1_000

/** All pages of a list, one after the other. */
export async function* pagesOf<T extends PgTable, F>(
  read: Read,
  list: List<T, F>,
  filter: F,
): AsyncGenerator<readonly T['$inferSelect'][]> {
  let after: string | undefined
  for (;;) {
    const rows = await pageOf(read, list, filter, { first: STEP_ROWS, after, most: STEP_ROWS })
    const last = rows.at(-1)
    if (last) yield rows
    if (!last || rows.length < STEP_ROWS) return
    after = cursorOf(read, list, last)
  }
}

/** The rows with these ids, also those that the list itself does not show. */
export async function byIds<T extends PgTable & { id: AnyPgColumn }, F>(
  read: Read,
  list: List<T, F>,
  ids: readonly string[],
): Promise<Map<string, T['$inferSelect']>> {
  const rows = await (ids.length > SEVERAL ? manyByIds(read, list.table(read.t), ids) : lookUpOf(list.table)(read, ids))
  return new Map(rows.map((row) => [String(row['id']), row]))
}

/** Up to this many ids the SQL text is cached; above it, compiling takes a negligible part of the time. */
const SEVERAL = 100

async function manyByIds<T extends PgTable & { id: AnyPgColumn }>(read: Read, table: T, ids: readonly string[]) {
  const { where, isHeavy } = guarded(read, read.among(table.id, ids), { table, rows: ids.length })
  return rowsOf(
    table,
    await read.rows({ ...read.compile(sql`select ${columnsOf(table)} from ${table}${where}`), isHeavy }),
  )
}

type LookUp<T extends PgTable> = ReturnType<typeof rowsWith<T>>

const lookUps = new WeakMap<object, unknown>()

function lookUpOf<T extends PgTable & { id: AnyPgColumn }>(table: (t: Tables) => T): LookUp<T> {
  // The cache maps each table to the look-up of that same table.
  const known = (lookUps.get(table) as LookUp<T> | undefined) ?? rowsWith(table, ({ id }) => id)
  lookUps.set(table, known)
  return known
}

export async function countOf<T extends PgTable, F>(read: Read, list: List<T, F>, filter: F): Promise<number> {
  const table = list.table(read.t)
  const { where, isHeavy } = guarded(read, list.matching(read, filter), { table, rows: Number.POSITIVE_INFINITY })
  const [row] = await read.rows({ ...read.compile(sql`select count(*) from ${table}${where}`), isHeavy })
  return Number(row?.[0])
}

/** The same, but counting stops after `most` + 1 rows. */
export async function countUpTo<T extends PgTable, F>(
  read: Read,
  list: Pick<List<T, F>, 'table' | 'matching'>,
  filter: F,
  most: number,
): Promise<number> {
  const table = list.table(read.t)
  const { where, isHeavy } = guarded(read, list.matching(read, filter), { table, rows: Number.POSITIVE_INFINITY })
  const found = sql`select 1 from ${table}${where} limit ${read.limit(most + 1)}`
  const [row] = await read.rows({ ...read.compile(sql`select count(*) from (${found}) found`), isHeavy })
  return Number(row?.[0])
}

export function cursorOf<T extends PgTable, F>({ t }: Read, list: List<T, F>, row: T['$inferSelect']): string {
  return cursorAt(
    list,
    keyMembers(list, t).map((member) => row[member] as Key),
  )
}

const members = new WeakMap<object, readonly string[]>()

function keyMembers<T extends PgTable, F>(list: List<T, F>, t: Tables): readonly string[] {
  const known = members.get(list.mark ?? list.order)
  if (known) return known
  const table = list.table(t)
  const columns = Object.entries<AnyColumn>(getTableColumns(table))
  const found = cursorKeys(list, table).map((key) => columns.find(([, column]) => column === key)?.[0] ?? '')
  members.set(list.mark ?? list.order, found)
  return found
}
