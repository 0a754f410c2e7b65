import { type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import { LIMITS } from '../../limits.js'
import { TEXT_MAX, type TextKind } from '../../vocabulary.js'
import type { CompiledSql, Read } from '../store.js'
import type { Tables } from '../tables.js'
import { columnsOf, oncePerEngine, rowOf } from './lookups.js'
import { guarded } from './page.js'

/** One part of a key: its maximum length and its canonical form. */
export interface KeyPart {
  readonly charactersMax: number
  readonly canonical: (text: string) => string
}

/**
 * A unique key of a table. Its value is one text in canonical form; a key with several parts uses the JSON array of
 * them.
 */
export interface RowKey<T extends PgTable> {
  readonly parts: readonly KeyPart[]
  /** The canonical form of each part as an SQL expression without parameters. */
  readonly columns: (read: Read, row: T) => readonly (AnyPgColumn | SQL)[]
  /** Matches rows with one of these values; the SQL text is the same for any number of values above one. */
  readonly among: (read: Read, row: T, values: readonly string[]) => SQL
}

/** The canonical value of these texts, one for each part. */
export function keyValue(parts: readonly KeyPart[], texts: readonly string[]): string {
  return valueOfParts(texts.map((text, index) => parts[index]?.canonical(text) ?? text))
}

function valueOfParts(canonical: readonly string[]): string {
  return canonical.length === 1 ? String(canonical[0]) : JSON.stringify(canonical)
}

export function keyPart(kind: TextKind, canonical: KeyPart['canonical'] = (text) => text): KeyPart {
  return { charactersMax: TEXT_MAX[kind], canonical }
}

/** A key in one column. */
export function columnKey<T extends PgTable>(part: KeyPart, column: (row: T) => AnyPgColumn): RowKey<T> {
  return {
    parts: [part],
    columns: (_, row) => [column(row)],
    among: (read, row, values) => read.among(column(row), values),
  }
}

/** The key that every entity has. */
export const idKey: RowKey<PgTable & { id: AnyPgColumn }> = columnKey(keyPart('id'), ({ id }) => id)

/** A row found by a key, and its value of any other key. */
export interface KeyedRow<T extends PgTable> {
  readonly row: T['$inferSelect']
  /** Undefined if the row has no value. */
  readonly keyOf: (key: string) => string | undefined
}

export type RowKeys<T extends PgTable> = Readonly<Record<string, RowKey<T>>>

/** Finds the rows with these key values in one statement. */
type LookUp<T extends PgTable> = (
  read: Read,
  key: string,
  values: readonly string[],
) => Promise<Map<string, KeyedRow<T>>>

/** Looks up rows of a table by any of its keys. */
export function lookUpBy<T extends PgTable>(table: (t: Tables) => T, keys: RowKeys<T>): LookUp<T> {
  const statements = new Map(Object.entries(keys).map(([name, key]) => [name, statementsOf(table, keys, key)]))
  return async (read, name, values) => {
    const statement = statements.get(name)
    if (!statement) throw new Error(`There is no key ${name}.`)
    const rows = (await read.rows(statement(read, values))).map((columns) => keyedRow(table(read.t), keys, columns))
    return new Map(rows.map((row) => [row.keyOf(name) ?? '', row]))
  }
}

/** The result has the columns of the row, followed by the parts of each key. */
function keyedRow<T extends PgTable>(table: T, keys: RowKeys<T>, columns: readonly unknown[]): KeyedRow<T> {
  const row = rowOf(table, columns)
  return { row, keyOf: keysIn(Object.entries(keys), columns.slice(Object.keys(row).length)) }
}

/** The value of each key, from columns that hold the parts. */
export function keysIn(
  keys: readonly (readonly [name: string, key: Pick<RowKey<never>, 'parts'>])[],
  columns: readonly unknown[],
): KeyedRow<never>['keyOf'] {
  return (name) => {
    let at = 0
    for (const [other, { parts }] of keys) {
      const texts = columns.slice(at, at + parts.length)
      if (other === name) return texts.includes(null) ? undefined : valueOfParts(texts.map(String))
      at += parts.length
    }
    return undefined
  }
}

function statementsOf<T extends PgTable>(table: (t: Tables) => T, keys: RowKeys<T>, { among }: RowKey<T>) {
  const beginning = (read: Read) => {
    const from = table(read.t)
    const parts = Object.values(keys).flatMap(({ columns }) => columns(read, from))
    return sql`select ${sql.join([columnsOf(from), ...parts], sql.raw(', '))} from ${from}`
  }
  const condition = (read: Read, values: readonly string[]) => among(read, table(read.t), values)
  // Compile the SQL text once, which takes longer than the look-up; the values are its only parameters.
  const texts = oncePerEngine((read) => {
    const textFor = (values: readonly string[]) =>
      read.compile(sql`${beginning(read)} where ${condition(read, values)}`).text
    return { one: textFor(SAMPLE.slice(1)), several: textFor(SAMPLE) }
  })
  return (read: Read, values: readonly string[]): CompiledSql => {
    if (values.length > LIMITS.inPlaceRowsMax) {
      const extent = { table: table(read.t), rows: values.length }
      const { where, isHeavy } = guarded(read, condition(read, values), extent)
      return { ...read.compile(sql`${beginning(read)}${where}`), isHeavy }
    }
    const { one, several } = texts(read)
    const text = values.length === 1 ? one : several
    return { text, values: read.compile(condition(read, values)).values, hasStablePlan: true }
  }
}

/** Two sample values, valid for a key with any number of parts. */
export const SAMPLE = ['["",""]', '["",""]']
