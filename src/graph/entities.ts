import type { ObjectRef } from '@pothos/core'
import { eq, sql } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Scope } from '../auth/scopes.js'
import { Fault } from '../errors.js'
import type { List } from '../store/page.js'
import { oneTeller } from '../store/told.js'
import { builder, type Context, needs } from './builder.js'
import { type OneTelling, toldByReference } from './told.js'

type Types = typeof builder.$inferSchemaTypes

type Identified = PgTable & { id: AnyPgColumn }

/** A look-up of the rows of a list by id, as `rowLoader` makes it. */
interface RowLoader<T extends Identified, F> {
  (context: Context, id: string): Promise<T['$inferSelect'] | undefined>
  readonly list: List<T, F>
}

/** What a single read at the root of Query is, besides its name. */
interface RootEntity<T extends Identified, F> {
  readonly type: ObjectRef<Types, T['$inferSelect']>
  readonly scope: Scope
  readonly description: string
  readonly load: RowLoader<T, F>
}

export function queryOne<T extends Identified, F>(name: string, root: RootEntity<T, F>): void {
  const { table } = root.load.list
  const rootTold: OneTelling = {
    one: (entry) => {
      const tell = oneTeller(table, entry, (t) => eq(table(t).id, sql.placeholder('id')))
      return ({ store: { read } }, { id }) => tell(read, { id: String(id) })
    },
  }
  builder.queryField(name, (t) =>
    t.field({
      type: root.type,
      nullable: true,
      description: root.description,
      ...needs(root.scope, { rootTold }),
      args: { id: t.arg.id({ required: true, description: `The id of the ${name}.` }) },
      // Pothos cannot see that a generic Row is never itself a list.
      resolve: (_, { id }, context) => root.load(context, id) as never,
    }),
  )
}

/** What a field that refers to a row by its id is, besides its type: the id stands in this member. */
export function referringBy<Member extends string, T extends Identified, F>(
  member: Member,
  scope: Scope,
  load: RowLoader<T, F>,
) {
  return {
    ...needs(scope, toldByReference(load.list, member)),
    resolve: (row: { readonly [Name in Member]: string | null }, _: object, context: Context) =>
      row[member] === null ? null : load(context, row[member]),
  }
}

/** The same of a row that never goes away while something refers to it, so that the field cannot be null. */
export function belongingBy<Member extends string, T extends Identified, F>(
  member: Member,
  scope: Scope,
  load: RowLoader<T, F>,
) {
  return {
    ...needs(scope, toldByReference(load.list, member)),
    resolve: async (row: { readonly [Name in Member]: string }, _: object, context: Context) =>
      present(await load(context, row[member])),
  }
}

/** A row that the store's foreign keys promise. */
export function present<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new Error('A row that others refer to is not there.')
  return row
}

/** What a mutation is to change must be there: it never silently does nothing. */
export async function found<Row>(row: Promise<Row | undefined>, noun: string, id: string): Promise<Row> {
  const there = await row
  if (there === undefined) throw new Fault('NOT_FOUND', `There is no ${noun} with the id ${JSON.stringify(id)}.`)
  return there
}

/** When a row came in, and when it last changed: the same two fields for every entity. */
export function stamps(type: ObjectRef<Types, { createdAt: string; updatedAt: string }>): void {
  const noun = type.name.toLowerCase()
  builder.objectFields(type, (t) => ({
    createdAt: t.expose('createdAt', { type: 'DateTime', description: `When the ${noun} was added here.` }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: `When anything of the ${noun} last changed here.`,
    }),
  }))
}
