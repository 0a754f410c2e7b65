import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import { type GraphQLObjectType, getNamedType, getNullableType, isLeafType, isListType } from 'graphql'
import { literal } from '../../store/literals.js'
import { type JsonValue, listed } from '../../store/query/json.js'
import { type AnyList, cursorKeys, memberColumn } from '../../store/query/page.js'
import {
  type AnyComputed,
  type AnyRelation,
  HANDFUL,
  type Identified,
  relatedItems,
} from '../../store/query/relations.js'
import { fieldOf, isTypename, objectOf, sqlOf, unplanned } from './declared.js'
import { type Cost, costing, selected, sum } from './prices.js'
import type { Nodes, Selected } from './selections.js'
import type { Build, Entry, Weigh, Weighing } from './statements.js'

/** Builds the JSON of a field from its row, or from the page that it belongs to. */
export type Member<S = PgTable> = (build: Build, source: S) => JsonValue

export function sumOf(weights: readonly Weigh[]): Weigh {
  return (weighing) => weights.reduce((sum, weigh) => sum + weigh(weighing), 0)
}

/** An entry whose rows may occur several times: if that repeats much work, the object of each is built once. */
export function repeatable<E extends Entry>(list: AnyList, { object, weigh, ...more }: E): E {
  const entry = {
    ...more,
    object: (build: Build, row: PgTable) =>
      build.isBuiltOnce(entry) ? build.objectOf(list, object, (row as Identified).id) : object(build, row),
    weigh: (weighing: Weighing) => weighing.entry(entry, list, weigh),
  } as E
  return entry
}

/** A column; a numeric id is shown as text. */
export function columnMember(member: string, isText: boolean): Member {
  return (_, row) => ({ value: shown(memberColumn(row, member), isText), isJson: false })
}

function shown(column: AnyPgColumn, isText: boolean): AnyPgColumn | SQL {
  return isText && column.dataType === 'number' ? sql`cast(${column} as text)` : column
}

/** A member that is null unless a column of the row has one of these values. */
export function visibleMember(shown: Member, column: string, values: readonly string[]): Member {
  const among = values.length === 0 ? sql`null` : listed(values.map(literal))
  return (build, row) => {
    const { value, isJson } = shown(build, row)
    return { value: sql`case when ${memberColumn(row, column)} in (${among}) then ${value} end`, isJson }
  }
}

/** All columns of the row. */
export const allColumns: Member = ({ read }, row) => {
  const columns = Object.entries<AnyPgColumn>(getTableColumns(row)).map(
    ([name, value]) => [name, { value, isJson: false }] as const,
  )
  return { value: read.json.object(columns), isJson: true }
}

export function position(list: AnyList): Member {
  return ({ read }, row) => ({ value: read.json.cursor(list.name, cursorKeys(list, row)), isJson: true })
}

/** `slot` is that of its argument, if it has one. */
export function computed({ value, isCount, counted }: AnyComputed, slot?: number) {
  const member: Member = (build, row) => {
    const given = slot === undefined ? undefined : build.given(slot)
    if (slot !== undefined && !given) return nullMember(build, row)
    return { value: value(build.read, row as Identified, given), isJson: false }
  }
  return { member, weigh: (weighing: Weighing) => (isCount || counted ? weighing.count(counted, slot) : 1) }
}

/** The JSON of an object, as a member of another. */
export function nested<S>(object: (build: Build, source: S) => SQL): Member<S> {
  return (build, source) => ({ value: object(build, source), isJson: true })
}

/** The row of a list whose id is in a column. */
export function reference({ list, by }: { list: AnyList; by: string }, { object, weigh }: Entry) {
  const entry: Entry = { object, weigh: (weighing) => weighing.entry(entry, list, weigh) }
  const member: Member = (build, row) => {
    const id = memberColumn(row, by)
    if (build.isBuiltOnce(entry)) return { value: build.objectOf(list, object, id, build.idsIn(row, by)), isJson: true }
    const { name, alias } = build.row(list, true)
    const where = sql`${(alias as Identified).id} = ${id}`
    return { value: sql`(select ${object(build, alias)} from ${name} where ${where})`, isJson: true }
  }
  return { member, weigh: (weighing: Weighing) => weighing.reference(entry.weigh) }
}

/** All related rows. */
export function items(relation: AnyRelation, entry: Entry) {
  const { object, weigh } = repeatable(relation.list, entry)
  const member: Member = (build, row) => {
    const built = (related: PgTable) => object(build, related)
    return { value: relatedItems(build.read, relation, row, build.newName(), built), isJson: true }
  }
  return { member, weigh: (weighing: Weighing) => weighing.items(relation, weigh) }
}

/** Related rows whose JSON is in the row itself, if the selection is exactly that; else undefined. */
export function storedItems({ stored }: AnyRelation, fields: Selected): Member | undefined {
  const names = Array.from(fields, ([name, [node]]) => (node.name.value === name ? name : undefined))
  if (!stored || names.length !== stored.members.length) return undefined
  if (!stored.members.every((member, at) => names[at] === member)) return undefined
  return ({ read }, row) => ({ value: stored.json(read, row as Identified), isJson: true })
}

export function constant(text: string): () => JsonValue {
  return () => ({ value: sql`cast(${literal(text)} as text)`, isJson: false })
}

export const nullMember: Member = () => ({ value: sql`cast(null as text)`, isJson: false })

/** The JSON of what is selected of a value that needs no look-up. */
interface ShownValue {
  readonly shown: (value: unknown) => string
  readonly cost: Cost
}

interface Selecting {
  ours(type: GraphQLObjectType, nodes: Nodes): Selected
}

export function shownOf(planner: Selecting, type: GraphQLObjectType, nodes: Nodes): ShownValue {
  const members = Array.from(planner.ours(type, nodes), ([name, fields]) => {
    return { name, ...shownMember(planner, type, fields) }
  })
  const text = (value: unknown) => members.map(({ name, shown }) => `"${name}":${shown(value)}`).join()
  return { shown: (value) => `{${text(value)}}`, cost: sum(members.map(({ cost }) => cost)) }
}

/** The same for one of its members. */
export function shownMember(planner: Selecting, type: GraphQLObjectType, nodes: Nodes): ShownValue {
  if (isTypename(nodes[0])) return { shown: () => JSON.stringify(type.name), cost: costing(1) }
  const field = fieldOf(type, nodes[0])
  const declared = sqlOf(field)
  if (!declared || !('local' in declared)) throw unplanned(field)
  const local = (value: unknown) => declared.local(value as never) ?? null
  if (isLeafType(getNamedType(field.type))) return { shown: (value) => JSON.stringify(local(value)), cost: costing(1) }
  const { shown, cost } = shownOf(planner, objectOf(field), nodes)
  if (!isListType(getNullableType(field.type))) return { shown: (value) => shown(local(value)), cost: selected(cost) }
  const entries = (value: unknown) => `[${(local(value) as readonly unknown[]).map(shown).join()}]`
  return { shown: entries, cost: selected(cost, HANDFUL) }
}
