import type {
  DocumentNode,
  FieldNode,
  GraphQLField,
  GraphQLObjectType,
  GraphQLSchema,
  OperationDefinitionNode,
} from 'graphql'
import { getNamedType, isAbstractType, isLeafType } from 'graphql'
import type { Scope } from '../../auth/scopes.js'
import type { AnyList } from '../../store/query/page.js'
import type { AnySummary } from '../../store/query/summaries.js'
import type { AnyView } from '../../store/query/views.js'
import type { Context } from '../builder.js'
import { type References, type SingleRow, sqlOf } from '../fields.js'
import { type IsIncluded, selectionsOf } from '../selections.js'
import { type Collect, type Connection, EntryCompiler, isTypename, type Nodes, type RowScopes } from './entries.js'
import { type Entry, NotCompilable, type Slot, type Weigh } from './statements.js'

/** A compiled field of the Query type. */
export type Root =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly local: (context: Context) => unknown; readonly isPersonal: boolean }
  | ListRoot
  | SingleRoot
  | ViewRoot
  | SummaryRoot
  | EntitiesRoot

export interface ListRoot extends Statement, Connection {
  readonly list: AnyList
  /** The scopes that fields of its rows need, by the filter. */
  readonly rowScopes: readonly RowScopes[]
}

/** Entities by reference: for each type an entry, and the scopes that it needs. */
export interface EntitiesRoot extends Pick<Statement, 'name' | 'slots'> {
  readonly references: References
  readonly types: ReadonlyMap<string, EntityEntry>
}

export interface EntityEntry extends Entry {
  readonly scopes: ReadonlySet<Scope>
  readonly hasCursors: boolean
}

export interface SingleRoot extends Statement {
  readonly one: SingleRow
  readonly object: Entry['object']
}

export interface ViewRoot extends Statement {
  readonly view: AnyView
  readonly object: Entry['object']
}

export interface SummaryRoot extends Pick<Statement, 'name' | 'slots'> {
  readonly summary: AnySummary
  /** The selected members of the value. */
  readonly shown: (value: object) => object
}

interface Statement {
  readonly name: string
  readonly slots: readonly Slot[]
  readonly weigh: Weigh
  readonly hasCursors: boolean
  /** The number of selected long texts. */
  readonly longTexts: number
}

/** An operation whose result SQL builds. */
interface Plan {
  readonly roots: readonly Root[]
  /** All scopes that execution would check. */
  readonly scopes: ReadonlySet<Scope>
  /** Whether it concerns the caller's own key. */
  readonly isPersonal: boolean
}

/** Compiles a validated query; throws NotCompilable. */
export function planOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  { selectionSet }: OperationDefinitionNode,
  isIncluded: IsIncluded,
  withheld: ReadonlySet<Scope>,
): Plan {
  const query = schema.getQueryType()
  if (!query) throw new NotCompilable()
  const scopes = new Set<Scope>()
  const collect = selectionsOf(schema, document, isIncluded)
  const compile = (name: string, nodes: Nodes): Root => {
    const field = query.getFields()[nodes[0].name.value]
    const declared = field && sqlOf(field)
    return declared && 'entities' in declared
      ? entitiesRoot(schema, collect, field, declared.entities, { name, nodes })
      : rootOf(new EntryCompiler(collect, scopes, [], withheld), query, name, nodes)
  }
  const roots = [...collect(query, [selectionSet])].map(([name, nodes]) => compile(name, nodes))
  // Execution loads several rows of one type in one batch; compiled, each would be a statement of its own.
  if (roots.filter((root) => 'references' in root && root.references.isOne).length > 1)
    throw new NotCompilable('bounds')
  return { roots, scopes, isPersonal: roots.some((root) => 'local' in root && root.isPersonal) }
}

function entitiesRoot(
  schema: GraphQLSchema,
  collect: Collect,
  field: GraphQLField<unknown, unknown>,
  references: References,
  { name, nodes }: { readonly name: string; readonly nodes: Nodes },
): EntitiesRoot {
  const union = getNamedType(field.type)
  if (!isAbstractType(union)) throw new NotCompilable()
  const slots: Slot[] = [{ field, node: nodes[0], list: undefined }]
  const types = schema.getPossibleTypes(union).map((type) => {
    // Scopes are checked for the types that are referred to, not for all possible types.
    const scopes = new Set<Scope>()
    const compiler = new EntryCompiler(collect, scopes, slots)
    compiler.note(type)
    const entry = compiler.entry(type, nodes, type)
    return [type.name, { ...entry, scopes, hasCursors: compiler.hasCursors }] as const
  })
  return { name, slots, references, types: new Map(types) }
}

function rootOf(compiler: EntryCompiler, query: GraphQLObjectType, name: string, nodes: Nodes): Root {
  const [node] = nodes
  if (node.name.value === '__typename') return { name, text: JSON.stringify(query.name) }
  if (node.name.value.startsWith('__')) throw new NotCompilable('introspection')
  const field = compiler.fieldOf(query, node)
  const declared = sqlOf(field)
  if (!declared) throw new NotCompilable()
  const type = compiler.objectType(field)
  if ('local' in declared) {
    const shown = shownOf(compiler, type, nodes)
    return { name, local: (context) => shown(declared.local(context as never)), isPersonal: isPersonal(field) }
  }
  if ('summary' in declared) {
    const { summary } = declared
    return { name, slots: [{ field, node, list: summary.list }], summary, shown: shownOf(compiler, type, nodes) }
  }
  compiler.slots.push({ field, node, list: 'list' in declared ? declared.list : undefined })
  const shared = () => ({
    name,
    slots: compiler.slots,
    hasCursors: compiler.hasCursors,
    longTexts: compiler.longTexts,
  })
  if ('list' in declared) {
    const { list } = declared
    const connection = compiler.rootConnection(type, nodes, { list, parent: query })
    return { ...shared(), list, rowScopes: compiler.rowScopes, ...connection }
  }
  if (!('one' in declared) && !('view' in declared)) throw new NotCompilable()
  const { object, weigh } = compiler.entry(type, nodes, query)
  if ('view' in declared) return { ...shared(), view: declared.view, object, weigh }
  return { ...shared(), one: declared.one, object, weigh }
}

/** The selected members of a value that needs no further look-up. */
function shownOf(
  compiler: EntryCompiler,
  type: GraphQLObjectType,
  nodes: readonly FieldNode[],
): (value: unknown) => object {
  const members = [...compiler.selected(type, nodes)].map(([name, fields]) => {
    if (isTypename(fields[0])) return [name, () => type.name] as const
    const field = compiler.fieldOf(type, fields[0])
    const declared = sqlOf(field)
    if (!declared || !('local' in declared)) throw new NotCompilable()
    const { local } = declared
    if (isLeafType(getNamedType(field.type))) return [name, local] as const
    const shown = shownOf(compiler, compiler.objectType(field), fields)
    // A field of objects is declared as a list.
    return [name, (value: never) => (local(value) as readonly unknown[]).map(shown)] as const
  })
  return (value) => Object.fromEntries(members.map(([name, member]) => [name, member(value as never)]))
}

/** Whether a field concerns the caller's own key, so that its result differs between keys. */
export function isPersonal({ extensions }: { readonly extensions: Readonly<Record<string, unknown>> }): boolean {
  return extensions['isPersonal'] === true
}
