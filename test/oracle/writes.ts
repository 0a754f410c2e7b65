import { isIdOf, named, sortedGroups } from './lists.js'
import { OPAQUE } from './pages.js'
import type { Context, Detail, Group, Issue, Kind, Person, Project, Risk, Rows, World } from './rows.js'
import * as rows from './rows.js'

/** Every change, with its history: what is absent stays, null clears, and everything is stored or nothing. */

type Input = Readonly<Record<string, unknown>>
/** The arguments of a mutation. */
export interface Arguments {
  readonly input: Input & { readonly [list in 'people' | 'groups' | 'risks' | 'issues']?: readonly Input[] | null }
  readonly [name: string]: unknown
}

const TRACKED: Readonly<Record<Kind, string>> = {
  PERSON: 'name email externalId title department status details groups',
  GROUP: 'name externalId description',
  PROJECT: 'key name description url status details',
  RISK:
    'reference title description category likelihood impact scoreGiven status response mitigation cause ' +
    'residualLikelihood residualImpact url raisedOn reviewOn dueOn details score ownerId ownerName',
  ISSUE: 'reference title description severity status url raisedOn dueOn details assigneeId assigneeName riskId',
}

function detailsIn(value: unknown): Detail[] {
  return Array.isArray(value) ? value : []
}

/** What the history shows of a row, as texts by field; a detail is a field of its own. */
function textsOf(world: World, kind: Kind, row: Rows[Kind] | null): Map<string, string | null> {
  const score = row && 'impact' in row ? { score: rows.scoreOf(row) } : {}
  const values = new Map<string, unknown>(Object.entries({ ...row, ...score }))
  const pairs = TRACKED[kind].split(' ').flatMap((field): [string, unknown][] => {
    const value = values.get(field)
    if (field === 'details') return detailsIn(value).map(({ name, text }) => [`details.${name}`, text])
    if (field !== 'groups' || !Array.isArray(value)) return [[field, value]]
    const names = sortedGroups(world.all('GROUP').filter(({ id }) => value.includes(id))).map(({ name }) => name)
    return [[field, names.join('; ') || null]]
  })
  return new Map(pairs.map(([field, value]) => [field, value == null ? null : String(value)]))
}

/** Each field that differs, in the order of the columns; if only the order of details does, their names. */
function differences(world: World, kind: Kind, before: Rows[Kind] | null, row: Rows[Kind]): rows.FieldChange[] {
  const [from, to] = [textsOf(world, kind, before), textsOf(world, kind, row)]
  const names = (one: Rows[Kind] | null) => detailsIn(one && 'details' in one && one.details).map(({ name }) => name)
  const [old, now] = [names(before).join('; '), names(row).join('; ')]
  const fields = [...new Set([...from.keys(), ...to.keys()])]
    .map((field) => ({ field, from: from.get(field) ?? null, to: to.get(field) ?? null }))
    .filter((change) => change.from !== change.to)
  const isReordered = old !== now && !fields.some(({ field }) => field.startsWith('details.'))
  const placeOf = ({ field }: rows.FieldChange) => TRACKED[kind].split(' ').indexOf(field.split('.')[0] ?? '')
  const all = isReordered ? [...fields, { field: 'details', from: old, to: now }] : fields
  return all.toSorted((one, other) => placeOf(one) - placeOf(other))
}

type Verdict = 'created' | 'updated' | 'unchanged'

/** Stores a row with its entry in the history, if anything is different. */
function store<K extends Kind>(context: Context, kind: K, row: Rows[K], action?: string): Verdict {
  const { world, now, caller, run = null } = context
  const before = world.get(kind, row.id)
  const fields = differences(world, kind, before, row)
  const isChanged = !before || fields.length > 0
  const stored = { ...row, createdAt: before?.createdAt ?? now, updatedAt: isChanged ? now : row.updatedAt }
  world.set(kind, stored)
  if (!isChanged) return 'unchanged'
  if ('impact' in stored) world.risks.push({ at: now, row: stored })
  if ('severity' in stored) world.issues.push({ at: now, row: stored })
  const projectId = 'projectId' in row ? row.projectId : kind === 'PROJECT' ? row.id : null
  world.changes.push({
    ...{ number: world.changes.length + 1, entity: kind, entityId: row.id, projectId, fields, recordedAt: now },
    ...{ action: action ?? (before ? 'UPDATED' : 'CREATED'), by: caller.keyId, import: run },
  })
  return before ? 'updated' : 'created'
}

const invalid = () => rows.refused('VALIDATION_FAILED')

/** The given values: texts are trimmed, an empty one clears like null, and some are not cleared but stay. */
function valuesIn(input: Input, without: string, kept = ''): Record<string, unknown> {
  const values = Object.entries(input).map(([name, value]): [string, unknown] => {
    if (name === 'details') return [name, detailsIn(value)]
    return [name, typeof value === 'string' ? value.trim() || null : value]
  })
  const isGiven = ([name, value]: [string, unknown]) =>
    value !== undefined && !without.split(' ').includes(name) && !(value === null && kept.split(' ').includes(name))
  return Object.fromEntries(values.filter(isGiven))
}

/** A row with other values; it has the type of the row. */
function merged<Row extends object>(row: Row, values: Input): Row {
  return { ...row, ...values }
}

const NEW = { createdAt: '', updatedAt: '', name: '', details: [], url: null, description: null, externalId: null }
const newPerson = (id: string): Person => {
  return { ...NEW, id, email: null, title: null, department: null, status: 'ACTIVE', groups: [] }
}
const newGroup = (id: string): Group => ({ ...NEW, id })
const newProject = (id: string, key: string): Project => ({ ...NEW, id, key, status: 'ACTIVE', syncedAt: null })
const newEntry = (id: string, projectId: string, raisedOn: string) => {
  return { ...NEW, id, projectId, reference: '', title: '', status: 'OPEN', raisedOn, dueOn: null }
}
const newRisk = (...entry: [id: string, projectId: string, raisedOn: string]): Risk => ({
  ...{ ...newEntry(...entry), category: null, likelihood: null, impact: null, scoreGiven: null, response: null },
  ...{ mitigation: null, cause: null, residualLikelihood: null, residualImpact: null, reviewOn: null },
  ...{ ownerId: null, ownerName: null },
})
const newIssue = (...entry: [id: string, projectId: string, raisedOn: string]): Issue => {
  return { ...newEntry(...entry), severity: '', assigneeId: null, assigneeName: null, riskId: null }
}

const isTaken = (one: Person | Group, { id, externalId }: Person | Group) =>
  one.id !== id && externalId !== null && one.externalId === externalId

/** A person needs a name, and an e-mail or an externalId; each is unique. */
function storePerson(
  context: Context,
  person: Person,
  people = context.world.all('PERSON'),
  taken = 'CONFLICT',
): Verdict {
  const { id, name, email, externalId, status, details } = person
  if (!name || !status || (email === null && externalId === null)) throw invalid()
  if (email !== null && !/^[^\s@]+@[^\s@]+$/.test(email)) throw invalid()
  if (new Set(details.map((detail) => detail.name.trim())).size < details.length) throw invalid()
  if (people.some((one) => isTaken(one, person) || (one.id !== id && rows.sameText(one.email, email))))
    throw rows.refused(taken)
  return store(context, 'PERSON', person)
}

function storeGroup(context: Context, group: Group, groups = context.world.all('GROUP'), taken = 'CONFLICT'): Verdict {
  if (!group.name) throw invalid()
  if (groups.some((one) => isTaken(one, group) || (one.id !== group.id && rows.sameText(one.name, group.name))))
    throw rows.refused(taken)
  return store(context, 'GROUP', group)
}

/** The id of a new person. */
function personId(context: Context, { email, externalId }: Person): string {
  return context.idOf('PERSON', externalId !== null ? { externalId } : { email: email ?? '' })
}

export function addPerson(context: Context, { input }: Arguments) {
  const given = Array.isArray(input['groupIds']) ? input['groupIds'].map(String) : []
  const groups = given.map((text) => named(context, 'GROUP', text)?.id)
  const values = valuesIn(input, 'groupIds')
  if (groups.includes(undefined)) throw invalid()
  const id = personId(context, merged(newPerson(''), values))
  storePerson(context, merged(newPerson(id), { ...values, groups: [...new Set(groups)] }))
  return context.world.get('PERSON', id)
}

function existing<K extends 'PERSON' | 'GROUP'>(context: Context, kind: K, text: unknown): Rows[K] {
  const row = context.world.get(kind, named(context, kind, String(text))?.id ?? null)
  if (!row || (isIdOf(kind, String(text)) && row.id !== text)) throw rows.refused('NOT_FOUND')
  return row
}

export function changePerson(context: Context, { id, input }: Arguments) {
  const person = existing(context, 'PERSON', id)
  storePerson(context, merged(person, valuesIn(input, '')))
  return context.world.get('PERSON', person.id)
}

export function addGroup(context: Context, { input }: Arguments) {
  const group = merged(newGroup(''), valuesIn(input, ''))
  const id = context.idOf('GROUP', { name: group.name })
  storeGroup(context, { ...group, id })
  return context.world.get('GROUP', id)
}

export function changeGroup(context: Context, { id, input }: Arguments) {
  const group = existing(context, 'GROUP', id)
  storeGroup(context, merged(group, valuesIn(input, '')))
  return context.world.get('GROUP', group.id)
}

/** Its members leave before it is gone. */
export function removeGroup(context: Context, { id }: Arguments) {
  const { world, now: recordedAt, caller } = context
  const group = existing(context, 'GROUP', id)
  for (const person of world.all('PERSON').filter(({ groups }) => groups.includes(group.id)))
    store(context, 'PERSON', { ...person, groups: person.groups.filter((one) => one !== group.id) })
  const fields = Array.from(textsOf(world, 'GROUP', group), ([field, from]) => ({ field, from, to: null }))
  world.changes.push({
    ...{ number: 0, entity: 'GROUP', entityId: group.id, projectId: null, action: 'REMOVED', by: caller.keyId },
    ...{ fields: fields.filter(({ from }) => from !== null), recordedAt, import: null },
  })
  world.remove('GROUP', group.id)
  return { id: group.id, name: group.name }
}

/** Membership belongs to the person. */
export function setMember(context: Context, { groupId, personId: person }: Arguments, isMember: boolean) {
  const group = existing(context, 'GROUP', groupId)
  const member = existing(context, 'PERSON', person)
  const others = member.groups.filter((id) => id !== group.id)
  store(context, 'PERSON', { ...member, groups: isMember ? [...others, group.id] : others })
  return group
}

type Counts = Record<Verdict | 'closed', number>
const noCounts = (): Counts => ({ created: 0, updated: 0, unchanged: 0, closed: 0 })

/** No record, and no name of one, may be there twice. */
function requireDistinct(records: readonly Input[], ...members: string[]): void {
  for (const member of members) {
    const texts = records.flatMap((one) => (typeof one[member] === 'string' ? [one[member]] : []))
    if (texts.some((text, index) => texts.findIndex((other) => rows.sameText(other, text)) < index)) throw invalid()
  }
}

/** People are matched by externalId, else by e-mail, groups by name; who has another externalId is someone else. */
function matched<Row extends Person | Group>(all: readonly Row[], given: Row, isSame: (row: Row) => boolean) {
  const { externalId } = given
  const isOther = (one: Row) => externalId !== null && one.externalId !== null
  const known = all.find((one) => externalId !== null && one.externalId === externalId)
  return known ?? all.find((one) => isSame(one) && !isOther(one))
}

/** All changes of a sync have its run; its id cannot be known beforehand. */
function asRun(context: Context): Context {
  const id = `${OPAQUE}import ${context.world.changes.length}`
  return { ...context, run: { id, source: context.caller.keyName, file: null, operator: null } }
}

export function syncPersonnel(single: Context, { input }: Arguments) {
  const context = asRun(single)
  const { world } = context
  const counts = { people: noCounts(), groups: noCounts() }
  // What belongs to a stored record is refused, even if that one is given another value here.
  const [people, groups] = [world.all('PERSON'), world.all('GROUP')]
  const seen = new Set<string>()
  requireDistinct(input.groups ?? [], 'externalId', 'name')
  requireDistinct(input.people ?? [], 'externalId', 'email')
  for (const given of input.groups ?? []) {
    const values = valuesIn(given, '')
    const group = merged(newGroup(''), values)
    const before = matched(groups, group, ({ name }) => rows.sameText(name, group.name))
    const base = before ?? newGroup(context.idOf('GROUP', { name: group.name }))
    if (seen.has(base.id)) throw invalid()
    seen.add(base.id)
    counts.groups[storeGroup(context, merged(base, values), groups, 'VALIDATION_FAILED')] += 1
  }
  for (const given of input.people ?? []) {
    const values = valuesIn(given, 'groups', 'status')
    const person = merged(newPerson(''), values)
    const before = matched(people, person, ({ email }) => rows.sameText(email, person.email))
    const base = before ?? newPerson(personId(context, person))
    if (seen.has(base.id)) throw invalid()
    seen.add(base.id)
    const joined = Array.isArray(given['groups']) ? given['groups'].map((one) => groupNamed(context, one)) : base.groups
    counts.people[storePerson(context, merged(base, { ...values, groups: joined }), people, 'VALIDATION_FAILED')] += 1
  }
  return counts
}

function groupNamed({ world }: Context, text: string): string {
  const groups = world.all('GROUP')
  const found = groups.find(({ id }) => id === text) ?? groups.find(({ name }) => rows.sameText(name, text))
  const group = found ?? groups.find(({ externalId }) => externalId === text)
  if (!group) throw invalid()
  return group.id
}

export function syncProject(single: Context, { input }: Arguments) {
  const context = asRun(single)
  const { world, now } = context
  const key = String(input['key']).trim().toUpperCase()
  const before = world.all('PROJECT').find((one) => one.key === key)
  const values = valuesIn(input, 'key mode risks issues closeLimit', 'status')
  const base = before ?? newProject(context.idOf('PROJECT', { key }), key)
  const project = merged(base, { ...values, syncedAt: now })
  if (!/^[A-Z][A-Z0-9-]*$/.test(key) || !project.name) throw invalid()
  store(context, 'PROJECT', project)
  const counts = { risks: syncEntries(context, 'RISK', project.id, input), issues: noCounts() }
  counts.issues = syncEntries(context, 'ISSUE', project.id, input)
  return { project: world.get('PROJECT', project.id), ...counts }
}

/** The risks or the issues of a project: those that are missing from a complete list are closed. */
function syncEntries(context: Context, kind: 'RISK' | 'ISSUE', projectId: string, input: Arguments['input']): Counts {
  const { world, now } = context
  const counts = noCounts()
  const given = kind === 'RISK' ? input.risks : input.issues
  if (!given) return counts
  const own = (): (Risk | Issue)[] => world.all(kind).filter((row) => row.projectId === projectId)
  const isFull = input['mode'] !== 'PARTIAL'
  const live = own().filter(rows.isLive)
  const references = given.map((one) => String(one['reference']).trim())
  if (new Set(references).size < references.length || references.includes('')) throw invalid()
  const missing = isFull ? live.filter(({ reference }) => !references.includes(reference)) : []
  if (missing.length > Number(input['closeLimit'] ?? Math.max(3, Math.floor(live.length / 5)))) throw invalid()
  for (const one of given) {
    const reference = String(one['reference']).trim()
    const before = own().find((row) => row.reference === reference)
    const entry = [context.idOf(kind, { projectId, reference }), projectId, now.slice(0, 10)] as const
    const base = before ?? (kind === 'RISK' ? newRisk(...entry) : newIssue(...entry))
    counts[storeEntry(context, merged(base, isFull && !rows.isLive(base) ? { status: 'OPEN' } : {}), one)] += 1
  }
  for (const row of missing) {
    if ('severity' in row) store(context, 'ISSUE', { ...row, status: 'CLOSED' }, 'CLOSED')
    else store(context, 'RISK', { ...row, status: 'CLOSED' }, 'CLOSED')
    counts.closed += 1
  }
  return counts
}

/** Stores a risk or an issue with the given values; it needs a title, and both factors or neither. */
function storeEntry(context: Context, base: Risk | Issue, given: Input): Verdict {
  const { owner, assignee, risk: cause, ...values } = valuesIn(given, '', 'status raisedOn')
  if ('severity' in base) {
    const { id, name } = attributed(context, assignee, { id: base.assigneeId, name: base.assigneeName })
    const causes = context.world.all('RISK').filter(({ projectId }) => projectId === base.projectId)
    const riskId = cause === undefined ? base.riskId : (causes.find((one) => one.reference === cause)?.id ?? null)
    const issue = merged(base, { ...values, assigneeId: id, assigneeName: name, riskId })
    if (!issue.title || !issue.severity || (cause != null && riskId === null)) throw invalid()
    return store(context, 'ISSUE', issue)
  }
  const { id, name } = attributed(context, owner, { id: base.ownerId, name: base.ownerName })
  const risk = merged(base, { ...values, ownerId: id, ownerName: name })
  const isHalf = (one: number | null, other: number | null) => (one === null) !== (other === null)
  if (!risk.title || isHalf(risk.likelihood, risk.impact)) throw invalid()
  if (isHalf(risk.residualLikelihood, risk.residualImpact)) throw invalid()
  // Likelihood and impact take precedence over a given score.
  return store(context, 'RISK', risk.likelihood === null ? risk : { ...risk, scoreGiven: null })
}

/** Who is meant: `undefined` says nothing, and a text that names nobody for sure is kept as a name. */
function attributed({ world, caller }: Context, text: unknown, before: { id: string | null; name: string | null }) {
  if (text === undefined) return before
  if (typeof text !== 'string') return { id: null, name: null }
  if (!rows.holds(caller, 'personnel.read')) return { id: before.name === text ? before.id : null, name: text }
  const people = world.all('PERSON')
  const found = people.find((one) => one.id === text) ?? people.find(({ email }) => rows.sameText(email, text))
  const sure = found ?? people.find(({ externalId }) => externalId === text)
  if (sure) return { id: sure.id, name: null }
  const [namesake, ...others] = people.filter((one) => one.status === 'ACTIVE' && rows.sameText(one.name, text))
  return { id: (others.length === 0 && namesake?.id) || null, name: text }
}
