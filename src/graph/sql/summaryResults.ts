import { and, fillPlaceholders } from 'drizzle-orm'
import { conditional } from '../../store/query/jsonPage.js'
import { countedGroups, summaryOf } from '../../store/query/summaries.js'
import type { Context } from '../builder.js'
import type { SummaryRoot } from './compiler.js'
import type { Arguments } from './fields.js'
import { cachedStatement, checkedPageRequests, hasStablePlan, keyOf, newNumber, type RootRead } from './results.js'
import { boundValues } from './statements.js'

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
    const { text, values } = cachedStatement(read, key, () =>
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
