import { type AnyColumn, desc, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import { cursorAt, hasNext, type Key, type List, requireWhole, rowsFor, type Window, within } from './page.js'
import type { Read } from './store.js'

/** A page that the store has put into JSON itself. */
export interface ToldPage {
  /** The JSON of each row, with commas between, in UTF-8. */
  readonly entries: Buffer
  readonly hasNext: boolean
  readonly startCursor: string | null
  readonly endCursor: string | null
}

/** The same page as `pageOf`, each row as the JSON that `entry` builds of it. */
export async function tellPage<T extends PgTable, F>(
  read: Read,
  list: List<T, F>,
  filter: F,
  window: Window,
  entry: SQL,
): Promise<ToldPage> {
  const condition = await within(read, list, filter, window)
  const where = condition ? sql` where ${condition}` : sql``
  return window.first === undefined
    ? tellWhole(read, list, where, window, entry)
    : tellPart(read, list, where, window, entry)
}

const ENTRY = sql.raw('entry')

/** With each row's place comes how long its JSON is, so that the one row too many can be cut off again. */
async function tellPart<T extends PgTable, F>(
  read: Read,
  list: List<T, F>,
  where: SQL,
  window: Window,
  entry: SQL,
): Promise<ToldPage> {
  const table = list.table(read.t)
  const order = list.order(table)
  const keys = order.map((_, index) => sql.raw(`key${index}`))
  const selected = order.map((column, index) => sql`${column} as ${keys[index]}`)
  const places = read.json.array([sql`octet_length(${ENTRY})`, ...keys])
  const [row] = await read.rows(
    sql`select ${read.json.joinedBytes(ENTRY)}, ${read.json.joined(places)} from (select ${entry} as ${ENTRY}, ${listed(
      selected,
    )} from ${table}${where} order by ${listed(order)} limit ${rowsFor(window)}) page`,
  )
  const told: (readonly [bytes: number, ...place: Key[]])[] = JSON.parse(`[${row?.[1] ?? ''}]`)
  const isCut = hasNext(told.length, window)
  const surplus = isCut ? (told.pop()?.[0] ?? 0) + ','.length : 0
  const cursor = (found: (typeof told)[number] | undefined) => (found ? cursorAt(list, found.slice(1)) : null)
  const entries = bytesOf(row?.[0])
  return {
    entries: entries.subarray(0, entries.length - surplus),
    hasNext: isCut,
    startCursor: cursor(told.at(0)),
    endCursor: cursor(told.at(-1)),
  }
}

/** Of a whole list only the first and the last place matter, and an index has both at hand. */
async function tellWhole<T extends PgTable, F>(
  read: Read,
  list: List<T, F>,
  where: SQL,
  window: Window,
  entry: SQL,
): Promise<ToldPage> {
  const table = list.table(read.t)
  const order = list.order(table)
  const place = (by: readonly (AnyColumn | SQL)[]) =>
    sql`(select ${read.json.array(order)} from ${table}${where} order by ${listed(by)} limit 1)`
  const [row] = await read.rows(
    sql`select ${read.json.joinedBytes(ENTRY)}, count(*), ${place(order)}, ${place(order.map((key) => desc(key)))}
      from (select ${entry} as ${ENTRY} from ${table}${where} order by ${listed(order)} limit ${rowsFor(window)}) page`,
  )
  requireWhole(Number(row?.[1]), window)
  const cursor = (found: unknown) => (typeof found === 'string' ? cursorAt(list, JSON.parse(found)) : null)
  return {
    entries: bytesOf(row?.[0]),
    hasNext: false,
    startCursor: cursor(row?.[2]),
    endCursor: cursor(row?.[3]),
  }
}

/** The JSON that `entry` builds of the one row that fits; undefined when there is none. */
export async function tellOne(
  read: Read,
  table: PgTable,
  condition: SQL | undefined,
  entry: SQL,
): Promise<Buffer | undefined> {
  const where = condition ? sql` where ${condition}` : sql``
  const [row] = await read.rows(sql`select ${entry} from ${table}${where} limit 1`)
  return row && bytesOf(row[0])
}

function bytesOf(value: unknown): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.from(String(value ?? ''))
}

function listed(parts: readonly (AnyPgColumn | AnyColumn | SQL)[]): SQL {
  return sql.join([...parts], sql.raw(', '))
}
