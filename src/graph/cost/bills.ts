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
import type { Scope } from '../../auth/scopes.js'
import { Fault } from '../../errors.js'
import { LIMITS } from '../../limits.js'
import { HANDFUL } from '../../store/query/relations.js'
import type { CountedList, CountedRelation } from '../../store/query/rowCounts.js'
import { boundedArguments } from '../bounds.js'
import { type Arguments, sqlOf } from '../fields.js'
import { type IsIncluded, includedBy } from '../selections.js'
import type { FieldPrice } from './fieldPrices.js'
import { textBytesOf } from './inputBytes.js'
import { type LongText, longTextOf } from './longTexts.js'
import { allDifferent, type MayRead, onceFor, type References } from './references.js'

/** The cost of a selection each time that it is read. */
export interface Selection {
  readonly fixed: number
  /** Parts that depend on the store or on arguments, and how often each is in the selection. */
  readonly inner: ReadonlyMap<Inner, number>
  /** The long texts among its fields, and how often each is in the selection. */
  readonly texts: ReadonlyMap<LongText, number>
}

export type Inner = ListBill | Referred

/** An entity that other rows refer to; several rows may refer to the same one. */
interface Referred {
  readonly references: (variables: Arguments, mayRead: MayRead) => References
  /** The cost of looking one up, besides its selection. */
  readonly lookUp: number
  readonly each: Selection
}

/** A list, whose number of rows depends on its arguments and on the store. */
export interface ListBill {
  /** The name of its field. */
  readonly name: string
  readonly list: CountedList
  /** Undefined for a list at the root. */
  readonly relation: CountedRelation | undefined
  /** The scope that reading it needs. */
  readonly scope: Scope | undefined
  readonly args: (variables: Arguments) => ListArguments
  /** Whether the field takes `first`; summaries and what is derived from a list do not. */
  readonly isPaged: boolean
  /** The selection of an entry. */
  readonly entry: Selection
  readonly isCounted: boolean
  readonly needsEnds: boolean
}

export interface ListArguments {
  readonly first?: number | null
  readonly filter?: Arguments | null
}

/** The cost of an operation, as far as it depends neither on variables nor on stored rows. */
export interface Bill extends Selection {
  readonly depth: number
  /** The cost of each mutation. */
  readonly mutations: readonly MutationBill[]
}

interface MutationBill extends Selection {
  /** Records to store count for the rate limit only: their number has its own limit. */
  readonly storing: (variables: Arguments) => number
}

const NO_INNER: Selection['inner'] = new Map()
const NO_TEXTS: Selection['texts'] = new Map()
const FREE: Selection = { fixed: 0, inner: NO_INNER, texts: NO_TEXTS }

interface Cost extends Selection {
  readonly depth: number
  /** In the selection of a connection: what each of its rows adds. */
  readonly entry: Selection
  readonly isCounted: boolean
  readonly needsEnds: boolean
}

const NOTHING: Cost = { ...FREE, depth: 0, entry: FREE, isCounted: false, needsEnds: false }

interface Priced {
  readonly schema: GraphQLSchema
  readonly operation: OperationDefinitionNode
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>
  readonly isIncluded: IsIncluded
}

/** Computes the bill of a validated operation. */
export function billOf(priced: Priced): Bill {
  const { schema, operation } = priced
  const biller = new Biller(priced)
  const root = schema.getRootType(operation.operation)
  const { fixed, inner, texts, depth } = root ? biller.selection(operation.selectionSet, root) : NOTHING
  const isMutation = operation.operation === OperationTypeNode.MUTATION
  return { fixed, inner, texts, depth, mutations: isMutation ? biller.mutations : [] }
}

/** Of operations without directives: their bills are the same for all variables. */
const unconditional = new WeakMap<OperationDefinitionNode, Bill>()

/** The bill of one request, without the selections that its variables skip. */
export function billWith(variables: Arguments, priced: Omit<Priced, 'isIncluded'>): Bill {
  const { schema, operation, fragments } = priced
  const known = unconditional.get(operation)
  if (known) return known
  const isSelected = includedBy(variables)
  let hasDirectives = false
  const isIncluded: IsIncluded = (node) => {
    hasDirectives ||= (node.directives?.length ?? 0) > 0
    return isSelected(node)
  }
  const bill = billOf({ schema, operation, fragments, isIncluded })
  if (!hasDirectives) unconditional.set(operation, bill)
  return bill
}

class Biller {
  readonly mutations: MutationBill[] = []
  private readonly schema: GraphQLSchema
  private readonly fragments: Priced['fragments']
  private readonly isIncluded: IsIncluded
  /** Memoised, because fragments may be nested in each other many times. */
  private readonly known = new Map<SelectionSetNode, Map<GraphQLNamedType, Cost>>()

  constructor({ schema, fragments, isIncluded }: Priced) {
    this.schema = schema
    this.fragments = fragments
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
    // Introspection has limits of its own.
    if (!field) return { ...NOTHING, fixed: 1, depth: 1 }
    const selected = node.selectionSet ? this.selection(node.selectionSet, getNamedType(field.type)) : NOTHING
    const text = longTextOf(this.schema, type, field)
    const own = costOf(field, node, selected)
    const cost = { ...own, texts: text ? plus(own.texts, new Map([[text, 1]])) : own.texts, depth: selected.depth + 1 }
    if (type === this.schema.getMutationType()) {
      const storing = (variables: Arguments) => storingCostOf(field, () => getArgumentValues(field, node, variables))
      this.mutations.push({ fixed: cost.fixed, inner: cost.inner, texts: cost.texts, storing })
    }
    return cost
  }
}

function costOf(field: GraphQLField<unknown, unknown>, node: FieldNode, selected: Cost): Cost {
  const { price, scope } = field.extensions as { price?: FieldPrice; scope?: Scope }
  const declared = sqlOf(field)
  // What the row itself has costs no more than its other columns.
  const isOwn = declared && 'items' in declared && declared.items.stored
  if (!price || 'records' in price) return referring(isList(field.type) && !isOwn ? HANDFUL : 1, selected)
  if ('part' in price) return partOf(price.part, selected)
  const args = (variables: Arguments) => orNothing(field, getArgumentValues(field, node, variables))
  if ('references' in price) {
    const { fixed, inner, texts } = selected
    return within({
      references: onceFor((variables, mayRead) => price.references(args(variables), mayRead)),
      lookUp: 1,
      each: { fixed, inner, texts },
    })
  }
  if ('derived' in price) return derivedCost(field, price.derived, args, selected)
  const { fixed, entry, isCounted, needsEnds } = selected
  if ('counted' in price) {
    const list = price.counted
    return within(
      { name: field.name, list, relation: undefined, scope, args, isPaged: false, entry, isCounted: true, needsEnds },
      fixed,
    )
  }
  const isRoot = 'list' in price
  const relation = isRoot ? undefined : price.relation
  const list = isRoot ? price.list : price.relation.list
  return within({ name: field.name, list, relation, scope, args, isPaged: true, entry, isCounted, needsEnds }, fixed)
}

/** Every row is read once; an entry is the change of at least one row. */
function derivedCost(
  { name, extensions }: GraphQLField<unknown, unknown>,
  { list, filter, entries }: Extract<FieldPrice, { derived: unknown }>['derived'],
  args: (variables: Arguments) => Arguments,
  { fixed, entry }: Cost,
): Cost {
  const { scope } = extensions as { scope?: Scope }
  const scan: ListBill = {
    name,
    list,
    relation: undefined,
    scope,
    args: (variables) => ({ filter: filter(args(variables)) }),
    isPaged: false,
    entry: entries ? FREE : entry,
    isCounted: true,
    needsEnds: false,
  }
  const scanned = within(scan, fixed)
  if (!entries) return scanned
  const references = onceFor((variables) => allDifferent(entries(args(variables))))
  return { ...scanned, inner: new Map([...scanned.inner, [{ references, lookUp: 0, each: entry }, 1]]) }
}

/** The cost of a mutation for the records that it stores: their number, or their bytes if they are long. */
export function storingCostOf({ extensions }: GraphQLField<unknown, unknown>, args: () => Arguments): number {
  const price = extensions['price'] as FieldPrice | undefined
  if (!price || !('records' in price)) return 0
  const given = args()
  return (
    Math.max(price.records(given), Math.floor(textBytesOf(given['input']) / LIMITS.recordBytes)) * LIMITS.recordCost
  )
}

/** Arguments beyond their bounds are refused by the resolver; until then nothing is looked up for them. */
function orNothing(field: GraphQLField<unknown, unknown>, args: Arguments): Arguments {
  try {
    return boundedArguments(field, args)
  } catch (error) {
    if (error instanceof Fault) return { ...args, first: 0, filter: {} }
    throw error
  }
}

function referring(times: number, { fixed, inner, texts }: Cost): Cost {
  if (inner.size === 0) return { ...NOTHING, fixed: 1 + times * fixed, texts: multiplied(texts, times) }
  return within({ references: () => allDifferent(times), lookUp: 0, each: { fixed, inner, texts } })
}

function multiplied(texts: Selection['texts'], times: number): Selection['texts'] {
  return texts.size === 0 ? texts : new Map(Array.from(texts, ([text, count]) => [text, count * times]))
}

function within(one: Inner, fixed = 0): Cost {
  return { ...NOTHING, fixed: 1 + fixed, inner: new Map([[one, 1]]) }
}

function partOf(part: 'entries' | 'entry' | 'count' | 'ends', { fixed, inner, texts }: Cost): Cost {
  if (part === 'entries') return { ...NOTHING, entry: { fixed, inner, texts } }
  if (part === 'entry') return { ...NOTHING, fixed: 1 + fixed, inner, texts }
  if (part === 'count') return { ...NOTHING, isCounted: true }
  return { ...NOTHING, fixed, needsEnds: true }
}

function sum(one: Cost, other: Cost): Cost {
  return {
    ...both(one, other),
    depth: Math.max(one.depth, other.depth),
    entry: both(one.entry, other.entry),
    isCounted: one.isCounted || other.isCounted,
    needsEnds: one.needsEnds || other.needsEnds,
  }
}

function both(one: Selection, other: Selection): Selection {
  return {
    fixed: one.fixed + other.fixed,
    inner: plus(one.inner, other.inner),
    texts: plus(one.texts, other.texts),
  }
}

function plus<K>(one: ReadonlyMap<K, number>, other: ReadonlyMap<K, number>): ReadonlyMap<K, number> {
  if (other.size === 0) return one
  if (one.size === 0) return other
  const all = new Map(one)
  for (const [key, times] of other) all.set(key, (all.get(key) ?? 0) + times)
  return all
}

function isList(type: GraphQLOutputType): boolean {
  return isListType(isNonNullType(type) ? type.ofType : type)
}
