import { getTableColumns, getTableName, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Fault } from '../../errors.js'
import type { CompiledSql, Extent, Read } from '../store.js'
import { bytesOf } from './jsonPage.js'
import { columnsOf } from './lookups.js'
import type { Naming } from './names.js'
import { rowsOf } from './page.js'

/** A list of a view; its rows have their place in it. */
export type Positioned = PgTable & { readonly position: AnyPgColumn }

/** An object that SQL derives from many rows: one row and lists beside it, each a WITH clause of one statement. */
export interface View<A> {
  readonly row: PgTable
  /** By the name of their field. */
  readonly lists: Readonly<Record<string, Positioned>>
  /** The members of the filter that name rows of other tables. */
  readonly names: Readonly<Record<string, Naming>>
  /** Throws a Fault for arguments that do not fit together. */
  check(args: A): void
  /** Whether the arguments bound its lists, so that none is too long. */
  isBounded?(args: A): boolean
  /** The rows that it may read, with the alias that takes the guard. */
  extent(read: Read): Extent
  /** The WITH clause; a list has at most one row more than `most`. */
  tables(read: Read, args: A, how: ViewLimits): SQL
  /** The length of its lists, computed from its row, and the Fault if that is more than `most`. */
  readonly size: SQL
  tooMany(most: number): Fault
}
export type AnyView = View<never>

interface ViewLimits {
  readonly guard: SQL | undefined
  readonly most: number
}

/** A question to a view, with coerced arguments. */
export interface ViewRequest {
  readonly view: AnyView
  readonly args: object
  readonly most: number
}

/** What a statement selects from the tables of a view, and how much it reads. */
interface Selected {
  readonly selected: SQL
  readonly from: SQL
  readonly extent: Extent
}

/** The statement that selects from the tables of a view; its first column is their size. */
export function viewStatement(
  read: Read,
  { view, args, most }: ViewRequest,
  { selected, from, extent }: Selected,
): CompiledSql {
  const guard = read.guard(extent)
  // The field that declares a view coerces its arguments.
  const tables = view.tables(read, args as never, { guard, most })
  const size = sql`(select ${view.size} from ${view.row})`
  const statement = read.compile(sql`${tables} select ${size}, ${selected} from ${from}`)
  return { ...statement, isHeavy: guard !== undefined, weight: read.weigh(extent) }
}

/** Refuses lists that are cut; `rows` are those of a statement of the view. */
export function requireComplete({ view, args, most }: ViewRequest, rows: readonly unknown[][]): void {
  if (Number(rows[0]?.[0] ?? 0) > most && !view.isBounded?.(args as never)) throw view.tooMany(most)
}

/** The row of a view with its lists, by one statement: each takes as long as all that the view is derived from. */
export async function viewRow(read: Read, request: ViewRequest): Promise<object> {
  const { view } = request
  const lists = Object.entries(view.lists)
  const texts = [rowTexts(read, view.row), ...lists.map(([, table]) => rowTexts(read, table))]
  const selected = sql.join(texts, sql.raw(', '))
  const [found = []] = await read.rows(
    viewStatement(read, request, { selected, from: sql`(select 1) one`, extent: view.extent(read) }),
  )
  requireComplete(request, [found])
  const [row] = await rowsOf(view.row, parsed(found[1]))
  const rows: Record<string, object[]> = {}
  for (const [index, [name, table]] of lists.entries()) rows[name] = await rowsOf(table, parsed(found[2 + index]))
  return { ...row, ...rows }
}

/** All rows of a table in order, each a line of JSON. */
function rowTexts({ json }: Read, table: PgTable | Positioned): SQL {
  const ordered = 'position' in table ? sql` order by ${table.position}` : sql.raw('')
  const rows = sql`(select ${columnsOf(table)} from ${table}${ordered}) ${sql.identifier(getTableName(table))}`
  return sql`(select ${json.entries(json.array(Object.values(getTableColumns(table))), '\n')} from ${rows})`
}

function* parsed(lines: unknown): Iterable<unknown[]> {
  const text = bytesOf(lines).toString()
  // An empty text has no line.
  if (text) for (const line of text.split('\n')) yield JSON.parse(line)
}
