import { keys } from '../../auth/keys.js'
import { type ChangeRow, fieldChangesOf, type Recorded } from '../../history/changes.js'
import { changedReference, changedTitle } from '../../history/feed.js'
import { isId } from '../../ids.js'
import { personnel } from '../../personnel/people.js'
import { projects } from '../../projects/projects.js'
import { risks } from '../../projects/risks.js'
import { byIds } from '../../store/query/page.js'
import { computedValues } from '../../store/query/relations.js'
import type { Read } from '../../store/store.js'
import { escapedLine } from '../../text.js'

/** What people call the things in some changes. */
interface Names {
  /** By change. */
  readonly titles: ReadonlyMap<string, unknown>
  readonly references: ReadonlyMap<string, unknown>
  /** By id: projects by key, keys by name, and the people and risks that values refer to. */
  readonly byId: ReadonlyMap<string, string>
}

export async function namesIn(read: Read, rows: readonly ChangeRow[]): Promise<Names> {
  const ids = rows.map(({ id }) => String(id))
  const ofChange = (computed: typeof changedTitle) => computedValues(read, computed, ids)
  const values = rows.flatMap((row) => Object.values(fieldChangesOf(row)).flat())
  const named = (kind: 'person' | 'risk') => [
    ...new Set(values.filter((value) => typeof value === 'string').filter((value) => isId(kind, value))),
  ]
  const [people, entries, of] = [
    await byIds(read, personnel, named('person')),
    await byIds(read, risks, named('risk')),
    await byIds(read, projects, [...new Set(rows.flatMap(({ projectId }) => projectId ?? []))]),
  ]
  const byId = new Map([
    ...(await keys(read)).map(({ id, name }) => [id, `key ${name}`] as const),
    ...[...people].map(([id, { name }]) => [id, name] as const),
    ...[...entries].map(([id, { reference }]) => [id, reference] as const),
    ...[...of].map(([id, { key }]) => [id, key] as const),
  ])
  return { titles: await ofChange(changedTitle), references: await ofChange(changedReference), byId }
}

export function inJson(row: ChangeRow, { titles, references, byId }: Names) {
  const { recordedAt, effectiveOn, by, action, entity, entityId, projectId } = row
  const fields = Object.entries(fieldChangesOf(row)).map(([field, [from, to]]) => ({ field, from, to }))
  const id = String(row.id)
  const called = { title: titles.get(id) ?? null, reference: references.get(id) ?? null }
  const shown = { id: row.id, recordedAt, effectiveOn, by, action, entity, entityId }
  return { ...shown, ...called, project: byId.get(projectId ?? '') ?? null, fields }
}

/** One line: when, what was done, to what, by whom, and each value before and after. */
export function inWords(row: ChangeRow, names: Names): string {
  const { id, recordedAt, by, action, entity, entityId, projectId } = row
  const key = names.byId.get(projectId ?? '')
  const reference = names.references.get(String(id))
  const title = names.titles.get(String(id)) ?? entityId
  const called = [reference === key ? undefined : key, reference, title].filter((one) => one != null).join(' ')
  const author = by === 'cli' ? 'the command line' : (names.byId.get(by) ?? by)
  const fields = Object.entries(fieldChangesOf(row)).map(
    ([field, [from, to]]) => `${field} ${inText(from, names)} → ${inText(to, names)}`,
  )
  const words = `${recordedAt}  ${action.toLowerCase()} ${entity.toLowerCase()} ${called}, by ${author}`
  return escapedLine(fields.length === 0 ? words : `${words}: ${fields.join(', ')}`)
}

function inText(value: Recorded, { byId }: Names): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return 'nothing'
  if (typeof value === 'string') return byId.get(value) ?? value
  return Array.isArray(value) ? value.join('; ') : String(value)
}
