import { isIdOf, named, sortedGroups } from './lists.js'
import {
  type Context,
  type Detail,
  type Group,
  type Kind,
  type Person,
  type Risk,
  type Rows,
  refused,
  sameText,
  scoreOf,
  type World,
} from './rows.js'

/** Changes of people and groups, and the history of every change. */

export type Input = Readonly<Record<string, unknown>>
type Value = string | null

const TRACKED: Readonly<Record<Kind, string>> = {
  PERSON: 'name email externalId title department status details groups',
  GROUP: 'name externalId description',
  PROJECT: 'key name description url status details',
  RISK:
    'reference title description category likelihood impact scoreGiven status response mitigation cause ' +
    'residualLikelihood residualImpact url raisedOn reviewOn dueOn details score ownerId ownerName',
  ISSUE: 'reference title description severity status url raisedOn dueOn details assigneeId assigneeName riskId',
}

/** What the history shows of a row, as texts. */
function textsOf(world: World, kind: Kind, row: object | undefined): Map<string, Value> {
  const values = new Map<string, unknown>(Object.entries(row ?? {}))
  const texts = new Map<string, Value>()
  for (const field of TRACKED[kind].split(' ')) {
    const value = values.get(field)
    if (field === 'details') for (const { name, text } of detailsIn(value)) texts.set(`details.${name}`, text)
    else if (field === 'groups') texts.set(field, groupNames(world, value))
    else texts.set(field, value == null ? null : String(value))
  }
  return texts
}

function groupNames(world: World, ids: unknown): Value {
  const isIn = ({ id }: Group) => Array.isArray(ids) && ids.includes(id)
  const names = sortedGroups(world.all('GROUP').filter(isIn)).map(({ name }) => name)
  return names.length === 0 ? null : names.join('; ')
}

function detailsIn(value: unknown): Detail[] {
  return Array.isArray(value) ? value : []
}

/** A field of the history stands where its column does, and a detail where the details do. */
function placeOf(kind: Kind, field: string): number {
  return TRACKED[kind].split(' ').indexOf(field.split('.')[0] ?? '')
}

export type Verdict = 'created' | 'updated' | 'unchanged'

/** Stores a row with its entry in the history, if anything is different. */
export function store<K extends Kind>(context: Context, kind: K, row: Rows[K], action?: string): Verdict {
  const { world, now, caller } = context
  const before = world.get(kind, row.id) ?? undefined
  const scored = (one: Rows[K] | undefined) => one && 'impact' in one && { ...one, score: scoreOf(one) }
  const [from, to] = [before, row].map((one) => textsOf(world, kind, scored(one) || one)) as [Texts, Texts]
  const fields = [...new Set([...from.keys(), ...to.keys()])]
    .map((field) => ({ field, from: from.get(field) ?? null, to: to.get(field) ?? null }))
    .filter((change) => change.from !== change.to)
    .toSorted((one, other) => placeOf(kind, one.field) - placeOf(kind, other.field))
  const order = (one: object | undefined) =>
    detailsIn(one && 'details' in one && one.details)
      .map(({ name }) => name)
      .join('; ')
  const isReordered = !fields.some(({ field }) => field.startsWith('details.')) && order(before) !== order(row)
  if (isReordered) fields.push({ field: 'details', from: order(before), to: order(row) })
  const isNew = before === undefined
  if (!isNew && fields.length === 0) {
    world.tables[kind].set(row.id, { ...row, updatedAt: before.updatedAt })
    return 'unchanged'
  }
  const stored = { ...row, createdAt: before?.createdAt ?? now, updatedAt: now }
  world.tables[kind].set(row.id, stored)
  if ('impact' in stored) world.pastRisks.push({ at: now, row: stored })
  if ('severity' in stored) world.pastIssues.push({ at: now, row: stored })
  const projectId = 'projectId' in row ? row.projectId : kind === 'PROJECT' ? row.id : null
  world.changes.push({
    ...{ number: world.changes.length + 1, entity: kind, entityId: row.id, projectId, fields, recordedAt: now },
    ...{ action: action ?? (isNew ? 'CREATED' : 'UPDATED'), by: caller.keyId },
  })
  return isNew ? 'created' : 'updated'
}
type Texts = Map<string, Value>

export const invalid = () => refused('VALIDATION_FAILED')

/** The given values of an input: texts are trimmed, and an empty one clears like null. */
export function valuesIn(input: Input, ...without: string[]): Record<string, unknown> {
  const given = Object.entries(input).filter(([name, value]) => value !== undefined && !without.includes(name))
  return Object.fromEntries(
    given.map(([name, value]) => {
      if (name === 'details') return [name, detailsIn(value)]
      return [name, typeof value === 'string' ? value.trim() || null : value]
    }),
  )
}

/** A row with the given values; it has the type of the row before or of its defaults. */
export function merged<Row extends object>(row: Row, values: Readonly<Record<string, unknown>>): Row {
  return { ...row, ...values }
}

export const newPerson = (id: string): Person => ({
  ...{ id, createdAt: '', updatedAt: '', name: '', email: null, externalId: null, title: null, department: null },
  ...{ status: 'ACTIVE', details: [], groups: [] },
})
export const newGroup = (id: string): Group => {
  return { id, createdAt: '', updatedAt: '', name: '', externalId: null, description: null }
}

const EMAIL = /^[^\s@]+@[^\s@]+$/

/** A person needs a name, and an e-mail or an externalId; each is unique. */
export function requireSoundPerson({ world }: Context, person: Person, taken = 'CONFLICT'): void {
  const { id, name, email, externalId, status } = person
  if (!name || !status || (email === null && externalId === null) || (email !== null && !EMAIL.test(email)))
    throw invalid()
  const names = person.details.map((detail) => detail.name.trim())
  if (new Set(names).size < names.length) throw invalid()
  const others = world.all('PERSON').filter((other) => other.id !== id)
  if (others.some((other) => sameText(other.email, email) || (externalId !== null && other.externalId === externalId)))
    throw refused(taken)
}

export function requireSoundGroup({ world }: Context, { id, name, externalId }: Group, taken = 'CONFLICT'): void {
  if (!name) throw invalid()
  const others = world.all('GROUP').filter((other) => other.id !== id)
  if (others.some((other) => sameText(other.name, name) || (externalId !== null && other.externalId === externalId)))
    throw refused(taken)
}

export function addPerson(context: Context, input: Input & { readonly groupIds?: readonly string[] | null }) {
  const groups = (input.groupIds ?? []).map((text) => named(context, 'GROUP', text)?.id ?? null)
  const values = valuesIn(input, 'groupIds')
  requireSoundPerson(context, merged(newPerson(''), values))
  if (groups.includes(null)) throw invalid()
  const { email, externalId } = merged(newPerson(''), values)
  const id = context.idOf('PERSON', externalId ? { externalId } : { email: email ?? '' })
  store(context, 'PERSON', merged(newPerson(id), { ...values, groups: [...new Set(groups)] }))
  return context.world.get('PERSON', id)
}

function existing(context: Context, kind: 'PERSON' | 'GROUP', text: string): string {
  const row = named(context, kind, text)
  if (!row || (isIdOf(kind, text) && row.id !== text)) throw refused('NOT_FOUND')
  return row.id
}

export function changePerson(context: Context, idOrEmail: string, input: Input) {
  const id = existing(context, 'PERSON', idOrEmail)
  const person = merged(context.world.get('PERSON', id) ?? newPerson(id), valuesIn(input))
  requireSoundPerson(context, person)
  store(context, 'PERSON', person)
  return context.world.get('PERSON', id)
}

export function addGroup(context: Context, input: Input) {
  const group = merged(newGroup(''), valuesIn(input))
  requireSoundGroup(context, group)
  const id = context.idOf('GROUP', { name: group.name })
  store(context, 'GROUP', { ...group, id })
  return context.world.get('GROUP', id)
}

export function changeGroup(context: Context, idOrName: string, input: Input) {
  const id = existing(context, 'GROUP', idOrName)
  const group = merged(context.world.get('GROUP', id) ?? newGroup(id), valuesIn(input))
  requireSoundGroup(context, group)
  store(context, 'GROUP', group)
  return context.world.get('GROUP', id)
}

/** Membership belongs to the person. */
export function setMember(context: Context, groupId: string, personId: string, isMember: boolean) {
  const group = existing(context, 'GROUP', groupId)
  const person = context.world.get('PERSON', existing(context, 'PERSON', personId)) ?? newPerson('')
  const others = person.groups.filter((id) => id !== group)
  store(context, 'PERSON', { ...person, groups: isMember ? [...others, group] : others })
  return context.world.get('GROUP', group)
}

export type { Risk }
