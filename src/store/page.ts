import { setImmediate as nextTurn } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { type AnyColumn, and, desc, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import { badArgument, Fault } from '../errors.js'
import { columnsOf, rowOf, rowsWith } from './keyed.js'
import type { Extent, Read } from './store.js'
import type { Tables } from './tables.js'

export type Key = string | number

/** A list as its noun declares it: what it holds, in which fixed and total order, and what a filter means. */
export interface List<T extends PgTable, F> {
  /** The name that its cursors carry. */
  readonly name: string
  readonly table: (t: Tables) => T
  readonly order: (table: T) => readonly AnyPgColumn[]
  /** A row's place in that order. */
  readonly place: (row: T['$inferSelect']) => readonly Key[]
  readonly matching: (read: Read, filter: F) => SQL | undefined
  /** What the list belongs to, where it is a part of a larger one of the same name. */
  readonly of?: string
  /** The members of a filter that an index serves, in the list's order, when nothing else is asked for. */
  readonly indexed?: readonly string[]
  /** Whether no index has its rows in their order, so that a page is found by going through all of them. */
  readonly isSought?: boolean
}

/** What part of a list is asked for; without `first` it is the whole, up to `most` rows. */
export interface Window {
  readonly first: number | undefined
  readonly after: string | undefined
  readonly most: number
}

export interface Page<Row> {
  readonly rows: readonly Row[]
  readonly hasNext: boolean
}

export async function pageOf<T extends PgTable, F>(
  read: Read,
  list: List<T, F>,
  filter: F,
  window: Window,
): Promise<Page<T['$inferSelect']>> {
  const table = list.table(read.t)
  const { where, isHeavy } = guarded(read, within(read, list, filter, window), extentOf(read, list, filter, window))
  const order = sql.join([...list.order(table)], sql.raw(', '))
  const statement = read.spelled(
    sql`select ${columnsOf(table)} from ${table}${where} order by ${order} limit ${read.limit(rowsFor(window))}`,
  )
  const rows = await rowsOf(table, await read.rows({ ...statement, isHeavy }))
  requireWhole(rows.length, window)
  return { rows: rows.slice(0, window.first), hasNext: hasNext(rows.length, window) }
}

const ROWS_AT_ONCE = 1_000

/** Very many rows are made some at a time, so that others have their turn. */
async function rowsOf<T extends PgTable>(table: T, all: readonly unknown[][]): Promise<T['$inferSelect'][]> {
  const rows: T['$inferSelect'][] = []
  for (const [index, values] of all.entries()) {
    if (index > 0 && index % ROWS_AT_ONCE === 0) await nextTurn()
    rows.push(rowOf(table, values))
  }
  return rows
}

/** The cursors of the first and the last row that a page without end would have. */
export async function endsOf<T extends PgTable, F>(
  read: Read,
  list: List<T, F>,
  filter: F,
  window: Window,
): Promise<{ readonly start: string | null; readonly end: string | null }> {
  const table = list.table(read.t)
  const order = list.order(table)
  const { where, isHeavy } = guarded(
    read,
    within(read, list, filter, window),
    extentOf(read, list, filter, { ...window, first: 1 }),
  )
  const cursorBy = async (by: readonly (AnyPgColumn | SQL)[]) => {
    const ordered = sql`order by ${sql.join([...by], sql.raw(', '))} limit 1`
    const [values] = await read.rows({
      ...read.spelled(sql`select ${columnsOf(table)} from ${table}${where} ${ordered}`),
      isHeavy,
    })
    return values ? cursorOf(list, rowOf(table, values)) : null
  }
  return { start: await cursorBy(order), end: await cursorBy(order.map((column) => desc(column))) }
}

/** How much of a list is read for a part of it: where only a filter finds it, perhaps everything. */
export function extentOf<T extends PgTable, F>(
  { t }: Read,
  list: List<T, F>,
  filter: F,
  { first = Number.POSITIVE_INFINITY }: Window,
): Extent {
  return { table: list.table(t), rows: isServed(list, filter as object) ? first : Number.POSITIVE_INFINITY }
}

type Served = Pick<List<PgTable, never>, 'indexed' | 'isSought'>

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

/** What the rows of a page have in common, but for how many there are. */
export function within<T extends PgTable, F>(read: Read, list: List<T, F>, filter: F, window: Window): SQL | undefined {
  const place = placeAfter(read, list, window)
  return and(list.matching(read, filter), place && isAfter(list.order(list.table(read.t)), place))
}

/** The place that a page begins after. */
export function placeAfter<T extends PgTable, F>(
  { t }: Read,
  { name, order, table }: List<T, F>,
  { after }: Window,
): readonly Key[] | undefined {
  return after === undefined ? undefined : readCursor(name, order(table(t)), after)
}

/** One row more than the page tells whether there is a next one. */
export function rowsFor({ first, most }: Window): number {
  return (first ?? most) + 1
}

export function hasNext(rows: number, { first }: Window): boolean {
  return first !== undefined && rows > first
}

export function requireWhole(rows: number, { first, most }: Window): void {
  if (first !== undefined || rows <= most) return
  throw new Fault(
    'TOO_COMPLEX',
    `This list has more than ${most} rows. Ask for pages of it: \`limit\` in REST, \`first\` in GraphQL.`,
  )
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
    const { rows, hasNext } = await pageOf(read, list, filter, { first: STEP_ROWS, after, most: STEP_ROWS })
    const last = rows.at(-1)
    if (last) yield rows
    if (!last || !hasNext) return
    after = cursorOf(list, last)
  }
}

/** The rows of a list with these ids, whether or not the list would show them. */
export async function byIds<T extends PgTable & { id: AnyPgColumn }, F>(
  read: Read,
  list: List<T, F>,
  ids: readonly string[],
): Promise<Map<string, T['$inferSelect']>> {
  const rows = await lookUpOf(list.table)(read, ids)
  return new Map(rows.map((row) => [String(row['id']), row]))
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
  const [row] = await countedRows(
    read,
    table,
    list.matching(read, filter),
    (where) => sql`select count(*) from ${table}${where}`,
  )
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

/** What a statement finds that goes through all rows of a table which meet a condition; those can be very many. */
export function countedRows(
  read: Read,
  table: PgTable,
  condition: SQL | undefined,
  build: (where: SQL) => SQL,
): Promise<unknown[][]> {
  const { where, isHeavy } = guarded(read, condition, { table, rows: Number.POSITIVE_INFINITY })
  return read.rows({ ...read.spelled(build(where)), isHeavy })
}

/** One row comparison on one ascending key, which an index answers with a search however deep the page. */
function isAfter(order: readonly AnyPgColumn[], place: readonly Key[]): SQL {
  const keys = sql.join([...order], sql`, `)
  const values = sql.join(
    place.map((key) => sql`${key}`),
    sql`, `,
  )
  return sql`(${keys}) > (${values})`
}

export function cursorOf<Row>(list: { name: string; place: (row: Row) => readonly Key[] }, row: Row): string {
  return cursorAt(list, list.place(row))
}

/** Opaque to callers: the list's name and a row's place, with a checksum against damage in transit. */
export function cursorAt({ name }: { name: string }, place: readonly Key[]): string {
  const text = JSON.stringify([name, ...place])
  return Buffer.from(`${checksum(text)}${text}`).toString('base64url')
}

const CHECKSUM_LENGTH = 8

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(CHECKSUM_LENGTH, '0')
}

function readCursor(list: string, columns: readonly AnyColumn[], cursor: string): Key[] {
  const bytes = Buffer.from(cursor, 'base64url')
  const decoded = bytes.toString()
  const text = decoded.slice(CHECKSUM_LENGTH)
  // Decoding passes over what is no base64, so the cursor must also be what we would have written.
  if (bytes.toString('base64url') === cursor && decoded.slice(0, CHECKSUM_LENGTH) === checksum(text)) {
    const [name, ...place] = parsed(text)
    const fits = columns.every(({ dataType }, index) =>
      dataType === 'number' ? Number.isSafeInteger(place[index]) : typeof place[index] === 'string',
    )
    if (name === list && place.length === columns.length && fits) return place as Key[]
  }
  throw badArgument('after', 'This cursor was not given out for this list. Use one from a page of the same list.')
}

// A checksum can be forged, so what follows it may still be anything.
function parsed(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}
