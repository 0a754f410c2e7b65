import { aliasedTable, and, getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Extent, Read } from '../store.js'
import type { Tables } from '../tables.js'
import { type Cut, conditional, JsonPage, pageFacts, readFacts, type Source } from './jsonPage.js'
import { rowOf } from './lookups.js'
import { guarded, isServed, type List } from './page.js'

export type Identified = PgTable & { id: AnyPgColumn }

/** A field that SQL computes from its row. */
export interface Computed<T extends Identified> {
  of(t: Tables): T
  value(read: Read, row: T): SQL
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
    isServed: isServed(list, filter),
  }
}

/** How much each row reads from other tables. */
type Weight = Pick<Extent, 'perRow' | 'isCounting' | 'counted'>

/** Evaluates an expression over the rows of a table with these ids, in one statement. */
async function valuesOf(
  read: Read,
  table: PgTable,
  ids: readonly string[],
  value: (row: PgTable) => SQL,
  weight: Weight = {},
): Promise<Map<string, unknown>> {
  const row = aliasedTable(table, 'r')
  const { id } = row as Identified
  const { where, isHeavy } = guarded(read, read.among(id, ids), { table, row, rows: ids.length, ...weight })
  const statement = read.compile(sql`select ${id}, ${value(row)} from ${table} ${sql.identifier('r')}${where}`)
  const rows = await read.rows({ ...statement, isHeavy })
  return new Map(rows.map(([key, found]) => [String(key), found]))
}

/** The value of a computed field for each of these rows. */
export function computedOf(read: Read, { of, value, isCount, counted }: AnyComputed, ids: readonly string[]) {
  return valuesOf(read, of(read.t), ids, (row) => value(read, row as Identified), {
    isCounting: isCount ?? false,
    counted: counted ? [counted(read.t)] : [],
  })
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

/** All related rows of each of these rows. */
export async function relatedRows<P extends Identified, R extends PgTable, F>(
  read: Read,
  relation: Relation<P, R, F>,
  ids: readonly string[],
  pause?: Pause,
): Promise<Map<string, R['$inferSelect'][]>> {
  const any = relation as AnyRelation
  const items = (row: PgTable) => relatedItems(read, any, row, 'related', (related) => columnsAsJson(read, related))
  const found = await valuesOf(read, relation.of(read.t), ids, items, { perRow: HANDFUL })
  return mapped(found, (json) => rowsIn(relation.list.table(read.t), json), pause)
}

/** The assumed number of related rows where a relation has no pages. */
export const HANDFUL = 5

/** A page of the related rows of each of these rows. */
export async function relatedPages<P extends Identified, R extends PgTable, F>(
  read: Read,
  relation: Relation<P, R, F>,
  ids: readonly string[],
  pageRequest: PageRequest<F>,
  pause?: Pause,
): Promise<Map<string, R['$inferSelect'][]>> {
  const pageAsJson = (page: JsonPage) =>
    sql`${page.prefix}select ${read.json.items(columnsAsJson(read, page.row))} from ${page.rows}`
  const found = await ofPages(read, relation as AnyRelation, ids, pageRequest as PageRequest<object>, pageAsJson)
  return mapped(found, (json) => rowsIn(relation.list.table(read.t), json), pause)
}

/** The pageInfo of such pages. */
export async function relatedFacts(
  read: Read,
  relation: AnyRelation,
  ids: readonly string[],
  pageRequest: PageRequest<object>,
  pause?: Pause,
) {
  return mapped(await ofPages(read, relation, ids, pageRequest, (page) => pageFacts(read, page)), readFacts, pause)
}

/** The total number of related rows of each of these rows. */
export async function relatedCounts(
  read: Read,
  relation: AnyRelation,
  ids: readonly string[],
  pageRequest: PageRequest<object>,
) {
  return mapped(await ofPages(read, relation, ids, pageRequest, (page) => sql`select ${page.totalCount}`, true), Number)
}

interface PageRequest<F> extends Cut {
  readonly filter: F
}

function ofPages(
  read: Read,
  relation: AnyRelation,
  ids: readonly string[],
  pageRequest: PageRequest<object>,
  value: (page: JsonPage) => SQL,
  isCounting = !isServed(relation.list, pageRequest.filter),
) {
  const build = (row: PgTable) =>
    sql`(${value(new JsonPage(read, relatedSource(read, relation, row, pageRequest.filter), pageRequest, 'related'))})`
  return valuesOf(read, relation.of(read.t), ids, build, { perRow: pageRequest.first ?? 1, isCounting })
}

/** All columns as a JSON array, from which `rowsIn` rebuilds the rows. */
function columnsAsJson(read: Read, table: PgTable): SQL {
  return read.json.array(Object.values(getTableColumns(table)))
}

function rowsIn<T extends PgTable>(table: T, json: unknown): T['$inferSelect'][] {
  return (JSON.parse(String(json)) as unknown[][]).map((values) => rowOf(table, values))
}

/** Yields to the event loop while much JSON is parsed. */
type Pause = () => Promise<void>

/** Characters parsed between two pauses: a page may have a thousand rows, or none. */
const STEP = 50_000

async function mapped<V>(
  found: ReadonlyMap<string, unknown>,
  read: (value: unknown) => V,
  pause?: Pause,
): Promise<Map<string, V>> {
  const all = new Map<string, V>()
  let parsed = 0
  for (const [id, value] of found) {
    all.set(id, read(value))
    parsed += String(value).length
    if (!pause || parsed < STEP) continue
    parsed = 0
    await pause()
  }
  return all
}
