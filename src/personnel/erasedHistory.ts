import { and, gt, not, or, sql } from 'drizzle-orm'
import { DETAILS } from '../details.js'
import {
  backwards,
  type ChangeRow,
  ERASED,
  type FieldChanges,
  fieldChangesOf,
  type Recorded,
} from '../history/changes.js'
import { memberColumn } from '../store/query/page.js'
import type { Access } from '../store/shortWrites.js'
import type { Read, Write } from '../store/store.js'
import { HELD_NOUNS, kindOf, NOUNS } from '../vocabulary.js'
import type { PersonNames } from './personNames.js'

/** Whom an erasure is about: a person, and whoever turned out to be the same. */
export interface Erased {
  readonly id: string
  readonly ids: readonly string[]
  readonly names: PersonNames
}

/** Blanks all values of the history of a person; returns the number of changes. */
export async function blankHistory(write: Write, { ids }: Erased): Promise<number> {
  let blanked = 0
  for await (const rows of backwards(write, write.among(write.t.change.entityId, ids))) {
    const blank = blankedIn(rows, () => () => true)
    await write.updateAll(write.t.change, blank)
    blanked += blank.length
  }
  return blanked
}

const HOLDER_IDS = HELD_NOUNS.map((noun) => `${NOUNS[noun].holder}Id` as const)
const HOLDER_NAMES = HELD_NOUNS.map((noun) => `${NOUNS[noun].holder}Name`)

/**
 * Blanks the name in the history of risks and issues while they were the person's, or unmatched and named them, and in
 * details: of the changes after `since`, in one snapshot, because the owner at a time is known from the later changes.
 */
export function blankMentions(access: Access, erased: Erased, since: number): Promise<number> {
  return access.snapshot(async (read) => {
    const { change } = read.t
    const has = (beginning: string) => read.includes(change.fields, beginning)
    const isNaming = or(...[...HOLDER_IDS, ...HOLDER_NAMES].map((field) => has(`"${field}"`)))
    const isEntry = read.among(change.entity, HELD_NOUNS.map(kindOf))
    const isAbout = or(and(isEntry, isNaming), has(`"${DETAILS}`))
    let blanked = 0
    let unfinished: readonly [entityId: string, assigneeId: Recorded] | undefined
    const isOthers = and(gt(change.id, since), not(read.among(change.entityId, erased.ids)), isAbout)
    for await (const rows of backwards(read, isOthers)) {
      const assignees = await assigneesOf(read, [...new Set(rows.map(({ entityId }) => entityId))])
      // The previous batch may have ended within the changes of an entity.
      if (unfinished && unfinished[0] === rows[0]?.entityId) assignees.set(...unfinished)
      const blank = blankedIn(rows, (row) => theirsIn(row, assignees, erased))
      // As read: nothing but an erasure changes an entry of the history.
      if (blank.length > 0) await access.write((write) => write.updateAll(write.t.change, blank))
      blanked += blank.length
      const entityId = rows.at(-1)?.entityId ?? ''
      unfinished = [entityId, assignees.get(entityId) ?? null]
    }
    return blanked
  })
}

/** Whether a value of a field, before or after the change, is about the person; of a detail also its name, without a side. */
type IsTheirs = (field: string, value: Recorded, side?: 0 | 1) => boolean

/** Going backwards, the owner before and after each change is known. */
function theirsIn(row: ChangeRow, assignees: Map<string, Recorded>, { ids, names }: Erased): IsTheirs {
  const after = assignees.get(row.entityId) ?? null
  const fields = fieldChangesOf(row)
  const [from = after] = HOLDER_IDS.flatMap((id) => fields[id]?.slice(0, 1) ?? [])
  assignees.set(row.entityId, from)
  return (field, value, side) => {
    const isNamed = () => names.without(String(value)) !== undefined
    if (field.startsWith(DETAILS)) return !Array.isArray(value) && isNamed()
    const assignee = side === 0 ? from : after
    return field.endsWith('Name') && (assignee === null ? isNamed() : ids.includes(String(assignee)))
  }
}

async function assigneesOf({ db, t, among }: Read, ids: readonly string[]): Promise<Map<string, Recorded>> {
  const assignees = new Map<string, Recorded>()
  for (const noun of HELD_NOUNS) {
    const { id } = t[noun]
    const holder = sql<string | null>`${memberColumn(t[noun], `${NOUNS[noun].holder}Id`)}`
    const rows = await db.select({ id, holder }).from(t[noun]).where(among(id, ids))
    for (const row of rows) assignees.set(row.id, row.holder)
  }
  return assignees
}

function blankedIn(rows: readonly ChangeRow[], isTheirsIn: (row: ChangeRow) => IsTheirs): ChangeRow[] {
  return rows.flatMap((row) => {
    const fields = JSON.stringify(blankedFields(fieldChangesOf(row), isTheirsIn(row)))
    return fields === row.fields ? [] : [{ ...row, fields }]
  })
}

const PREFIX = `${DETAILS}.`

// `status` is kept: whether someone was on the roster is not personal data.
function blankedFields(fields: FieldChanges, isTheirs: IsTheirs): FieldChanges {
  const isNothing = (value: Recorded) => value === null || (Array.isArray(value) && value.length === 0)
  const nameless = (name: string) => (isTheirs(DETAILS, name) ? ERASED : name)
  const entries = Object.entries(fields).map(([field, values]) => {
    const shown = field.startsWith(PREFIX) ? `${PREFIX}${nameless(field.slice(PREFIX.length))}` : field
    const blank = (value: Recorded, side: 0 | 1): Recorded => {
      if (isNothing(value) || field === 'status') return value
      if (shown !== field || isTheirs(field, value, side)) return ERASED
      // The names of details in another order.
      return field === DETAILS && Array.isArray(value) ? value.map(nameless) : value
    }
    return [shown, [blank(values[0], 0), blank(values[1], 1)]] as const
  })
  return Object.fromEntries(entries)
}
