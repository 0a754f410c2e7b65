import { type DocumentNode, type ExecutionArgs, type ExecutionResult, execute } from 'graphql'
import type { Principal } from '../auth/principal.js'
import type { Context } from '../graph/builder.js'
import { schema } from '../schema.js'
import type { Store } from '../store/store.js'

/** Runs operations: the one place where both doors meet the schema. */
export interface Engine {
  /** Fresh for each request; `onStatement` is told of every statement that the request takes. */
  contextFor(principal: Principal, onStatement: () => void): Context
  execute(args: ExecutionArgs): Promise<ExecutionResult>
  run(document: DocumentNode, variables: Record<string, unknown>, context: Context): Promise<ExecutionResult>
}

export interface EngineOptions {
  readonly store: Store
  readonly clock: () => Date
  readonly wholeListRowsMax: number
}

export function createEngine({ store, clock, wholeListRowsMax }: EngineOptions): Engine {
  const contextFor: Engine['contextFor'] = (principal, onStatement) => ({
    store: {
      ...store,
      read: store.reading(onStatement),
      write: (as, work) => store.write({ ...as, onStatement }, work),
    },
    principal,
    clock,
    wholeListRowsMax,
  })
  return {
    contextFor,
    // Each error about a variable would print all that was sent.
    execute: async (args) => execute({ ...args, options: { ...args.options, maxCoercionErrors: 1 } }),
    run: async (document, variableValues, contextValue) => execute({ schema, document, variableValues, contextValue }),
  }
}
