import type { ArgBuilder, InputFieldMap, InputShapeFromFields, ObjectRef } from '@pothos/core'
import type { Scope } from '../../../auth/scopes.js'
import type { AnyList, List } from '../../../store/query/page.js'
import type { Identified } from '../../../store/query/relations.js'
import type { Write } from '../../../store/store.js'
import { builder, change, needs } from '../../builder.js'
import type { Arguments, Types } from '../../fields.js'

/** A mutation that returns one row; stored in the field's extensions as `mutation`. */
export interface RowMutation {
  /** The list of the row, from which the compiled mutation reads the selection by id. */
  readonly list: AnyList
  readonly change: (write: Write, args: Arguments) => Promise<{ readonly id: string }>
}

interface RowMutationOptions<T extends Identified, F, Args extends InputFieldMap> {
  readonly type: ObjectRef<Types, T['$inferSelect']>
  readonly list: List<T, F>
  readonly scope: Scope
  readonly description: string
  readonly args: (arg: ArgBuilder<Types>) => Args
  readonly change: (write: Write, args: InputShapeFromFields<Args>) => Promise<T['$inferSelect']>
}

/** Declares a mutation that changes one row: the resolver and the compiled mutation derive from the same `change`. */
export function mutationField<T extends Identified, F, Args extends InputFieldMap>(
  name: string,
  { type, list, scope, description, args, change: work }: RowMutationOptions<T, F, Args>,
): void {
  builder.mutationField(name, (t) =>
    t.field({
      type,
      nullable: true,
      description,
      ...needs(scope, { mutation: { list, change: work } }),
      args: args(t.arg),
      // Pothos cannot see that a generic row is never itself a list.
      resolve: (_, given, context) => change(context, (write) => work(write, given)) as never,
    }),
  )
}

/** The mutation declaration of a field; undefined if it has none. */
export function mutationOf({ extensions }: { readonly extensions: Readonly<Record<string, unknown>> }) {
  return extensions['mutation'] as RowMutation | undefined
}
