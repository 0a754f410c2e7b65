import { setImmediate as nextTurn } from 'node:timers/promises'
import type { OperationDefinitionNode } from 'graphql'
import { executeSync, type GraphQLObjectType, type GraphQLSchema, getNamedType, isAbstractType, Kind } from 'graphql'
import { grants, SCOPE_NAMES, type Scope } from '../../auth/scopes.js'
import { BoundedCache, oncePer } from '../../caches.js'
import { Fault } from '../../errors.js'
import { LIMITS } from '../../limits.js'
import { Work } from '../../work.js'
import type { Context } from '../builder.js'
import { countReferences, countRefused, entityNamed, readReferences } from '../federation/references.js'
import {
  type Arguments,
  type Field,
  isTypename,
  mutationOf,
  objectOf,
  type References,
  type Slot,
  sqlOf,
  unplanned,
} from './declared.js'
import { entitiesReader } from './entities.js'
import { anyIn, EntryPlanner, type Planning } from './entries.js'
import { shownOf } from './members.js'
import { type ChangeRoot, changerOf } from './mutations.js'
import { type Cost, costing, type FieldPrice, FREE, selected, sum, within } from './prices.js'
import { listReader, localReader, type ReadRoot, refusalsIn, rowReader, summaryReader, viewReader } from './readers.js'
import {
  type Collect,
  decidingVariables,
  includedBy,
  type Nodes,
  type Operation,
  selectionsOf,
  type Variables,
} from './selections.js'

/** What an operation reads or changes for a caller: planned once for its text, its directives and the caller's scopes. */
export interface Plan {
  readonly roots: readonly Root[]
  /** Whether the result depends on more than the caller's scopes. */
  readonly isPersonal: boolean
  /** The fields that were planned for it; 0 if it was kept. */
  readonly fields: number
  /** Keeps a new plan for the next time, once the operation is accepted. */
  readonly keep?: () => void
}

export interface Root extends PlannedRoot {
  /** Its key in the response. */
  readonly key: string
  readonly nodes: Nodes
  /** The fields with arguments. */
  readonly slots: readonly Slot[]
}

interface PlannedRoot {
  readonly cost: Cost
  readonly run: { readonly read: ReadRoot } | { readonly change: ChangeRoot } | { readonly refused: Scope }
}

/** Fields of a plan that is kept; those of people and programs have fewer. */
const PLAN_FIELDS_MAX = 500
/** Fields of all kept plans together: each takes 300 bytes. */
const FIELDS_KEPT_MAX = 100_000
/** A plan keeps its document alive: so many characters of it count as a field. */
const CHARACTERS_FOR_ONE = 10

/** By the schema that the operation was validated against: in that of another host a fragment may apply to other types. */
const keptPlans = oncePer(
  (_: GraphQLSchema) =>
    new BoundedCache<Plan & { readonly size: number }>({
      entries: 1_000,
      entrySize: 2 * PLAN_FIELDS_MAX + LIMITS.queryCharactersMax / CHARACTERS_FOR_ONE,
      size: FIELDS_KEPT_MAX,
      sizeOf: ({ size }) => size,
    }),
)

let operations = 0
const numberOf = oncePer((_: OperationDefinitionNode) => {
  operations += 1
  return operations
})

/** Plans a validated operation for a caller; throws a Fault if it is too much for one statement. */
export function planFor(
  schema: GraphQLSchema,
  operation: Operation,
  variables: Variables,
  scopes: ReadonlySet<Scope>,
  { isHosted = false, work = new Work() }: { readonly isHosted?: boolean; readonly work?: Work } = {},
): Plan | Promise<Plan> {
  const withheld = withheldFrom(scopes)
  // The plan is kept, and must not keep the other variables alive with it: they may be large.
  const decided = Object.fromEntries(decidingVariables(operation).map((name) => [name, variables[name]]))
  const key = `${numberOf(operation.operation)} ${isHosted} ${Object.values(decided)} ${[...withheld]}`
  const known = keptPlans(operation.schema)
  const found = known.get(key)
  if (found) return found
  const collect = selectionsOf(operation, includedBy(decided))
  return planOf(schema, operation, { collect, withheld, isHosted }, work).then((plan) => {
    const characters = operation.operation.loc?.source.body.length ?? 0
    const size = plan.fields + Math.ceil(characters / CHARACTERS_FOR_ONE)
    return plan.fields > PLAN_FIELDS_MAX ? plan : { ...plan, keep: () => known.set(key, { ...plan, fields: 0, size }) }
  })
}

const withheldFrom = oncePer((scopes: ReadonlySet<Scope>): ReadonlySet<Scope> => {
  return new Set(SCOPE_NAMES.filter((scope) => !grants(scopes, scope)))
})

async function planOf(schema: GraphQLSchema, operation: Operation, given: Planning, work: Work): Promise<Plan> {
  const type = schema.getRootType(operation.operation.operation)
  if (!type) throw new Error('The schema has no such operations.')
  let fields = 0
  const collect: Collect = (...where) => {
    const selected = given.collect(...where)
    fields += selected.size
    return selected
  }
  const planning = { ...given, collect }
  let isPersonal = false
  const roots: Root[] = []
  for (const [key, nodes] of planning.collect(type, [operation.operation.selectionSet])) {
    // Many fields take milliseconds: yield to other requests in between.
    if (roots.length > 0) await nextTurn()
    const field = type.getFields()[nodes[0].name.value]
    if (!field) {
      if (!planning.isHosted) roots.push({ key, nodes, slots: [], ...metaRoot(type, schema, operation, nodes) })
      continue
    }
    const planner = new EntryPlanner(planning, { key, nodes, type, field })
    const root = work.time('plan', () => rootOf(planner, schema))
    roots.push({ key, nodes, slots: planner.slots, ...root })
    // Whether it concerns the caller's own key, so that its result differs between keys.
    isPersonal ||= field.extensions['isPersonal'] === true
  }
  return { roots, isPersonal, fields }
}

/** `__typename`, `__schema` and `__type`, whose JSON graphql-js makes. */
function metaRoot(type: GraphQLObjectType, schema: GraphQLSchema, operation: Operation, nodes: Nodes): PlannedRoot {
  const textOf = (variableValues: Variables) => {
    const { data, errors = [] } = executeSync({ schema, document: documentOf(operation, nodes), variableValues })
    // Of a null in a nullable variable: the rest of introspection cannot fail.
    if (errors[0]) throw new Fault('BAD_REQUEST', errors[0].message)
    return JSON.stringify(Object.values(data ?? {})[0])
  }
  const text = isTypename(nodes[0]) ? () => JSON.stringify(type.name) : textOf
  return { cost: costing(1), run: { read: localReader(({ work }, given) => work.time('complete', () => text(given))) } }
}

function documentOf({ operation, fragments }: Operation, selections: Nodes) {
  const alone = { ...operation, selectionSet: { ...operation.selectionSet, selections } }
  return { kind: Kind.DOCUMENT, definitions: [alone, ...Object.values(fragments)] } as const
}

function rootOf(planner: EntryPlanner, schema: GraphQLSchema): PlannedRoot {
  const { slots } = planner
  const { field, nodes } = planner.root
  const scope = planner.lacked(field)
  if (scope) return { cost: costing(1), run: { refused: scope } }
  const mutation = mutationOf(field)
  const declared = sqlOf(field)
  const listed = declared && 'summary' in declared ? declared.summary : declared
  slots.push({ field, node: nodes[0], list: listed && 'list' in listed ? listed.list : undefined })
  if (mutation) return changerOf(planner, mutation)
  if (!declared) throw unplanned(field)
  if ('entities' in declared) return entitiesRoot(planner, schema, declared.entities)
  const object = objectOf(field)
  const args = (all: readonly Arguments[]) => all[0] ?? {}
  if ('local' in declared) {
    const { shown, cost } = shownOf(planner, object, nodes)
    const text = (context: Context) => shown(declared.local(context as never))
    return { cost: selected(cost), run: { read: localReader(text) } }
  }
  if ('summary' in declared) {
    const { summary } = declared
    const { shown, cost } = shownOf(planner, object, nodes)
    const scan = { name: field.name, list: summary.list, args, isPaged: false, entry: FREE, ...SCANNED }
    const rows = planner.rows(() => 0)
    return { cost: within(scan, cost.fixed), run: { read: summaryReader(rows, summary, shown) } }
  }
  if ('list' in declared) {
    const { list } = declared
    const connection = planner.rootConnection(list)
    const { fixed, listCost, weigh } = connection
    const cost = within({ name: field.name, list, args, isPaged: true, ...listCost }, fixed)
    return { cost, run: { read: listReader(planner.rows(weigh), planner, connection) } }
  }
  if ('one' in declared) {
    const { one } = declared
    const { object: built, weigh, cost } = planner.entry(object, nodes, planner.place(one.list.table))
    return { cost: selected(cost), run: { read: rowReader(planner.rows(weigh), planner, one, built) } }
  }
  if (!('view' in declared)) throw unplanned(field)
  const { view } = declared
  const place = planner.place(() => view.row)
  const { object: built, weigh, cost } = planner.entry(object, nodes, place)
  const read = viewReader(planner.rows(weigh), planner, view, built)
  return { cost: derivedCost(field, cost, sum(planner.derived)), run: { read } }
}

/** All rows of a list are read, and none is shown. */
const SCANNED = { isCounted: true, needsEnds: false } as const

/** Every row is read once; an entry is the change of at least one row. */
function derivedCost(field: Field, { fixed, inner }: Cost, entry: Cost): Cost {
  const price = field.extensions['price'] as FieldPrice | undefined
  if (!price || !('derived' in price)) throw unplanned(field)
  const { lists, args: of, entries } = price.derived
  const args = ([own = {}]: readonly Arguments[]) => of?.(own) ?? own
  const scan = { name: field.name, args, isPaged: false, entry: entries ? FREE : entry, ...SCANNED }
  const references = ([own = {}]: readonly Arguments[]) => {
    const all = entries?.(own) ?? 0
    return { all, different: all }
  }
  const written = entries ? [{ references, lookUp: 0, each: entry }] : []
  return { ...costing(1 + fixed), inner: [...lists.map((list) => ({ ...scan, list })), ...inner, ...written] }
}

function entitiesRoot(planner: EntryPlanner, schema: GraphQLSchema, references: References): PlannedRoot {
  const { planning, slots, root } = planner
  const union = getNamedType(root.field.type)
  if (!isAbstractType(union)) throw unplanned(root.field)
  const read = ([args = {}]: readonly Arguments[]) =>
    readReferences(references.of(args), (scope) => !planning.withheld.has(scope))
  const lookUp = references.isOne ? 0 : 1
  const costs: Cost[] = [within({ references: (args) => countRefused(read(args)), lookUp, each: FREE })]
  // References to other types are refused as a whole, and nothing below them is read.
  const readable = schema.getPossibleTypes(union).filter((type) => !planner.lacked(type))
  const types = readable.map((type) => {
    const own = new EntryPlanner(planning, root, slots)
    const at = own.place(entityNamed(type.name).table)
    const path = references.isOne ? at.path : anyIn(at)
    const entry = own.entry(type, root.nodes, { ...at, path, parent: type }, true)
    const counted = (args: readonly Arguments[]) => countReferences(read(args), type.name)
    costs.push({ ...FREE, inner: [{ references: counted, lookUp, each: entry.cost }] })
    return [type.name, { ...own.rows(entry.weigh), object: entry.object, refusals: refusalsIn(own) }] as const
  })
  const reader = entitiesReader(
    planner.rows(() => 0),
    references,
    new Map(types),
  )
  return { cost: sum(costs), run: { read: reader } }
}
