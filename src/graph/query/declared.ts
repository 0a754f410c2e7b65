import type { SQL } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { type FieldNode, type GraphQLField, type GraphQLObjectType, getNamedType, isObjectType } from 'graphql'
import type { Principal } from '../../auth/principal.js'
import type { Scope } from '../../auth/scopes.js'
import type { PageFact } from '../../store/query/jsonPage.js'
import type { AnyList } from '../../store/query/page.js'
import type { AnyComputed, AnyRelation } from '../../store/query/relations.js'
import { isLongColumn, type LongColumn } from '../../store/query/rowCounts.js'
import type { AnySummary, AnyView } from '../../store/query/views.js'
import type { Read, Store, Write } from '../../store/store.js'

/** How a field is read, stored in its extensions as `sql`: what plans are made from. */
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
  /** In the report of a mutation: a row that it has changed, by a column. */
  | { readonly row: { readonly list: AnyList; readonly by: string; readonly key: (report: never) => string } }

/** The scope of a field that depends on its row; the extension `rowScope` of the field. */
export interface RowScope {
  /** The column that decides, and the scope for each of its values. */
  readonly column: string
  readonly scopes: Readonly<Record<string, Scope>>
  /** The scopes of rows that are fields of this type, or match the filter of a list at the root. */
  scopesIn(parent: string, filter: object): readonly Scope[]
}

export interface References {
  /** The representations, in the form that a federation gateway sends. */
  of(args: Arguments): readonly unknown[]
  /** Whether the field returns one nullable entity and not a list. */
  readonly isOne?: boolean
}

export type ConnectionPart = 'nodes' | 'edges' | 'pageInfo' | 'totalCount'

/** One row of a list, which its arguments name by one of several keys. */
export interface SingleRow {
  readonly list: AnyList
  /** Throws for arguments that name no row, or name it twice. */
  named(args: Arguments): NamedRow
}

/** One row by a condition with placeholders, shared by all rows that are named by the same arguments. */
interface NamedRow {
  /** Names the condition in the key of the cached SQL text. */
  readonly key: string
  condition(read: Read, table: PgTable): SQL
  readonly given: Readonly<Record<string, string>>
}

/** The arguments of a field, coerced by graphql-js. */
export type Arguments = Readonly<Record<string, unknown>>

export type Field = GraphQLField<unknown, unknown>

/** A field with arguments, whose values come with each request. */
export interface Slot {
  readonly field: Field
  readonly node: FieldNode
  /** Undefined if the field is no list. */
  readonly list?: AnyList | undefined
  /** Whether its only argument is a value that SQL computes with. */
  readonly isValue?: boolean
}

/** A field or a type, with what is declared for it. */
export interface Extended {
  readonly extensions: Readonly<Record<string, unknown>>
}

/** The SQL declaration of a field; undefined if it has none. */
export function sqlOf({ extensions }: Extended) {
  return extensions['sql'] as SqlField | undefined
}

/** The column of long texts that a field shows; undefined for another field. */
export function longColumnOf(declared: SqlField | undefined): LongColumn | undefined {
  if (!declared) return undefined
  const column = 'column' in declared ? declared.column : 'items' in declared ? declared.items.column : undefined
  return column !== undefined && isLongColumn(column) ? column : undefined
}

/** A change, which its field has as the extension `mutation`. */
export interface Mutation {
  /** Refuses the arguments before anything is changed. */
  readonly check?: (principal: Principal, args: Arguments) => void
  /** Returns the changed row, or a report. */
  readonly change: (write: Write, args: Arguments, principal: Principal) => Promise<object>
  /** Further short writes, once it is committed. */
  readonly after?: (store: Pick<Store, 'read' | 'write'>, clock: () => Date) => Promise<void>
  /** The list of the changed row; undefined for a report. */
  readonly list?: AnyList
}

export function mutationOf({ extensions }: Extended) {
  return extensions['mutation'] as Mutation | undefined
}

/** A field whose plan must be known: that it is not is our mistake. */
export function unplanned({ name }: Pick<Field, 'name'>): Error {
  return new Error(`The field ${name} is not declared for a plan.`)
}

export function fieldOf(type: GraphQLObjectType, { name }: FieldNode): Field {
  const field = type.getFields()[name.value]
  if (!field) throw unplanned({ name: `${type.name}.${name.value}` })
  return field
}

/** Whether a host has added this field, which a validated operation selects, to our type. */
export function isOfHost(type: GraphQLObjectType, { name }: FieldNode): boolean {
  return type.getFields()[name.value] === undefined
}

export function objectOf(field: Field): GraphQLObjectType {
  const type = getNamedType(field.type)
  if (!isObjectType(type)) throw unplanned(field)
  return type
}

export function isTypename({ name }: FieldNode): boolean {
  return name.value === '__typename'
}
