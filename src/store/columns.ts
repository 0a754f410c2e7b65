import { type AnyColumn, type SQL, sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'
import { literal } from './literals.js'

/** Compared and ordered byte by byte, as SQLite does it, whatever collation the database was made with. */
function collated<Text extends string>(name: string) {
  return pg.customType<{ data: Text; driverData: string }>({ dataType: () => 'text collate "C"' })(name)
}

/**
 * The words in which tables.ts describes the data model, spelled for each engine.
 * Times and days are ISO text in both, so that order, equality and answers never depend on a driver.
 */
export const postgresColumns = {
  table: pg.pgTable,
  text: (name: string) => collated<string>(name),
  // A CHECK holds the values; here they are for the types alone.
  oneOf: <const V extends readonly [string, ...string[]]>(name: string, _values: V) => collated<V[number]>(name),
  integer: (name: string) => pg.integer(name),
  /** A number that goes on rising for as long as the store lives. */
  counter: (name: string) => pg.bigint(name, { mode: 'number' }),
  /** A primary key that the engine counts up by itself. */
  sequence: (name: string) => pg.bigserial(name, { mode: 'number' }).primaryKey(),
  index: pg.index,
  uniqueIndex: pg.uniqueIndex,
  primaryKey: pg.primaryKey,
  check: pg.check,
}

export type Columns = typeof postgresColumns

const sqliteSpelling = {
  table: sqlite.sqliteTable,
  text: (name: string) => sqlite.text(name),
  oneOf: (name: string, values: readonly [string, ...string[]]) => sqlite.text(name, { enum: [...values] }),
  integer: (name: string) => sqlite.integer(name),
  counter: (name: string) => sqlite.integer(name),
  sequence: (name: string) => sqlite.integer(name).primaryKey(),
  index: sqlite.index,
  uniqueIndex: sqlite.uniqueIndex,
  primaryKey: sqlite.primaryKey,
  check: sqlite.check,
}

// The one cast: both spellings have the same words, and queries are typed against PostgreSQL's alone.
export const sqliteColumns = sqliteSpelling as unknown as Columns

/** `column in (...)` for a CHECK, spelled out: SQLite would build a table of the values for every row. */
export function isAmong(column: AnyColumn, values: readonly (number | string)[]): SQL {
  const cases = values.map((value) => sql`${column} = ${literal(value)}`)
  return sql`(${sql.join(cases, sql` or `)})`
}
