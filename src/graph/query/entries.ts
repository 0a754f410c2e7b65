import { sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { GraphQLID, type GraphQLObjectType, getNamedType, isNullableType } from 'graphql'
import type { Scope } from '../../auth/scopes.js'
import { Fault } from '../../errors.js'
import { LIMITS } from '../../limits.js'
import type { JsonPage } from '../../store/query/jsonPage.js'
import type { AnyList } from '../../store/query/page.js'
import { memberColumn } from '../../store/query/page.js'
import { type AnyRelation, HANDFUL } from '../../store/query/relations.js'
import {
  type ConnectionPart,
  type Extended,
  type Field,
  fieldOf,
  isOfHost,
  isTypename,
  longColumnOf,
  objectOf,
  type RowScope,
  type Slot,
  type SqlField,
  sqlOf,
  unplanned,
} from './declared.js'
import {
  allColumns,
  columnMember,
  computed,
  constant,
  items,
  type Member,
  nested,
  nullMember,
  position,
  reference,
  repeatable,
  storedItems,
  sumOf,
  visibleMember,
} from './members.js'
import { type Cost, costing, type FieldPrice, FREE, type ListCost, selected, sum, within } from './prices.js'
import type { Collect, Nodes, Selected } from './selections.js'
import type { Entry, PlannedRows, Weigh, Weighing } from './statements.js'

/** For whom and in what an operation is planned. */
export interface Planning {
  readonly collect: Collect
  /** The scopes that the caller lacks. */
  readonly withheld: ReadonlySet<Scope>
  /** Whether resolvers of a host read the result: they may need columns and types that nobody has selected. */
  readonly isHosted: boolean
}

/** A field that the caller may not read: it is null, and has one error. */
export interface Refusal {
  /** With `@` for any entry of a list. */
  readonly path: readonly (string | number)[]
  readonly nodes: Nodes
  readonly scope: Scope
}

/** Where an object is in the response, and the table of its row. */
export interface Place {
  readonly path: readonly string[]
  /** The type that has it as a field. */
  readonly parent: GraphQLObjectType
  readonly table: AnyList['table']
}

const ANY_ENTRY = '@'

/** What is planned for a field, or for an object of several. */
interface Planned<M> {
  readonly member: M
  readonly weigh?: Weigh
  readonly cost: Cost
}

/** A planned object: the SQL that builds it from a row or a page, and what it costs. */
export interface PlannedEntry<S = PgTable> extends Entry<S> {
  readonly cost: Cost
}

export interface Part {
  readonly name: string
  /** Its name in the schema; undefined for `__typename`. */
  readonly part: ConnectionPart | undefined
  /** Builds each entry of the page; undefined for members beside the entries. */
  readonly entry?: PlannedEntry<JsonPage>['object']
  readonly value: Member<JsonPage>
}

/** A connection, by its members. */
export interface Connection {
  readonly parts: readonly Part[]
  readonly isCounted: boolean
  /** The weight of its entries. */
  readonly weigh: Weigh
  /** Its cost besides its entries, and what the cost of its list depends on. */
  readonly fixed: number
  readonly listCost: Pick<ListCost, 'entry' | 'isCounted' | 'needsEnds'>
}

/** A root field of an operation, as it is selected. */
export interface RootField {
  /** Its key in the response. */
  readonly key: string
  readonly nodes: Nodes
  readonly type: GraphQLObjectType
  readonly field: Field
}

/** Numbers the cache keys of statements. */
let plannedRows = 0

/** Plans the selections of one root field. */
export class EntryPlanner {
  readonly planning: Planning
  readonly root: RootField
  /** The fields with arguments, in document order. */
  readonly slots: Slot[]
  readonly refusals: Refusal[] = []
  /** Of a root list: refusals that depend on the rows, and so on the filter. */
  readonly rowRefusals: ((filter: object) => Refusal | undefined)[] = []
  /** The costs of entries of a derived object. */
  readonly derived: Cost[] = []
  private lookUps = 0

  constructor(planning: Planning, root: RootField, slots: Slot[] = []) {
    this.planning = planning
    this.root = root
    this.slots = slots
  }

  /** Where the root field itself is. */
  place(table: Place['table']): Place {
    return { path: [this.root.key], parent: this.root.type, table }
  }

  /** The planned rows, once all of them are planned. */
  rows(weigh: Weigh): PlannedRows {
    plannedRows += 1
    return { number: plannedRows, slots: this.slots, weigh }
  }

  rootConnection(list: AnyList): Connection {
    const { field, nodes } = this.root
    const connection = this.connection(objectOf(field), nodes, list, this.place(list.table))
    // The total is counted once, even under several aliases.
    if (connection.isCounted) this.noteLookUp()
    return connection
  }

  private connection(type: GraphQLObjectType, nodes: Nodes, list: AnyList, place: Place): Connection {
    const planned = Array.from(this.ours(type, nodes), ([name, fields]) => {
      return { ...this.part(type, fields, list, { ...below(place, name), table: list.table }), name }
    })
    requireFew(planned)
    const is = (name: ConnectionPart) => planned.some(({ part }) => part === name)
    const [isCounted, needsEnds] = [is('totalCount'), is('pageInfo')]
    const entry = sum(planned.flatMap((one) => (one.entry ? [one.cost] : [])))
    const fixed = planned.reduce((total, one) => total + (one.entry ? 0 : one.cost.fixed), 0)
    const weigh = sumOf(planned.flatMap((one) => one.weigh ?? []))
    return { parts: planned, isCounted, weigh, fixed, listCost: { entry, isCounted, needsEnds } }
  }

  private part(type: GraphQLObjectType, fields: Nodes, list: AnyList, place: Place): PlannedPart {
    this.requireDepth(place)
    if (isTypename(fields[0])) return { value: constant(type.name), part: undefined, cost: costing(1) }
    const field = fieldOf(type, fields[0])
    const { part } = declaredOf(field, 'part')
    if (part === 'totalCount') {
      return { part, value: (_, { totalCount }) => ({ value: totalCount, isJson: false }), cost: FREE }
    }
    if (part === 'pageInfo') {
      const { object, cost } = this.facts(objectOf(field), fields, place)
      return { part, value: nested(object), cost }
    }
    const inside = { ...place, path: anyIn(place) }
    const { object: entry, weigh, cost } = this[part](objectOf(field), fields, list, inside)
    return { part, entry, value: nested((build, page) => build.read.json.items(entry(build, page))), weigh, cost }
  }

  private facts(type: GraphQLObjectType, nodes: Nodes, place: Place): PlannedEntry<JsonPage> {
    return this.object(type, nodes, place, (field) => {
      const { fact } = declaredOf(field, 'fact')
      return { member: nested((_, page) => page[fact]), cost: costing(1) }
    })
  }

  private nodes(type: GraphQLObjectType, nodes: Nodes, list: AnyList, place: Place): PlannedEntry<JsonPage> {
    const { object, ...planned } = repeatable(list, this.entry(type, nodes, place))
    return { ...planned, object: (build, { row }) => object(build, row) }
  }

  private edges(type: GraphQLObjectType, nodes: Nodes, list: AnyList, place: Place): PlannedEntry<JsonPage> {
    return this.object(type, nodes, place, (field, fields, at) => {
      if (declaredOf(field, 'edge').edge === 'node') {
        const { object, weigh, cost } = this.nodes(objectOf(field), fields, list, at)
        return { member: nested(object), weigh, cost: sum([costing(1), cost]) }
      }
      // Encoding a position takes as long as reading a row.
      return { member: nested((_, page) => page.cursor()), weigh: () => 1, cost: costing(1) }
    })
  }

  /** The object of the selected fields, each as `plan` returns it, and of hidden members beside them. */
  private object<S>(
    type: GraphQLObjectType,
    nodes: Nodes,
    place: Place,
    plan: (field: Field, fields: Nodes, at: Place) => Planned<Member<S>>,
    hidden: (isOfHost: boolean) => readonly NamedMember<S>[] = () => [],
  ): PlannedEntry<S> {
    const all = this.selected(type, nodes)
    const ours = oursIn(type, all)
    const planned = Array.from(ours, ([name, fields]) => {
      const at = below(place, name)
      this.requireDepth(at)
      if (isTypename(fields[0])) return { name, member: constant(type.name), cost: costing(1), weigh: undefined }
      return { name, weigh: undefined, ...plan(fieldOf(type, fields[0]), fields, at) }
    })
    const members = [...planned.map(({ name, member }) => [name, member] as const), ...hidden(all.size > ours.size)]
    requireFew(members)
    const cost = sum(planned.map((one) => one.cost))
    return {
      object: (build, source) => build.read.json.object(members.map(([name, member]) => [name, member(build, source)])),
      weigh: sumOf(planned.flatMap(({ weigh }) => weigh ?? [])),
      // It is read and written even if `@skip` leaves it empty.
      cost: { ...cost, fixed: Math.max(1, cost.fixed) },
    }
  }

  /** The object of a row; `isAbstract` if its type is not known from its field. */
  entry(type: GraphQLObjectType, nodes: Nodes, place: Place, isAbstract = false): PlannedEntry {
    const long: string[] = []
    let needsRow = false
    const plan = (field: Field, fields: Nodes, at: Place): Planned<Member> => {
      needsRow ||= rowScopeOf(field) !== undefined
      const planned = this.member(type, field, fields, at)
      const column = longColumnOf(sqlOf(field))
      if (!column) return planned
      long.push(column)
      const text = { ...FREE, texts: [{ table: place.table, column, times: 1 }] }
      return { ...planned, cost: sum([planned.cost, text]) }
    }
    const { isHosted } = this.planning
    // A field that a host has added: its resolver gets the whole row.
    const { object, ...more } = this.object(type, nodes, place, plan, (isOfHost) => [
      ...(isHosted && (needsRow || isOfHost) ? [[ROW_MEMBER, allColumns] as const] : []),
      ...(isHosted && isAbstract ? [[TYPE_MEMBER, constant(type.name)] as const] : []),
    ])
    const bytesIn = (row: PgTable) => long.map((column) => sql`coalesce(octet_length(${memberColumn(row, column)}), 0)`)
    const texts: Weigh = (weighing) => (long.length === 0 ? 0 : weighing.texts(place.table, long.length))
    const weigh = sumOf([more.weigh, texts])
    return { ...more, weigh, object: (build, row) => build.metered(object(build, row), bytesIn(row)) }
  }

  private member(type: GraphQLObjectType, field: Field, nodes: Nodes, place: Place): Planned<Member> {
    const declared = sqlOf(field)
    if (!declared) throw unplanned(field)
    const isImplied = 'reference' in declared && declared.reference.isImplied === true
    const named = getNamedType(field.type)
    // Whoever reads the row may read what it implies; for everybody else the row has none.
    if (isImplied && this.lacked(named)) return { member: nullMember, cost: costing(1) }
    const scope = this.lacked(field) ?? (isImplied ? undefined : this.lacked(named))
    if (scope) return this.refused(field, { path: place.path, nodes, scope })
    if ('column' in declared) {
      const shown = columnMember(declared.column, named === GraphQLID)
      return { member: this.visible(shown, field, nodes, place), cost: costing(1) }
    }
    if ('position' in declared) return { member: position(declared.position), cost: costing(1) }
    const inner = { ...place, parent: type }
    if ('items' in declared) return this.items(declared.items, field, nodes, inner)
    if ('own' in declared) {
      const { object, weigh, cost } = this.entry(objectOf(field), nodes, inner)
      return { member: nested(object), weigh, cost: selected(cost) }
    }
    this.noteLookUp()
    if ('computed' in declared) {
      const slot = field.args.length > 0 ? this.slots.push({ field, node: nodes[0], isValue: true }) - 1 : undefined
      return { ...computed(declared.computed, slot), cost: costing(1) }
    }
    if ('reference' in declared) {
      const { list } = declared.reference
      const entry = this.entry(objectOf(field), nodes, { ...inner, table: list.table })
      const { member, weigh } = reference(declared.reference, entry)
      return { member: this.visible(member, field, nodes, place), weigh, cost: selected(entry.cost) }
    }
    if ('page' in declared) return this.page(declared.page, field, nodes, inner)
    throw unplanned(field)
  }

  /** The member of a field, which is null in rows that need a scope that the caller lacks. */
  private visible(shown: Member, field: Field, nodes: Nodes, { path, parent }: Place): Member {
    const rowScope = rowScopeOf(field)
    const { withheld } = this.planning
    if (!rowScope || withheld.size === 0) return shown
    const refusalOf = (filter: object): Refusal | undefined => {
      const [scope] = rowScope.scopesIn(parent.name, filter).filter((one) => withheld.has(one))
      return scope && { path, nodes, scope }
    }
    this.rowRefusals.push(refusalOf)
    const visible = Object.entries(rowScope.scopes).flatMap(([value, scope]) => (withheld.has(scope) ? [] : [value]))
    return visibleMember(shown, rowScope.column, visible)
  }

  private items(relation: AnyRelation, field: Field, nodes: Nodes, place: Place): Planned<Member> {
    const { list, stored } = relation
    const price = field.extensions['price'] as FieldPrice | undefined
    const inside = { ...place, path: anyIn(place), table: list.table }
    const whole = storedItems(relation, this.selected(objectOf(field), nodes))
    const entry = this.entry(objectOf(field), nodes, inside)
    // What the row itself has costs no more than its other columns.
    const cost = selected(entry.cost, stored ? 1 : HANDFUL)
    if (whole) return { member: whole, cost }
    this.noteLookUp()
    if (price && 'part' in price) this.derived.push(entry.cost)
    return { ...items(relation, entry), cost: price ? FREE : cost }
  }

  private page(relation: AnyRelation, field: Field, nodes: Nodes, place: Place): Planned<Member> {
    const { list } = relation
    const slot = this.slots.push({ field, node: nodes[0], list }) - 1
    const { parts, isCounted, weigh, fixed, listCost } = this.connection(objectOf(field), nodes, list, place)
    for (const { part } of parts) if (part === 'totalCount') this.noteLookUp()
    const member: Member = (build, row) => {
      const page = build.page(slot, relation, row)
      const members = parts.map(({ name, value }) => [name, value(build, page)] as const)
      const from = parts.some(({ entry }) => entry) ? sql` from ${page.rows}` : sql``
      return { value: sql`(${page.prefix}select ${build.read.json.object(members)}${from})`, isJson: true }
    }
    const { name } = field
    const cost = within({ name, list, relation, args: (all) => all[slot] ?? {}, isPaged: true, ...listCost }, fixed)
    return { member, weigh: (weighing: Weighing) => weighing.page(slot, relation, isCounted, weigh), cost }
  }

  /** The scope of a field or a type, if the caller lacks it. */
  lacked({ extensions }: Extended): Scope | undefined {
    const { scope } = extensions as { scope?: Scope | null }
    return scope && this.planning.withheld.has(scope) ? scope : undefined
  }

  private refused(field: Field, refusal: Refusal): Planned<Member> {
    if (!isNullableType(field.type)) throw new Error(`${field.name} needs a scope, and so must be nullable.`)
    this.refusals.push(refusal)
    return { member: nullMember, cost: costing(1) }
  }

  private noteLookUp(): void {
    this.lookUps += 1
    // Fragments multiply subqueries, and the engine plans each: 4,000 would block the process for ten seconds.
    if (this.lookUps > LIMITS.lookUpsMax) throw tooMany('fields that look up other rows', LIMITS.lookUpsMax)
  }

  private requireDepth({ path }: Place): void {
    const depth = path.filter((name) => name !== ANY_ENTRY).length
    if (depth <= LIMITS.queryDepthMax) return
    const sentence = `The query's depth is at least ${depth}; the most is ${LIMITS.queryDepthMax}.`
    throw new Fault('TOO_COMPLEX', `${sentence} Send what is deeper as a query of its own.`)
  }

  /** The selected fields of an object that has no row, without those that a host has added. */
  ours(type: GraphQLObjectType, nodes: Nodes): Selected {
    return oursIn(type, this.selected(type, nodes))
  }

  selected(type: GraphQLObjectType, nodes: Nodes): Selected {
    return this.planning.collect(
      type,
      nodes.flatMap(({ selectionSet }) => selectionSet ?? []),
    )
  }
}

type PlannedPart = Omit<Part, 'name'> & Omit<Planned<Member>, 'member'>
type NamedMember<S> = readonly [name: string, member: Member<S>]

/** Hidden members, with all columns of a row and with its type: no response key begins like this. */
export const ROW_MEMBER = '$row'
export const TYPE_MEMBER = '$type'

/** A field as it is declared; throws if it is declared otherwise, which is our mistake. */
function declaredOf<K extends 'part' | 'fact' | 'edge'>(field: Field, kind: K): Extract<SqlField, Record<K, unknown>> {
  const declared = sqlOf(field)
  if (!declared || !(kind in declared)) throw unplanned(field)
  return declared as Extract<SqlField, Record<K, unknown>>
}

function rowScopeOf({ extensions }: Extended): RowScope | undefined {
  return extensions['rowScope'] as RowScope | undefined
}

function oursIn(type: GraphQLObjectType, selected: Selected): Selected {
  return new Map([...selected].filter(([, [node]]) => isTypename(node) || !isOfHost(type, node)))
}

export function below(place: Place, name: string): Place {
  return { ...place, path: [...place.path, name] }
}

export function anyIn({ path }: Place): readonly string[] {
  return [...path, ANY_ENTRY]
}

function requireFew(members: readonly unknown[]): void {
  // SQLite allows 1,000 arguments of a function; an object needs two for each member.
  if (members.length > LIMITS.membersMax) throw tooMany('fields of one object', LIMITS.membersMax)
}

function tooMany(what: string, most: number): Fault {
  return new Fault('TOO_COMPLEX', `The query has more than ${most} ${what}. Select fewer, or send several queries.`)
}
