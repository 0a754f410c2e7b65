import { getTableColumns, getTableName, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Read } from '../store.js'
import type { Tables } from '../tables.js'

/** Caches by engine, for SQL text that never changes: compiling it takes longer than the look-up itself. */
export function oncePerEngine<V>(build: (read: Read) => V): (read: Read) => V {
  const known = new WeakMap<Tables, V>()
  return (read) => {
    const compiled = known.get(read.t) ?? build(read)
    known.set(read.t, compiled)
    return compiled
  }
}

/**
 * A prepared look-up: SQL text that differs only in the keys. `build` names the column to match, and must add no other
 * parameter.
 */
function preparedLookup(build: (read: Read, among: (column: AnyPgColumn) => SQL) => SQL) {
  const texts = oncePerEngine((read) => {
    const textFor = (keys: readonly string[]) => read.compile(build(read, (column) => read.among(column, keys))).text
    return { one: textFor(['']), several: textFor([]) }
  })
  return (read: Read, keys: readonly string[]): Promise<unknown[][]> => {
    const { one, several } = texts(read)
    const { values } = read.compile(read.among(sql.raw('key'), keys))
    return read.rows({ text: keys.length === 1 ? one : several, values, hasStablePlan: true })
  }
}

/** Looks up whole rows by the keys in one column. */
export function rowsWith<T extends PgTable>(table: (t: Tables) => T, column: (table: T) => AnyPgColumn) {
  const lookUp = preparedLookup((read, among) => {
    const from = table(read.t)
    return sql`select ${columnsOf(from)} from ${from} where ${among(column(from))}`
  })
  return async (read: Read, keys: readonly string[]): Promise<T['$inferSelect'][]> => {
    const rows = await lookUp(read, keys)
    return rows.map((values) => rowOf(table(read.t), values))
  }
}

/** All columns of a table in the order that `rowOf` expects. */
export function columnsOf(table: PgTable): SQL {
  return sql.join(Object.values(getTableColumns(table)), sql.raw(', '))
}

/** The rows of several conditions under the table's own name; both engines merge the indexes that serve them. */
export function unionOf(table: PgTable, conditions: readonly (SQL | undefined)[]): SQL {
  const parts = conditions.map((one) => sql`select ${columnsOf(table)} from ${table} where ${one}`)
  return sql`(${sql.join(parts, sql.raw(' union all '))}) ${sql.identifier(getTableName(table))}`
}

/** Builds a row from its column values. */
export function rowOf<T extends PgTable>(table: T, values: readonly unknown[]): T['$inferSelect'] {
  const names = namesOf(table)
  const row: Record<string, unknown> = {}
  for (let i = 0; i < names.length; i++) row[names[i] ?? ''] = values[i]
  // Columns are texts and numbers, so driver values need no conversion.
  return row as T['$inferSelect']
}

const names = new WeakMap<PgTable, readonly string[]>()

function namesOf(table: PgTable): readonly string[] {
  const known = names.get(table) ?? Object.keys(getTableColumns(table))
  names.set(table, known)
  return known
}
