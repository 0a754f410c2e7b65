import { aliasedTable, and, getTableColumns, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import { type DetailTable, detail } from '../derivedRows.js'
import type { Extent, Read } from '../store.js'
import type { Tables } from '../tables.js'
import { conditional, type Source } from './jsonPage.js'
import { guarded, isIndexed, type List, memberColumn, rowOf } from './page.js'

export type Identified = PgTable & { id: AnyPgColumn }

export interface Computed<T extends Identified> {
  of(t: Tables): T
  /** `given` is the argument of its field, if that has one: without it the field is null. */
  value(read: Read, row: T, given?: SQLWrapper): SQL
  /** Whether it reads rows of other tables, possibly very many. */
  readonly isCount?: boolean
  /** A table that an index-only scan counts, each row for at most one row of this table. */
  counted?(t: Tables): PgTable
}
export type AnyComputed = Computed<Identified>

/** The rows of a list that belong to a row of another table. */
export interface Relation<P extends Identified, R extends PgTable, F> {
  of(t: Tables): P
  readonly list: List<R, F>
  /** The join table, if the two do not refer to each other. */
  through?(t: Tables): PgTable
  /** The expression that produces the rows, if they are in no table of their own. */
  from?(read: Read, row: P): SQL
  /** JSON of all related rows that the row itself has, with exactly these members in this order. */
  readonly stored?: { readonly members: readonly string[]; json(read: Read, row: P): SQL }
  /** The column that has the related rows as JSON, if the row itself has them. */
  readonly column?: string
  where(read: Read, row: P, related: R): SQL | undefined
}
export type AnyRelation = Relation<Identified, PgTable, object>

/** The FROM clause; the join table comes first, and SQLite keeps the order of a CROSS JOIN. */
function relatedFrom({ t }: Read, { list, through }: AnyRelation, related = sql`${list.table(t)}`): SQL {
  return through ? sql`${through(t)} cross join ${related}` : related
}

/** The related rows of a row, as the source of a page. */
export function relatedSource(
  read: Read,
  relation: AnyRelation,
  row: PgTable,
  filter: object,
  matching = relation.list.matching(read, filter),
): Source {
  const { list } = relation
  return {
    list,
    from: relatedFrom(read, relation),
    // `row` is always an alias of the relation's own table.
    condition: and(relation.where(read, row as Identified, list.table(read.t)), matching),
    isIndexed: isIndexed(list, filter),
  }
}

/** A JSON array built from the related rows of a row, in list order. */
export function relatedItems(
  read: Read,
  relation: AnyRelation,
  row: PgTable,
  name: string,
  build: (related: PgTable) => SQL,
): SQL {
  const { list } = relation
  const related = aliasedTable(list.table(read.t), name)
  const made = relation.from?.(read, row as Identified) ?? sql`${list.table(read.t)}`
  const from = relatedFrom(read, relation, sql`${made} ${sql.identifier(name)}`)
  const where = conditional(relation.where(read, row as Identified, related))
  return sql`(select ${read.json.list(build(related), list.order(related))} from ${from}${where})`
}

/** The assumed number of related rows where a relation has no pages. */
export const HANDFUL = 5

/** The details of an entity, which a column of its row has as JSON. */
export function detailsOf<T extends Identified>(of: (t: Tables) => T): Relation<T, DetailTable, object> {
  return {
    of,
    column: 'details',
    from: ({ json }, row) => json.details(memberColumn(row, 'details')),
    stored: { members: ['name', 'text'], json: ({ json }, row) => json.stored(memberColumn(row, 'details')) },
    list: { name: 'details', table: () => detail, order: ({ id }) => [id], matching: () => undefined },
    where: () => undefined,
  }
}

/** The value of an expression for each of these rows, in one statement. */
async function valuesOf(
  read: Read,
  table: PgTable,
  ids: readonly string[],
  value: (row: PgTable) => SQL,
  weight: Pick<Extent, 'perRow' | 'isCounting' | 'counted'>,
): Promise<Map<string, unknown>> {
  const row = aliasedTable(table, 'r')
  const { id } = row as Identified
  const { where, isHeavy } = guarded(read, read.among(id, ids), { table, row, rows: ids.length, ...weight })
  const statement = read.compile(sql`select ${id}, ${value(row)} from ${table} ${sql.identifier('r')}${where}`)
  const rows = await read.rows({ ...statement, isHeavy })
  return new Map(rows.map(([key, found]) => [String(key), found]))
}

export function computedValues(read: Read, { of, value, isCount, counted }: AnyComputed, ids: readonly string[]) {
  const weight = { isCounting: isCount ?? false, counted: counted ? [counted(read.t)] : [] }
  return valuesOf(read, of(read.t), ids, (row) => value(read, row as Identified), weight)
}

/** All related rows of each of these rows. */
export async function itemsOf<P extends Identified, R extends PgTable, F>(
  read: Read,
  relation: Relation<P, R, F>,
  ids: readonly string[],
): Promise<Map<string, R['$inferSelect'][]>> {
  const table = relation.list.table(read.t)
  const columns = (related: PgTable) => read.json.array(Object.values(getTableColumns(related)))
  const items = (row: PgTable) => relatedItems(read, relation as unknown as AnyRelation, row, 'related', columns)
  const found = await valuesOf(read, relation.of(read.t), ids, items, { perRow: HANDFUL })
  const rowsIn = (json: unknown) => (JSON.parse(String(json)) as unknown[][]).map((values) => rowOf(table, values))
  return new Map([...found].map(([id, json]) => [id, rowsIn(json)]))
}
