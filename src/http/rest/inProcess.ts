import { parse } from 'graphql'
import { SCOPE_NAMES } from '../../auth/scopes.js'
import { faultOf } from '../../graph/faults.js'
import { LIMITS } from '../../limits.js'
import type { Store } from '../../store/store.js'
import { createEngine } from '../engine.js'
import { OPERATIONS, type OperationName } from './operations.js'

/** The operator, who may read everything. */
const OPERATOR = { keyId: 'cli', name: 'cli', scopes: new Set(SCOPE_NAMES), projects: null, expiresAt: null } as const

/** The response body of a route with one object, without a request: for commands. */
export async function bodyOf(
  name: OperationName,
  variables: Readonly<Record<string, unknown>>,
  { store, clock }: { readonly store: Store; readonly clock: () => Date },
): Promise<string> {
  const { wholeListRowsMax, storeBulkMs: deadlineMs } = LIMITS
  const engine = createEngine({ store, clock, wholeListRowsMax, deadlineMs })
  const document = parse(OPERATIONS[name])
  const context = engine.contextFor(OPERATOR, () => undefined)
  const prepared = await engine.prepare({ document, variables }, OPERATOR)
  const result = typeof prepared === 'string' ? prepared : await prepared.run(context)
  if (typeof result !== 'string') return Buffer.concat([...(result.roots[0]?.json ?? [])]).toString()
  const { data, errors: [error] = [] } = await engine.run(document, { ...variables }, context)
  if (error) throw faultOf(error)
  return JSON.stringify(Object.values(data ?? {})[0])
}
