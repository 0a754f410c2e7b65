import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  getOperationAST,
  getVariableValues,
} from 'graphql'
import type { Principal } from '../auth/principal.js'
import { grants } from '../auth/scopes.js'
import { billWith } from '../graph/bills.js'
import type { Context } from '../graph/builder.js'
import { priceIn } from '../graph/prices.js'
import { compiledQuery, type PreparedQuery } from '../graph/sql/compiledQueries.js'
import { fragmentsOf } from '../graph/sql/selections.js'
import type { ExecutionReason } from '../graph/sql/statements.js'
import { LIMITS } from '../limits.js'
import { schema } from '../schema.js'
import { rowCountsOf } from '../store/rowCounts.js'
import type { OnStatement, Store } from '../store/store.js'
import { Waiting } from './waiting.js'

/** Runs operations: the one place where both doors meet the schema. */
export interface Engine {
  /** Fresh for each request; `onStatement` is told of every statement that the request takes. The deadline begins here, unless the caller waits already. */
  contextFor(principal: Principal, onStatement: OnStatement, waiting?: Waiting): Context
  execute(args: ExecutionArgs): Promise<ExecutionResult>
  run(document: DocumentNode, variables: Record<string, unknown>, context: Context): Promise<ExecutionResult>
  /** A validated query as SQL can answer it, or why it is to be executed: for want of a scope, among others. */
  prepare(query: Query, principal: Principal): Promise<PreparedQuery | ExecutionReason>
  /** What a validated operation is charged; 0 where execution will refuse it. */
  chargeFor(query: Query, context: Context): Promise<number>
}

export interface Query {
  readonly document: DocumentNode
  readonly operationName?: string | undefined
  readonly variables: Readonly<Record<string, unknown>>
}

export interface EngineOptions {
  readonly store: Store
  readonly clock: () => Date
  readonly wholeListRowsMax: number
  /** How long a request may read. */
  readonly deadlineMs?: number
  /** Whether queries are compiled; without it everything is executed, which makes no difference but of time. */
  readonly isCompiled?: boolean
}

export function createEngine(options: EngineOptions): Engine {
  const { store, clock, wholeListRowsMax, deadlineMs = LIMITS.deadlineMs, isCompiled = true } = options
  const rowCounts = rowCountsOf(store)
  const contextFor: Engine['contextFor'] = (principal, onStatement, waiting = new Waiting(deadlineMs)) => {
    return {
      store: {
        ...store,
        read: store.reading(onStatement, waiting),
        write: (as, work) =>
          store.write({ ...as, onStatement, waitingSince: waiting.since }, work).finally(() => waiting.goOn()),
      },
      principal,
      clock,
      wholeListRowsMax,
      rowCounts,
      patience: waiting,
    }
  }
  return {
    contextFor,
    // Each error about a variable would print all that was sent.
    execute: async (args) => execute({ ...args, options: { ...args.options, maxCoercionErrors: 1 } }),
    async prepare({ document, operationName, variables }, { scopes }) {
      const compiled = isCompiled ? compiledQuery(schema, document, operationName) : 'switched_off'
      if (typeof compiled === 'string') return compiled
      const mayHaveAll = [...compiled.scopes].every((scope) => grants(scopes, scope))
      return mayHaveAll ? compiled.prepare(variables, rowCounts, (scope) => grants(scopes, scope)) : 'scope'
    },
    async chargeFor({ document, operationName, variables: raw }, context) {
      const operation = getOperationAST(document, operationName)
      if (!operation) return 0
      // Asked first, and only for one error: without that bound, thousands of bad values would each be told at length.
      const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], raw, { maxErrors: 1 })
      if (!coerced) return 0
      const bill = () => billWith(coerced, { schema, operation, fragments: fragmentsOf(document) })
      return priceIn(context, coerced, bill).then(
        ({ charge }) => charge,
        () => 0,
      )
    },
    run: async (document, variableValues, contextValue) => execute({ schema, document, variableValues, contextValue }),
  }
}
