import type { ArgBuilder, InputFieldMap, ObjectRef } from '@pothos/core'
import { fillPlaceholders } from 'drizzle-orm'
import type { Scope } from '../../auth/scopes.js'
import { bytesOf } from '../../store/query/jsonPage.js'
import type { List } from '../../store/query/page.js'
import type { AnyRelation } from '../../store/query/relations.js'
import {
  type AnyView,
  type Positioned,
  requireComplete,
  type View,
  type ViewRequest,
  viewRow,
  viewStatement,
} from '../../store/query/views.js'
import { builder, type Context, needs } from '../builder.js'
import type { FieldPrice } from '../cost/fieldPrices.js'
import { type Arguments, field, type Types } from '../fields.js'
import { checkNames } from '../hints/names.js'
import { readTogether } from '../loaders.js'
import { requirePageSize } from '../paging/requests.js'
import { turn } from '../turns.js'
import type { ViewRoot } from './compiler.js'
import { checkedPageRequests, cursorsInTurns, newNumber, type RootRead } from './results.js'
import { Build, boundValues, Weighing } from './statements.js'

/** A field of Query that shows a view. */
export function queryView<A, Row extends object>(
  name: string,
  options: {
    readonly type: ObjectRef<Types, Row>
    readonly args: (arg: ArgBuilder<Types>) => InputFieldMap
    readonly scope: Scope
    readonly description: string
    readonly view: View<A>
    readonly price: FieldPrice
  },
): void {
  const { type, args, scope, description, price } = options
  const view = options.view as AnyView
  builder.queryField(name, (t) =>
    t.field({
      type,
      nullable: true,
      description,
      ...needs(scope, { sql: { view }, price }),
      args: args(t.arg),
      resolve: (async (_: unknown, given: Arguments, context: Context) => {
        const request = await requestOf(context, view, given)
        // Composing the statement takes milliseconds, for each alias.
        await turn(context)
        return viewRow(context.store.read, request)
      }) as never,
    }),
  )
}

/** A field that shows the same row under another type. */
export function ownField<Row extends object>(
  type: ObjectRef<Types, Row>,
  name: string,
  { of, description }: { readonly of: ObjectRef<Types, Row>; readonly description: string },
): void {
  field(type, name, () => ({ type: of, description, extensions: { sql: { own: true } }, resolve: (row) => row }))
}

/** A field that shows a list of a view. */
export function viewList<Row extends object, T extends Positioned>(
  type: ObjectRef<Types, Row>,
  name: string,
  { of, table, description }: { of: ObjectRef<Types, T['$inferSelect']>; table: T; description: string },
): void {
  const list: List<T, object> = {
    name,
    table: () => table,
    order: ({ position }) => [position],
    matching: () => undefined,
  }
  // Nothing of the parent's row is needed: the WITH clause has exactly the rows of this list.
  const relation = { of: () => table, list, where: () => undefined } as unknown as AnyRelation
  field(type, name, () => ({
    type: [of],
    description,
    extensions: { sql: { items: relation }, price: { part: 'entries' } },
    resolve: (row: object) => readTogether((row as Record<string, object[]>)[name] ?? []),
  }))
}

async function requestOf(context: Context, view: AnyView, args: Arguments): Promise<ViewRequest> {
  view.check(args as never)
  const { filter, first } = args as { filter?: object | null; first?: number | null }
  requirePageSize(first)
  await checkNames(context, view, filter ?? {})
  return { view, args, most: context.wholeListRowsMax }
}

/** Runs the statement of a view. */
export function viewRunner(root: ViewRoot) {
  const number = newNumber()
  const { view, object, hasCursors } = root
  return async (context: Context, args: readonly Arguments[]): Promise<RootRead> => {
    const { read } = context.store
    const request = await requestOf(context, view, args[0] ?? {})
    const pageRequests = await checkedPageRequests(context, root, args, number)
    // Its lists are seldom long, and most of their rows refer to different ones.
    const weighing = new Weighing(pageRequests, 1)
    root.weigh(weighing)
    const extent = { ...view.extent(read), ...weighing.others(read) }
    const isHeavy = read.guard(extent) !== undefined
    const build = new Build(read, pageRequests, { isHeavy, builtOnce: weighing.builtOnce })
    const { name, alias } = build.row({ table: () => view.row })
    const statement = viewStatement(read, request, { selected: object(build, alias), from: name, extent })
    return {
      statements: [{ ...statement, values: fillPlaceholders([...statement.values], boundValues(pageRequests)) }],
      async resultOf([rows = []]) {
        requireComplete(request, rows)
        const json = bytesOf(rows[0]?.[1])
        return { json: [hasCursors ? await cursorsInTurns(context, json) : json], isThere: true }
      },
    }
  }
}
