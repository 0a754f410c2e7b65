import { type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  GraphQLID,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  type OperationDefinitionNode,
} from 'graphql'
import type { Scope } from '../../auth/scopes.js'
import { LIMITS } from '../../limits.js'
import type { JsonValue } from '../../store/json.js'
import type { JsonPage, PageFact } from '../../store/jsonPage.js'
import { literal } from '../../store/literals.js'
import type { AnyList } from '../../store/page.js'
import { type AnyRelation, type Identified, relatedItems } from '../../store/relations.js'
import type { Context } from '../builder.js'
import { type ConnectionPart, columnOf, type SingleRow, type SqlField, sqlOf } from './fields.js'
import { type IsIncluded, type Selected, selectionsOf } from './selections.js'
import type { Build, Slot, Weighing } from './statements.js'
import { NotCompilable } from './statements.js'

/** Builds the JSON of something that stands in a row. */
type Member = (build: Build, row: PgTable) => JsonValue
/** What a row takes besides itself, in rows that are read. */
type Weigh = (weighing: Weighing) => number

/** How each row of a page becomes an entry. */
interface Entries {
  readonly entry: (build: Build, page: JsonPage) => SQL
  readonly weigh: Weigh
}

interface Entry {
  readonly object: (build: Build, row: PgTable) => SQL
  readonly weigh: Weigh
}

/** A member of a connection. */
export interface Part {
  readonly name: string
  /** What each entry of the page becomes; undefined of what is beside them. */
  readonly entry: ((build: Build, page: JsonPage) => SQL) | undefined
  readonly value: (build: Build, page: JsonPage) => JsonValue
  /** What it is called in the schema; undefined of `__typename`. */
  readonly part: ConnectionPart | undefined
}

/** A field at the root of Query, ready to be made a statement of. */
export type Root =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly local: (context: Context) => unknown; readonly isPersonal: boolean }
  | ListRoot
  | SingleRoot

export interface ListRoot extends Statement, Connection {
  readonly list: AnyList
}

interface Connection {
  readonly parts: readonly Part[]
  /** Whether all of its rows are counted. */
  readonly isCounted: boolean
  /** Of its entries. */
  readonly weigh: Weigh
}

export interface SingleRoot extends Statement {
  readonly one: SingleRow
  readonly object: Entry['object']
}

interface Statement {
  readonly name: string
  readonly slots: readonly Slot[]
  readonly weigh: Weigh
  readonly hasCursors: boolean
}

/** An operation whose answer SQL builds. */
export interface Plan {
  readonly roots: readonly Root[]
  /** Everything that execution would ask of a key. */
  readonly scopes: ReadonlySet<Scope>
  /** Whether it is about the caller's own key. */
  readonly isPersonal: boolean
}

/** Compiles a validated query; throws NotCompilable. */
export function planOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  { selectionSet }: OperationDefinitionNode,
  isIncluded: IsIncluded,
): Plan {
  const query = schema.getQueryType()
  if (!query) throw new NotCompilable()
  const scopes = new Set<Scope>()
  const collect = selectionsOf(schema, document, isIncluded)
  const roots = [...collect(query, [selectionSet])].map(([name, nodes]) =>
    new RootCompiler(collect, scopes).compile(query, name, nodes),
  )
  return { roots, scopes, isPersonal: roots.some((root) => 'local' in root && root.isPersonal) }
}

type Nodes = readonly [FieldNode, ...FieldNode[]]

class RootCompiler {
  private readonly collect: ReturnType<typeof selectionsOf>
  private readonly scopes: Set<Scope>
  private readonly slots: Slot[] = []
  private lookUps = 0
  private hasCursors = false

  constructor(collect: RootCompiler['collect'], scopes: Set<Scope>) {
    this.collect = collect
    this.scopes = scopes
  }

  compile(query: GraphQLObjectType, name: string, nodes: Nodes): Root {
    const [node] = nodes
    if (node.name.value === '__typename') return { name, text: JSON.stringify(query.name) }
    if (node.name.value.startsWith('__')) throw new NotCompilable('introspection')
    const field = this.fieldOf(query, node)
    const declared = sqlOf(field)
    if (!declared) throw new NotCompilable()
    const type = this.objectType(field)
    if ('local' in declared) {
      return { name, local: this.local(declared.local, type, nodes), isPersonal: isPersonal(field) }
    }
    this.slots.push({ field, node, list: 'list' in declared ? declared.list : undefined })
    const shared = () => ({ name, slots: this.slots, hasCursors: this.hasCursors })
    if ('list' in declared) {
      const connection = this.connection(type, nodes, query)
      return { ...shared(), list: declared.list, ...connection }
    }
    if (!('one' in declared)) throw new NotCompilable()
    const { object, weigh } = this.entry(type, nodes, query)
    return { ...shared(), one: declared.one, object, weigh }
  }

  /** What is known without the store. */
  private local(
    value: (source: never) => unknown,
    type: GraphQLObjectType,
    nodes: readonly FieldNode[],
  ): (context: Context) => unknown {
    const members = [...this.selected(type, nodes)].map(([name, [node]]) => {
      if (isTypename(node)) return [name, () => type.name] as const
      const declared = sqlOf(this.fieldOf(type, node))
      if (!declared || !('local' in declared)) throw new NotCompilable()
      return [name, declared.local] as const
    })
    return (context) => {
      const source = value(context as never)
      return Object.fromEntries(members.map(([name, member]) => [name, member(source as never)]))
    }
  }

  /** `parent` is the type of what the list belongs to. */
  private connection(type: GraphQLObjectType, nodes: readonly FieldNode[], parent: GraphQLObjectType): Connection {
    const weights: Weigh[] = []
    const parts = [...this.selected(type, nodes)].map(([name, fields]) => {
      const { weigh, ...part } = this.part(type, name, fields, parent)
      if (weigh) weights.push(weigh)
      return part
    })
    bounded(parts)
    const isCounted = parts.some(({ part }) => part === 'totalCount')
    return { parts, isCounted, weigh: sumOf(weights) }
  }

  private part(
    type: GraphQLObjectType,
    name: string,
    fields: Nodes,
    parent: GraphQLObjectType,
  ): Part & { weigh?: Weigh } {
    if (isTypename(fields[0])) return { name, entry: undefined, value: constant(type.name), part: undefined }
    const field = this.fieldOf(type, fields[0])
    const declared = sqlOf(field)
    if (!declared || !('part' in declared)) throw new NotCompilable()
    const { part } = declared
    if (part === 'totalCount') {
      const value: Part['value'] = (_, { totalCount }) => ({ value: totalCount, isJson: false })
      return { name, part, entry: undefined, value }
    }
    if (part === 'pageInfo') return { name, part, entry: undefined, value: this.facts(this.objectType(field), fields) }
    const { entry, weigh } = this[part](this.objectType(field), fields, parent)
    const value: Part['value'] = (build, page) => ({ value: build.read.json.items(entry(build, page)), isJson: true })
    return { name, part, entry, value, weigh }
  }

  private facts(type: GraphQLObjectType, nodes: readonly FieldNode[]): Part['value'] {
    const members = [...this.selected(type, nodes)].map(([name, [node]]) => {
      if (isTypename(node)) return [name, undefined] as const
      const declared = sqlOf(this.fieldOf(type, node))
      if (!declared || !('fact' in declared)) throw new NotCompilable()
      if (declared.fact.endsWith('Cursor')) this.hasCursors = true
      return [name, declared.fact] as const
    })
    bounded(members)
    const known = (page: JsonPage, fact: PageFact | undefined) =>
      fact ? { value: page.fact(fact), isJson: true } : constant(type.name)()
    return ({ read }, page) => ({
      value: read.json.object(members.map(([name, fact]) => [name, known(page, fact)])),
      isJson: true,
    })
  }

  private nodes(type: GraphQLObjectType, nodes: readonly FieldNode[], parent: GraphQLObjectType): Entries {
    const { object, weigh } = this.entry(type, nodes, parent)
    return { entry: (build, { row }) => object(build, row), weigh }
  }

  private edges(type: GraphQLObjectType, nodes: readonly FieldNode[], parent: GraphQLObjectType): Entries {
    const weights: Weigh[] = []
    const members = [...this.selected(type, nodes)].map(([name, fields]) => {
      if (isTypename(fields[0])) return [name, constant(type.name)] as const
      const field = this.fieldOf(type, fields[0])
      const declared = sqlOf(field)
      if (!declared || !('edge' in declared)) throw new NotCompilable()
      if (declared.edge === 'cursor') {
        this.hasCursors = true
        return [name, (_: Build, page: JsonPage) => ({ value: page.cursor, isJson: true })] as const
      }
      const { object, weigh } = this.entry(this.objectType(field), fields, parent)
      weights.push(weigh)
      return [name, (build: Build, { row }: JsonPage) => ({ value: object(build, row), isJson: true })] as const
    })
    bounded(members)
    return {
      entry: (build, page) => build.read.json.object(members.map(([name, member]) => [name, member(build, page)])),
      weigh: sumOf(weights),
    }
  }

  /** A row of a type, which belongs to a row of another type. */
  private entry(type: GraphQLObjectType, nodes: readonly FieldNode[], parent: GraphQLObjectType): Entry {
    const weights: Weigh[] = []
    const members = [...this.selected(type, nodes)].map(([name, fields]) => {
      if (isTypename(fields[0])) return [name, constant(type.name)] as const
      const field = this.fieldOf(type, fields[0], parent)
      const declared = sqlOf(field)
      if (!declared) throw new NotCompilable()
      const { member, weigh } = this.member(declared, field, fields, type)
      if (weigh) weights.push(weigh)
      return [name, member] as const
    })
    bounded(members)
    return {
      object: (build, row) => build.read.json.object(members.map(([name, member]) => [name, member(build, row)])),
      weigh: sumOf(weights),
    }
  }

  private member(
    declared: SqlField,
    field: GraphQLField<unknown, unknown>,
    nodes: Nodes,
    parent: GraphQLObjectType,
  ): { member: Member; weigh?: Weigh } {
    if ('column' in declared) {
      const isText = getNamedType(field.type) === GraphQLID
      return { member: (_, row) => ({ value: shown(columnOf(row, declared.column), isText), isJson: false }) }
    }
    this.noteLookUp()
    if ('computed' in declared) {
      const { value, isCount } = declared.computed
      const member: Member = ({ read }, row) => ({ value: value(read, row as Identified), isJson: false })
      return { member, weigh: (weighing) => (isCount ? weighing.count() : 1) }
    }
    const type = this.objectType(field)
    if ('reference' in declared) return reference(declared.reference, this.entry(type, nodes, parent))
    if ('items' in declared) return items(declared.items, this.entry(type, nodes, parent))
    if ('page' in declared) return this.page(declared.page, field, nodes, parent)
    throw new NotCompilable()
  }

  private page(relation: AnyRelation, field: GraphQLField<unknown, unknown>, nodes: Nodes, parent: GraphQLObjectType) {
    const slot = this.slots.push({ field, node: nodes[0], list: relation.list }) - 1
    const { parts, isCounted, weigh } = this.connection(this.objectType(field), nodes, parent)
    const member: Member = (build, row) => {
      const page = build.page(slot, relation, row)
      const members = parts.map(({ name, value }) => [name, value(build, page)] as const)
      const from = parts.some(({ entry }) => entry) ? sql` from ${page.rows}` : sql``
      return { value: sql`(${page.prefix}select ${build.read.json.object(members)}${from})`, isJson: true }
    }
    return { member, weigh: (weighing: Weighing) => weighing.page(slot, relation, isCounted, weigh) }
  }

  private noteLookUp(): void {
    this.lookUps += 1
    // Fragments multiply these, and an engine plans each anew: 4,000 would stop the process for ten seconds.
    if (this.lookUps > LIMITS.compiledLookUpsMax) throw new NotCompilable('bounds')
  }

  private selected(type: GraphQLObjectType, nodes: readonly FieldNode[]): Selected {
    return this.collect(
      type,
      nodes.flatMap(({ selectionSet }) => selectionSet ?? []),
    )
  }

  private fieldOf(type: GraphQLObjectType, { name }: FieldNode, parent = type): GraphQLField<unknown, unknown> {
    const field = type.getFields()[name.value]
    if (!field) throw new NotCompilable(name.value.startsWith('__') ? 'introspection' : 'not_compilable')
    this.note(field)
    const { scopeOf } = field.extensions as { scopeOf?: (parent: string) => Scope }
    if (scopeOf) this.scopes.add(scopeOf(parent.name))
    return field
  }

  private objectType(field: GraphQLField<unknown, unknown>): GraphQLObjectType {
    const type = getNamedType(field.type)
    if (!isObjectType(type)) throw new NotCompilable()
    this.note(type)
    return type
  }

  private note({ extensions }: { readonly extensions: Readonly<Record<string, unknown>> }): void {
    const { scope } = extensions as { scope?: Scope | null }
    if (scope) this.scopes.add(scope)
  }
}

function reference({ list, by }: { list: AnyList; by: string }, { object, weigh }: Entry) {
  const member: Member = (build, row) => {
    const { name, alias } = build.row(list)
    const where = sql`${(alias as Identified).id} = ${columnOf(row, by)}`
    return { value: sql`(select ${object(build, alias)} from ${name} where ${where})`, isJson: true }
  }
  return { member, weigh: (weighing: Weighing) => weighing.reference(weigh) }
}

function items(relation: AnyRelation, { object, weigh }: Entry) {
  const member: Member = (build, row) => {
    const built = (related: PgTable) => object(build, related)
    return { value: relatedItems(build.read, relation, row, build.newName(), built), isJson: true }
  }
  return { member, weigh: (weighing: Weighing) => weighing.items(relation, weigh) }
}

function isTypename({ name }: FieldNode): boolean {
  return name.value === '__typename'
}

function constant(text: string): () => JsonValue {
  return () => ({ value: sql`cast(${literal(text)} as text)`, isJson: false })
}

/** Whether a field is about the caller's own key, so that others get another answer. */
export function isPersonal({ extensions }: { readonly extensions: Readonly<Record<string, unknown>> }): boolean {
  return extensions['isPersonal'] === true
}

/** A number stands for an id as a text. */
function shown(column: AnyPgColumn, isText: boolean): AnyPgColumn | SQL {
  return isText && column.dataType === 'number' ? sql`cast(${column} as text)` : column
}

function bounded(members: readonly unknown[]): void {
  // SQLite takes 1,000 arguments of a function, which are names and values.
  if (members.length > LIMITS.compiledMembersMax) throw new NotCompilable('bounds')
}

function sumOf(weights: readonly Weigh[]): Weigh {
  return (weighing) => weights.reduce((sum, weigh) => sum + weigh(weighing), 0)
}
