import { fold } from '../../src/text.js'
import { pageOf } from './pages.js'
import {
  bad,
  type Change,
  type Context,
  compareTexts,
  type Group,
  holds,
  type Issue,
  isLive,
  isOpen,
  KINDS,
  type Kind,
  levelOf,
  type Person,
  type Project,
  type Risk,
  requireScope,
  residualScoreOf,
  SEVERITIES,
  sameText,
  scopeOf,
  scoreOf,
} from './rows.js'

/** Each list: what a filter matches, and in which order. */

type Maybe<T> = T | null | undefined
type Texts = Maybe<readonly string[]>
export interface PageArguments<F> {
  readonly filter?: Maybe<F>
  readonly first?: Maybe<number>
  readonly after?: Maybe<string>
}
interface Shared {
  readonly search?: Maybe<string>
  readonly updatedSince?: Maybe<string>
}
export interface PersonFilter extends Shared {
  readonly status?: Texts
  readonly group?: Texts
  readonly department?: Texts
  readonly email?: Maybe<string>
  readonly externalId?: Maybe<string>
}
export interface ProjectFilter extends Shared {
  readonly status?: Texts
}
export interface RiskFilter extends Shared {
  readonly project?: Texts
  readonly status?: Texts
  readonly level?: Texts
  readonly minScore?: Maybe<number>
  readonly minResidualScore?: Maybe<number>
  readonly likelihood?: Maybe<number>
  readonly impact?: Maybe<number>
  readonly unplaced?: Maybe<boolean>
  readonly owner?: Maybe<readonly Maybe<string>[]>
  readonly category?: Texts
  readonly reviewBefore?: Maybe<string>
  readonly dueBefore?: Maybe<string>
}
export interface IssueFilter extends Shared {
  readonly project?: Texts
  readonly severity?: Texts
  readonly status?: Texts
  readonly assignee?: Maybe<readonly Maybe<string>[]>
  readonly risk?: Texts
  readonly dueBefore?: Maybe<string>
}
interface ChangeFilter {
  readonly since?: Maybe<string>
}
interface FeedFilter extends ChangeFilter {
  readonly entity?: Maybe<readonly Kind[]>
  readonly project?: Texts
}

const PREFIXES = { PERSON: 'usr', GROUP: 'grp', PROJECT: 'prj', RISK: 'rsk', ISSUE: 'iss' }

export function isIdOf(kind: Kind, text: string): boolean {
  return new RegExp(`^${PREFIXES[kind]}_[0-7][0-9a-hjkmnp-tv-z]{25}$`).test(text)
}

/** The row that a text names: what has the form of an id is one, and else it is what people know. */
export function named(context: Context, kind: 'PERSON' | 'GROUP' | 'PROJECT', text: string) {
  const { world } = context
  if (isIdOf(kind, text)) return world.get(kind, text)
  if (kind === 'PERSON') return world.all(kind).find(({ email }) => sameText(email, text)) ?? null
  if (kind === 'GROUP') return world.all(kind).find(({ name }) => sameText(name, text)) ?? null
  return world.all(kind).find(({ key }) => key === text.trim().toUpperCase()) ?? null
}

/** The ids that a filter names; a null is kept, an unknown id matches nothing, and an unknown name is refused. */
export function idsNamed(context: Context, kind: 'PERSON' | 'GROUP' | 'PROJECT', texts: readonly Maybe<string>[]) {
  // An e-mail would tell who is on the roster.
  const isName = (text: Maybe<string>) => text != null && !isIdOf(kind, text)
  if (kind === 'PERSON' && texts.some(isName)) requireScope(context.caller, 'personnel.read')
  return texts.map((text) => {
    if (text == null) return null
    const row = named(context, kind, text)
    if (!row && !isIdOf(kind, text)) throw bad()
    return row?.id ?? text
  })
}

const isAmong = <T>(value: T, wanted: Maybe<readonly T[]>) => !wanted || wanted.includes(value)
const isAny = (value: string | null, wanted: Texts) => !wanted || wanted.some((text) => sameText(text, value))
const isBefore = (day: string | null, bound: Maybe<string>) => bound == null || (day !== null && day < bound)
const isSince = (instant: string, bound: Maybe<string>) => bound == null || instant >= bound

function contains(wanted: Maybe<string>, ...texts: (string | null)[]): boolean {
  if (wanted == null) return true
  return texts.some((text) => text !== null && fold(text).includes(fold(wanted.trim())))
}

function requireWithin(value: Maybe<number>, least: number, most: number): void {
  if (value != null && (value < least || value > most)) throw bad()
}

const TEXT_MAX: Readonly<Record<string, number>> = { email: 254, project: 254, owner: 254, assignee: 254, risk: 254 }

/** A text of a filter has something in it and is at most as long as what it is compared with. */
function requireTexts(filter: object): void {
  for (const [name, value] of Object.entries(filter)) {
    const texts = [value].flat().filter((text) => typeof text === 'string')
    if (texts.some((text) => text.trim() === '' || [...text.trim()].length > (TEXT_MAX[name] ?? 200))) throw bad()
  }
}

export function peopleOf(context: Context, rows: readonly Person[], filter: PersonFilter): Person[] {
  requireTexts(filter)
  const groups = filter.group && idsNamed(context, 'GROUP', filter.group)
  return rows.filter(
    (person) =>
      isAmong(person.status, filter.status ?? ['ACTIVE']) &&
      (!groups || person.groups.some((id) => groups.includes(id))) &&
      isAny(person.department, filter.department) &&
      contains(filter.search, person.name, person.email) &&
      (filter.email == null || sameText(person.email, filter.email)) &&
      (filter.externalId == null || person.externalId === filter.externalId.trim()) &&
      isSince(person.updatedAt, filter.updatedSince),
  )
}

export function groupsOf(rows: readonly Group[], filter: Shared): Group[] {
  requireTexts(filter)
  return rows.filter((group) => contains(filter.search, group.name) && isSince(group.updatedAt, filter.updatedSince))
}

export function projectsOf(rows: readonly Project[], filter: ProjectFilter): Project[] {
  requireTexts(filter)
  return rows.filter(
    (project) =>
      isAmong(project.status, filter.status) &&
      contains(filter.search, project.name, project.key) &&
      isSince(project.updatedAt, filter.updatedSince),
  )
}

/** Whether a risk has a score but not both factors. */
export function isUnplaced(risk: Risk): boolean {
  return risk.likelihood === null && scoreOf(risk) > 0
}

export function risksOf(context: Context, rows: readonly Risk[], filter: RiskFilter): Risk[] {
  requireTexts(filter)
  requireWithin(filter.minScore, 0, 25)
  requireWithin(filter.minResidualScore, 0, 25)
  requireWithin(filter.likelihood, 1, 5)
  requireWithin(filter.impact, 1, 5)
  const projects = filter.project && idsNamed(context, 'PROJECT', filter.project)
  const owners = filter.owner === undefined ? null : idsNamed(context, 'PERSON', filter.owner ?? [null])
  return rows.filter(
    (risk) =>
      (filter.status ? filter.status.includes(risk.status) : isLive(risk)) &&
      isAmong(risk.projectId, projects) &&
      isAmong(levelOf(scoreOf(risk)), filter.level) &&
      scoreOf(risk) >= (filter.minScore ?? 0) &&
      (filter.minResidualScore == null || (residualScoreOf(risk) ?? -1) >= filter.minResidualScore) &&
      (filter.likelihood == null || risk.likelihood === filter.likelihood) &&
      (filter.impact == null || risk.impact === filter.impact) &&
      (filter.unplaced == null || isUnplaced(risk) === filter.unplaced) &&
      isAmong(risk.ownerId, owners) &&
      isAny(risk.category, filter.category) &&
      isBefore(risk.reviewOn, filter.reviewBefore) &&
      isBefore(risk.dueOn, filter.dueBefore) &&
      contains(filter.search, risk.title, risk.reference) &&
      isSince(risk.updatedAt, filter.updatedSince),
  )
}

export function issuesOf(context: Context, rows: readonly Issue[], filter: IssueFilter): Issue[] {
  requireTexts(filter)
  if (filter.risk?.some((id) => !isIdOf('RISK', id))) throw bad()
  const projects = filter.project && idsNamed(context, 'PROJECT', filter.project)
  const assignees = filter.assignee === undefined ? null : idsNamed(context, 'PERSON', filter.assignee ?? [null])
  return rows.filter(
    (issue) =>
      isOpen(issue) &&
      isAmong(issue.status, filter.status) &&
      isAmong(issue.projectId, projects) &&
      isAmong(issue.severity, filter.severity) &&
      isAmong(issue.assigneeId, assignees) &&
      (!filter.risk || (issue.riskId !== null && filter.risk.includes(issue.riskId))) &&
      isBefore(issue.dueOn, filter.dueBefore) &&
      contains(filter.search, issue.title, issue.reference) &&
      isSince(issue.updatedAt, filter.updatedSince),
  )
}

type Named = { readonly name: string; readonly id: string }
const byName = ({ name, id }: Named) => [fold(name), id]

export const sortedGroups = (rows: readonly Group[]) =>
  rows.toSorted((one, other) => compareTexts(fold(one.name), fold(other.name)))

export function personnelPage(context: Context, rows: readonly Person[], args: PageArguments<PersonFilter>) {
  return pageOf('personnel', peopleOf(context, rows, args.filter ?? {}), byName, args)
}

export function groupsPage({ world }: Context, args: PageArguments<Shared>) {
  return pageOf('groups', groupsOf(world.all('GROUP'), args.filter ?? {}), byName, args)
}

export function projectsPage({ world }: Context, args: PageArguments<ProjectFilter>) {
  return pageOf('projects', projectsOf(world.all('PROJECT'), args.filter ?? {}), ({ key }) => [key], args)
}

export function risksPage(context: Context, rows: readonly Risk[], args: PageArguments<RiskFilter>) {
  const place = (risk: Risk) => [-scoreOf(risk), -(risk.impact ?? 0), risk.raisedOn, risk.id]
  return pageOf('risks', risksOf(context, rows, args.filter ?? {}), place, args)
}

export function issuesPage(context: Context, rows: readonly Issue[], args: PageArguments<IssueFilter>) {
  const place = ({ severity, raisedOn, id }: Issue) => [-SEVERITIES.indexOf(severity), raisedOn, id]
  return pageOf('issues', issuesOf(context, rows, args.filter ?? {}), place, args)
}

export function historyPage({ world }: Context, entityId: string, args: PageArguments<ChangeFilter>) {
  const own = world.changes.filter((one) => one.entityId === entityId && isSince(one.recordedAt, args.filter?.since))
  return pageOf('history', own, ({ number }) => [number], args)
}

/** The changes of the kinds that the key may read; another kind must not be asked for by name. */
export function feedPage(context: Context, args: PageArguments<FeedFilter>) {
  const { world, caller } = context
  const { entity, project, since } = args.filter ?? {}
  for (const kind of entity ?? []) requireScope(caller, scopeOf(kind, 'read'))
  if (project) requireScope(caller, 'projects.read')
  const readable = KINDS.filter((kind) => holds(caller, scopeOf(kind, 'read')))
  if (readable.length === 0) requireScope(caller, 'personnel.read')
  requireTexts(args.filter ?? {})
  const projects = project && idsNamed(context, 'PROJECT', project)
  const start = since == null ? 0 : (world.changes.find(({ recordedAt }) => recordedAt >= since)?.number ?? Infinity)
  const shown = world.changes.filter(
    (one: Change) => isAmong(one.entity, entity ?? readable) && isAmong(one.projectId, projects) && one.number >= start,
  )
  return pageOf('changes', shown, ({ number }) => [number], args, world.changes.length)
}
