import { and, desc, eq, gte, type SQL, sql } from 'drizzle-orm'
import { type FieldChangeTable, fieldChange } from '../store/derivedRows.js'
import type { Optional } from '../store/query/conditions.js'
import type { List } from '../store/query/page.js'
import type { Identified, Relation } from '../store/query/relations.js'
import { paged } from '../store/shortWrites.js'
import type { Read } from '../store/store.js'
import type { Tables } from '../store/tables.js'

export type ChangeRow = Tables['change']['$inferSelect']

/** Stands for an erased value, so that the history still shows that there was one. */
export const ERASED = '(erased)'

/** A value in the history; a list has the names of groups. */
export type Recorded = string | number | null | readonly string[]

/** Each changed field with its value before and after. */
export type FieldChanges = Readonly<Record<string, readonly [from: Recorded, to: Recorded]>>

interface ChangeFilter {
  readonly since?: Optional<string>
}

export const changes: List<Tables['change'], ChangeFilter> = {
  name: 'changes',
  table: (t) => t.change,
  order: ({ id }) => [id],
  matching,
}

export function changesOf(entityId: string): typeof changes {
  return {
    ...changes,
    matching: (read, filter) => and(eq(read.t.change.entityId, entityId), matching(read, filter)),
  }
}

/** The history as a relation of an entity's table. */
export function historyOf<P extends Identified>(of: (t: Tables) => P): Relation<P, Tables['change'], ChangeFilter> {
  return { of, list: changes, where: (_, entity, change) => eq(change.entityId, entity.id) }
}

export type FieldChangeRow = FieldChangeTable['$inferSelect']

export const fieldChanges: Relation<Tables['change'], FieldChangeTable, object> = {
  of: (t) => t.change,
  column: 'fields',
  from: ({ json }, { fields }) => json.changes(fields),
  list: { name: 'fields', table: () => fieldChange, order: ({ id }) => [id], matching: () => undefined },
  where: () => undefined,
}

function matching({ t }: Read, filter: ChangeFilter): SQL | undefined {
  return filter.since == null ? undefined : gte(t.change.recordedAt, filter.since)
}

export function fieldChangesOf({ fields }: ChangeRow): FieldChanges {
  return JSON.parse(fields) as FieldChanges
}

/** A history can be larger than memory, and other writes wait meanwhile. */
export const BATCH_ROWS = 500

/** These changes, entity by entity, each from the last to the first. */
export function backwards({ db, t }: Read, which: SQL | undefined): AsyncGenerator<readonly ChangeRow[]> {
  const { entityId, id } = t.change
  return paged(BATCH_ROWS, (last: ChangeRow | undefined) => {
    const isFurther = last && sql`(${entityId}, ${id}) < (${last.entityId}, ${last.id})`
    const found = db.select().from(t.change).where(and(which, isFurther))
    return found.orderBy(desc(entityId), desc(id)).limit(BATCH_ROWS)
  })
}
