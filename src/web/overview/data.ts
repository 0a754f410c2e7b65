import { graphqlQuery, query, read } from '../api.js'
import { T } from '../texts.js'
import {
  cellFilterOf,
  dayBefore,
  type Filter,
  hasCell,
  hidesClosed,
  issueFilterOf,
  projectsOf,
  riskFilterOf,
  sinceOf,
  today,
} from './filter.js'

/** The types of what is read: those parts of the API that the page shows. */

interface Ref {
  readonly id: string
  readonly name: string
}

/** Who owns something or is assigned it. */
export interface Holder extends Ref {
  readonly status: string
}

/** A person of the roster or of a group. */
export type Member = Ref & Texts<'title' | 'department'>

export interface ProjectRef {
  readonly key: string
  readonly name: string
}

/** Members that may be absent. */
export type Texts<Names extends string> = Readonly<Record<Names, string | null>>
type Numbers<Names extends string> = Readonly<Record<Names, number | null>>

/** What names a risk or an issue. */
export interface Entry {
  readonly id: string
  readonly reference: string
  readonly title: string
  readonly project: ProjectRef
}

export interface Risk
  extends Entry,
    Numbers<'rank' | 'likelihood' | 'impact' | 'residualLikelihood' | 'residualImpact' | 'residualScore'>,
    Texts<'residualLevel' | 'mitigation' | 'category' | 'dueOn' | 'ownerName'> {
  readonly score: number
  readonly level: string
  readonly status: string
  readonly owner?: Holder | null
  /** Only for a key that may not read people. */
  readonly ownerId?: string | null
}

export interface Issue extends Entry, Texts<'dueOn' | 'assigneeName'> {
  readonly severity: string
  readonly status: string
  readonly updatedAt: string
  readonly assignee?: Holder | null
  /** Only for a key that may not read people. */
  readonly assigneeId?: string | null
}

export interface Project extends ProjectRef, Numbers<'topRiskScore'>, Texts<'syncedAt'> {
  readonly id: string
  readonly status: string
  readonly openRiskCount: number
  readonly openIssueCount: number
}

export interface LevelCount {
  readonly level: string
  readonly count: number
}

export interface Matrix {
  readonly cells: readonly { readonly likelihood: number; readonly impact: number; readonly count: number }[]
  readonly unassessed: number
  readonly unplaced: number
  readonly levels: readonly LevelCount[]
}

export interface List<Node> {
  readonly totalCount: number
  readonly nodes: readonly Node[]
}

export interface Group extends Ref {
  readonly memberCount: number
}

export interface Overview {
  readonly riskMatrix: Matrix
  /** Only if it is another one: a cell is chosen, or what remains is shown. */
  readonly cells?: Matrix
  /** Risks of closed projects, if they are left out. */
  readonly hidden?: { readonly totalCount: number }
  readonly lateRisks: { readonly totalCount: number }
  readonly risks: List<Risk>
  readonly issueCounts: { readonly total: number; readonly severities: readonly LevelCount[] }
  readonly overdue: { readonly total: number }
  readonly issues: List<Issue>
  readonly projects: { readonly nodes: readonly Project[] }
  readonly personnel?: List<Member>
  readonly groups?: { readonly nodes: readonly Group[] }
}

export interface Key {
  readonly name: string
  readonly scopes: readonly string[]
}

export const readKey = () => read<Key>('/v1/key')

/** Whether a key has a scope; that to manage something includes to read it. */
export function grants(key: Key | undefined, scope: string): boolean {
  return key?.scopes.some((one) => one === scope || one === scope.replace('.read', '.manage')) ?? false
}

export const PAGE = 50
/** The most that one page of a list may have. */
export const SHOWN_MAX = 1000

/** How many of each list are shown at most. */
export const FIRST = { risks: PAGE, issues: 25, people: PAGE, projects: PAGE, groups: PAGE, moved: 8, late: 10 }
export type Shown = typeof FIRST

const CELLS = '{ cells { likelihood impact count } unassessed unplaced levels { level count } }'
const MATRIX = `riskMatrix(filter: $risks) ${CELLS}`

const registerWith = (more: string) => `risks(first: $first, orderBy: $order, filter: $risks) {
    totalCount nodes {
      id rank reference title status likelihood impact score level residualLikelihood residualImpact residualScore
      residualLevel mitigation category dueOn project { key name } ownerName${more}
    }
  }`

const PERSON = '{ id name status }'

/** All in one query, so that every part shows the store at the same instant and no two can disagree. */
export function readOverview(filter: Filter, shown: Shown, hasPeople: boolean): Promise<Overview> {
  const matrix = `cells: ${filter.residual ? 'residualMatrix' : 'riskMatrix'}(filter: $cells) ${CELLS}`
  const [hasCells, hasHidden] = [filter.residual || hasCell(filter), hidesClosed(filter)]
  const text = `query Overview($first: Int!, $order: RiskOrder, $risks: RiskFilter, $lateRisks: RiskFilter${hasCells ? ', $cells: RiskFilter' : ''}${hasHidden ? ', $hidden: RiskFilter' : ''}, $firstIssues: Int!, $issueOrder: IssueOrder, $issues: IssueFilter, $overdue: IssueFilter${hasPeople ? ', $firstPeople: Int!, $people: PersonFilter' : ''}) {
  ${MATRIX}
  ${hasCells ? matrix : ''}
  ${hasHidden ? 'hidden: risks(first: 1, filter: $hidden) { totalCount }' : ''}
  lateRisks: risks(first: 1, filter: $lateRisks) { totalCount }
  ${registerWith(hasPeople ? ` owner ${PERSON}` : ' ownerId')}
  issueCounts(filter: $issues) { total severities { level: severity count } }
  overdue: issueCounts(filter: $overdue) { total }
  issues(first: $firstIssues, orderBy: $issueOrder, filter: $issues) {
    totalCount nodes { id reference title severity status dueOn updatedAt project { key name } assigneeName ${hasPeople ? `assignee ${PERSON}` : 'assigneeId'} }
  }
  projects { nodes { id key name status openRiskCount openIssueCount topRiskScore syncedAt } }
  ${hasPeople ? 'personnel(first: $firstPeople, filter: $people) { totalCount nodes { id name title department } }' : ''}
  ${hasPeople ? 'groups { nodes { id name memberCount } }' : ''}
}`
  const [risks, issues] = [riskFilterOf(filter), issueFilterOf(filter)]
  const { dueBefore = today() } = filter
  const late = { dueBefore: dueBefore < today() ? dueBefore : today() }
  return query(text, {
    first: shown.risks,
    order: filter.order,
    risks,
    lateRisks: { ...risks, ...late },
    ...(hasCells && { cells: cellFilterOf(filter) }),
    ...(hasHidden && { hidden: { ...risks, projectStatus: ['CLOSED'] } }),
    firstIssues: shown.issues,
    issueOrder: filter.issueOrder,
    issues,
    overdue: { ...issues, ...late },
    ...(hasPeople && { firstPeople: shown.people, people: { group: filter.group, search: filter.search } }),
  })
}

/** The projects that are chosen; all, if none is. */
export function chosenProjects({ projects: { nodes } }: Overview, { project }: Filter): readonly Project[] {
  const chosen = new Set(project.map((one) => (one.startsWith('prj_') ? one : one.toUpperCase())))
  return chosen.size === 0 ? nodes : nodes.filter(({ id, key }) => chosen.has(id) || chosen.has(key))
}

/** The form in which texts are compared, as the API does. */
const folded = (text: string) => text.normalize('NFKC').toLowerCase()

export function contains(filter: Filter, ...texts: readonly string[]): boolean {
  const wanted = folded(filter.search ?? '')
  return texts.some((text) => folded(text).includes(wanted))
}

/** Those of them whose risks and issues count, the highest score first; closed ones only if they are asked for. */
export function shownProjects(overview: Overview, filter: Filter): readonly Project[] {
  const { projectStatus: states } = projectsOf(filter)
  return chosenProjects(overview, filter)
    .filter(({ status }) => states?.includes(status) ?? true)
    .sort((a, b) => (b.topRiskScore ?? -1) - (a.topRiskScore ?? -1) || b.openRiskCount - a.openRiskCount)
}

/** What is shown, for GraphiQL. */
export function registerQuery(filter: Filter): string {
  const text = `query Register($risks: RiskFilter, $first: Int, $order: RiskOrder) {\n  ${MATRIX}\n  ${registerWith('')}\n}\n`
  return graphqlQuery(text, { risks: riskFilterOf(filter), first: PAGE, order: filter.order })
}

export interface Movement extends Entry {
  readonly movement: string
}

export type RiskMovement = Movement & Numbers<'scoreFrom' | 'scoreTo'> & Texts<'levelFrom' | 'levelTo'>
export type IssueMovement = Movement & Texts<'severityFrom' | 'severityTo' | 'dueFrom' | 'dueTo'>

type Counts<Names extends string> = Readonly<Record<Names, number>>

export interface TrendPoint extends Counts<'live' | 'unassessed' | 'low' | 'medium' | 'high' | 'critical'> {
  readonly on: string
}

/** Someone with something overdue. */
export interface Late
  extends Texts<'name' | 'personId'>,
    Counts<'overdueIssueCount' | 'openIssueCount' | 'overdueRiskCount' | 'riskCount'> {
  readonly person?: Holder | null
}

export interface Past {
  readonly movements: {
    readonly counts: Counts<string>
    readonly risks: readonly RiskMovement[]
    /** Only if a movement of issues is chosen. */
    readonly issues?: readonly IssueMovement[]
  }
  readonly overdueByPerson: { readonly total: number; readonly people: readonly Late[] }
  readonly riskTrend: { readonly points: readonly TrendPoint[] }
}

const DAY_MS = 86_400_000
/** The API gives at most 400 points, of months here. */
const TREND_DAYS_MAX = 30 * 365

/** What moved, as far as it is shown: the first of each kind, and every risk of the register. */
export function readPast(filter: Filter, { moved: first, late }: Shown, { risks, personnel }: Overview): Promise<Past> {
  const since = sinceOf(filter)
  const days = (Date.parse(today()) - Date.parse(since)) / DAY_MS
  const of = projectsOf(filter)
  const hasIssues = (filter.movement ?? '') in T.issueMovements
  const text = `query Past($late: Int!, $lateOf: OverdueFilter, $since: DateTime!, $moved: MovementFilter, $first: Int!, $register: [ID!]!, $from: Date!, $to: Date!, $step: TrendStep!, $of: TrendFilter) {
  movements(since: $since, filter: $moved, first: $first, including: $register) {
    counts { new closed up down opened resolved worse slipped }
    risks { id reference title project { key name } movement scoreFrom scoreTo levelFrom levelTo }
    ${hasIssues ? 'issues { id reference title project { key name } movement severityFrom severityTo dueFrom dueTo }' : ''}
  }
  overdueByPerson(on: $to, first: $late, filter: $lateOf) {
    total people { name personId ${personnel ? `person ${PERSON} ` : ''}overdueIssueCount openIssueCount overdueRiskCount riskCount }
  }
  riskTrend(from: $from, to: $to, step: $step, filter: $of) { points { on live unassessed low medium high critical } }
}`
  return query(text, {
    since,
    moved: { ...of, level: riskFilterOf(filter).level },
    first,
    register: risks.nodes.map(({ id }) => id),
    from: dayBefore(Math.max(0, Math.min(days, TREND_DAYS_MAX))),
    to: today(),
    step: days <= 60 ? 'DAY' : days <= 730 ? 'WEEK' : 'MONTH',
    of,
    late,
    lateOf: of,
  })
}
