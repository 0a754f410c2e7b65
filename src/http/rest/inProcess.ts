import { parse } from 'graphql'
import { SCOPE_NAMES } from '../../auth/scopes.js'
import { Fault } from '../../errors.js'
import { createContext } from '../../graph/builder.js'
import { coercionOf } from '../../graph/query/arguments.js'
import { answer } from '../../graph/query/run.js'
import { operationIn } from '../../graph/query/selections.js'
import { LIMITS } from '../../limits.js'
import { schema } from '../../schema.js'
import type { Store } from '../../store/store.js'
import { RequestDeadline } from '../deadline.js'
import { OPERATIONS, type OperationName } from './operations.js'

/** The operator, who may read everything. */
const OPERATOR = { keyId: 'cli', name: 'cli', scopes: new Set(SCOPE_NAMES), projects: null, expiresAt: null } as const

/** The response body of a route with one object, without a request: for commands. */
export async function bodyOf(
  name: OperationName,
  variables: Readonly<Record<string, unknown>>,
  { store, clock }: { readonly store: Store; readonly clock: () => Date },
): Promise<string> {
  const operation = operationIn(schema, parse(OPERATIONS[name]))
  if (!operation) throw new Error(`There is no operation ${name}.`)
  const { coerced = {} } = coercionOf(schema, operation.operation, variables)
  const deadline = new RequestDeadline(LIMITS.storeBulkMs)
  const context = createContext({ schema, store, clock, principal: OPERATOR, deadline })
  const [root] = (await answer(operation, coerced, context)).roots
  if (!root || root.result instanceof Fault) throw root?.result ?? new Error(`The operation ${name} has no root field.`)
  return Buffer.concat(root.result.json).toString()
}
