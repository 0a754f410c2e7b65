import { complexityFromQuery } from '@pothos/plugin-complexity'
import {
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLSchema,
  getArgumentValues,
  getOperationAST,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql'
import type { Scope } from '../auth/scopes.js'
import { Fault } from '../errors.js'
import { toFault } from '../store/faults.js'
import { type Context, requireWithinLimits } from './builder.js'
import { decidingVariables, everything, type IsIncluded, includedBy } from './selections.js'
import { type Plan, planOf, type Told } from './toldPlans.js'

type Variables = Readonly<Record<string, unknown>>

/** Answers one operation with JSON that the store builds, byte for byte what execution would answer. */
export interface Teller {
  /** Everything that execution would ask of a key: whoever lacks one of these is to be refused by execution itself. */
  readonly scopes: ReadonlySet<Scope>
  /** Undefined when it cannot be told, or only refused: execution then says what there is to say. */
  tell(context: Context, variables: Variables): Promise<Told | undefined>
}

const tellers = new WeakMap<DocumentNode, Map<string | undefined, Teller | undefined>>()

/** The teller of a validated operation; undefined when the store cannot tell all of it. A document has one schema. */
export function tellerOf(schema: GraphQLSchema, document: DocumentNode, operationName?: string): Teller | undefined {
  const known = tellers.get(document) ?? new Map<string | undefined, Teller | undefined>()
  tellers.set(document, known)
  if (!known.has(operationName)) known.set(operationName, compile(schema, document, operationName))
  return known.get(operationName)
}

function compile(schema: GraphQLSchema, document: DocumentNode, operationName?: string): Teller | undefined {
  const operation = getOperationAST(document, operationName)
  const deciding = decidingVariables(document)
  if (operation?.operation !== OperationTypeNode.QUERY || !deciding) return undefined
  const planWith = (isIncluded: IsIncluded) => planOf(schema, document, operation, isIncluded)
  const whole = planWith(everything)
  if (!whole) return undefined
  const plans = new Map<string, Plan | undefined>()
  const planFor = (variables: Variables): Plan | undefined => {
    if (deciding.length === 0) return whole
    const decided = deciding.map((name) => variables[name] === true).join()
    if (!plans.has(decided)) plans.set(decided, planWith(includedBy(variables)))
    return plans.get(decided)
  }
  const requireAffordable = affordable(schema, document, operation)
  const argumentsOf = argumentReader(whole.field, whole.node)

  return {
    scopes: whole.scopes,
    async tell(context, raw) {
      const variables = coerced(schema, operation, raw)
      const plan = variables && planFor(variables)
      if (!plan) return undefined
      try {
        const args = argumentsOf(variables)
        requireAffordable(args['first'], variables)
        return await plan.tell(context, args)
      } catch (error) {
        if (error instanceof GraphQLError || toFault(error) instanceof Fault) return undefined
        throw error
      }
    },
  }
}

const NOTHING: Variables = {}

function coerced(schema: GraphQLSchema, operation: OperationDefinitionNode, raw: Variables): Variables | undefined {
  const { variableDefinitions = [] } = operation
  if (variableDefinitions.length === 0) return NOTHING
  return getVariableValues(schema, variableDefinitions, raw, { maxErrors: 1 }).coerced
}

function argumentReader(field: GraphQLField<unknown, unknown>, node: FieldNode) {
  return (variables: Variables) => getArgumentValues(field, node, variables)
}

/** What a query costs depends on nothing but how many rows are asked for, so each number is asked about once. */
function affordable(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode) {
  const run = document.definitions.filter((one) => one === operation || one.kind === Kind.FRAGMENT_DEFINITION)
  const known = new Set<unknown>()
  return (rows: unknown, variables: Variables): void => {
    if (known.has(rows)) return
    requireWithinLimits(complexityFromQuery({ ...document, definitions: run }, { schema, variables }))
    known.add(rows)
  }
}
