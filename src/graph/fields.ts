import type { ArgBuilder, EnumRef, ObjectRef } from '@pothos/core'
import { getTableColumns, type SQL } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Scope } from '../auth/scopes.js'
import type { PageFact } from '../store/query/jsonPage.js'
import { type AnyList, byIds, cursorOf, type List } from '../store/query/page.js'
import {
  type AnyComputed,
  type AnyRelation,
  type Computed,
  computedOf,
  type Identified,
  type Relation,
  relatedRows,
} from '../store/query/relations.js'
import type { AnySummary } from '../store/query/summaries.js'
import { isLongColumn, type LongColumn } from '../store/query/textSizes.js'
import type { AnyView } from '../store/query/views.js'
import type { Read } from '../store/store.js'
import { builder, type Context, needs } from './builder.js'
import { load, readTogether } from './loaders.js'

export type Types = typeof builder.$inferSchemaTypes

/**
 * How a field is read in SQL, stored in its extensions as `sql`. The functions below record it and derive the resolver
 * from the same declaration, so that a compiled query and an executed one cannot differ.
 */
export type SqlField =
  | { readonly column: string }
  | { readonly computed: AnyComputed }
  /** The row of a list whose id is in this column. */
  | { readonly reference: { readonly list: AnyList; readonly by: string; readonly isImplied?: boolean } }
  /** The cursor of the row in a list. */
  | { readonly position: AnyList }
  /** All related rows. */
  | { readonly items: AnyRelation }
  /** A page of related rows. */
  | { readonly page: AnyRelation }
  /** Members of a connection, of its edges and of its pageInfo. */
  | { readonly part: ConnectionPart }
  | { readonly edge: 'cursor' | 'node' }
  | { readonly fact: PageFact }
  /** On Query: a list, and a single row by a condition. */
  | { readonly list: AnyList }
  | { readonly one: SingleRow }
  /** On Query: an object that SQL derives from many rows. */
  | { readonly view: AnyView }
  /** The same row under another type. */
  | { readonly own: true }
  /** On Query: a summary of a list. */
  | { readonly summary: AnySummary }
  /** On Query: entities by reference, one for each representation or a single one. */
  | { readonly entities: References }
  /** A value that needs no database: on Query from the context, else from the parent. */
  | { readonly local: (source: never) => unknown }

export interface References {
  /** The representations, in the form that a federation gateway sends. */
  of(args: Arguments): readonly unknown[]
  /** Whether the field returns one nullable entity and not a list. */
  readonly isOne?: boolean
}

export type ConnectionPart = 'nodes' | 'edges' | 'pageInfo' | 'totalCount'

/** One row of a list, which its arguments name in one of several ways. */
export interface SingleRow {
  readonly list: AnyList
  /** Throws for arguments that name no row, or name it twice. */
  named(args: Arguments): NamedRow
}

/** One row by a condition with placeholders, shared by all rows that are named by the same arguments. */
interface NamedRow {
  /** Names the condition in the key of the cached SQL text. */
  readonly way: string
  condition(read: Read, table: PgTable): SQL
  /** The values of the placeholders. */
  readonly given: Readonly<Record<string, string>>
}

/** The arguments of a field, coerced by graphql-js. */
export type Arguments = Readonly<Record<string, unknown>>

/** The SQL declaration of a field; undefined if it has none. */
export function sqlOf({ extensions }: { readonly extensions: Readonly<Record<string, unknown>> }) {
  return extensions['sql'] as SqlField | undefined
}

/** The column of long texts that a field shows; undefined for another field. */
export function longColumnOf(declared: SqlField | undefined): LongColumn | undefined {
  if (!declared) return undefined
  const column = 'column' in declared ? declared.column : 'items' in declared ? declared.items.column : undefined
  return column !== undefined && isLongColumn(column) ? column : undefined
}

type LeafType = 'ID' | 'String' | 'Int' | 'Date' | 'DateTime' | EnumRef<Types, string>

interface Described {
  readonly description: string
  /** Other options of the field, such as federation directives. */
  readonly extensions?: object
}

type Column<V> = Described & { readonly type: LeafType } & (null extends V
    ? { readonly nullable: true }
    : { readonly nullable?: false })

/** Fields that each expose a column. */
export function columns<Row extends object>(
  type: ObjectRef<Types, Row>,
  shown: { readonly [Name in keyof Row & string]?: Column<Row[Name]> },
): void {
  // Every member of a row type has a column.
  for (const [name, options] of Object.entries(shown as Readonly<Record<string, Column<unknown>>>)) {
    const resolve = (row: Row) => row[name as keyof Row]
    field(type, name, () => ({ ...options, extensions: { ...options.extensions, sql: { column: name } }, resolve }))
  }
}

/** A field that SQL computes from its row. */
export function computedField<T extends Identified>(
  type: ObjectRef<Types, T['$inferSelect']>,
  name: string,
  { computed, ...options }: Described & { type: LeafType; nullable?: boolean; computed: Computed<T> },
): void {
  field(type, name, () => ({
    ...options,
    extensions: { sql: { computed } },
    resolve: (row, _, context) => load(context, computed, (read, ids) => computedOf(read, computed, ids), row, idOf),
  }))
}

interface Referring extends Described {
  /** The scope of the field; undefined if only those who may read the other row read this one. */
  readonly scope: Scope | undefined
}

/** A field that shows the row of a list whose id is in a column. */
export function referenceField<Row extends object, R extends Identified, F>(
  type: ObjectRef<Types, Row>,
  name: string,
  { to, list, by, required = false, scope, description }: Referring & ReferenceOptions<Row, R, F>,
): void {
  const sql = { reference: { list, by, isImplied: scope === undefined } }
  field(type, name, () => ({
    type: to,
    nullable: !required,
    description,
    ...(scope ? needs(scope, { sql }) : { extensions: { sql } }),
    resolve: (row, _, context) => loadById(context, list, row, (one) => one[by] as string | null),
  }))
}

interface ReferenceOptions<Row, R extends Identified, F> {
  readonly to: ObjectRef<Types, R['$inferSelect']>
  readonly list: List<R, F>
  /** The member with the id. */
  readonly by: keyof Row & string
  /** Whether it is never null: the column is NOT NULL and a foreign key. */
  readonly required?: boolean
}

/** The row of a list that another row refers to. */
function loadById<R extends Identified, F, Row extends object>(
  context: Context,
  list: List<R, F>,
  row: Row,
  keyOf: (row: Row) => string | null,
): ReturnType<typeof load<R['$inferSelect'], Row>> {
  const query = async (read: Context['store']['read'], ids: readonly string[]) => {
    const found = await byIds(read, list, ids)
    readTogether([...found.values()])
    return found
  }
  return load(context, list.table, query, row, keyOf)
}

/** A field that shows all related rows without pages: only for small relations. */
export function itemsField<P extends Identified, R extends PgTable, F>(
  type: ObjectRef<Types, P['$inferSelect']>,
  name: string,
  {
    of,
    relation,
    scope,
    description,
  }: Described & {
    readonly scope?: Scope
    readonly of: ObjectRef<Types, R['$inferSelect']>
    readonly relation: Relation<P, R, F>
  },
): void {
  const query = async (read: Context['store']['read'], ids: readonly string[]) => {
    const found = await relatedRows(read, relation, ids)
    readTogether([...found.values()].flat())
    return found
  }
  field(type, name, () => ({
    type: [of],
    description,
    ...(scope ? needs(scope, { sql: { items: relation } }) : { extensions: { sql: { items: relation } } }),
    resolve: async (row, _, context) => (await load(context, relation, query, row, idOf)) ?? [],
  }))
}

/** A field that shows the cursor of its row in a list. */
export function positionField<R extends PgTable, F>(
  type: ObjectRef<Types, R['$inferSelect']>,
  name: string,
  { list, description }: Described & { readonly list: List<R, F> },
): void {
  field(type, name, () => ({
    type: 'String',
    description,
    extensions: { sql: { position: list } },
    resolve: (row, _, { store }) => cursorOf(store.read, list, row),
  }))
}

/** A field whose value needs no database. */
export function localField<Row extends object>(
  type: ObjectRef<Types, Row>,
  name: string,
  {
    local,
    ...options
  }: Described & {
    readonly type: LeafType | readonly [LeafType] | readonly [ObjectRef<Types, object>]
    readonly nullable?: boolean
    readonly local: (source: Row) => unknown
  },
): void {
  field(type, name, () => ({ ...options, extensions: { sql: { local } }, resolve: local }))
}

interface FieldOptions<Row> extends Described {
  readonly type: unknown
  readonly nullable?: boolean | undefined
  readonly args?: object
  readonly extensions: object
  readonly resolve: (row: Row, args: Arguments, context: Context) => unknown
}

/** Adds a field; Pothos cannot infer generic types here, so the declarations above ensure them. */
export function field<Row extends object>(
  type: ObjectRef<Types, Row>,
  name: string,
  options: (arg: ArgBuilder<Types>) => FieldOptions<Row>,
): void {
  builder.objectField(type, name, (t) => t.field(options(t.arg) as never))
}

export function idOf(row: object): string {
  return String((row as { id?: unknown }).id)
}

export function columnOf(table: PgTable, member: string): AnyPgColumn {
  const column = getTableColumns(table)[member]
  if (!column) throw new Error(`There is no column for ${member}.`)
  return column
}
