import type { InputObjectRef, ObjectRef } from '@pothos/core'
import { and, fillPlaceholders } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Scope } from '../../auth/scopes.js'
import { conditional } from '../../store/query/jsonPage.js'
import { guarded } from '../../store/query/page.js'
import { type AnySummary, countedGroups, type Summary, summaryOf } from '../../store/query/summaries.js'
import { builder, type Context, needs } from '../builder.js'
import type { Arguments, Types } from '../fields.js'
import { checkNames } from '../hints/names.js'
import { oncePerRequest } from '../loaders.js'
import { turn } from '../turns.js'
import type { SummaryRoot } from './compiler.js'
import { cachedStatement, checkedPageRequests, hasStablePlan, keyOf, newNumber, type RootRead } from './results.js'
import { boundValues } from './statements.js'

/** Declares a query for a summary of a list, with the filter of the list. */
export function querySummary<T extends PgTable, F extends object, V extends object>(
  name: string,
  {
    type,
    filter,
    scope,
    description,
    summary,
  }: {
    readonly type: ObjectRef<Types, V>
    readonly filter: InputObjectRef<Types, F>
    readonly scope: Scope
    readonly description: string
    readonly summary: Summary<T, F | Record<string, never>, V>
  },
): void {
  builder.queryField(name, (t) =>
    t.field({
      type,
      nullable: true,
      description,
      ...needs(scope, { sql: { summary }, price: { counted: summary.list } }),
      args: { filter: t.arg({ type: filter, description: 'Counts only what matches.' }) },
      // Pothos cannot infer that a generic value is never a list.
      resolve: (_, args, context) => resolved(context, name, summary as AnySummary, args) as never,
    }),
  )
}

async function resolved(context: Context, name: string, summary: AnySummary, args: Arguments): Promise<object> {
  const filter = (args as { filter?: object | null }).filter ?? {}
  const { list } = summary
  const { read } = context.store
  const matching = list.matching(read, filter)
  await checkNames(context, list, filter)
  return oncePerRequest(context, JSON.stringify([name, filter]), async () => {
    await turn(context)
    const { where, isHeavy } = guarded(read, matching, { table: list.table(read.t), rows: Number.POSITIVE_INFINITY })
    return summaryOf(summary, await read.rows({ ...read.compile(countedGroups(read, summary, where)), isHeavy }))
  })
}

/** Runs the statement of a summary, whose few groups become its JSON here. */
export function summaryRunner(root: SummaryRoot) {
  const number = newNumber()
  const { summary, shown } = root
  return async (context: Context, args: readonly Arguments[]): Promise<RootRead> => {
    const { read } = context.store
    const pageRequests = await checkedPageRequests(context, root, args, number)
    const extent = { table: summary.list.table(read.t), rows: Number.POSITIVE_INFINITY }
    const guard = read.guard(extent)
    const isHeavy = guard !== undefined
    const key = `${number} ${isHeavy ? 'guarded' : 'bare'} ${keyOf(pageRequests)}`
    const { text, values } = await cachedStatement(context, key, () =>
      countedGroups(read, summary, conditional(and(guard, pageRequests[0]?.bound.matching().condition))),
    )
    const filled = fillPlaceholders([...values], boundValues(pageRequests))
    return {
      statements: [
        { text, values: filled, hasStablePlan: hasStablePlan(pageRequests), isHeavy, weight: read.weigh(extent) },
      ],
      resultOf: async ([rows = []]) => ({
        json: [Buffer.from(JSON.stringify(shown(summaryOf(summary, rows))))],
        isThere: true,
      }),
    }
  }
}
