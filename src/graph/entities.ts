import type { ObjectRef } from '@pothos/core'
import type { Scope } from '../auth/scopes.js'
import { Fault } from '../errors.js'
import { builder, type Context, needs } from './builder.js'

type Types = typeof builder.$inferSchemaTypes

/** What a single read at the root of Query is, besides its name. */
interface RootEntity<Row extends object> {
  readonly type: ObjectRef<Types, Row>
  readonly scope: Scope
  readonly description: string
  readonly load: (context: Context, id: string) => Promise<Row | undefined>
}

export function queryOne<Row extends object>(name: string, root: RootEntity<Row>): void {
  builder.queryField(name, (t) =>
    t.field({
      type: root.type,
      nullable: true,
      description: root.description,
      ...needs(root.scope),
      args: { id: t.arg.id({ required: true, description: `The id of the ${name}.` }) },
      // Pothos cannot see that a generic Row is never itself a list.
      resolve: (_, { id }, context) => root.load(context, id) as never,
    }),
  )
}

/** What a mutation is to change must be there: it never silently does nothing. */
export async function found<Row>(row: Promise<Row | undefined>, noun: string, id: string): Promise<Row> {
  const there = await row
  if (there === undefined) throw new Fault('NOT_FOUND', `There is no ${noun} with the id ${JSON.stringify(id)}.`)
  return there
}

/** When a row came in, and when it last changed: the same two fields for every entity. */
export function stamps<Row extends { createdAt: string; updatedAt: string }>(type: ObjectRef<Types, Row>): void {
  const noun = type.name.toLowerCase()
  builder.objectFields(type, (t) => ({
    createdAt: t.field({
      type: 'DateTime',
      description: `When the ${noun} was added here.`,
      resolve: ({ createdAt }) => createdAt,
    }),
    updatedAt: t.field({
      type: 'DateTime',
      description: `When anything of the ${noun} last changed here.`,
      resolve: ({ updatedAt }) => updatedAt,
    }),
  }))
}
