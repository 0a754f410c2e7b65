import {
  type Context,
  holds,
  type Issue,
  isLive,
  isOpen,
  type Person,
  type Project,
  type Risk,
  sameText,
} from './rows.js'
import {
  type Input,
  invalid,
  merged,
  newGroup,
  newPerson,
  requireSoundGroup,
  requireSoundPerson,
  store,
  type Verdict,
  valuesIn,
} from './writes.js'

/** Whole projects and rosters: what is absent stays, null clears, and everything is stored or nothing. */

const NONE = { created: 0, updated: 0, unchanged: 0, closed: 0 }
type Counts = Record<Verdict | 'closed', number>
type Attributed = Input & { readonly reference: string }

interface ProjectInput extends Input {
  readonly key: string
  readonly mode?: string | null
  readonly closeLimit?: number | null
  readonly risks?: readonly Attributed[] | null
  readonly issues?: readonly Attributed[] | null
}

const newProject = (id: string, key: string): Project => ({
  ...{ id, key, createdAt: '', updatedAt: '', name: '', description: null, url: null, status: 'ACTIVE' },
  ...{ details: [], syncedAt: null },
})
const newEntry = (id: string, projectId: string, now: string) => ({
  ...{ id, projectId, createdAt: '', updatedAt: '', reference: '', title: '', description: null, url: null },
  ...{ status: 'OPEN', raisedOn: now.slice(0, 10), dueOn: null, details: [] },
})
const newRisk = (id: string, projectId: string, now: string): Risk => ({
  ...newEntry(id, projectId, now),
  ...{ category: null, likelihood: null, impact: null, scoreGiven: null, response: null, mitigation: null },
  ...{ cause: null, residualLikelihood: null, residualImpact: null, reviewOn: null, ownerId: null, ownerName: null },
})
const newIssue = (id: string, projectId: string, now: string): Issue => ({
  ...newEntry(id, projectId, now),
  ...{ severity: '', assigneeId: null, assigneeName: null, riskId: null },
})

export function syncProject(context: Context, input: ProjectInput) {
  const { world, now } = context
  const key = input.key.trim().toUpperCase()
  const before = world.all('PROJECT').find((one) => one.key === key)
  const id = before?.id ?? context.idOf('PROJECT', { key })
  const values = valuesIn(input, 'mode', 'risks', 'issues', 'closeLimit', 'key')
  if (values['status'] === null) delete values['status']
  const project = merged(before ?? newProject(id, key), { ...values, syncedAt: now })
  if (!/^[A-Z][A-Z0-9-]*$/.test(key) || !project.name) throw invalid()
  const [risks, issues] = [input.risks?.map(valuesOfEntry), input.issues?.map(valuesOfEntry)]
  const plan = { context, projectId: id, isFull: input.mode !== 'PARTIAL', limit: input.closeLimit }
  requireSoundEntries(plan, risks, world.all('RISK').filter(isLive), ['title'])
  requireSoundEntries(plan, issues, world.all('ISSUE').filter(isOpen), ['title', 'severity'])
  const references = world.all('RISK').filter((risk) => risk.projectId === id)
  const known = [...references, ...(risks ?? [])].map(({ reference }) => reference)
  if (issues?.some(({ risk }) => risk != null && !known.includes(String(risk)))) throw invalid()
  store(context, 'PROJECT', project)
  const counts = { risks: syncRisks(plan, risks), issues: syncIssues(plan, issues) }
  return { project: world.get('PROJECT', id), ...counts }
}

interface Plan {
  readonly context: Context
  readonly projectId: string
  readonly isFull: boolean
  readonly limit?: number | null | undefined
}
type EntryValues = Record<string, unknown> & { readonly reference: string }

/** The values of an entry: a blank status or day of raising stays as it is. */
function valuesOfEntry(input: Attributed): EntryValues {
  const values = valuesIn(input)
  for (const name of ['status', 'raisedOn']) if (values[name] === null) delete values[name]
  return { ...values, reference: input.reference.trim() }
}

/** New entries need some values, none is there twice, and not too much is missing. */
function requireSoundEntries(
  plan: Plan,
  given: EntryValues[] | undefined,
  live: readonly (Risk | Issue)[],
  needed: string[],
) {
  const { context, projectId, isFull, limit } = plan
  if (!given) return
  const references = given.map(({ reference }) => reference)
  if (new Set(references).size < references.length || references.includes('')) throw invalid()
  const rows: readonly (Risk | Issue)[] = context.world.all(needed.includes('severity') ? 'ISSUE' : 'RISK')
  const known = rows.filter((row) => row.projectId === projectId)
  for (const values of given) {
    const before = known.find(({ reference }) => reference === values.reference)
    if (needed.some((name) => values[name] === null || (!before && values[name] === undefined))) throw invalid()
    const whole = {
      likelihood: null,
      impact: null,
      residualLikelihood: null,
      residualImpact: null,
      ...before,
      ...values,
    }
    if ((whole.likelihood == null) !== (whole.impact == null)) throw invalid()
    if ((whole.residualLikelihood == null) !== (whole.residualImpact == null)) throw invalid()
  }
  const own = live.filter((row) => row.projectId === projectId)
  const missing = own.filter(({ reference }) => !references.includes(reference))
  if (isFull && missing.length > (limit ?? Math.max(3, Math.floor(own.length / 5)))) throw invalid()
}

/** Who is meant: `undefined` says nothing, and a text that names nobody is kept as a name. */
function attributed(context: Context, text: unknown, before: { id: string | null; name: string | null }) {
  if (text === undefined) return before
  if (typeof text !== 'string') return { id: null, name: null }
  if (!holds(context.caller, 'personnel.read')) return { id: before.name === text ? before.id : null, name: text }
  const sure = personNamed(context, text)
  if (sure) return { id: sure.id, name: null }
  const namesakes = context.world.all('PERSON').filter((one) => one.status === 'ACTIVE' && sameText(one.name, text))
  return { id: (namesakes.length === 1 && namesakes[0]?.id) || null, name: text }
}

function personNamed({ world }: Context, text: string): Person | undefined {
  const people = world.all('PERSON')
  return (
    people.find(({ id }) => id === text) ??
    people.find(({ email }) => sameText(email, text)) ??
    people.find(({ externalId }) => externalId === text)
  )
}

function syncRisks({ context, projectId, isFull }: Plan, given: readonly EntryValues[] | undefined): Counts {
  const { world, now } = context
  const counts: Counts = { ...NONE }
  if (!given) return counts
  const own = () => world.all('RISK').filter((risk) => risk.projectId === projectId)
  for (const { owner, ...values } of given) {
    const { reference } = values
    const before = own().find((risk) => risk.reference === reference)
    const base = before ?? newRisk(context.idOf('RISK', { projectId, reference }), projectId, now)
    const reopened = isFull && !isLive(base) ? { status: 'OPEN' } : {}
    const { id, name } = attributed(context, owner, { id: base.ownerId, name: base.ownerName })
    const risk = merged(base, { ...reopened, ...values, ownerId: id, ownerName: name })
    // Likelihood and impact take precedence over a given score.
    counts[store(context, 'RISK', risk.likelihood === null ? risk : { ...risk, scoreGiven: null })] += 1
  }
  const references = given.map(({ reference }) => reference)
  for (const risk of own()) {
    if (!isFull || !isLive(risk) || references.includes(risk.reference)) continue
    store(context, 'RISK', { ...risk, status: 'CLOSED' }, 'CLOSED')
    counts.closed += 1
  }
  return counts
}

function syncIssues({ context, projectId, isFull }: Plan, given: readonly EntryValues[] | undefined): Counts {
  const { world, now } = context
  const counts: Counts = { ...NONE }
  if (!given) return counts
  const own = () => world.all('ISSUE').filter((issue) => issue.projectId === projectId)
  for (const { assignee, risk, ...values } of given) {
    const { reference } = values
    const before = own().find((issue) => issue.reference === reference)
    const base = before ?? newIssue(context.idOf('ISSUE', { projectId, reference }), projectId, now)
    const reopened = isFull && !isOpen(base) ? { status: 'OPEN' } : {}
    const { id, name } = attributed(context, assignee, { id: base.assigneeId, name: base.assigneeName })
    const cause = world.all('RISK').find((one) => one.projectId === projectId && one.reference === risk)
    const riskId = risk === undefined ? base.riskId : (cause?.id ?? null)
    counts[
      store(context, 'ISSUE', merged(base, { ...reopened, ...values, assigneeId: id, assigneeName: name, riskId }))
    ] += 1
  }
  const references = given.map(({ reference }) => reference)
  for (const issue of own()) {
    if (!isFull || !isOpen(issue) || references.includes(issue.reference)) continue
    store(context, 'ISSUE', { ...issue, status: 'CLOSED' }, 'CLOSED')
    counts.closed += 1
  }
  return counts
}

interface PersonnelInput {
  readonly people?: readonly (Input & { readonly groups?: readonly string[] | null })[] | null
  readonly groups?: readonly Input[] | null
}

export function syncPersonnel(context: Context, input: PersonnelInput) {
  const { world } = context
  const counts: { people: Counts; groups: Counts } = { people: { ...NONE }, groups: { ...NONE } }
  const text = (value: unknown) => (typeof value === 'string' ? value : null)
  requireDistinct(input.groups ?? [], 'externalId', 'name')
  requireDistinct(input.people ?? [], 'externalId', 'email')
  for (const given of input.groups ?? []) {
    const values = valuesIn(given, 'members')
    const { name, externalId } = merged(newGroup(''), values)
    const groups = world.all('GROUP')
    const before =
      groups.find((group) => externalId !== null && group.externalId === externalId) ??
      groups.find((group) => sameText(group.name, name))
    const group = merged(before ?? newGroup(context.idOf('GROUP', { name })), values)
    requireSoundGroup(context, group, 'VALIDATION_FAILED')
    counts.groups[store(context, 'GROUP', group)] += 1
  }
  for (const given of input.people ?? []) {
    const values = valuesIn(given, 'groups')
    if (values['status'] === null) delete values['status']
    const [email, externalId] = [text(values['email']), text(values['externalId'])]
    const people = world.all('PERSON')
    const before =
      people.find((person) => externalId !== null && person.externalId === externalId) ??
      people.find((person) => sameText(person.email, email))
    const id = before?.id ?? context.idOf('PERSON', externalId ? { externalId } : { email: email ?? '' })
    const groups = given.groups?.map((one) => groupNamed(context, one)) ?? (before ?? newPerson(id)).groups
    const person = merged(before ?? newPerson(id), { ...values, groups })
    requireSoundPerson(context, person, 'VALIDATION_FAILED')
    counts.people[store(context, 'PERSON', person)] += 1
  }
  return counts
}

/** No record, and no name of one, may be there twice. */
function requireDistinct(records: readonly Input[], ...members: string[]): void {
  for (const member of members) {
    const texts = records.flatMap((one) => (typeof one[member] === 'string' ? [one[member]] : []))
    if (texts.some((text, index) => texts.findIndex((other) => sameText(other, text)) < index)) throw invalid()
  }
}

function groupNamed({ world }: Context, text: string): string {
  const groups = world.all('GROUP')
  const found =
    groups.find(({ id }) => id === text) ??
    groups.find(({ name }) => sameText(name, text)) ??
    groups.find(({ externalId }) => externalId === text)
  if (!found) throw invalid()
  return found.id
}
