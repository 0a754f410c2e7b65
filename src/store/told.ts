import { type AnyColumn, and, desc, fillPlaceholders, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { LIMITS } from '../limits.js'
import type { Separator } from './json.js'
import { oncePerEngine } from './keyed.js'
import {
  cursorAt,
  extentOf,
  guarded,
  hasNext,
  type Key,
  type List,
  placeAfter,
  requireWhole,
  rowsFor,
  type Window,
  within,
} from './page.js'
import type { Extent, Read, Spelled } from './store.js'
import type { Tables } from './tables.js'

/** Builds the JSON of a row of this table. */
export type Entry = (read: Read, row: PgTable) => SQL

/** A page that the store has put into JSON itself. */
export interface ToldPage {
  /** The JSON of each row, with what was asked for between, in UTF-8. */
  readonly entries: Buffer
  readonly hasNext: boolean
  readonly startCursor: () => string | null
  readonly endCursor: () => string | null
}

/** What a row takes besides itself. */
export type Weight = Pick<Extent, 'perRow' | 'isCounting'>

/** How each row of a list becomes JSON. */
export interface Entries extends Weight {
  readonly entry: Entry
  readonly separator: Separator
}

type TellPage<F> = (read: Read, filter: F, window: Window) => Promise<ToldPage>

/** Tells the same pages as `pageOf`, each row as the JSON that is built of it. */
export function pageTeller<T extends PgTable, F>(list: List<T, F>, entries: Entries): TellPage<F> {
  const tellPart = partTeller(list, entries)
  const tellWhole = wholeTeller(list, entries)
  return (read, filter, window) => (window.first === undefined ? tellWhole : tellPart)(read, filter, window)
}

/** The JSON of a row, as a column. */
const ENTRY = sql.raw('entry')

/** With each row's place comes how long its JSON is, so that the one row too many can be cut off again. */
function partTeller<T extends PgTable, F>(list: List<T, F>, { entry, separator, ...weight }: Entries): TellPage<F> {
  const spelled = oncePerEngine((read) => {
    const { json } = read
    const table = list.table(read.t)
    const order = list.order(table)
    const keys = order.map((_, index) => sql.raw(`key${index}`))
    const columns = order.map((column, index) => sql`${column} as ${keys[index]}`)
    const places = json.array([sql`octet_length(${ENTRY})`, ...keys])
    const rows = sql`select ${entry(read, table)} as ${ENTRY}, ${listed(columns)} from ${table}`
    return {
      beginning: settled(
        read,
        sql`select count(*), ${json.entries(ENTRY, separator)}, ${json.lines(places)} from (${rows}`,
      ),
      end: settled(read, sql` order by ${listed(order)} limit `),
    }
  })
  const statementFor = statements(list, weight, (read, where, rows) => {
    const { beginning, end } = spelled(read)
    return sql`${beginning}${where}${end}${read.limit(rows)}) page`
  })
  return async (read, filter, window) => {
    const [row] = await read.rows(statementFor(read, filter, window))
    const [count, entries, lines] = [Number(row?.[0]), bytesOf(row?.[1]), String(row?.[2] ?? '')]
    const isCut = hasNext(count, window)
    const end = isCut ? lines.lastIndexOf('\n') : lines.length
    const [surplus = 0] = isCut ? (JSON.parse(lines.slice(end)) as [bytes: number, ...Key[]]) : []
    const cursor = (line: string) => (line === '' ? null : cursorAt(list, JSON.parse(line).slice(1)))
    return {
      entries: isCut ? entries.subarray(0, entries.length - surplus - separator.length) : entries,
      hasNext: isCut,
      startCursor: () => cursor(lines.split('\n', 1)[0] ?? ''),
      endCursor: () => cursor(lines.slice(lines.lastIndexOf('\n', end - 1) + 1, end)),
    }
  }
}

/** Of a whole list only the first and the last place matter, and an index has both at hand. */
function wholeTeller<T extends PgTable, F>(list: List<T, F>, { entry, separator, ...weight }: Entries): TellPage<F> {
  const spelled = oncePerEngine((read) => {
    const { json } = read
    const table = list.table(read.t)
    const order = list.order(table)
    const place = sql`(select ${json.array(order)} from ${table}`
    const rows = sql`select ${entry(read, table)} as ${ENTRY} from ${table}`
    return {
      beginning: settled(read, sql`select count(*), ${json.entries(ENTRY, separator)}, ${place}`),
      afterFirst: settled(read, sql` order by ${listed(order)} limit 1), ${place}`),
      afterLast: settled(read, sql` order by ${listed(order.map((key) => desc(key)))} limit 1) from (${rows}`),
      end: settled(read, sql` order by ${listed(order)} limit `),
    }
  })
  return async (read, filter, window) => {
    const { beginning, afterFirst, afterLast, end } = spelled(read)
    const extent = { ...extentOf(read, list, filter, window), ...weight }
    const { where, isHeavy } = guarded(read, within(read, list, filter, window), extent)
    const statement = sql`${beginning}${where}${afterFirst}${where}${afterLast}${where}${end}${read.limit(rowsFor(window))}) page`
    const [row] = await read.rows({ ...read.spelled(statement), isHeavy })
    requireWhole(Number(row?.[0]), window)
    const cursor = (place: unknown) => (typeof place === 'string' ? cursorAt(list, JSON.parse(place)) : null)
    return {
      entries: bytesOf(row?.[1]),
      hasNext: false,
      startCursor: () => cursor(row?.[2]),
      endCursor: () => cursor(row?.[3]),
    }
  }
}

/** Of all lists and entries together: callers choose both what is told and the filters, each without end. */
const STATEMENTS_KEPT = 1_000

/** A statement, and the values before and behind the place that a page begins after. */
interface Kept {
  readonly text: string
  readonly before: readonly unknown[]
  readonly behind: readonly unknown[]
}

const keptOn = oncePerEngine(() => new Map<string, Kept>())
let tellersMade = 0

/** Spells out the statement of a page, once for each filter and size: such pages differ only in their place. */
function statements<T extends PgTable, F>(
  list: List<T, F>,
  weight: Weight,
  build: (read: Read, where: SQL, rows: number) => SQL,
) {
  const teller = tellersMade++
  return (read: Read, filter: F, window: Window): Spelled => {
    const place = placeAfter(read, list, window)
    const rows = rowsFor(window)
    const kept = keptOn(read)
    const asked = JSON.stringify(filter)
    const extent = { ...extentOf(read, list, filter, window), ...weight }
    const guard = read.guard(extent)
    const isHeavy = guard !== undefined
    const key = `${teller} ${rows} ${place ? 'after' : 'from'} ${isHeavy ? 'guarded' : 'bare'} ${asked}`
    // Which index serves a filter best depends on how rare its values are, so those are planned for each time.
    const isSteady = asked === '{}'
    const known = kept.get(key)
    if (known)
      return { text: known.text, values: [...known.before, ...(place ?? []), ...known.behind], isSteady, isHeavy }
    const spelled = read.spelled(build(read, conditional(and(guard, within(read, list, filter, window))), rows))
    if (key.length + spelled.text.length <= LIMITS.storeKeptCharacters) {
      if (kept.size >= STATEMENTS_KEPT) kept.clear()
      const behind = read.spelled(read.limit(rows)).values
      const before = spelled.values.slice(0, spelled.values.length - behind.length - (place?.length ?? 0))
      kept.set(key, { text: spelled.text, before, behind })
    }
    return { ...spelled, isSteady, isHeavy }
  }
}

/** Tells the JSON of the one row that a condition with placeholders finds; undefined when there is none. */
export function oneTeller(table: (t: Tables) => PgTable, entry: Entry, condition: (t: Tables) => SQL | undefined) {
  const spelled = oncePerEngine((read) => {
    const row = table(read.t)
    const beginning = settled(read, sql`select ${entry(read, row)} from ${row}`)
    return read.spelled(sql`${beginning}${conditional(condition(read.t))} limit 1`)
  })
  return async (read: Read, given: Readonly<Record<string, string>>): Promise<Buffer | undefined> => {
    const { text, values } = spelled(read)
    const [row] = await read.rows({ text, values: fillPlaceholders([...values], given), isSteady: true })
    return row && bytesOf(row[0])
  }
}

/** The same part spelled out, with its parameters put into it: they are our own, and the same for everyone. */
function settled(read: Read, part: SQL): SQL {
  return sql.raw(read.spelled(part.inlineParams()).text)
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
