import { fold } from '../../src/text.js'
import { pageOf, requireCursor, requireFirst } from './pages.js'
import type { Context, Group, Issue, Kind, Person, Project, Risk } from './rows.js'
import * as rows from './rows.js'

/** Each list: what a filter matches, and in which order. */

type Given<Name extends string, Value> = { readonly [N in Name]?: Value | null }
type Days = 'reviewBefore' | 'reviewAfter' | 'dueBefore' | 'dueAfter'
type Words = 'search' | 'updatedSince' | 'since' | 'email' | 'externalId' | Days
type Numbers = 'minScore' | 'minResidualScore' | 'likelihood' | 'impact' | 'residualLikelihood' | 'residualImpact'
type Held = 'ownership' | 'ownerDepartment' | 'assignment' | 'assigneeDepartment'
type OfProjects = 'project' | 'projectStatus' | 'topLevel' | 'level'
type Sets = 'status' | 'group' | 'allGroups' | 'department' | 'category' | 'severity' | 'risk' | OfProjects | Held
/** The members of all filters; each list knows some of them. */
export type Filter = Given<Words, string> &
  Given<Numbers, number> &
  Given<Sets, readonly string[]> &
  Given<'unplaced' | 'mitigated' | 'ownsNothing', boolean> &
  Given<'owner' | 'assignee', readonly (string | null)[]> &
  Given<'entity', readonly Kind[]>
export type PageArguments = Given<'filter', Filter> & Given<'first', number> & Given<'after' | 'orderBy', string>

const PREFIXES = { PERSON: 'usr', GROUP: 'grp', PROJECT: 'prj', RISK: 'rsk', ISSUE: 'iss' }

export function isIdOf(kind: Kind, text: string): boolean {
  return new RegExp(`^${PREFIXES[kind]}_[0-7][0-9a-hjkmnp-tv-z]{25}$`).test(text)
}

export type NamedKind = 'PERSON' | 'GROUP' | 'PROJECT'

/** The row that a text names: what has the form of an id is one, and else it is what people know. */
export function named({ world }: Context, kind: NamedKind, text: string) {
  if (isIdOf(kind, text)) return world.get(kind, text)
  if (kind === 'PERSON') {
    const isIt = ({ email, name }: Person) => rows.sameText(text.includes('@') ? email : name, text)
    const [one, ...others] = world.all(kind).filter(isIt)
    return others.length > 0 ? null : (one ?? null)
  }
  if (kind === 'GROUP') return world.all(kind).find(({ name }) => rows.sameText(name, text)) ?? null
  return world.all(kind).find(({ key }) => key === text.trim().toUpperCase()) ?? null
}

/** The ids that a filter names; a null is kept, and an unknown id matches nothing. */
export function idsNamed(context: Context, kind: NamedKind, texts: readonly (string | null)[] | null | undefined) {
  return texts?.map((text) => (text === null ? null : named(context, kind, text))?.id ?? text)
}

export type ListName = 'personnel' | 'groups' | 'projects' | 'risks' | 'issues' | 'history' | 'changes' | 'movements'

/** A list with its arguments. */
export interface ListArguments {
  readonly list: ListName
  readonly args: PageArguments
}

/** The members of each filter that name something. */
const NAMES: Readonly<Partial<Record<ListName, Readonly<Partial<Record<keyof Filter, NamedKind | 'RISK'>>>>>> = {
  personnel: { group: 'GROUP', allGroups: 'GROUP' },
  risks: { project: 'PROJECT', owner: 'PERSON' },
  issues: { project: 'PROJECT', assignee: 'PERSON', risk: 'RISK' },
  changes: { project: 'PROJECT' },
  movements: { project: 'PROJECT' },
}

/** Refuses arguments that cannot be: in any list the bounds come first, and then what names something. */
export function requireArguments(context: Context, lists: readonly ListArguments[]): void {
  for (const one of lists) requireBounds(context, one)
  for (const { list, args } of lists) requireNames(context, NAMES[list] ?? {}, args.filter ?? {})
}

function requireBounds({ caller }: Context, { list, args }: ListArguments): void {
  const filter = args.filter ?? {}
  requireTexts(filter)
  requireFirst(args.first)
  const isOfPeople = [...(filter.ownership ?? []), ...(filter.assignment ?? [])].some((one) => /PERSON|LEFT/.test(one))
  if (isOfPeople || filter.ownerDepartment || filter.assigneeDepartment) rows.requireScope(caller, 'personnel.read')
  if (filter.ownsNothing != null) rows.requireScope(caller, 'projects.read')
  if (list === 'changes') {
    for (const kind of filter.entity ?? []) rows.requireScope(caller, rows.scopeOf(kind, 'read'))
    if (filter.project) rows.requireScope(caller, 'projects.read')
    if (readableKinds(caller).length === 0) rows.requireScope(caller, 'personnel.read')
  }
  requireCursor(inOrder(list, args), args.after)
  requireNumbers(filter)
}

/** The name of a list in its order, which cursors have. */
function inOrder(list: ListName, { orderBy }: PageArguments): string {
  return orderBy === 'DUE' || orderBy === 'UPDATED' ? `${list} ${orderBy}` : list
}

function requireNames(context: Context, names: NonNullable<(typeof NAMES)[ListName]>, filter: Filter): void {
  const given = Object.entries(names).flatMap(([member, kind]) => {
    const texts = filter[member as 'owner'] ?? []
    const unknown = texts.filter((text) => text !== null).filter((text) => !isIdOf(kind, text))
    return unknown.length === 0 ? [] : [{ kind, texts: unknown }]
  })
  for (const { kind } of given) {
    // Neither an id nor a name: it tells nothing.
    if (kind === 'RISK') throw rows.bad()
    // An e-mail or a name would tell who is on the roster.
    rows.requireScope(context.caller, rows.scopeOf(kind, 'read'))
  }
  for (const { kind, texts } of given) {
    if (kind !== 'RISK' && texts.some((text) => !named(context, kind, text))) throw rows.bad()
  }
}

const readableKinds = (caller: rows.Caller) =>
  rows.KINDS.filter((kind) => rows.holds(caller, rows.scopeOf(kind, 'read')))

const isAmong = <T>(value: T, wanted: readonly T[] | null | undefined) => !wanted || wanted.includes(value)
const isAny = (value: string | null, wanted: Filter['category']) =>
  !wanted || wanted.some((text) => rows.sameText(text, value))
const isBefore = (day: string | null, bound: Filter['since']) => bound == null || (day !== null && day < bound)
const isAfter = (day: string | null, bound: Filter['since']) => bound == null || (day !== null && day > bound)
const isSince = (instant: string, bound: Filter['since']) => bound == null || instant >= bound
const isEqual = <T>(value: T, wanted: T | null | undefined) => wanted == null || value === wanted

function contains(wanted: Filter['search'], ...texts: (string | null)[]): boolean {
  return wanted == null || texts.some((text) => text !== null && fold(text).includes(fold(wanted.trim())))
}

function ownershipOf({ world }: Context, id: string | null, name: string | null): string {
  if (id === null) return name === null ? 'NONE' : 'NAMED'
  return world.get('PERSON', id)?.status === 'ACTIVE' ? 'PERSON' : 'LEFT'
}

const departmentOf = ({ world }: Context, id: string | null) => world.get('PERSON', id)?.department ?? null
const isMitigated = ({ mitigation }: Risk) =>
  mitigation !== null && !/^(n\/a|n\.a|na|none|tbd|)[ \-–—.…?!]*$/i.test(mitigation)
const statusOf = ({ world }: Context, projectId: string) => world.get('PROJECT', projectId)?.status ?? ''

function isFree({ world }: Context, { id }: Person): boolean {
  const risks = world.all('RISK').filter((one) => rows.isLive(one) && one.ownerId === id)
  const issues = world.all('ISSUE').filter((one) => rows.isLive(one) && one.assigneeId === id)
  return risks.length + issues.length === 0
}

function topLevelOf({ world }: Context, project: Project): string | undefined {
  const risks = world.all('RISK').filter((one) => rows.isLive(one) && one.projectId === project.id)
  return risks.length === 0 ? undefined : rows.levelOf(Math.max(...risks.map(rows.scoreOf)))
}

const LONG = ['email', 'project', 'owner', 'assignee', 'risk']
const BOUNDS: Readonly<Record<string, readonly [least: number, most: number]>> = {
  ...{ minScore: [0, 25], minResidualScore: [0, 25], likelihood: [1, 5], impact: [1, 5] },
  ...{ residualLikelihood: [1, 5], residualImpact: [1, 5] },
}

function requireNumbers(filter: Filter): void {
  for (const [name, value] of Object.entries(filter)) {
    const [least = 0, most = 0] = BOUNDS[name] ?? []
    if (typeof value === 'number' && (value < least || value > most)) throw rows.bad()
  }
}

/** A text has something in it and is at most as long as what it is compared with. */
function requireTexts(filter: Filter): void {
  for (const [name, value] of Object.entries(filter)) {
    const texts = [value].flat().filter((text) => typeof text === 'string')
    const longest = LONG.includes(name) ? 254 : 200
    if (texts.some((text) => text.trim() === '' || [...text.trim()].length > longest)) throw rows.bad()
  }
}

const byTime = ({ updatedAt, id }: Person | Risk | Issue) => [updatedAt, id]
const byName = ({ name, id }: Person | Group) => [fold(name), id]

export const sortedGroups = (groups: readonly Group[]) =>
  groups.toSorted((one, other) => rows.compareTexts(fold(one.name), fold(other.name)))

export function personnel(context: Context, people: readonly Person[], args: PageArguments) {
  const filter = args.filter ?? {}
  const groups = idsNamed(context, 'GROUP', filter.group)
  const all = idsNamed(context, 'GROUP', filter.allGroups)
  const matching = people.filter(
    (person) =>
      (!all || all.every((id) => person.groups.some((own) => own === id))) &&
      isEqual(isFree(context, person), filter.ownsNothing) &&
      isAmong(person.status, filter.status ?? ['ACTIVE']) &&
      (!groups || person.groups.some((id) => groups.includes(id))) &&
      isAny(person.department, filter.department) &&
      contains(filter.search, person.name, person.email, person.title, person.department) &&
      (filter.email == null || rows.sameText(person.email, filter.email)) &&
      isEqual(person.externalId, filter.externalId?.trim()) &&
      isSince(person.updatedAt, filter.updatedSince),
  )
  const isByTime = args.orderBy === 'UPDATED'
  return pageOf(inOrder('personnel', args), matching, isByTime ? byTime : byName, args, undefined, isByTime)
}

export function groups({ world }: Context, args: PageArguments) {
  const { search, updatedSince } = args.filter ?? {}
  const isMatch = (group: Group) => contains(search, group.name) && isSince(group.updatedAt, updatedSince)
  return pageOf('groups', world.all('GROUP').filter(isMatch), byName, args)
}

export function projects(context: Context, args: PageArguments) {
  const filter = args.filter ?? {}
  const isMatch = (project: Project) =>
    isAmong(project.status, filter.status) &&
    isAmong<string | undefined>(topLevelOf(context, project), filter.topLevel) &&
    contains(filter.search, project.name, project.key) &&
    isSince(project.updatedAt, filter.updatedSince)
  return pageOf('projects', context.world.all('PROJECT').filter(isMatch), ({ key }) => [key], args)
}

/** Whether a risk has a score but not both factors. */
export function isUnplaced(risk: Risk): boolean {
  return risk.likelihood === null && rows.scoreOf(risk) > 0
}

/** What a filter says of an owner or an assignee: null alone means nobody too. */
function peopleNamed(context: Context, texts: Filter['owner']) {
  return idsNamed(context, 'PERSON', texts === null ? [null] : texts)
}

export function matchingRisks(context: Context, risks: readonly Risk[], filter: Filter): Risk[] {
  const owners = peopleNamed(context, filter.owner)
  const inProjects = idsNamed(context, 'PROJECT', filter.project)
  return risks.filter(
    (risk) =>
      (filter.status ? filter.status.includes(risk.status) : rows.isLive(risk)) &&
      isAmong(risk.projectId, inProjects) &&
      isAmong(rows.levelOf(rows.scoreOf(risk)), filter.level) &&
      rows.scoreOf(risk) >= (filter.minScore ?? 0) &&
      (filter.minResidualScore == null || (rows.residualScoreOf(risk) ?? -1) >= filter.minResidualScore) &&
      isEqual(risk.likelihood, filter.likelihood) &&
      isEqual(risk.impact, filter.impact) &&
      isEqual(risk.residualLikelihood, filter.residualLikelihood) &&
      isEqual(risk.residualImpact, filter.residualImpact) &&
      isEqual(isUnplaced(risk), filter.unplaced) &&
      isAmong(risk.ownerId, owners) &&
      isAmong(ownershipOf(context, risk.ownerId, risk.ownerName), filter.ownership) &&
      isAny(departmentOf(context, risk.ownerId), filter.ownerDepartment) &&
      isAmong(statusOf(context, risk.projectId), filter.projectStatus) &&
      isEqual(isMitigated(risk), filter.mitigated) &&
      isAfter(risk.reviewOn, filter.reviewAfter) &&
      isAfter(risk.dueOn, filter.dueAfter) &&
      isAny(risk.category, filter.category) &&
      isBefore(risk.reviewOn, filter.reviewBefore) &&
      isBefore(risk.dueOn, filter.dueBefore) &&
      contains(filter.search, risk.title, risk.reference) &&
      isSince(risk.updatedAt, filter.updatedSince),
  )
}

export function matchingIssues(context: Context, issues: readonly Issue[], filter: Filter): Issue[] {
  const assignees = peopleNamed(context, filter.assignee)
  const inProjects = idsNamed(context, 'PROJECT', filter.project)
  return issues.filter(
    (issue) =>
      rows.isLive(issue) &&
      isAmong(issue.status, filter.status) &&
      isAmong(issue.projectId, inProjects) &&
      isAmong(issue.severity, filter.severity) &&
      isAmong(issue.assigneeId, assignees) &&
      isAmong(ownershipOf(context, issue.assigneeId, issue.assigneeName), filter.assignment) &&
      isAny(departmentOf(context, issue.assigneeId), filter.assigneeDepartment) &&
      isAmong(statusOf(context, issue.projectId), filter.projectStatus) &&
      isAfter(issue.dueOn, filter.dueAfter) &&
      isAmong<string | null>(issue.riskId, filter.risk) &&
      isBefore(issue.dueOn, filter.dueBefore) &&
      contains(filter.search, issue.title, issue.reference) &&
      isSince(issue.updatedAt, filter.updatedSince),
  )
}

export function risks(context: Context, all: readonly Risk[], args: PageArguments) {
  const worst = (risk: Risk) => [-rows.scoreOf(risk), -(risk.impact ?? 0)]
  const place = (risk: Risk) => [...worst(risk), risk.raisedOn, risk.id]
  return entries('risks', matchingRisks(context, all, args.filter ?? {}), worst, place, args)
}

export function issues(context: Context, all: readonly Issue[], args: PageArguments) {
  const worst = ({ severity }: Issue) => [-rows.SEVERITIES.indexOf(severity)]
  const place = (issue: Issue) => [...worst(issue), issue.raisedOn, issue.id]
  return entries('issues', matchingIssues(context, all, args.filter ?? {}), worst, place, args)
}

type Place = (string | number)[]

function entries<E extends Risk | Issue>(
  list: 'risks' | 'issues',
  found: readonly E[],
  worst: (entry: E) => Place,
  place: (entry: E) => Place,
  args: PageArguments,
) {
  const due = (entry: E) => [entry.dueOn ?? '9999-99-99', ...worst(entry), entry.id]
  const by: Readonly<Record<string, (entry: E) => Place>> = { DUE: due, UPDATED: byTime }
  const order = args.orderBy ?? ''
  return pageOf(inOrder(list, args), found, by[order] ?? place, args, undefined, order === 'UPDATED')
}

export function history({ world }: Context, id: string, args: PageArguments) {
  const own = world.changes.filter((one) => one.entityId === id && isSince(one.recordedAt, args.filter?.since))
  return pageOf('history', own, ({ number }) => [number], args)
}

/** The changes of the kinds that the key may read. */
export function changes(context: Context, args: PageArguments) {
  const { world, caller } = context
  const { entity, project, since } = args.filter ?? {}
  const inProjects = idsNamed(context, 'PROJECT', project)
  // What was stored after the first change of that time counts, also if a clock went back.
  const start = world.changes.findIndex(({ recordedAt }) => isSince(recordedAt, since))
  const shown = world.changes
    .slice(start < 0 ? world.changes.length : start)
    .filter((one) => isAmong(one.entity, entity ?? readableKinds(caller)) && isAmong(one.projectId, inProjects))
  return pageOf('changes', shown, ({ number }) => [number], args, world.changes.length)
}
