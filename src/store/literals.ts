import { type SQL, sql } from 'drizzle-orm'

/** A constant as an SQL literal: inside a CHECK, `${value}` would become a bind parameter. */
export function literal(value: number | string): SQL {
  return sql.raw(typeof value === 'number' ? String(value) : `'${value}'`)
}
