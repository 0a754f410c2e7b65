import { type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import { literal } from '../../store/literals.js'
import type { JsonValue } from '../../store/query/json.js'
import { type AnyList, cursorKeys } from '../../store/query/page.js'
import { type AnyComputed, type AnyRelation, type Identified, relatedItems } from '../../store/query/relations.js'
import { columnOf } from '../fields.js'
import type { Selected } from '../selections.js'
import type { Build, Entry, Weigh, Weighing } from './statements.js'

/** Builds the JSON of a field from its row. */
export type Member = (build: Build, row: PgTable) => JsonValue

export function sumOf(weights: readonly Weigh[]): Weigh {
  return (weighing) => weights.reduce((sum, weigh) => sum + weigh(weighing), 0)
}

/** An entry whose rows may occur several times: if that repeats much work, the object of each is built once. */
export function repeatable(list: AnyList, { object, weigh }: Entry): Entry {
  const entry: Entry = {
    object: (build, row) =>
      build.isBuiltOnce(entry) ? build.objectOf(list, object, (row as Identified).id) : object(build, row),
    weigh: (weighing) => weighing.entry(entry, list, weigh),
  }
  return entry
}

/** A column; a numeric id is shown as text. */
export function columnMember(member: string, isText: boolean): Member {
  return (_, row) => ({ value: shown(columnOf(row, member), isText), isJson: false })
}

function shown(column: AnyPgColumn, isText: boolean): AnyPgColumn | SQL {
  return isText && column.dataType === 'number' ? sql`cast(${column} as text)` : column
}

/** The cursor of a row in a list. */
export function position(list: AnyList): Member {
  return ({ read }, row) => ({ value: read.json.cursor(list.name, cursorKeys(list, row)), isJson: true })
}

/** A value that SQL computes from the row. */
export function computed({ value, isCount, counted }: AnyComputed) {
  const member: Member = ({ read }, row) => ({ value: value(read, row as Identified), isJson: false })
  return { member, weigh: (weighing: Weighing) => (isCount || counted ? weighing.count(counted) : 1) }
}

/** The same row under another type. */
export function own({ object, weigh }: Entry) {
  const member: Member = (build, row) => ({ value: object(build, row), isJson: true })
  return { member, weigh }
}

/** The row of a list whose id is in a column. */
export function reference({ list, by }: { list: AnyList; by: string }, { object, weigh }: Entry) {
  const entry: Entry = { object, weigh: (weighing) => weighing.entry(entry, list, weigh) }
  const member: Member = (build, row) => {
    const id = columnOf(row, by)
    if (build.isBuiltOnce(entry)) return { value: build.objectOf(list, object, id, build.idsIn(row, by)), isJson: true }
    const { name, alias } = build.row(list)
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
export function storedItems({ stored }: AnyRelation, selected: Selected): Member | undefined {
  const names = Array.from(selected, ([name, [node]]) => (node.name.value === name ? name : undefined))
  if (!stored || names.length !== stored.members.length) return undefined
  if (!stored.members.every((member, at) => names[at] === member)) return undefined
  return ({ read }, row) => ({ value: stored.json(read, row as Identified), isJson: true })
}

export function constant(text: string): () => JsonValue {
  return () => ({ value: sql`cast(${literal(text)} as text)`, isJson: false })
}

export const nothing: Member = () => ({ value: sql`cast(null as text)`, isJson: false })
