import type { ArgBuilder, InputFieldMap, InputShapeFromFields, ObjectRef } from '@pothos/core'
import type { Principal } from '../auth/principal.js'
import type { Scope } from '../auth/scopes.js'
import type { List } from '../store/query/page.js'
import type { Identified } from '../store/query/relations.js'
import type { Write } from '../store/store.js'
import { needs } from './builder.js'
import { rootField, type Types } from './fields.js'
import type { FieldPrice } from './query/prices.js'

interface MutationOptions<Row extends object, Args extends InputFieldMap> {
  readonly type: ObjectRef<Types, Row>
  readonly scope: Scope
  readonly description: string
  readonly args: (arg: ArgBuilder<Types>) => Args
  readonly change: (write: Write, args: InputShapeFromFields<Args>, principal: Principal) => Promise<Row>
  readonly check?: (principal: Principal, args: InputShapeFromFields<Args>) => void
  readonly price?: FieldPrice
}

/** Declares a mutation that shows the row that it has changed. */
export function mutationField<T extends Identified, F, Args extends InputFieldMap>(
  name: string,
  { list, ...options }: MutationOptions<T['$inferSelect'], Args> & { readonly list: List<T, F> },
): void {
  declare(name, options, { list })
}

/** Declares a mutation that shows a report of what it has done. */
export function reportField<Report extends object, Args extends InputFieldMap>(
  name: string,
  options: MutationOptions<Report, Args>,
): void {
  declare(name, options, {})
}

function declare<Row extends object, Args extends InputFieldMap>(
  name: string,
  { args, scope, change, check, price, ...shown }: MutationOptions<Row, Args>,
  shows: object,
): void {
  const mutation = { change, ...(check && { check }), ...shows }
  const extensions = { mutation, ...(price && { price }) }
  rootField('mutation', name, (arg) => ({ ...shown, ...needs(scope, extensions), args: args(arg) }))
}
