import { setImmediate as nextTurn } from 'node:timers/promises'
import { GraphQLError, isNonNullType, locatedError } from 'graphql'
import { grants, type Scope } from '../../auth/scopes.js'
import { Fault, ResponseTooLong } from '../../errors.js'
import type { ChangeCounter } from '../../store/changeCounters.js'
import type { Separator } from '../../store/query/json.js'
import { type Context, missingScope } from '../builder.js'
import { asFault, publicError } from '../faults.js'
import { argumentsOf, textBytesOf } from './arguments.js'
import { type Arguments, mutationOf } from './declared.js'
import type { Refusal } from './entries.js'
import { type Plan, planFor, type Root } from './plan.js'
import { type FieldPrice, type PricedRoot, priceOf } from './prices.js'
import { faultOfRequest, NULL, orFault, type RootRead, type RootResult, readRoots } from './readers.js'
import { includedBy, type Nodes, type Operation, rootFieldsIn, type Variables } from './selections.js'

/** The cost of one record of a sync for the rate limit. */
export const RECORD_COST = 20
/** Bytes of the texts of a sync that count as one record, if that is more than its records. */
export const RECORD_BYTES = 1_000

/** The cost of each field of a new plan for the rate limit: building the SQL of 200 takes as long as a request. */
export const PLANNED_FIELD_COST = 10

/** Longer responses count as in flight before they are built. */
const LONG_BYTES = 8_000_000

/** The answer to an operation, by root field, in the order of the response. */
export interface Answer {
  readonly roots: readonly RootAnswer[]
  /** The change counters that it depends on; undefined for a change, and for what concerns the caller's own key. */
  readonly reads: readonly ChangeCounter[] | undefined
  /** Whether a root field that is never null has an error, so that there is no data at all. */
  readonly isNull: boolean
}

export interface RootAnswer {
  /** Its key in the response. */
  readonly key: string
  readonly nodes: Nodes
  /** A Fault if it is null because of an error. */
  readonly result: RootResult | Fault
  /** Fields below it that the caller may not read. */
  readonly refusals: readonly Refusal[]
  /** Errors that were recorded with an earlier result. */
  readonly errors?: readonly GraphQLError[]
}

/** Whose operation it is, and how it is run. */
interface RunOptions {
  /** Separates the entries of a list at the root. */
  readonly separator?: Separator
  /** Whether resolvers of a host read the result. */
  readonly isHosted?: boolean
  /** Runs the change of a root field, perhaps inside a larger one. */
  readonly around?: Around
}

/** Gets a context, and the change that is to be made with it, or with the same context on another store. */
export type Around = (key: string, nodes: Nodes, run: (context: Context) => Promise<RootAnswer>) => Promise<RootAnswer>

/**
 * Answers a validated operation, with coerced variables: plans it, prices it, and reads all root fields in one snapshot
 * or changes one after the other. The one way of both APIs and of every host. An error of one root field leaves the
 * others as they are; what is thrown concerns all of them.
 */
export async function answer(
  operation: Operation,
  variables: Variables,
  context: Context,
  { separator = ',', isHosted = false, around = (_, __, run) => run(context) }: RunOptions = {},
): Promise<Answer> {
  const { schema, principal, work } = context
  let plan: Plan
  let prepared: readonly Prepared[]
  let price: number
  try {
    plan = await planFor(schema, operation, variables, principal.scopes, { isHosted, work })
    prepared = work.time('check', () => plan.roots.map((root) => withArguments(root, variables)))
    price = Math.max(await priced(prepared, context), plan.fields * PLANNED_FIELD_COST)
    plan.keep?.()
  } catch (error) {
    return everywhere(context, operation, variables, faultOfRequest(error))
  }
  context.onPriced?.(price)
  // A server that has just started does not know yet whether there is room for the texts.
  await context.rowCounts.texts.measuring
  if (operation.operation.operation === 'query') {
    const reads = await readsOf(prepared, variables, context, separator)
    const roots = await readAll(prepared, reads, context)
    return answerOf(roots, context, plan.isPersonal ? undefined : countersOf(reads, roots))
  }
  const roots: RootAnswer[] = []
  for (const one of prepared) roots.push(await changeOne(one, context, around))
  return answerOf(roots, context)
}

function countersOf(reads: readonly (RootRead | Fault)[], roots: readonly RootAnswer[]): readonly ChangeCounter[] {
  const counters = reads.flatMap((one) => (one instanceof Fault ? [] : one.statements.flatMap(({ reads }) => reads)))
  // Someone who is not found by id may be added later.
  const isAllThere = roots.every(({ result }) => result instanceof Fault || result.isThere)
  return [...new Set(isAllThere ? counters : [...counters, 'personnel' as const])]
}

function answerOf(roots: readonly RootAnswer[], { schema }: Context, reads?: Answer['reads']): Answer {
  const queries = schema.getQueryType()?.getFields() ?? {}
  const isNull = roots.some(({ nodes, result }) => {
    const { value: name } = nodes[0].name
    return result instanceof Fault && (isNonNullType(queries[name]?.type) || NON_NULL.has(name))
  })
  return { roots, reads, isNull }
}

/** What every root type has, besides `__type`, which is nullable. */
const NON_NULL: ReadonlySet<string> = new Set(['__typename', '__schema'])

/** Whether the caller may use no root field of a mutation. */
export function isRefused(operation: Operation, decided: Variables, { schema, principal }: Context): boolean {
  const changes = schema.getMutationType()?.getFields()
  const scopes = Array.from(rootFieldsIn(operation, includedBy(decided)).values(), ([{ name }]) => {
    return changes?.[name.value]?.extensions['scope'] as Scope | undefined
  })
  // `__typename` has none.
  const needed = scopes.filter((scope) => scope !== undefined)
  return needed.length > 0 && needed.every((scope) => !grants(principal.scopes, scope))
}

function everywhere(context: Context, operation: Operation, variables: Variables, result: Fault): Answer {
  const selected = rootFieldsIn(operation, includedBy(variables))
  const roots = Array.from(selected, ([key, nodes]) => ({ key, nodes, result, refusals: [] }))
  return answerOf(roots, context)
}

/** A root field with the arguments of its slots, or what is wrong with them. */
interface Prepared {
  readonly root: Root
  readonly args: readonly Arguments[] | Fault
}

function withArguments(root: Root, variables: Variables): Prepared {
  if ('refused' in root.run) return { root, args: missingScope(root.run.refused) }
  try {
    return { root, args: root.slots.map((slot) => argumentsOf(slot, variables)) }
  } catch (error) {
    // A null in a nullable variable passes validation, and is refused where a non-null type needs it.
    const isNull = error instanceof GraphQLError
    return { root, args: isNull ? new Fault('BAD_REQUEST', error.message) : faultOfRequest(error) }
  }
}

async function priced(prepared: readonly Prepared[], context: Context): Promise<number> {
  const roots: PricedRoot[] = []
  for (const { root, args } of prepared) {
    if (args instanceof Fault) continue
    const storing = 'change' in root.run ? await storingCostOf(root, args, context) : undefined
    roots.push({ cost: root.cost, args, ...(storing !== undefined && { storing }) })
  }
  const { principal, rowCounts: counts, responseBytesMax: bytesMax, work } = context
  return priceOf(roots, { counts, bytesMax, work, mayRead: (scope: Scope) => grants(principal.scopes, scope) })
}

/** The cost of a mutation for the records that it stores: their number, or their bytes if they are long. */
async function storingCostOf({ slots: [slot] }: Root, [args = {}]: readonly Arguments[], { store }: Context) {
  const price = slot?.field.extensions['price'] as FieldPrice | undefined
  if (!price || !('records' in price)) return 0
  const long = Math.floor(textBytesOf(Object(args['input'])) / RECORD_BYTES)
  return Math.max(await price.records(args, store.read), long) * RECORD_COST
}

/** What each root field reads. */
async function readsOf(
  prepared: readonly Prepared[],
  variables: Variables,
  context: Context,
  separator: Separator,
): Promise<(RootRead | Fault)[]> {
  const reads: (RootRead | Fault)[] = []
  for (const [index, { root, args }] of prepared.entries()) {
    // Composing new SQL text takes time: yield to other requests in between.
    if (index > 0) await nextTurn()
    const { run } = root
    if (args instanceof Fault) reads.push(args)
    else if ('read' in run) reads.push(await orFault(() => run.read(context, args, separator, variables)))
  }
  return reads
}

async function readAll(
  prepared: readonly Prepared[],
  reads: readonly (RootRead | Fault)[],
  context: Context,
): Promise<RootAnswer[]> {
  // Equal fields under several aliases are read once, but each is in the response.
  const long = reads.flatMap((read) => (read instanceof Fault ? [] : read.statements))
  const bytes = long.reduce((sum, { longBytes = 0 }) => sum + longBytes, 0)
  if (bytes > LONG_BYTES) context.onLong?.(Math.min(bytes, context.responseBytesMax))
  const results = await readRoots(context, reads)
  requireSendable(context, results)
  return prepared.map(({ root: { key, nodes } }, index) => {
    const [read, result] = [reads[index], results[index]]
    if (!read || !result) throw new Error(`${key} has no result.`)
    const isRead = !(read instanceof Fault || result instanceof Fault)
    return { key, nodes, result, refusals: isRead ? read.refusals : [] }
  })
}

/** Before the parts are joined: equal fields under several aliases share theirs. */
function requireSendable({ responseBytesMax }: Context, results: readonly (RootResult | Fault)[]): void {
  const json = results.flatMap((result) => (result instanceof Fault ? [] : result.json))
  const bytes = json.reduce((sum, { length }) => sum + length, 0)
  if (bytes > responseBytesMax) throw new ResponseTooLong(responseBytesMax)
}

/** Every error of a change concerns its root field alone: others may have been made already. */
async function changeOne({ root, args }: Prepared, context: Context, around: Around): Promise<RootAnswer> {
  const { key, nodes, run, slots } = root
  const failed = (error: unknown): RootAnswer => ({ key, nodes, result: asFault(error), refusals: [] })
  if (args instanceof Fault) return failed(args)
  if ('read' in run) {
    const { resultOf } = await run.read(context, args, ',', {})
    return { key, nodes, result: await resultOf([]), refusals: [] }
  }
  if (!('change' in run)) return failed(new Error('A change has a plan.'))
  const make = async (inner: Context): Promise<RootAnswer> => {
    const { refusals, run: work } = await run.change(inner, args)
    return { key, nodes, result: await work(), refusals }
  }
  const answered = await around(key, nodes, make).catch(failed)
  const after = slots[0] && mutationOf(slots[0].field)?.after
  // What fails here is made up for when it is called next: the change itself is committed.
  if (!(answered.result instanceof Fault)) await after?.(context.store, context.clock).catch(() => undefined)
  return answered
}

/** The `data` of an answer in UTF-8, in pieces. */
export function dataOf({ roots, isNull }: Answer): Buffer[] {
  if (isNull) return [NULL]
  const fields = roots.flatMap(({ key, result }, index) => [
    Buffer.from(`${index === 0 ? '' : ','}"${key}":`),
    ...(result instanceof Fault ? [NULL] : result.json),
  ])
  return [Buffer.from('{'), ...fields, Buffer.from('}')]
}

/** The errors of an answer, each at its place; at most `most` of them, and how many others there are. */
export function errorsOf(
  { roots }: Pick<Answer, 'roots'>,
  most = Number.POSITIVE_INFINITY,
): { errors: GraphQLError[]; more: number } {
  const places = roots.flatMap(({ key, nodes, result, refusals, errors = [] }) => {
    if (result instanceof Fault) return [{ fault: result, nodes, path: [key] }]
    const refused = refusals.map(({ scope, ...place }) => ({ fault: missingScope(scope), ...place }))
    const violations = Array.from(result.violations ?? [], ([index, fault]) => ({ fault, nodes, path: [key, index] }))
    return [...refused, ...violations, ...errors]
  })
  const errors = places
    .slice(0, most)
    .map((one) => (one instanceof GraphQLError ? one : locatedError(publicError(one.fault), one.nodes, one.path)))
  return { errors, more: Math.max(0, places.length - most) }
}
