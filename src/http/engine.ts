import { type DocumentNode, type ExecutionArgs, type ExecutionResult, execute } from 'graphql'
import type { Principal } from '../auth/principal.js'
import type { Context } from '../graph/builder.js'
import { schema } from '../schema.js'
import type { Store } from '../store/store.js'

/** Runs operations: the one place where both doors meet the schema. */
export interface Engine {
  contextFor(principal: Principal): Context
  execute(args: ExecutionArgs): Promise<ExecutionResult>
  run(document: DocumentNode, variables: Record<string, unknown>, context: Context): Promise<ExecutionResult>
}

export interface EngineOptions {
  readonly store: Store
  readonly clock: () => Date
  readonly wholeListRowsMax: number
}

export function createEngine({ store, clock, wholeListRowsMax }: EngineOptions): Engine {
  const contextFor = (principal: Principal): Context => ({ store, principal, clock, wholeListRowsMax })
  return {
    contextFor,
    execute: async (args) => execute(args),
    run: async (document, variableValues, contextValue) => execute({ schema, document, variableValues, contextValue }),
  }
}
