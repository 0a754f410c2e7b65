import type { ObjectRef } from '@pothos/core'
import { eq, fillPlaceholders, sql } from 'drizzle-orm'
import type { Scope } from '../auth/scopes.js'
import { Fault } from '../errors.js'
import { conditional } from '../store/jsonPage.js'
import { columnsOf, rowOf } from '../store/keyed.js'
import type { AnyList, List } from '../store/page.js'
import type { Identified } from '../store/relations.js'
import { builder, type Context, needs } from './builder.js'
import { columns, type SingleRow, type Types } from './sql/fields.js'

/** The definition of a single entity at the root of Query, besides its name. */
interface RootEntity<T extends Identified, F extends object> {
  readonly type: ObjectRef<Types, T['$inferSelect']>
  readonly scope: Scope
  readonly description: string
  readonly list: List<T, F>
}

export function queryOne<T extends Identified, F extends object>(
  name: string,
  { list, type, scope, description }: RootEntity<T, F>,
): void {
  const one = byId(list)
  builder.queryField(name, (t) =>
    t.field({
      type,
      nullable: true,
      description,
      ...needs(scope, { sql: { one } }),
      args: { id: t.arg.id({ required: true, description: `The id of the ${name}.` }) },
      // Pothos cannot infer that a generic Row is never a list.
      resolve: (_, args, context) => rowOfOne(context, one, one.given(args)) as never,
    }),
  )
}

function byId(list: AnyList): SingleRow {
  return {
    list,
    condition: (table) => eq((table as Identified).id, sql.placeholder('id')),
    given: ({ id }) => ({ id: String(id) }),
  }
}

/** The one row that matches a condition. */
export async function rowOfOne(
  { store: { read } }: Context,
  { list, condition }: Pick<SingleRow, 'list' | 'condition'>,
  given: Readonly<Record<string, string>>,
): Promise<object | undefined> {
  const table = list.table(read.t)
  const where = conditional(condition(table))
  const { text, values } = read.spelled(sql`select ${columnsOf(table)} from ${table}${where} limit 1`)
  const [row] = await read.rows({ text, values: fillPlaceholders([...values], given), isSteady: true })
  return row && rowOf(table, row)
}

/** A row that a foreign key guarantees. */
export function present<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new Error('A referenced row is missing.')
  return row
}

/** Throws NOT_FOUND if the entity to change does not exist: a mutation never silently does nothing. */
export async function found<Row>(row: Promise<Row | undefined>, noun: string, id: string): Promise<Row> {
  const there = await row
  if (there === undefined) throw new Fault('NOT_FOUND', `There is no ${noun} with the id ${JSON.stringify(id)}.`)
  return there
}

/** Adds `createdAt` and `updatedAt`, which every entity has. */
export function stamps<Row extends { createdAt: string; updatedAt: string }>(type: ObjectRef<Types, Row>): void {
  const noun = type.name.toLowerCase()
  const stamped: ObjectRef<Types, { createdAt: string; updatedAt: string }> = type
  columns(stamped, {
    createdAt: { type: 'DateTime', description: `When the ${noun} was added.` },
    updatedAt: { type: 'DateTime', description: `When the ${noun} was last changed.` },
  })
}
