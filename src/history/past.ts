import { aliasedTable, type SQL, sql } from 'drizzle-orm'
import { literal } from '../store/literals.js'
import { unindexed } from '../store/query/conditions.js'
import type { Extent, Read } from '../store/store.js'
import type { Tables } from '../store/tables.js'
import { type EntityKind, ISSUE_SEVERITIES, LIVE_RISK_STATUSES, OPEN_ISSUE_STATUSES } from '../vocabulary.js'

// An entity is read backwards from its stored row: at an instant, a field was what the first change after it found there.
// So only the changes since then are read, and entities that are older than the history have a past as well.

/** A field as a number. */
export interface PastValue {
  /** The field of the history that holds it. */
  readonly field: string
  readonly stored: SQL
  /** The number for the JSON of a value in the history, which may be null. */
  of(recorded: SQL): SQL
}

/** Larger than every such number, so that a change's id and a number fit into one. */
const BASE = literal(100_000_000)

/** Larger than every id of a change; times BASE it still fits into 64 bits. */
export const AFTER_ALL = sql.raw('68719476736')

/** The history under the alias that the functions here use. */
export function pastChanges({ t }: Read): Tables['change'] {
  return aliasedTable(t.change, 'c')
}

/** A question about the past may read all of the history. */
export function historyExtent(read: Read): Extent {
  return { table: read.t.change, row: pastChanges(read), rows: Number.POSITIVE_INFINITY }
}

/** Changes of these entities, to be read in the order of their ids and by no other index. */
export function ofKind(read: Read, kind: EntityKind): SQL {
  return sql`${unindexed(pastChanges(read).entity)} = ${literal(kind)}`
}

/** The number that a change found in this field; null for a change that does not touch it. */
export function numberFound(read: Read, { field, of }: PastValue): SQL {
  const pair = read.json.recordedPair(pastChanges(read).fields, field)
  return sql`case when ${pair} is not null then ${of(read.json.sideOf(pair, 'from'))} end`
}

/** The id of the last change before an instant; 0 if there is none. In the order of an index, which max(id) would not use. */
export function lastBefore(read: Read, instant: string | SQL): SQL {
  const { id, recordedAt } = pastChanges(read)
  const last = sql`select ${id} from ${read.t.change} c where ${recordedAt} < ${instant} order by ${recordedAt} desc, ${id} desc limit 1`
  return sql`coalesce((${last}), 0)`
}

/** What the earliest of these changes found, where `found` is null for a change that does not touch the number. */
export function earliest(id: SQL, found: SQL): SQL {
  return sql`cast(min(${id} * ${BASE} + ${found}) % ${BASE} as integer)`
}

/** 1 while a risk is live. */
export const RISK_LIVE: PastValue = {
  field: 'status',
  stored: sql`live`,
  of: (status) => oneWithin(status, LIVE_RISK_STATUSES),
}

/** The score that the history records, whatever it was derived from. */
export const RISK_SCORE: PastValue = {
  field: 'score',
  stored: sql`score`,
  of: (score) => sql`cast(case ${score} when 'null' then '0' else ${score} end as integer)`,
}

/** 1 while an issue is open. */
export const ISSUE_OPEN: PastValue = {
  field: 'status',
  stored: sql`live`,
  of: (status) => oneWithin(status, OPEN_ISSUE_STATUSES),
}

/** The index of the severity. */
export const ISSUE_SEVERITY: PastValue = {
  field: 'severity',
  stored: sql`-standing`,
  of: (severity) => {
    const cases = ISSUE_SEVERITIES.map((name, index) => sql`when ${asJson(name)} then ${literal(index)}`)
    return sql`case ${severity} ${sql.join(cases, sql` `)} else 0 end`
  },
}

/** The due day as a number such as 20270131; 0 for none. */
export const ISSUE_DUE: PastValue = {
  field: 'dueOn',
  stored: dayNumber(sql`coalesce(due_on, '0')`),
  of: (day) => dayNumber(sql`replace(case ${day} when 'null' then '0' else ${day} end, '"', '')`),
}

function dayNumber(day: SQL): SQL {
  return sql`cast(replace(${day}, '-', '') as integer)`
}

function oneWithin(status: SQL, statuses: readonly string[]): SQL {
  return sql`case when ${status} in (${sql.join(statuses.map(asJson), sql`, `)}) then 1 else 0 end`
}

function asJson(name: string): SQL {
  return literal(JSON.stringify(name))
}
