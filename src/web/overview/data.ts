import { graphqlQuery, query, read } from '../api.js'
import { T } from '../texts.js'
import { type Filter, issueFilterOf, riskFilterOf, sinceOf } from './filter.js'

/** The types of what is read: those parts of the API that the page shows. */

interface Ref {
  readonly id: string
  readonly name: string
}

export interface ProjectRef {
  readonly key: string
  readonly name: string
}

export interface Risk {
  readonly id: string
  readonly rank: number | null
  readonly reference: string
  readonly title: string
  readonly score: number
  readonly level: string
  readonly project: ProjectRef
  readonly ownerName: string | null
  readonly owner?: Ref | null
  /** Only for a key that may not read people. */
  readonly ownerId?: string | null
}

export interface Issue {
  readonly id: string
  readonly reference: string
  readonly title: string
  readonly severity: string
  readonly status: string
  readonly dueOn: string | null
  readonly url: string | null
  readonly project: ProjectRef
  readonly assigneeName: string | null
  readonly assignee?: Ref | null
  /** Only for a key that may not read people. */
  readonly assigneeId?: string | null
}

export interface Project extends ProjectRef {
  readonly id: string
  readonly status: string
  readonly openRiskCount: number
  readonly openIssueCount: number
  readonly topRiskScore: number | null
  readonly syncedAt: string | null
}

export interface Matrix {
  readonly cells: readonly { readonly likelihood: number; readonly impact: number; readonly count: number }[]
  readonly unassessed: number
  readonly unplaced: number
  readonly levels: readonly { readonly level: string; readonly count: number }[]
}

interface List<Node> {
  readonly totalCount: number
  readonly nodes: readonly Node[]
}

export interface Overview {
  readonly riskMatrix: Matrix
  readonly risks: List<Risk>
  readonly issueCounts: {
    readonly total: number
    readonly severities: readonly { readonly severity: string; readonly count: number }[]
  }
  readonly overdue: { readonly total: number }
  readonly issues: List<Issue>
  readonly projects: { readonly nodes: readonly Project[] }
  readonly personnel?: List<Ref & { readonly title: string | null; readonly department: string | null }>
  readonly groups?: { readonly nodes: readonly (Ref & { readonly memberCount: number })[] }
}

export interface Key {
  readonly name: string
  readonly scopes: readonly string[]
}

export const readKey = () => read<Key>('/v1/key')

export function grants({ scopes }: Key, noun: string): boolean {
  return scopes.some((scope) => scope === `${noun}.read` || scope === `${noun}.manage`)
}

export const PAGE = 50
/** The most that one page of a list may have. */
export const SHOWN_MAX = 1000

/** How many of each list are shown at most. */
export const FIRST = { risks: PAGE, issues: 25, people: PAGE, projects: PAGE, groups: PAGE, moved: 8 }
export type Shown = typeof FIRST

const MATRIX =
  'riskMatrix(filter: $risks) { cells { likelihood impact count } unassessed unplaced levels { level count } }'

const registerWith = (more: string) => `risks(first: $first, filter: $risks) {
    totalCount nodes { id rank reference title score level project { key name } ownerName${more} }
  }`

const PEOPLE = `
  personnel(first: $firstPeople, filter: $people) { totalCount nodes { id name title department } }
  groups { nodes { id name memberCount } }`

/** All in one query, so that every part shows the store at the same instant and no two can disagree. */
const overviewQuery = (
  hasPeople: boolean,
) => `query Overview($first: Int!, $firstIssues: Int!, $risks: RiskFilter, $issues: IssueFilter, $overdue: IssueFilter${hasPeople ? ', $firstPeople: Int!, $people: PersonFilter' : ''}) {
  ${MATRIX}
  ${registerWith(hasPeople ? ' owner { id name }' : ' ownerId')}
  issueCounts(filter: $issues) { total severities { severity count } }
  overdue: issueCounts(filter: $overdue) { total }
  issues(first: $firstIssues, filter: $issues) {
    totalCount nodes { id reference title severity status dueOn url project { key name } assigneeName ${hasPeople ? 'assignee { id name }' : 'assigneeId'} }
  }
  projects { nodes { id key name status openRiskCount openIssueCount topRiskScore syncedAt } }${hasPeople ? PEOPLE : ''}
}`

export const today = () => dayBefore(0)

function dayBefore(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)
}

export function readOverview(filter: Filter, shown: Shown, hasPeople: boolean): Promise<Overview> {
  const issues = issueFilterOf(filter)
  const { dueBefore = today() } = filter
  return query(overviewQuery(hasPeople), {
    first: shown.risks,
    firstIssues: shown.issues,
    risks: riskFilterOf(filter),
    issues,
    overdue: { ...issues, dueBefore: dueBefore < today() ? dueBefore : today() },
    ...(hasPeople && { firstPeople: shown.people, people: { group: filter.group } }),
  })
}

/** The projects that are chosen; all, if none is. */
export function chosenProjects({ projects: { nodes } }: Overview, { project }: Filter): readonly Project[] {
  const chosen = new Set(project.map((one) => (one.startsWith('prj_') ? one : one.toUpperCase())))
  return chosen.size === 0 ? nodes : nodes.filter(({ id, key }) => chosen.has(id) || chosen.has(key))
}

/** Those of them that are shown, the highest score first; closed ones only if they are asked for. */
export function shownProjects(overview: Overview, filter: Filter): readonly Project[] {
  const { project, projectStatus } = filter
  const isShown = ({ status }: Project) =>
    projectStatus.length > 0 ? projectStatus.includes(status) : project.length > 0 || status !== 'CLOSED'
  return chosenProjects(overview, filter)
    .filter(isShown)
    .sort((a, b) => (b.topRiskScore ?? -1) - (a.topRiskScore ?? -1) || b.openRiskCount - a.openRiskCount)
}

/** What is shown, for GraphiQL. */
export function registerQuery(filter: Filter): string {
  const text = `query Register($risks: RiskFilter, $first: Int) {\n  ${MATRIX}\n  ${registerWith('')}\n}\n`
  return graphqlQuery(text, { risks: riskFilterOf(filter), first: PAGE })
}

interface Movement {
  readonly id: string
  readonly reference: string
  readonly title: string
  readonly project: ProjectRef
  readonly movement: string
}

export interface RiskMovement extends Movement {
  readonly scoreFrom: number | null
  readonly scoreTo: number | null
  readonly levelFrom: string | null
  readonly levelTo: string | null
}

export interface IssueMovement extends Movement {
  readonly severityFrom: string | null
  readonly severityTo: string | null
  readonly dueFrom: string | null
  readonly dueTo: string | null
}

export interface Movements {
  readonly counts: Readonly<Record<string, number>>
  readonly risks: readonly RiskMovement[]
  /** Only if a movement of issues is chosen. */
  readonly issues?: readonly IssueMovement[]
}

type LevelCount = 'live' | 'unassessed' | 'low' | 'medium' | 'high' | 'critical'

export interface TrendPoint extends Readonly<Record<LevelCount, number>> {
  readonly on: string
}

export interface Past {
  readonly movements: Movements
  readonly riskTrend: { readonly points: readonly TrendPoint[] }
}

const MOVED_ISSUES = `
    issues { id reference title project { key name } movement severityFrom severityTo dueFrom dueTo }`

const pastQuery = (
  hasIssues: boolean,
) => `query Past($since: DateTime!, $moved: MovementFilter, $first: Int!, $register: [ID!]!, $from: Date!, $to: Date!, $step: TrendStep!, $of: TrendFilter) {
  movements(since: $since, filter: $moved, first: $first, including: $register) {
    counts { new closed up down opened resolved worse slipped }
    risks { id reference title project { key name } movement scoreFrom scoreTo levelFrom levelTo }${hasIssues ? MOVED_ISSUES : ''}
  }
  riskTrend(from: $from, to: $to, step: $step, filter: $of) { points { on live unassessed low medium high critical } }
}`

const DAY_MS = 86_400_000
/** The API gives at most 400 points, of months here. */
const TREND_DAYS_MAX = 30 * 365

/** What moved, as far as it is shown: the first of each kind, and every risk of the register. */
export function readPast(filter: Filter, { moved: first }: Shown, { risks }: Overview): Promise<Past> {
  const since = sinceOf(filter)
  const days = (Date.parse(today()) - Date.parse(since)) / DAY_MS
  const { project, level } = riskFilterOf(filter)
  return query(pastQuery((filter.movement ?? '') in T.issueMovements), {
    since,
    moved: { project, level },
    first,
    register: risks.nodes.map(({ id }) => id),
    from: dayBefore(Math.max(0, Math.min(days, TREND_DAYS_MAX))),
    to: today(),
    step: days <= 60 ? 'DAY' : days <= 730 ? 'WEEK' : 'MONTH',
    of: { project },
  })
}
