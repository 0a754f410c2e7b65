import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type FieldNode,
  GraphQLError,
  getOperationAST,
} from 'graphql'
import type { Principal } from '../auth/principal.js'
import { grants, SCOPE_NAMES, type Scope } from '../auth/scopes.js'
import { Fault } from '../errors.js'
import type { Context } from '../graph/builder.js'
import { billWith } from '../graph/cost/bills.js'
import { priceIn } from '../graph/cost/prices.js'
import { fragmentsOf } from '../graph/selections.js'
import { compiledQuery, type PreparedQuery } from '../graph/sql/compiledQueries.js'
import { type CompiledMutation, compiledMutation } from '../graph/sql/mutations/compiler.js'
import { runMutation } from '../graph/sql/mutations/operations.js'
import { type ExecutionReason, NotCompilable } from '../graph/sql/statements.js'
import { coercedVariables, coercionOf, requireFewItems } from '../graph/sql/variables.js'
import { LIMITS } from '../limits.js'
import { schema } from '../schema.js'
import { rowCountsOf } from '../store/query/rowCounts.js'
import type { OnStatement, Store } from '../store/store.js'
import { RequestDeadline } from './deadline.js'

/** Runs operations against the schema, for both APIs. */
export interface Engine {
  /** A new context per request; `onStatement` is called for every SQL statement. The deadline starts now by default. */
  contextFor(principal: Principal, onStatement: OnStatement, deadline?: RequestDeadline): Context
  execute(args: ExecutionArgs): Promise<ExecutionResult>
  run(document: DocumentNode, variables: Record<string, unknown>, context: Context): Promise<ExecutionResult>
  /** A validated query compiled to SQL, or the reason why it must be executed, such as a missing scope. */
  prepare(query: Query, principal: Principal): Promise<PreparedQuery | ExecutionReason>
  /**
   * Compiles the one root field of a REST mutation, with coerced variables; undefined if it must be executed, also to
   * report an error.
   */
  change(mutation: StoredMutation, variables: Query['variables'], context: Context): Promise<Change | undefined>
  /** The charge of a validated operation; 0 if execution will refuse it, which is charged by the size of the body. */
  chargeFor(query: Query, context: Context): Promise<number>
}

export interface Query {
  readonly document: DocumentNode
  readonly operationName?: string | undefined
  readonly variables: Readonly<Record<string, unknown>>
  /** Whether a reference that the key may not read is null without an error. */
  readonly isLenient?: boolean
}

/** A mutation with one root field. */
interface StoredMutation {
  readonly document: DocumentNode
  readonly rootNode: FieldNode
}

type Change = Awaited<ReturnType<CompiledMutation['prepare']>>

interface EngineOptions {
  readonly store: Store
  readonly clock: () => Date
  readonly wholeListRowsMax: number
  /** The largest response. */
  readonly responseBytesMax?: number
  /** How long the reads of a request may take. */
  readonly deadlineMs?: number
  /** Called after each write of a request. */
  readonly onWritten?: () => void
  /** Whether operations are compiled to SQL; if not, all are executed, with the same results. */
  readonly isCompiled?: boolean
}

export function createEngine(options: EngineOptions): Engine {
  const { store, clock, wholeListRowsMax, deadlineMs = LIMITS.deadlineMs, isCompiled = true, onWritten } = options
  const { responseBytesMax = LIMITS.responseBytesMax } = options
  const rowCounts = rowCountsOf(store)
  const contextFor: Engine['contextFor'] = (principal, onStatement, deadline = new RequestDeadline(deadlineMs)) => {
    return {
      store: {
        ...store,
        read: store.reading({ owner: principal.keyId, onStatement, deadline, bytesMax: responseBytesMax }),
        write: (as, work) =>
          store.write({ onStatement, waitingSince: deadline.since, ...as }, work).finally(() => {
            deadline.goOn()
            onWritten?.()
          }),
      },
      principal,
      clock,
      wholeListRowsMax,
      responseBytesMax,
      rowCounts: rowCounts.countedFor(principal.keyId),
      deadline,
    }
  }
  return {
    contextFor,
    async execute(args) {
      const context = args.contextValue as Context
      const operation = getOperationAST(args.document, args.operationName)
      if (!context.isExecuted && operation?.operation === 'mutation') {
        const result = isCompiled ? await runMutation(args) : 'switched_off'
        if (typeof result !== 'string') return result
        context.onExecuted?.(result)
      }
      const errors = operation && coercionOf(args.schema, operation, args.variableValues ?? {}).errors
      return errors ? { errors } : execute(args)
    },
    async change({ document, rootNode }, variables, context) {
      if (!isCompiled || context.isExecuted) return undefined
      const mutation = compiledMutation(schema, document, [rootNode], variables)
      if (typeof mutation === 'string' || !mayHave(context.principal, mutation.scopes)) return undefined
      return mutation.prepare(context, variables).catch(unlessOfClient)
    },
    async prepare({ document, operationName, variables, isLenient = false }, principal) {
      if (getOperationAST(document, operationName)?.operation === 'query') requireFewItems(variables)
      const withheld = isLenient ? scopesWithout(principal) : undefined
      const compiled = isCompiled ? compiledQuery(schema, document, operationName, withheld) : 'switched_off'
      if (typeof compiled === 'string') return compiled
      if (!mayHave(principal, compiled.scopes)) return 'scope'
      const mayRead = (scope: Scope) => grants(principal.scopes, scope)
      return compiled.prepare(variables, rowCounts.countedFor(principal.keyId), { mayRead, bytesMax: responseBytesMax })
    },
    async chargeFor({ document, operationName, variables: raw }, context) {
      const operation = getOperationAST(document, operationName)
      if (!operation) return 0
      const coerced = coercedVariables(schema, operation, raw)
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

const scopesMissing = new WeakMap<Principal['scopes'], ReadonlySet<Scope>>()

/** The scopes that a key lacks. */
function scopesWithout({ scopes: held }: Principal): ReadonlySet<Scope> {
  const known = scopesMissing.get(held) ?? new Set(SCOPE_NAMES.filter((scope) => !grants(held, scope)))
  scopesMissing.set(held, known)
  return known
}

function mayHave({ scopes: held }: Principal, needed: ReadonlySet<Scope>): boolean {
  return [...needed].every((scope) => grants(held, scope))
}

/** Undefined on an error of the client: execution reports it. */
function unlessOfClient(error: unknown): undefined {
  if (error instanceof NotCompilable || error instanceof GraphQLError || error instanceof Fault) return undefined
  throw error
}
