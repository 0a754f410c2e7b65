import type { ArgBuilder, EnumRef, InputFieldMap, InputObjectRef, InputShapeFromFields, ObjectRef } from '@pothos/core'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Principal } from '../auth/principal.js'
import type { Scope } from '../auth/scopes.js'
import type { ValueType } from '../fields.js'
import type { List } from '../store/query/page.js'
import type { AnyRelation, Computed, Identified, Relation } from '../store/query/relations.js'
import type { Positioned, Summary, View } from '../store/query/views.js'
import type { Write } from '../store/store.js'
import { builder, needs } from './builder.js'
import type { Mutation } from './query/declared.js'
import type { FieldPrice } from './query/prices.js'
import { resolveField, resolveRoot } from './query/resolvers.js'

export type Types = typeof builder.$inferSchemaTypes

type LeafType = ValueType | EnumRef<Types, string>

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
    field(type, name, () => ({ ...options, extensions: { ...options.extensions, sql: { column: name } } }))
  }
}

type Args = (arg: ArgBuilder<Types>) => InputFieldMap

/** With one argument at most, without which it is null. */
export function computedField<T extends Identified>(
  type: ObjectRef<Types, T['$inferSelect']>,
  name: string,
  options: Described & { type: LeafType; nullable?: boolean; computed: Computed<T>; args?: Args },
): void {
  const { computed, args, ...shown } = options
  field(type, name, (arg) => ({ ...shown, ...(args && { args: args(arg) }), extensions: { sql: { computed } } }))
}

/** A field that shows the row of a list whose id is in a column. */
export function referenceField<Row extends object, R extends Identified, F>(
  type: ObjectRef<Types, Row>,
  name: string,
  options: Described & {
    readonly to: ObjectRef<Types, R['$inferSelect']>
    readonly list: List<R, F>
    /** The member with the id. */
    readonly by: keyof Row & string
    /** Whether it is never null: the column is NOT NULL and a foreign key. */
    readonly required?: boolean
    /** The scope of the field; undefined if only those who may read the other row read this one. */
    readonly scope: Scope | undefined
  },
): void {
  const { to, list, by, required = false, scope, description } = options
  const sql = { reference: { list, by, isImplied: scope === undefined } }
  field(type, name, () => ({ type: to, nullable: !required, description, ...declared(scope, { sql }) }))
}

/** A field that shows all related rows without pages: only for small relations. */
export function itemsField<P extends Identified, R extends PgTable, F>(
  type: ObjectRef<Types, P['$inferSelect']>,
  name: string,
  options: Described & {
    readonly scope?: Scope
    readonly of: ObjectRef<Types, R['$inferSelect']>
    readonly relation: Relation<P, R, F>
  },
): void {
  const { of, relation, scope, description } = options
  field(type, name, () => ({ type: [of], description, ...declared(scope, { sql: { items: relation } }) }))
}

/** The extensions of a field that needs a scope, or only that of its row. */
function declared(scope: Scope | undefined, extensions: object) {
  return scope ? needs(scope, extensions) : { extensions }
}

export function localField<Row extends object>(
  type: ObjectRef<Types, Row>,
  name: string,
  options: Described & {
    readonly type: LeafType | ObjectRef<Types, object> | readonly [LeafType] | readonly [ObjectRef<Types, object>]
    readonly nullable?: boolean
    readonly local: (source: Row) => unknown
  },
): void {
  const { local, ...shown } = options
  field(type, name, () => ({ ...shown, extensions: { sql: { local } } }))
}

type Member = Omit<Parameters<typeof localField<object>>[2], 'local'>

/** Fields that each show the member of their name: of summaries and reports, which need no database. */
export function members<Row extends object>(
  type: ObjectRef<Types, Row>,
  shown: { readonly [Name in keyof Row & string]?: Member },
): void {
  for (const [name, options] of Object.entries<Member | undefined>(shown)) {
    if (options) localField(type, name, { ...options, local: (row) => Reflect.get(row, name) })
  }
}

/** A field that shows the same row under another type. */
export function ownField<Row extends object>(
  type: ObjectRef<Types, Row>,
  name: string,
  { of, description }: Described & { readonly of: ObjectRef<Types, Row> },
): void {
  field(type, name, () => ({ type: of, description, extensions: { sql: { own: true } } }))
}

export function viewList<Row extends object, T extends Positioned>(
  type: ObjectRef<Types, Row>,
  name: string,
  { of, table, description }: Described & { of: ObjectRef<Types, T['$inferSelect']>; table: T },
): void {
  const order = ({ position }: T) => [position]
  const list: List<T, object> = { name, table: () => table, order, matching: () => undefined }
  // Nothing of the parent's row is needed: the WITH clause has exactly the rows of this list.
  const relation = { of: () => table, list, where: () => undefined } as unknown as AnyRelation
  const price: FieldPrice = { part: 'entries' }
  field(type, name, () => ({ type: [of], description, extensions: { sql: { items: relation }, price } }))
}

interface FieldOptions extends Described {
  readonly type: unknown
  readonly nullable?: boolean | undefined
  readonly args?: object
  readonly extensions: object
}

/** Adds a field; Pothos cannot infer generic types here, so the declarations above ensure them. */
export function field<Row extends object>(
  type: ObjectRef<Types, Row>,
  name: string,
  options: (arg: ArgBuilder<Types>) => FieldOptions,
): void {
  builder.objectField(type, name, (t) => t.field({ ...options(t.arg), resolve: fromPlan } as never))
}

/** Adds a root field in the same way. It is null where it is refused. */
export function rootField(
  operation: 'query' | 'mutation',
  name: string,
  options: (arg: ArgBuilder<Types>) => FieldOptions,
): void {
  const whole = (arg: ArgBuilder<Types>) => ({ nullable: true, ...options(arg), resolve: planned }) as never
  if (operation === 'query') builder.queryField(name, (t) => t.field(whole(t.arg)))
  else builder.mutationField(name, (t) => t.field(whole(t.arg)))
}

/** A field of Query that shows a summary of a list, with the filter of the list. */
export function querySummary<T extends PgTable, F extends object, V extends object>(
  name: string,
  options: Described & {
    readonly type: ObjectRef<Types, V>
    readonly filter: InputObjectRef<Types, F>
    readonly scope: Scope
    readonly summary: Summary<T, F | Record<string, never>, V>
  },
): void {
  const { filter, scope, summary, ...shown } = options
  rootField('query', name, (arg) => ({
    ...shown,
    ...needs(scope, { sql: { summary } }),
    args: { filter: arg({ type: filter, description: 'Counts only what matches.' }) },
  }))
}

export function queryView<A, Row extends object>(
  name: string,
  options: Described & {
    readonly type: ObjectRef<Types, Row>
    readonly args: Args
    readonly scope: Scope
    readonly view: View<A>
    readonly price: FieldPrice
  },
): void {
  const { args, scope, price, view, ...shown } = options
  rootField('query', name, (arg) => ({ ...shown, ...needs(scope, { sql: { view }, price }), args: args(arg) }))
}

interface MutationOptions<Row extends object, Args extends InputFieldMap> extends Described {
  readonly type: ObjectRef<Types, Row>
  readonly scope: Scope
  readonly args: (arg: ArgBuilder<Types>) => Args
  readonly change: (write: Write, args: InputShapeFromFields<Args>, principal: Principal) => Promise<Row>
  readonly check?: (principal: Principal, args: InputShapeFromFields<Args>) => void
  readonly after?: Mutation['after']
  readonly price?: FieldPrice
}

/** A mutation that shows the row that it has changed. */
export function mutationField<T extends Identified, F, Args extends InputFieldMap>(
  name: string,
  options: MutationOptions<T['$inferSelect'], Args> & { readonly list: List<T, F> },
): void {
  reportField(name, options)
}

/** A mutation that shows a report of what it has done. */
export function reportField<Report extends object, Args extends InputFieldMap>(
  name: string,
  { type, description, args, scope, price, ...mutation }: MutationOptions<Report, Args>,
): void {
  const extensions = { mutation, ...(price && { price }) }
  rootField('mutation', name, (arg) => ({ type, description, ...needs(scope, extensions), args: args(arg) }))
}

/** The resolvers of a root field and of others; Pothos cannot infer that a plan has the values of their types. */
export const planned = resolveRoot as () => never
const fromPlan = resolveField as () => never
