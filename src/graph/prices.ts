import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionSetNode,
} from 'graphql'
import { grants, type Scope } from '../auth/scopes.js'
import { Fault } from '../errors.js'
import { LIMITS } from '../limits.js'
import { isServed } from '../store/page.js'
import { HANDFUL } from '../store/relations.js'
import type { CountedList, RowCounts } from '../store/rowCounts.js'
import type { Context } from './builder.js'
import type { Arguments } from './sql/fields.js'
import { type IsIncluded, includedBy } from './sql/selections.js'

/** How a field is priced, where it is more than 1 and what is selected of it; stands in its extensions as `price`. */
export type FieldPrice =
  /** A list at the root, which is whole unless a page is asked for. */
  | { readonly list: CountedList }
  /** A list inside another thing, which is always a page. */
  | { readonly isNestedList: true }
  /** Members of a connection: its entries, what costs a count, and what needs the ends of the page. */
  | { readonly part: 'entries' | 'count' | 'ends' }
  /** A mutation that brings in this many records. */
  | { readonly records: (args: Arguments) => number }
  /** The references of a gateway: each different one is looked up, and every one is written. */
  | { readonly references: (args: Arguments) => { readonly all: number; readonly different: number } }

/** What an operation costs, as far as that does not depend on what is stored. */
export interface Bill {
  readonly fixed: number
  /** What repeats of references would cost if they were not read once. */
  readonly repeated: number
  readonly depth: number
  readonly lists: readonly ListBill[]
  /** What each mutation costs by itself. */
  readonly mutations: readonly number[]
}

/** A list at the root: how many rows it reads is known only with its arguments and the store. */
export interface ListBill {
  readonly list: CountedList
  /** Of whoever may read it. */
  readonly scope: Scope | undefined
  readonly args: ListArguments
  /** What is selected of an entry; 0 where no row is read. */
  readonly perRow: number
  readonly isCounted: boolean
  readonly needsEnds: boolean
}

export interface ListArguments {
  readonly first?: number | null
  readonly filter?: Arguments | null
}

interface Cost {
  readonly fixed: number
  readonly depth: number
  /** Of the selection of a connection: what each of its rows adds. */
  readonly perRow: number
  readonly isCounted: boolean
  readonly needsEnds: boolean
}

const NOTHING: Cost = { fixed: 0, depth: 0, perRow: 0, isCounted: false, needsEnds: false }

export interface Priced {
  readonly schema: GraphQLSchema
  readonly operation: OperationDefinitionNode
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>
  readonly variables: Arguments
  readonly isIncluded?: IsIncluded
}

/** Prices a validated operation; throws what graphql says of arguments that cannot be used. */
export function billOf({ schema, operation, fragments, variables, isIncluded = includedBy(variables) }: Priced): Bill {
  const pricer = new Pricer(schema, fragments, variables, isIncluded)
  const root = schema.getRootType(operation.operation)
  const { fixed, depth } = root ? pricer.selection(operation.selectionSet, root) : NOTHING
  const isMutation = operation.operation === OperationTypeNode.MUTATION
  const { lists, repeated, rootFields } = pricer
  return { fixed, repeated, depth, lists, mutations: isMutation ? rootFields : [] }
}

class Pricer {
  readonly lists: ListBill[] = []
  readonly rootFields: number[] = []
  repeated = 0
  private readonly schema: GraphQLSchema
  private readonly fragments: Priced['fragments']
  private readonly variables: Arguments
  private readonly isIncluded: IsIncluded
  /** Fragments may stand in each other many times, and are looked at once. */
  private readonly known = new Map<SelectionSetNode, Map<GraphQLNamedType, Cost>>()

  constructor(schema: GraphQLSchema, fragments: Priced['fragments'], variables: Arguments, isIncluded: IsIncluded) {
    this.schema = schema
    this.fragments = fragments
    this.variables = variables
    this.isIncluded = isIncluded
  }

  selection(set: SelectionSetNode, type: GraphQLNamedType): Cost {
    const before = this.known.get(set)?.get(type)
    if (before) return before
    let total = NOTHING
    for (const node of set.selections) {
      if (!this.isIncluded(node)) continue
      total = sum(total, node.kind === Kind.FIELD ? this.field(node, type) : this.fragment(node, type))
    }
    const known = this.known.get(set) ?? new Map<GraphQLNamedType, Cost>()
    this.known.set(set, known.set(type, total))
    return total
  }

  private fragment(node: Exclude<SelectionSetNode['selections'][number], FieldNode>, type: GraphQLNamedType): Cost {
    const fragment = node.kind === Kind.FRAGMENT_SPREAD ? this.fragments[node.name.value] : node
    const condition = fragment?.typeCondition && this.schema.getType(fragment.typeCondition.name.value)
    return fragment ? this.selection(fragment.selectionSet, condition ?? type) : NOTHING
  }

  private field(node: FieldNode, type: GraphQLNamedType): Cost {
    const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[node.name.value] : undefined
    // What is asked of the schema itself has limits of its own.
    if (!field) return { ...NOTHING, fixed: 1, depth: 1 }
    const selected = node.selectionSet ? this.selection(node.selectionSet, getNamedType(field.type)) : NOTHING
    const cost = { ...this.costOf(field, node, selected), depth: selected.depth + 1 }
    // What is stored counts for the rate limit alone: how much may be sent has a limit of its own.
    if (type === this.schema.getMutationType()) this.rootFields.push(cost.fixed + this.storingCost(field, node))
    return cost
  }

  private storingCost(field: GraphQLField<unknown, unknown>, node: FieldNode): number {
    return storingCostOf(field, () => getArgumentValues(field, node, this.variables))
  }

  private costOf(field: GraphQLField<unknown, unknown>, node: FieldNode, selected: Cost): Cost {
    const price = field.extensions['price'] as FieldPrice | undefined
    const alone = (fixed: number): Cost => ({ ...NOTHING, fixed })
    if (!price || 'records' in price) return alone(1 + (isList(field.type) ? HANDFUL : 1) * selected.fixed)
    if ('part' in price) {
      if (price.part === 'entries') return { ...NOTHING, perRow: selected.fixed }
      if (price.part === 'count') return { ...NOTHING, isCounted: true }
      return { ...NOTHING, fixed: selected.fixed, needsEnds: true }
    }
    const args = getArgumentValues(field, node, this.variables)
    if ('references' in price) {
      const { all, different } = price.references(args)
      this.repeated += (all - different) * selected.fixed
      return alone(1 + different * (1 + selected.fixed))
    }
    if ('list' in price) {
      const { perRow, isCounted, needsEnds } = selected
      const { scope } = field.extensions as { scope?: Scope }
      this.lists.push({ list: price.list, scope, args, perRow, isCounted, needsEnds })
      return alone(1 + selected.fixed)
    }
    const first = (args as ListArguments).first ?? LIMITS.nestedPageRows
    return alone(LIMITS.nestedListCost + selected.fixed + atLeastNone(first) * rowPrice(selected, true))
  }
}

/** What a mutation is charged for the records that it brings in. */
export function storingCostOf({ extensions }: GraphQLField<unknown, unknown>, args: () => Arguments): number {
  const price = extensions['price'] as FieldPrice | undefined
  return price && 'records' in price ? price.records(args()) * LIMITS.recordCost : 0
}

function sum(one: Cost, other: Cost): Cost {
  return {
    fixed: one.fixed + other.fixed,
    depth: Math.max(one.depth, other.depth),
    perRow: one.perRow + other.perRow,
    isCounted: one.isCounted || other.isCounted,
    needsEnds: one.needsEnds || other.needsEnds,
  }
}

function isList(type: GraphQLOutputType): boolean {
  return isListType(isNonNullType(type) ? type.ofType : type)
}

/** A page of less than none is refused where it is read, and must not make others cheaper until then. */
function atLeastNone(first: number): number {
  return Math.max(0, first)
}

/** A page must be read to know its ends, even where nothing of its rows is selected; those of a whole list are at hand. */
function rowPrice({ perRow, needsEnds }: Pick<Cost, 'perRow' | 'needsEnds'>, isPage: boolean): number {
  return needsEnds && isPage ? Math.max(1, perRow) : perRow
}

/** What a bill comes to with what is stored now. */
export interface Price {
  /** What the rate limit counts: every row that is read. */
  readonly charge: number
}

/** Refuses what is beyond the limits, before any row is counted for the charge. */
export async function priceOf(bill: Bill, counts: RowCounts): Promise<Price> {
  requireAtMost('depth', bill.depth, LIMITS.queryDepthMax)
  let limit = bill.fixed
  let charge = bill.mutations.length > 0 ? sumOf(bill.mutations.map(inUnits)) : bill.fixed
  charge += Math.ceil(bill.repeated / LIMITS.repeatedCostForOne)
  const lists = await Promise.all(bill.lists.map((one) => liveRowsOf(one, counts)))
  for (const { looks, perPage, perRow, live } of lists) {
    limit += looks + (perPage ?? perRow * Math.min(live, LIMITS.wholeListPricedRows))
  }
  requireAtMost('cost', limit, LIMITS.queryCostMax)
  requireAtMost('cost of repeated references', bill.repeated, LIMITS.repeatedCostMax)
  for (const { looks, perPage, perRow, rows } of lists) charge += looks + (perPage ?? perRow * (await rows()))
  return { charge }
}

async function liveRowsOf({ list, args, perRow, isCounted, needsEnds }: ListBill, counts: RowCounts) {
  const first = args.first ?? undefined
  const filter = args.filter ?? {}
  const given = Object.keys(filter).filter((name) => filter[name] !== null && filter[name] !== undefined)
  const isFiltered = given.length > 0
  const reads = rowPrice({ perRow, needsEnds }, first !== undefined)
  // An index has what a served filter finds; whatever is counted is gone through.
  const looks = (isServed(list, filter) || reads === 0 ? 0 : 1) + (isCounted ? 1 : 0)
  const isWhole = first === undefined && reads > 0
  // What cannot be counted cannot be read either, and whoever reads it says why.
  const counted = (by?: object) => counts.of(list, by).catch(() => LIMITS.wholeListPricedRows)
  const live = looks > 0 || isWhole ? await counted() : 0
  return {
    live,
    looks: looks * Math.ceil(live / LIMITS.scannedRowsForOne),
    perPage: first === undefined ? undefined : atLeastNone(first) * reads,
    perRow: reads,
    rows: async () => (isWhole && isFiltered ? counted(filter) : live),
  }
}

const priced = new WeakMap<Context, Promise<Price>>()

/** The price of the one operation that a context is made for, found once. */
export function priceIn(context: Context, bill: () => Bill): Promise<Price> {
  const known =
    priced.get(context) ?? Promise.resolve().then(() => priceOf(billFor(context, bill()), context.rowCounts))
  priced.set(context, known)
  return known
}

/** What the caller may not read is not read, and what it would have cost would tell how many rows there are. */
function billFor({ principal }: Context, bill: Bill): Bill {
  const mayRead = ({ scope }: ListBill) => scope === undefined || grants(principal.scopes, scope)
  return bill.lists.every(mayRead) ? bill : { ...bill, lists: bill.lists.filter(mayRead) }
}

/** Has no field at the root resolved before the whole operation is found to be within the limits. */
export function limitPrices(schema: GraphQLSchema): void {
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      const { resolve } = field
      if (!resolve) continue
      field.resolve = async (source, args, context: Context, info) => {
        await priceIn(context, () => billOf({ ...info, variables: info.variableValues }))
        return resolve(source, args, context, info)
      }
    }
  }
}

/** Each mutation is charged for itself, like a request that brings it alone. */
function inUnits(cost: number): number {
  return Math.ceil(cost / LIMITS.rateUnitCost) * LIMITS.rateUnitCost
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}

function requireAtMost(limit: string, actual: number, most: number): void {
  if (actual <= most) return
  const hint = 'Ask for fewer fields, or for smaller pages with `first`.'
  throw new Fault('TOO_COMPLEX', `The query's ${limit} is ${actual}; the most is ${most}. ${hint}`)
}
