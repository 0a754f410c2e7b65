import type { SQL } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { TextKind } from '../../vocabulary.js'
import type { Read } from '../store.js'

/** One part of a key: the kind of its text, and its canonical form. */
export interface KeyPart {
  readonly kind: TextKind
  readonly canonical: (text: string) => string
}

/** A unique key of a table. Its value is one canonical text; of several parts it is their JSON array. */
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
  return { kind, canonical }
}

export function columnKey<T extends PgTable>(part: KeyPart, column: (row: T) => AnyPgColumn): RowKey<T> {
  return {
    parts: [part],
    columns: (_, row) => [column(row)],
    among: (read, row, values) => read.among(column(row), values),
  }
}

/** The key that every entity has. */
export const idKey: RowKey<PgTable & { id: AnyPgColumn }> = columnKey(keyPart('id'), ({ id }) => id)

export type RowKeys<T extends PgTable> = Readonly<Record<string, RowKey<T>>>

/** The value of each key, from columns that hold the parts; undefined if the row has none. */
export function keysIn(
  keys: readonly (readonly [name: string, key: Pick<RowKey<never>, 'parts'>])[],
  columns: readonly unknown[],
): (key: string) => string | undefined {
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

/** Two sample values, valid for a key with any number of parts. */
export const SAMPLE = ['["",""]', '["",""]']
