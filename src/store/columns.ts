import { type AnyColumn, type SQL, sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'
import { TEXT_MAX, type TextKind } from '../vocabulary.js'
import { literal } from './literals.js'

/** Byte-wise comparison and order, as in SQLite, independent of the database's default collation. */
function collated<Text extends string>(name: string) {
  return pg.customType<{ data: Text; driverData: string }>({ dataType: () => 'text collate "C"' })(name)
}

/** Times and days are ISO text in both engines, so that order, equality and results never depend on a driver. */
export const postgresColumns = {
  table: pg.pgTable,
  text: (name: string) => collated<string>(name),
  // For the TypeScript type only; a CHECK enforces the values.
  oneOf: <const V extends readonly [string, ...string[]]>(name: string, _values: V) => collated<V[number]>(name),
  integer: (name: string) => pg.integer(name),
  timestamps: () => ({
    createdAt: collated<string>('created_at').notNull(),
    updatedAt: collated<string>('updated_at').notNull(),
  }),
  /** A counter that only rises. */
  counter: (name: string) => pg.bigint(name, { mode: 'number' }),
  /** An auto-incremented primary key. */
  sequence: (name: string) => pg.bigserial(name, { mode: 'number' }).primaryKey(),
  index: pg.index,
  uniqueIndex: pg.uniqueIndex,
  primaryKey: pg.primaryKey,
  check: pg.check,
}

export type Columns = typeof postgresColumns

const sqliteTypes = {
  table: sqlite.sqliteTable,
  text: (name: string) => sqlite.text(name),
  oneOf: (name: string, values: readonly [string, ...string[]]) => sqlite.text(name, { enum: [...values] }),
  integer: (name: string) => sqlite.integer(name),
  timestamps: () => ({
    createdAt: sqlite.text('created_at').notNull(),
    updatedAt: sqlite.text('updated_at').notNull(),
  }),
  counter: (name: string) => sqlite.integer(name),
  sequence: (name: string) => sqlite.integer(name).primaryKey(),
  index: sqlite.index,
  uniqueIndex: sqlite.uniqueIndex,
  primaryKey: sqlite.primaryKey,
  check: sqlite.check,
}

// The only cast: both engines have the same members, and queries are typed against PostgreSQL.
export const sqliteColumns = sqliteTypes as unknown as Columns

/** `column in (...)` as a chain of comparisons for a CHECK: SQLite would build a temporary table for every row. */
export function isAmong(column: AnyColumn, values: readonly (number | string)[]): SQL {
  const cases = values.map((value) => sql`${column} = ${literal(value)}`)
  return sql`(${sql.join(cases, sql` or `)})`
}

const DAY = '____-__-__'
const INSTANT = '____-__-__T__:__:__.___Z'

/** The kinds of CHECK constraint that the tables use. */
export function checksWith({ check }: Columns) {
  const shaped = (name: string, column: AnyColumn, shape: string) => check(name, sql`${column} like ${literal(shape)}`)
  const instant = (name: string, column: AnyColumn) => shaped(name, column, INSTANT)
  return {
    instant,
    day: (name: string, column: AnyColumn) => shaped(name, column, DAY),
    among: (name: string, column: AnyColumn, values: readonly (number | string)[]) =>
      check(name, isAmong(column, values)),
    bounded: (prefix: string, columns: Record<string, [AnyColumn, TextKind]>) =>
      Object.entries(columns).map(([name, [column, kind]]) =>
        check(
          `${prefix}_${name}_text`,
          sql`${column} = trim(${column}) and length(${column}) between 1 and ${literal(TEXT_MAX[kind])}`,
        ),
      ),
    /** Details are a JSON array of at least one object, or null. */
    detailed: (prefix: string, column: AnyColumn) => shaped(`${prefix}_details`, column, '[{%}]'),
    timestampChecks: (prefix: string, columns: { createdAt: AnyColumn; updatedAt: AnyColumn }) => [
      instant(`${prefix}_created_at`, columns.createdAt),
      instant(`${prefix}_updated_at`, columns.updatedAt),
    ],
  }
}
