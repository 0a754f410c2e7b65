import { type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import { literal } from '../../store/literals.js'
import type { JsonValue } from '../../store/query/json.js'
import type { AnyList } from '../../store/query/page.js'
import { type AnyComputed, type AnyRelation, type Identified, relatedItems } from '../../store/query/relations.js'
import { columnOf } from './fields.js'
import type { Selected } from './selections.js'
import type { Build, Weighing } from './statements.js'

/** Builds the JSON of a field from its row. */
export type Member = (build: Build, row: PgTable) => JsonValue
/** The number of rows that a row reads besides itself. */
export type Weigh = (weighing: Weighing) => number

export interface WeighedMember {
  readonly member: Member
  readonly weigh?: Weigh
}

export interface Entry {
  readonly object: (build: Build, row: PgTable) => SQL
  readonly weigh: Weigh
}

/** A column; a numeric id is shown as text. */
export function columnMember(name: string, isText: boolean): WeighedMember {
  const shown = (column: AnyPgColumn) =>
    isText && column.dataType === 'number' ? sql`cast(${column} as text)` : column
  return { member: (_, row) => ({ value: shown(columnOf(row, name)), isJson: false }) }
}

export function computedMember({ value, isCount, counted }: AnyComputed): WeighedMember {
  return {
    member: ({ read }, row) => ({ value: value(read, row as Identified), isJson: false }),
    weigh: (weighing) => (isCount || counted ? weighing.count(counted) : 1),
  }
}

export function referenceMember(
  { list, by }: { readonly list: AnyList; readonly by: string },
  { object, weigh }: Entry,
): WeighedMember {
  const member: Member = (build, row) => {
    const { name, alias } = build.row(list)
    const where = sql`${(alias as Identified).id} = ${columnOf(row, by)}`
    return { value: sql`(select ${object(build, alias)} from ${name} where ${where})`, isJson: true }
  }
  return { member, weigh: (weighing) => weighing.reference(weigh) }
}

export function itemsMember(relation: AnyRelation, { object, weigh }: Entry): WeighedMember {
  const member: Member = (build, row) => {
    const built = (related: PgTable) => object(build, related)
    return { value: relatedItems(build.read, relation, row, build.newName(), built), isJson: true }
  }
  return { member, weigh: (weighing) => weighing.items(relation, weigh) }
}

/** Related rows whose JSON is in the row itself, if the selection is exactly that; else undefined. */
export function storedMember({ stored }: AnyRelation, selected: Selected): WeighedMember | undefined {
  const names = Array.from(selected, ([name, [node]]) => (node.name.value === name ? name : undefined))
  if (!stored || names.length !== stored.members.length) return undefined
  if (!stored.members.every((member, at) => names[at] === member)) return undefined
  return { member: ({ read }, row) => ({ value: stored.json(read, row as Identified), isJson: true }) }
}

export function constant(text: string): () => JsonValue {
  return () => ({ value: sql`cast(${literal(text)} as text)`, isJson: false })
}
