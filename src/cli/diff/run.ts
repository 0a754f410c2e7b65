import { parse } from 'graphql'
import { SCOPE_NAMES } from '../../auth/scopes.js'
import { faultOf } from '../../graph/faults.js'
import { createEngine } from '../../http/engine.js'
import { OPERATIONS } from '../../http/rest/operations.js'
import { LIMITS } from '../../limits.js'
import type { Store } from '../../store/store.js'
import { asMarkdown, asText, type Movements } from './words.js'

const document = parse(OPERATIONS.getMovements)

/** The operator, who may read everything. */
const OPERATOR = { keyId: 'cli', name: 'cli', scopes: new Set(SCOPE_NAMES), projects: null, expiresAt: null } as const

interface Question {
  readonly since: string
  readonly until: string | undefined
  readonly project: readonly string[] | undefined
}

/** The body of `GET /v1/movements`: the same operation, run in the same way. */
export async function movementsIn(store: Store, clock: () => Date, given: Question): Promise<Movements> {
  const { wholeListRowsMax, storeBulkMs: deadlineMs } = LIMITS
  const engine = createEngine({ store, clock, wholeListRowsMax, deadlineMs })
  const context = engine.contextFor(OPERATOR, () => undefined)
  const variables = { ...given }
  const prepared = await engine.prepare({ document, variables }, OPERATOR)
  const compiled = typeof prepared === 'string' ? prepared : await prepared.run(context)
  if (typeof compiled !== 'string') return JSON.parse(compiled.data().toString()).movements
  const { data, errors: [error] = [] } = await engine.run(document, variables, context)
  if (error) throw faultOf(error)
  // The operation is validated against the schema, and so is its result.
  return data?.['movements'] as Movements
}

/** The text of each format. */
export const SHOWN = {
  text: asText,
  markdown: asMarkdown,
  json: (movements: Movements) => JSON.stringify(movements),
} as const
