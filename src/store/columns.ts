import { type SQL, sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'

/**
 * The words in which tables.ts describes the data model, spelled for each engine.
 * Times and days are ISO text in both, so that order, equality and answers never depend on a driver.
 */
const postgresColumns = {
  table: pg.pgTable,
  text: (name: string) => pg.text(name),
  oneOf: <const V extends readonly [string, ...string[]]>(name: string, values: V) =>
    pg.text(name, { enum: [...values] as unknown as [...V] }),
  integer: (name: string) => pg.integer(name),
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
  index: sqlite.index,
  uniqueIndex: sqlite.uniqueIndex,
  primaryKey: sqlite.primaryKey,
  check: sqlite.check,
}

// The one cast: both spellings have the same words, and queries are typed against PostgreSQL's alone.
export const sqliteColumns = sqliteSpelling as unknown as Columns

/** Our own constants as SQL literals: inside a CHECK a `${value}` would become a bind parameter. */
export function literals(values: readonly string[]): SQL {
  return sql.raw(values.map((value) => `'${value}'`).join(', '))
}

export function literal(value: number): SQL {
  return sql.raw(String(value))
}
