import { type SQL, sql } from 'drizzle-orm'
import {
  type FieldNode,
  type GraphQLField,
  GraphQLID,
  type GraphQLObjectType,
  getNamedType,
  isNullableType,
  isObjectType,
} from 'graphql'
import type { Scope } from '../../auth/scopes.js'
import { LIMITS } from '../../limits.js'
import type { JsonValue } from '../../store/query/json.js'
import type { JsonPage, PageFact } from '../../store/query/jsonPage.js'
import type { AnyList } from '../../store/query/page.js'
import type { AnyRelation } from '../../store/query/relations.js'
import { type ConnectionPart, columnOf, longColumnOf, type SqlField, sqlOf } from '../fields.js'
import type { Selected, selectionsOf } from '../selections.js'
import {
  columnMember,
  computed,
  constant,
  items,
  type Member,
  nothing,
  own,
  position,
  reference,
  repeatable,
  storedItems,
  sumOf,
} from './members.js'
import { type Build, type Entry, NotCompilable, type Slot, type Weigh, type Weighing } from './statements.js'

/** A list, and the type that has it as a field. */
interface Owned {
  readonly list: AnyList
  readonly parent: GraphQLObjectType
}

/** How a row of a page becomes an entry. */
interface Entries {
  readonly entry: (build: Build, page: JsonPage) => SQL
  readonly weigh: Weigh
}

/** A member of a connection. */
export interface Part {
  readonly name: string
  /** Builds each entry of the page; undefined for members beside the entries. */
  readonly entry: ((build: Build, page: JsonPage) => SQL) | undefined
  readonly value: (build: Build, page: JsonPage) => JsonValue
  /** Its name in the schema; undefined for `__typename`. */
  readonly part: ConnectionPart | undefined
  /** Whether the JSON from SQL has positions that must be replaced by cursors. */
  readonly hasCursors: boolean
}

/** A connection, by its members. */
export interface Connection {
  readonly parts: readonly Part[]
  /** Whether it selects `totalCount`. */
  readonly isCounted: boolean
  /** The weight of its entries. */
  readonly weigh: Weigh
}

/** The scopes that a field needs in the rows that match a filter. */
export type RowScopes = (filter: object) => readonly Scope[]

export type Nodes = readonly [FieldNode, ...FieldNode[]]
export type Collect = ReturnType<typeof selectionsOf>

/** The scope of a field that depends on its row: by the type that the list of rows belongs to, or by the filter. */
interface FieldScopes {
  readonly scopeOf?: (parent: string) => Scope | undefined
  readonly rowScopes?: RowScopes
}

/** Compiles the selections of one root field. */
export class EntryCompiler {
  /** The fields with arguments, in document order. */
  readonly slots: Slot[]
  /** Whether the JSON from SQL has positions that must be replaced by cursors. */
  hasCursors = false
  /** Of fields of a root list whose scope depends on the row. */
  readonly rowScopes: RowScopes[] = []
  private readonly collect: Collect
  private readonly scopes: Set<Scope>
  private readonly withheld: ReadonlySet<Scope>
  private lookUps = 0
  /** The number of selected long texts. */
  longTexts = 0

  /** A reference that needs a withheld scope is null, and its scope is not noted. */
  constructor(collect: Collect, scopes: Set<Scope>, slots: Slot[] = [], withheld: ReadonlySet<Scope> = NO_SCOPES) {
    this.collect = collect
    this.scopes = scopes
    this.withheld = withheld
    this.slots = slots
  }

  rootConnection(type: GraphQLObjectType, nodes: readonly FieldNode[], of: Owned): Connection {
    const connection = this.connection(type, nodes, of)
    // The total is counted once, even under several aliases.
    if (connection.isCounted) this.noteLookUp()
    return connection
  }

  private connection(type: GraphQLObjectType, nodes: readonly FieldNode[], of: Owned): Connection {
    const weights: Weigh[] = []
    const parts = [...this.selected(type, nodes)].map(([name, fields]) => {
      const before = this.hasCursors
      this.hasCursors = false
      const { weigh, ...part } = this.part(type, name, fields, of)
      const { hasCursors } = this
      this.hasCursors ||= before
      if (weigh) weights.push(weigh)
      return { ...part, hasCursors }
    })
    bounded(parts)
    const isCounted = parts.some(({ part }) => part === 'totalCount')
    return { parts, isCounted, weigh: sumOf(weights) }
  }

  private part(
    type: GraphQLObjectType,
    name: string,
    fields: Nodes,
    of: Owned,
  ): Omit<Part, 'hasCursors'> & { weigh?: Weigh } {
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
    const { entry, weigh } = this[part](this.objectType(field), fields, of)
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

  private nodes(type: GraphQLObjectType, nodes: readonly FieldNode[], { list, parent }: Owned): Entries {
    const { object, weigh } = repeatable(list, this.entry(type, nodes, parent))
    return { entry: (build, { row }) => object(build, row), weigh }
  }

  private edges(type: GraphQLObjectType, nodes: readonly FieldNode[], { list, parent }: Owned): Entries {
    const weights: Weigh[] = []
    const members = [...this.selected(type, nodes)].map(([name, fields]) => {
      if (isTypename(fields[0])) return [name, constant(type.name)] as const
      const field = this.fieldOf(type, fields[0])
      const declared = sqlOf(field)
      if (!declared || !('edge' in declared)) throw new NotCompilable()
      if (declared.edge === 'cursor') {
        // Encoding a position takes as long as reading a row; the first one is small beside its own row.
        if (this.hasCursors) weights.push(() => 1)
        this.hasCursors = true
        return [name, (_: Build, page: JsonPage) => ({ value: page.cursor, isJson: true })] as const
      }
      const { object, weigh } = repeatable(list, this.entry(this.objectType(field), fields, parent))
      weights.push(weigh)
      return [name, (build: Build, { row }: JsonPage) => ({ value: object(build, row), isJson: true })] as const
    })
    bounded(members)
    return {
      entry: (build, page) => build.read.json.object(members.map(([name, member]) => [name, member(build, page)])),
      weigh: sumOf(weights),
    }
  }

  /** A row of a type, as a field of `parent`. */
  entry(type: GraphQLObjectType, nodes: readonly FieldNode[], parent: GraphQLObjectType): Entry {
    const weights: Weigh[] = []
    const long: string[] = []
    const members = [...this.selected(type, nodes)].map(([name, fields]) => {
      if (isTypename(fields[0])) return [name, constant(type.name)] as const
      if (this.isWithheld(type, fields[0])) return [name, nothing] as const
      const field = this.fieldOf(type, fields[0], parent)
      const declared = sqlOf(field)
      if (!declared) throw new NotCompilable()
      const column = longColumnOf(declared)
      if (column) long.push(column)
      const { member, weigh } = this.member(declared, field, fields, type)
      if (weigh) weights.push(weigh)
      return [name, member] as const
    })
    bounded(members)
    this.longTexts += long.length
    return {
      object: (build, row) => {
        const object = build.read.json.object(members.map(([name, member]) => [name, member(build, row)]))
        return build.metered(
          object,
          long.map((column) => sql`coalesce(octet_length(${columnOf(row, column)}), 0)`),
        )
      },
      weigh: sumOf(weights),
    }
  }

  private member(
    declared: SqlField,
    field: GraphQLField<unknown, unknown>,
    nodes: Nodes,
    parent: GraphQLObjectType,
  ): { member: Member; weigh?: Weigh } {
    if ('column' in declared) return { member: columnMember(declared.column, getNamedType(field.type) === GraphQLID) }
    if ('position' in declared) {
      this.hasCursors = true
      return { member: position(declared.position) }
    }
    if ('items' in declared) {
      const member = storedItems(declared.items, this.selected(this.objectType(field), nodes))
      if (member) return { member }
    }
    if ('own' in declared) return own(this.entry(this.objectType(field), nodes, parent))
    this.noteLookUp()
    if ('computed' in declared) return computed(declared.computed)
    const isImplied = 'reference' in declared && declared.reference.isImplied === true
    const type = this.objectType(field, isImplied)
    if ('reference' in declared) return reference(declared.reference, this.entry(type, nodes, parent))
    if ('items' in declared) return items(declared.items, this.entry(type, nodes, parent))
    if ('page' in declared) return this.page(declared.page, field, nodes, parent)
    throw new NotCompilable()
  }

  private page(relation: AnyRelation, field: GraphQLField<unknown, unknown>, nodes: Nodes, parent: GraphQLObjectType) {
    const { list } = relation
    const slot = this.slots.push({ field, node: nodes[0], list }) - 1
    const { parts, isCounted, weigh } = this.connection(this.objectType(field), nodes, { list, parent })
    for (const { part } of parts) if (part === 'totalCount') this.noteLookUp()
    const member: Member = (build, row) => {
      const page = build.page(slot, relation, row)
      const members = parts.map(({ name, value }) => [name, value(build, page)] as const)
      const from = parts.some(({ entry }) => entry) ? sql` from ${page.rows}` : sql``
      return { value: sql`(${page.prefix}select ${build.read.json.object(members)}${from})`, isJson: true }
    }
    return { member, weigh: (weighing: Weighing) => weighing.page(slot, relation, isCounted, weigh) }
  }

  private isWithheld(type: GraphQLObjectType, { name }: FieldNode): boolean {
    const field = type.getFields()[name.value]
    if (!field || this.withheld.size === 0 || !isNullableType(field.type)) return false
    const { scope } = field.extensions as { scope?: Scope | null }
    const declared = sqlOf(field)
    return scope != null && this.withheld.has(scope) && declared !== undefined && 'reference' in declared
  }

  private noteLookUp(): void {
    this.lookUps += 1
    // Fragments multiply subqueries, and the engine plans each: 4,000 would block the process for ten seconds.
    if (this.lookUps > LIMITS.compiledLookUpsMax) throw new NotCompilable('bounds')
  }

  selected(type: GraphQLObjectType, nodes: readonly FieldNode[]): Selected {
    return this.collect(
      type,
      nodes.flatMap(({ selectionSet }) => selectionSet ?? []),
    )
  }

  fieldOf(type: GraphQLObjectType, { name }: FieldNode, parent = type): GraphQLField<unknown, unknown> {
    const field = type.getFields()[name.value]
    if (!field) throw new NotCompilable(name.value.startsWith('__') ? 'introspection' : 'not_compilable')
    this.note(field)
    const { scopeOf, rowScopes } = field.extensions as FieldScopes
    const scope = scopeOf?.(parent.name)
    if (scope) this.scopes.add(scope)
    else if (rowScopes) this.rowScopes.push(rowScopes)
    return field
  }

  /** `isImplied`: whoever reads the row may also read the object. */
  objectType(field: GraphQLField<unknown, unknown>, isImplied = false): GraphQLObjectType {
    const type = getNamedType(field.type)
    if (!isObjectType(type)) throw new NotCompilable()
    if (!isImplied) this.note(type)
    return type
  }

  note({ extensions }: { readonly extensions: Readonly<Record<string, unknown>> }): void {
    const { scope } = extensions as { scope?: Scope | null }
    if (scope) this.scopes.add(scope)
  }
}

export function isTypename({ name }: FieldNode): boolean {
  return name.value === '__typename'
}

const NO_SCOPES: ReadonlySet<Scope> = new Set()

function bounded(members: readonly unknown[]): void {
  // SQLite allows 1,000 arguments of a function; an object needs two for each member.
  if (members.length > LIMITS.compiledMembersMax) throw new NotCompilable('bounds')
}
