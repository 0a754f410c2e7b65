import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getArgumentValues,
  getOperationAST,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import type { Scope } from '../../auth/scopes.js'
import { Fault, ResponseTooLong } from '../../errors.js'
import { LIMITS } from '../../limits.js'
import { isOfStore, toFault } from '../../store/faults.js'
import type { Separator } from '../../store/query/json.js'
import type { RowCounts } from '../../store/query/rowCounts.js'
import { boundedArguments } from '../bounds.js'
import type { Context } from '../builder.js'
import { type Bill, billOf } from '../cost/bills.js'
import { type Price, priceOf } from '../cost/prices.js'
import type { Arguments } from '../fields.js'
import { decidingVariables, everything, fragmentsOf, type IsIncluded, includedBy } from '../selections.js'
import { turn } from '../turns.js'
import { planOf, type Root } from './compiler.js'
import { entitiesRunner } from './entityResults.js'
import { listRunner, type RootRead, type RootResult, readRoots, singleRunner } from './results.js'
import { type ExecutionReason, NotCompilable, type Slot } from './statements.js'
import { summaryRunner } from './summaries.js'
import { coercedVariables } from './variables.js'
import { viewRunner } from './views.js'

type Variables = Readonly<Record<string, unknown>>

/** Runs one operation as SQL that builds JSON, byte for byte the same as execution's. */
interface CompiledQuery {
  /** All scopes that execution would check; without one of them, execution itself must refuse the request. */
  readonly scopes: ReadonlySet<Scope>
  /** Whether the result depends on more than the key's scopes. */
  readonly isPersonal: boolean
  prepare(
    variables: Variables,
    counts: RowCounts,
    limits?: { readonly mayRead?: (scope: Scope) => boolean; readonly bytesMax?: number },
  ): Promise<PreparedQuery | ExecutionReason>
}

export interface PreparedQuery extends Price {
  readonly isPersonal: boolean
  run(context: Context, separator?: Separator): Promise<CompiledResult | ExecutionReason>
}

/** A result as JSON. */
export interface CompiledResult {
  /** The `data` that execution would return, in UTF-8 and in pieces. */
  readonly data: readonly Buffer[]
  readonly roots: readonly RootResult[]
}

const compiled = new WeakMap<OperationDefinitionNode, Map<string, CompiledQuery | ExecutionReason>>()

const NO_SCOPES: ReadonlySet<Scope> = new Set()

/**
 * Compiles a validated operation, or returns why it cannot be. A document has one schema. References that need one of
 * the withheld scopes are null.
 */
export function compiledQuery(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName?: string,
  withheld = NO_SCOPES,
): CompiledQuery | ExecutionReason {
  const operation = getOperationAST(document, operationName)
  if (!operation) return 'bad_input'
  // Keyed by the operation: an unknown operation name, of any length, must not be cached with the document.
  const ofOperation = compiled.get(operation) ?? new Map<string, CompiledQuery | ExecutionReason>()
  compiled.set(operation, ofOperation)
  const key = [...withheld].join()
  const known = ofOperation.get(key) ?? orReason(() => compile(schema, document, operation, withheld))
  ofOperation.set(key, known)
  return known
}

function orReason<V>(work: () => V): V | ExecutionReason {
  try {
    return work()
  } catch (error) {
    return reasonOf(error)
  }
}

/** Execution reports bad input; it cannot read a failing store either, so errors of the store are thrown. */
function reasonOf(error: unknown): ExecutionReason {
  if (error instanceof NotCompilable) return error.reason
  const fault = toFault(error)
  if (error instanceof GraphQLError || (fault instanceof Fault && !isOfStore(fault))) return 'bad_input'
  throw fault
}

function compile(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  withheld: ReadonlySet<Scope>,
): CompiledQuery {
  if (operation.operation !== OperationTypeNode.QUERY) throw new NotCompilable('mutation')
  const deciding = decidingVariables(document)
  if (!deciding) throw new NotCompilable()
  const planWith = (isIncluded: IsIncluded) => runnable(schema, document, operation, isIncluded, withheld)
  // Compiled with every optional field: whether it compiles, and its scopes, do not depend on @skip and @include.
  const whole = planWith(everything)
  const plans = new LRUCache<string, Runnable>({ max: PLANS_CACHED_MAX })
  const planFor = (variables: Variables): Runnable => {
    // Execution rejects null in @skip and @include.
    if (!deciding.every((name) => typeof variables[name] === 'boolean')) throw new NotCompilable('bad_input')
    const decided = deciding.map((name) => variables[name]).join()
    const known = plans.get(decided) ?? planWith(includedBy(variables))
    plans.set(decided, known)
    return known
  }
  return {
    scopes: whole.scopes,
    isPersonal: whole.isPersonal,
    async prepare(raw, counts, { mayRead = () => true, bytesMax = LIMITS.responseBytesMax } = {}) {
      try {
        const variables = coercedVariables(schema, operation, raw)
        if (!variables) return 'bad_input'
        const plan = planFor(variables)
        const args = plan.slots.map((slots) => slots.map((slot) => argumentsOf(slot, variables)))
        const { charge } = await priceOf(plan.bill, { variables, counts, mayRead, bytesMax })
        const run: PreparedQuery['run'] = (context, separator) =>
          plan.run(context, args, separator ?? ',').catch((error: unknown) => {
            // Execution would read it all again.
            if (error instanceof ResponseTooLong) throw error
            return reasonOf(error)
          })
        return { charge, isPersonal: whole.isPersonal, run }
      } catch (error) {
        return reasonOf(error)
      }
    },
  }
}

/** Per operation; each directive may double the number of plans. */
const PLANS_CACHED_MAX = 16

interface Runnable {
  readonly scopes: ReadonlySet<Scope>
  readonly isPersonal: boolean
  /** By root field. */
  readonly slots: readonly (readonly Slot[])[]
  readonly bill: Bill
  run(context: Context, args: readonly (readonly Arguments[])[], separator: Separator): Promise<CompiledResult>
}

function runnable(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  isIncluded: IsIncluded,
  withheld: ReadonlySet<Scope>,
): Runnable {
  const { roots, scopes, isPersonal } = planOf(schema, document, operation, isIncluded, withheld)
  const runners = roots.map((root) => ({ name: root.name, run: runnerOf(root) }))
  const slots = roots.map((root) => ('slots' in root ? root.slots : []))
  const bill = billOf({ schema, operation, fragments: fragmentsOf(document), isIncluded })
  return {
    scopes,
    isPersonal,
    slots,
    bill,
    async run(context, args, separator) {
      const questions: RootRead[] = []
      for (const [index, { run }] of runners.entries()) {
        // Compiling new SQL text takes time: yield to other requests in between.
        if (index > 0) await turn(context)
        questions.push(await run(context, args[index] ?? [], separator))
      }
      return requireSendable(context, resultOf(runners, await readRoots(context, questions)))
    },
  }
}

/** Before its parts are joined: equal fields under several aliases share theirs. */
function requireSendable({ responseBytesMax }: Context, result: CompiledResult): CompiledResult {
  const bytes = result.data.reduce((sum, { length }) => sum + length, 0)
  if (bytes > responseBytesMax) throw new ResponseTooLong(responseBytesMax)
  return result
}

function resultOf(named: readonly { readonly name: string }[], roots: readonly RootResult[]): CompiledResult {
  const fields = roots.flatMap(({ json }, index) => [
    Buffer.from(`${index === 0 ? '' : ','}"${named[index]?.name}":`),
    ...json,
  ])
  return { data: [Buffer.from('{'), ...fields, Buffer.from('}')], roots }
}

type Runner = (context: Context, args: readonly Arguments[], separator: Separator) => Promise<RootRead>

function runnerOf(root: Root): Runner {
  if ('list' in root) return listRunner(root)
  if ('one' in root) return singleRunner(root)
  if ('types' in root) return entitiesRunner(root)
  if ('view' in root) return viewRunner(root)
  if ('summary' in root) return summaryRunner(root)
  const text = 'local' in root ? (context: Context) => JSON.stringify(root.local(context)) : () => root.text
  return async (context) => ({
    statements: [],
    resultOf: async () => ({ json: [Buffer.from(text(context))], isThere: true }),
  })
}

function argumentsOf({ field, node }: Slot, variables: Variables): Arguments {
  return boundedArguments(field, getArgumentValues(field, node, variables))
}
