import { complexityFromQuery } from '@pothos/plugin-complexity'
import {
  type DocumentNode,
  GraphQLError,
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
import { LIMITS } from '../limits.js'
import { driverCode } from '../store/faults.js'
import { type Context, requireWithinLimits } from './builder.js'
import { decidingVariables, everything, type IsIncluded, includedBy } from './selections.js'
import type { Arguments } from './told.js'
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
    // A null decides nothing, and is refused.
    if (!deciding.every((name) => typeof variables[name] === 'boolean')) return undefined
    const decided = deciding.map((name) => variables[name]).join()
    if (!plans.has(decided)) plans.set(decided, planWith(includedBy(variables)))
    return plans.get(decided)
  }
  const { names, coerced } = variablesOf(schema, operation)
  const requireAffordable = affordable(schema, document, operation)
  const understood = (raw: Variables): Understood | undefined => {
    const variables = coerced(raw)
    const plan = variables && planFor(variables)
    if (!plan) return undefined
    const args = getArgumentValues(plan.field, plan.node, variables)
    requireAffordable(args['first'], variables)
    return { plan, args }
  }
  const kept = new Map<string, Understood>()

  return {
    scopes: whole.scopes,
    async tell(context, raw) {
      try {
        const key = keyOf(names, raw)
        const known = key === undefined ? undefined : kept.get(key)
        const found = known ?? understood(raw)
        if (found && !known && key !== undefined) {
          if (kept.size >= UNDERSTOOD_KEPT) kept.clear()
          kept.set(key, found)
        }
        return await found?.plan.tell(context, found.args)
      } catch (error) {
        if (error instanceof GraphQLError || error instanceof Fault || driverCode(error) !== undefined) return undefined
        throw error
      }
    },
  }
}

/** What graphql makes of the variables of a request. */
interface Understood {
  readonly plan: Plan
  readonly args: Arguments
}

const UNDERSTOOD_KEPT = 100
const KEY_CHARACTERS = 300

/** Variables that are short texts, numbers and the like, as one text that no others have. */
function keyOf(names: readonly string[], raw: Variables): string | undefined {
  let key = ''
  for (const name of names) {
    if (!Object.hasOwn(raw, name)) continue
    const value = raw[name]
    if (typeof value === 'object' && value !== null) return undefined
    // With its length in front, no text can pass for the end of itself and the beginning of another.
    key += typeof value === 'string' ? `${name}=${value.length}:${value};` : `${name}:${typeof value}:${value};`
  }
  return key.length > KEY_CHARACTERS ? undefined : key
}

function variablesOf(schema: GraphQLSchema, { variableDefinitions = [] }: OperationDefinitionNode) {
  const definitions = variableDefinitions.map((definition) => ({
    definition,
    name: definition.variable.name.value,
    isAlways: definition.defaultValue !== undefined || definition.type.kind === Kind.NON_NULL_TYPE,
  }))
  return {
    names: definitions.map(({ name }) => name),
    /** Looks only at those that are given, or that have something to say when they are not; undefined for a refusal. */
    coerced(raw: Variables): Variables | undefined {
      const relevant = definitions.filter(({ name, isAlways }) => isAlways || Object.hasOwn(raw, name))
      const asked = relevant.map(({ definition }) => definition)
      return getVariableValues(schema, asked, raw, { maxErrors: 1 }).coerced
    },
  }
}

/** What a query costs depends on nothing but how many rows are asked for, so each number is asked about once. */
function affordable(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode) {
  const run = document.definitions.filter((one) => one === operation || one.kind === Kind.FRAGMENT_DEFINITION)
  const known = new Set<unknown>()
  return (rows: unknown, variables: Variables): void => {
    if (known.has(rows)) return
    requireWithinLimits(complexityFromQuery({ ...document, definitions: run }, { schema, variables }))
    // Whatever else a page could be sized is refused later, and must not be remembered.
    if (known.size <= LIMITS.pageRowsMax) known.add(rows)
  }
}
