import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getArgumentValues,
  getOperationAST,
  getVariableValues,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql'
import type { Scope } from '../auth/scopes.js'
import { Fault } from '../errors.js'
import { isOfStore, toFault } from '../store/faults.js'
import type { Separator } from '../store/json.js'
import type { RowCounts } from '../store/rowCounts.js'
import { type Bill, billOf } from './bills.js'
import { boundedArguments } from './bounds.js'
import type { Context } from './builder.js'
import { type Price, priceOf } from './prices.js'
import { decidingVariables, everything, fragmentsOf, type IsIncluded, includedBy } from './selections.js'
import { type Plan, planOf, type Told } from './toldPlans.js'

type Variables = Readonly<Record<string, unknown>>

/** Answers one operation with JSON that the store builds, byte for byte what execution would answer. */
export interface Teller {
  /** Everything that execution would ask of a key: whoever lacks one of these is to be refused by execution itself. */
  readonly scopes: ReadonlySet<Scope>
  /** What there is to tell for these variables; undefined when execution must say what is wrong with them. */
  prepare(variables: Variables, counts: RowCounts): Promise<Prepared | undefined>
}

export interface Prepared extends Price {
  /** Undefined when it can only be refused: execution then says why. */
  tell(context: Context, separator?: Separator): Promise<Told | undefined>
}

const tellers = new WeakMap<OperationDefinitionNode, Teller | undefined>()

/** The teller of a validated operation; undefined when the store cannot tell all of it. A document has one schema. */
export function tellerOf(schema: GraphQLSchema, document: DocumentNode, operationName?: string): Teller | undefined {
  const operation = getOperationAST(document, operationName)
  // By the operation itself: a name that is none's would be remembered with the document, however long it is.
  if (operation && !tellers.has(operation)) tellers.set(operation, compile(schema, document, operation))
  return operation ? tellers.get(operation) : undefined
}

function compile(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): Teller | undefined {
  const deciding = decidingVariables(document)
  if (operation.operation !== OperationTypeNode.QUERY || !deciding) return undefined
  const fragments = fragmentsOf(document)
  const planWith = (isIncluded: IsIncluded): Priced | undefined => {
    const plan = planOf(schema, document, operation, isIncluded)
    return plan && { ...plan, bill: billOf({ schema, operation, fragments, isIncluded }) }
  }
  // With all that might be left out: what can be told, and to whom, does not depend on what is.
  const whole = planWith(everything)
  if (!whole) return undefined
  const plans = new Map<string, Priced | undefined>()
  const planFor = (variables: Variables): Priced | undefined => {
    // A null decides nothing, and is refused.
    if (!deciding.every((name) => typeof variables[name] === 'boolean')) return undefined
    const decided = deciding.map((name) => variables[name]).join()
    if (plans.size >= PLANS_KEPT && !plans.has(decided)) plans.clear()
    if (!plans.has(decided)) plans.set(decided, planWith(includedBy(variables)))
    return plans.get(decided)
  }

  return {
    scopes: whole.scopes,
    prepare(raw, counts) {
      const variables = coerced(schema, operation, raw)
      const plan = variables && planFor(variables)
      if (!plan) return Promise.resolve(undefined)
      return unlessRefused(async () => {
        const args = boundedArguments(plan.field, getArgumentValues(plan.field, plan.node, variables))
        if (!plan.isQuick(args)) return undefined
        const { charge } = await priceOf(plan.bill, { variables, counts, mayRead: () => true })
        return { charge, tell: (context, separator) => plan.tell(context, args, separator).catch(undefinedIfRefused) }
      })
    },
  }
}

interface Priced extends Plan {
  readonly bill: Bill
}

function unlessRefused<V>(make: () => Promise<V>): Promise<V | undefined> {
  return make().catch(undefinedIfRefused)
}

/** What the caller got wrong is for execution to say; a store that cannot be read now will not be read by it either. */
function undefinedIfRefused(error: unknown): undefined {
  const fault = toFault(error)
  const isCallers = error instanceof GraphQLError || (fault instanceof Fault && !isOfStore(fault))
  if (!isCallers) throw fault
}

/** Of one operation; each directive in it may double how many there are. */
const PLANS_KEPT = 16

const NOTHING: Variables = {}

function coerced(schema: GraphQLSchema, operation: OperationDefinitionNode, raw: Variables): Variables | undefined {
  const { variableDefinitions = [] } = operation
  if (variableDefinitions.length === 0) return NOTHING
  return getVariableValues(schema, variableDefinitions, raw, { maxErrors: 1 }).coerced
}
