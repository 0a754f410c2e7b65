import { setImmediate as nextTurn } from 'node:timers/promises'
import { type AnyColumn, and, getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import { Fault } from '../errors.js'
import { cursorAt, type Key, readCursor } from './cursors.js'
import { columnsOf, rowOf, rowsWith } from './keyed.js'
import type { Naming } from './names.js'
import type { Extent, Read } from './store.js'
import type { Tables } from './tables.js'

/** A list as its noun declares it: what it holds, in which fixed and total order, and what a filter means. */
export interface List<T extends PgTable, F> {
  /** The name that its cursors carry. */
  readonly name: string
  table(t: Tables): T
  order(table: T): readonly AnyPgColumn[]
  matching(read: Read, filter: F): SQL | undefined
  /** The members of a filter that an index serves, in the list's order, when nothing else is asked for. */
  readonly indexed?: readonly string[]
  /** The members of a filter that name rows of other tables. */
  readonly names?: Readonly<Record<string, Naming>>
  /** Whether no index has its rows in their order, so that a page is found by going through all of them. */
  readonly isSought?: boolean
}

/** A list of any table and filter. */
export type AnyList = List<PgTable, object>

/** What part of a list is asked for; without `first` it is the whole, up to `most` rows. */
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
  const condition = and(list.matching(read, filter), place && isAfter(list.order(table), place))
  const { where, isHeavy } = guarded(read, condition, extentOf(read, list, filter, window))
  const order = sql.join([...list.order(table)], sql.raw(', '))
  const rows = read.limit(window.first ?? window.most + 1)
  const statement = sql`select ${columnsOf(table)} from ${table}${where} order by ${order} limit ${rows}`
  const found = await rowsOf(table, await read.rows({ ...read.spelled(statement), isHeavy }))
  requireWhole(found.length, window)
  return found
}

const ROWS_AT_ONCE = 1_000

/** Very many rows are made some at a time, so that others have their turn. */
export async function rowsOf<T extends PgTable>(table: T, all: readonly unknown[][]): Promise<T['$inferSelect'][]> {
  const rows: T['$inferSelect'][] = []
  for (const [index, values] of all.entries()) {
    if (index > 0 && index % ROWS_AT_ONCE === 0) await nextTurn()
    rows.push(rowOf(table, values))
  }
  return rows
}

/** How much of a list is read for a part of it: where only a filter finds it, perhaps everything. */
export function extentOf<T extends PgTable, F>(
  { t }: Read,
  list: List<T, F>,
  filter: F,
  { first = Number.POSITIVE_INFINITY }: Pick<Window, 'first'>,
): Extent {
  return { table: list.table(t), rows: isServed(list, filter as object) ? first : Number.POSITIVE_INFINITY }
}

type Served = Pick<AnyList, 'indexed' | 'isSought'>

/** Whether an index has just the rows that a filter finds, in their order. */
export function isServed({ indexed = [], isSought = false }: Served, filter: object): boolean {
  const [given, ...more] = Object.entries(filter).filter(([, value]) => value != null)
  if (isSought || more.length > 0) return false
  if (!given) return true
  const [name, value] = given
  return indexed.some((one) => one === name) && (!Array.isArray(value) || value.length === 1)
}

/** A condition as a statement has it that reads this much, and whether that is heavy. */
export function guarded(read: Read, condition: SQL | undefined, extent: Extent): { where: SQL; isHeavy: boolean } {
  const guard = read.guard(extent)
  // The guard comes first: what stands behind it is only looked at in rows that passed.
  const whole = and(guard, condition)
  return { where: whole ? sql` where ${whole}` : sql.raw(''), isHeavy: guard !== undefined }
}

/** The place that a page begins after. */
export function placeAfter<T extends PgTable, F>(
  { t }: Read,
  list: List<T, F>,
  { after }: Pick<Window, 'after'>,
): readonly Key[] | undefined {
  return after === undefined ? undefined : readCursor(list.name, list.order(list.table(t)), after)
}

/** One row comparison on one ascending key, which an index answers with a search however deep the page. */
export function isAfter(order: readonly AnyPgColumn[], place: readonly unknown[]): SQL {
  const values = place.map((key) => sql`${key}`)
  return sql`(${sql.join([...order], sql`, `)}) > (${sql.join(values, sql`, `)})`
}

export function requireWhole(rows: number, { first, most }: Pick<Window, 'first' | 'most'>): void {
  if (first !== undefined || rows <= most) return
  throw new Fault('TOO_COMPLEX', `This list has more than ${most} rows. Ask for pages of it, with \`first\`.`)
}

const STEP_ROWS = 1_000

/** A list from its beginning to its end. */
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

/** The rows of a list with these ids, whether or not the list would show them. */
export async function byIds<T extends PgTable & { id: AnyPgColumn }, F>(
  read: Read,
  list: List<T, F>,
  ids: readonly string[],
): Promise<Map<string, T['$inferSelect']>> {
  const rows = await (ids.length > SEVERAL ? manyByIds(read, list.table(read.t), ids) : lookUpOf(list.table)(read, ids))
  return new Map(rows.map((row) => [String(row['id']), row]))
}

/** Ids whose statement is spelled out once; of more than these, spelling it takes no part of the time. */
const SEVERAL = 100

async function manyByIds<T extends PgTable & { id: AnyPgColumn }>(read: Read, table: T, ids: readonly string[]) {
  const { where, isHeavy } = guarded(read, read.among(table.id, ids), { table, rows: ids.length })
  return rowsOf(
    table,
    await read.rows({ ...read.spelled(sql`select ${columnsOf(table)} from ${table}${where}`), isHeavy }),
  )
}

type LookUp<T extends PgTable> = ReturnType<typeof rowsWith<T>>

const lookUps = new WeakMap<object, unknown>()

function lookUpOf<T extends PgTable & { id: AnyPgColumn }>(table: (t: Tables) => T): LookUp<T> {
  // Whatever is there was put there for this very table.
  const known = (lookUps.get(table) as LookUp<T> | undefined) ?? rowsWith(table, ({ id }) => id)
  lookUps.set(table, known)
  return known
}

export async function countOf<T extends PgTable, F>(read: Read, list: List<T, F>, filter: F): Promise<number> {
  const table = list.table(read.t)
  const { where, isHeavy } = guarded(read, list.matching(read, filter), { table, rows: Number.POSITIVE_INFINITY })
  const [row] = await read.rows({ ...read.spelled(sql`select count(*) from ${table}${where}`), isHeavy })
  return Number(row?.[0])
}

/** The same, but counting stops once there are more than `most`. */
export async function countUpTo<T extends PgTable, F>(
  read: Read,
  list: Pick<List<T, F>, 'table' | 'matching'>,
  filter: F,
  most: number,
): Promise<number> {
  const table = list.table(read.t)
  const { where, isHeavy } = guarded(read, list.matching(read, filter), { table, rows: Number.POSITIVE_INFINITY })
  const found = sql`select 1 from ${table}${where} limit ${read.limit(most + 1)}`
  const [row] = await read.rows({ ...read.spelled(sql`select count(*) from (${found}) found`), isHeavy })
  return Number(row?.[0])
}

/** The cursor of a row: the keys of its order. */
export function cursorOf<T extends PgTable, F>({ t }: Read, list: List<T, F>, row: T['$inferSelect']): string {
  return cursorAt(
    list,
    keyMembers(list, t).map((member) => row[member] as Key),
  )
}

const members = new WeakMap<AnyList['order'], readonly string[]>()

function keyMembers<T extends PgTable, F>(list: List<T, F>, t: Tables): readonly string[] {
  const known = members.get(list.order)
  if (known) return known
  const table = list.table(t)
  const columns = Object.entries<AnyColumn>(getTableColumns(table))
  const found = list.order(table).map((key) => columns.find(([, column]) => column === key)?.[0] ?? '')
  members.set(list.order, found)
  return found
}
