import { type AnyColumn, desc, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { cursorAt, hasNext, type Key, type List, requireWhole, rowsFor, type Window, within } from './page.js'
import type { Read } from './store.js'
import type { Tables } from './tables.js'

/** Builds the JSON of a row of this table. */
export type Entry = (read: Read, row: PgTable) => SQL

/** A page that the store has put into JSON itself. */
export interface ToldPage {
  /** The JSON of each row, with commas between, in UTF-8. */
  readonly entries: Buffer
  readonly hasNext: boolean
  readonly startCursor: string | null
  readonly endCursor: string | null
}

/** Tells the same pages as `pageOf`, each row as the JSON that is built of it. */
export function pageTeller<T extends PgTable, F>(list: List<T, F>, entry: Entry) {
  const tellPart = partTeller(list, entry)
  const tellWhole = wholeTeller(list, entry)
  return async (read: Read, filter: F, window: Window): Promise<ToldPage> => {
    const where = conditional(await within(read, list, filter, window))
    return window.first === undefined ? tellWhole(read, where, window) : tellPart(read, where, window)
  }
}

type TellRows = (read: Read, where: SQL, window: Window) => Promise<ToldPage>

/** The JSON of a row, as a column. */
const ENTRY = sql.raw('entry')

/** With each row's place comes how long its JSON is, so that the one row too many can be cut off again. */
function partTeller<T extends PgTable, F>(list: List<T, F>, entry: Entry): TellRows {
  const spelled = oncePerEngine((read) => {
    const { json, settled } = read
    const table = list.table(read.t)
    const order = list.order(table)
    const keys = order.map((_, index) => sql.raw(`key${index}`))
    const columns = order.map((column, index) => sql`${column} as ${keys[index]}`)
    const places = json.array([sql`octet_length(${ENTRY})`, ...keys])
    const rows = sql`select ${entry(read, table)} as ${ENTRY}, ${listed(columns)} from ${table}`
    return {
      beginning: settled(sql`select ${json.joinedBytes(ENTRY)}, ${json.joined(places)} from (${rows}`),
      end: settled(sql` order by ${listed(order)} limit `),
    }
  })
  return async (read, where, window) => {
    const { beginning, end } = spelled(read)
    const [row] = await read.rows(sql`${beginning}${where}${end}${rowsFor(window)}) page`)
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
}

/** Of a whole list only the first and the last place matter, and an index has both at hand. */
function wholeTeller<T extends PgTable, F>(list: List<T, F>, entry: Entry): TellRows {
  const spelled = oncePerEngine((read) => {
    const { json, settled } = read
    const table = list.table(read.t)
    const order = list.order(table)
    const place = sql`(select ${json.array(order)} from ${table}`
    const rows = sql`select ${entry(read, table)} as ${ENTRY} from ${table}`
    return {
      beginning: settled(sql`select ${json.joinedBytes(ENTRY)}, count(*), ${place}`),
      afterFirst: settled(sql` order by ${listed(order)} limit 1), ${place}`),
      afterLast: settled(sql` order by ${listed(order.map((key) => desc(key)))} limit 1) from (${rows}`),
      end: settled(sql` order by ${listed(order)} limit `),
    }
  })
  return async (read, where, window) => {
    const { beginning, afterFirst, afterLast, end } = spelled(read)
    const places = sql`${beginning}${where}${afterFirst}${where}${afterLast}`
    const [row] = await read.rows(sql`${places}${where}${end}${rowsFor(window)}) page`)
    requireWhole(Number(row?.[1]), window)
    const cursor = (found: unknown) => (typeof found === 'string' ? cursorAt(list, JSON.parse(found)) : null)
    return {
      entries: bytesOf(row?.[0]),
      hasNext: false,
      startCursor: cursor(row?.[2]),
      endCursor: cursor(row?.[3]),
    }
  }
}

/** Tells the JSON of the one row that meets a condition; undefined when there is none. */
export function oneTeller(table: (t: Tables) => PgTable, entry: Entry) {
  const spelled = oncePerEngine((read) => {
    const row = table(read.t)
    return read.settled(sql`select ${entry(read, row)} from ${row}`)
  })
  return async (read: Read, condition: SQL | undefined): Promise<Buffer | undefined> => {
    const [row] = await read.rows(sql`${spelled(read)}${conditional(condition)} limit 1`)
    return row && bytesOf(row[0])
  }
}

/** What is the same in every statement is spelled out once: building it takes longer than looking a row up. */
function oncePerEngine<V>(spell: (read: Read) => V): (read: Read) => V {
  const known = new WeakMap<Tables, V>()
  return (read) => {
    const spelled = known.get(read.t) ?? spell(read)
    known.set(read.t, spelled)
    return spelled
  }
}

const unconditional = sql.raw('')

function conditional(condition: SQL | undefined): SQL {
  return condition ? sql` where ${condition}` : unconditional
}

function bytesOf(value: unknown): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.from(String(value ?? ''))
}

function listed(parts: readonly (AnyColumn | SQL)[]): SQL {
  return sql.join([...parts], sql.raw(', '))
}
