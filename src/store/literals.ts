import { type SQL, sql } from 'drizzle-orm'

/** A constant of our own as an SQL literal: inside a CHECK a `${value}` would become a bind parameter. */
export function literal(value: number | string): SQL {
  return sql.raw(typeof value === 'number' ? String(value) : `'${value}'`)
}
