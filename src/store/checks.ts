import { type AnyColumn, sql } from 'drizzle-orm'
import { TEXT_MAX, type TextKind } from '../vocabulary.js'
import { type Columns, isAmong } from './columns.js'
import { literal } from './literals.js'

const DAY = '____-__-__'
const INSTANT = '____-__-__T__:__:__.___Z'

/** The kinds of CHECK constraint that tables.ts uses. */
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
