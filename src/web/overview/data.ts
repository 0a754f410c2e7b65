import { graphqlQuery, query, read } from '../api.js'
import { type Filter, issueFilterOf, riskFilterOf, sinceOf } from './filter.js'

/** The types of what is read: those parts of the API that the page shows. */

export interface Ref {
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
}

export interface Project extends ProjectRef {
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
export const ISSUES_SHOWN = 25

const MATRIX =
  'riskMatrix(filter: $risks) { cells { likelihood impact count } unassessed unplaced levels { level count } }'

const registerWith = (more: string) => `risks(first: $first, filter: $risks) {
    totalCount nodes { id rank reference title score level project { key name } ownerName${more} }
  }`

const PEOPLE = `
  personnel(first: ${PAGE}, filter: $people) { totalCount nodes { id name title department } }
  groups { nodes { id name memberCount } }`

/** All in one query, so that every part shows the store at the same instant and no two can disagree. */
const overviewQuery = (
  hasPeople: boolean,
) => `query Overview($first: Int!, $risks: RiskFilter, $issues: IssueFilter, $overdue: IssueFilter${hasPeople ? ', $people: PersonFilter' : ''}) {
  ${MATRIX}
  ${registerWith(hasPeople ? ' owner { id name }' : '')}
  issueCounts(filter: $issues) { total severities { severity count } }
  overdue: issueCounts(filter: $overdue) { total }
  issues(first: ${ISSUES_SHOWN}, filter: $issues) {
    totalCount nodes { id reference title severity status dueOn url project { key name } assigneeName${hasPeople ? ' assignee { id name }' : ''} }
  }
  projects { nodes { key name status openRiskCount openIssueCount topRiskScore syncedAt } }${hasPeople ? PEOPLE : ''}
}`

export function today(): string {
  return new Date().toISOString().slice(0, 10)
}

export function readOverview(filter: Filter, first: number, hasPeople: boolean): Promise<Overview> {
  const issues = issueFilterOf(filter)
  return query(overviewQuery(hasPeople), {
    first,
    risks: riskFilterOf(filter),
    issues,
    overdue: { ...issues, dueBefore: today() },
    ...(hasPeople && { people: { group: filter.group } }),
  })
}

/** What is shown, for GraphiQL. */
export function registerQuery(filter: Filter): string {
  const text = `query Register($risks: RiskFilter, $first: Int) {\n  ${MATRIX}\n  ${registerWith('')}\n}\n`
  return graphqlQuery(text, { risks: riskFilterOf(filter), first: PAGE })
}

export interface RiskMovement {
  readonly id: string
  readonly reference: string
  readonly title: string
  readonly project: ProjectRef
  readonly movement: string
  readonly scoreFrom: number | null
  readonly scoreTo: number | null
  readonly levelFrom: string | null
  readonly levelTo: string | null
}

export interface Movements {
  readonly counts: Readonly<Record<string, number>>
  readonly risks: readonly RiskMovement[]
}

export interface TrendPoint {
  readonly on: string
  readonly live: number
  readonly unassessed: number
  readonly low: number
  readonly medium: number
  readonly high: number
  readonly critical: number
}

export interface Past {
  readonly movements: Movements
  readonly riskTrend: { readonly points: readonly TrendPoint[] }
}

const PAST = `query Past($since: DateTime!, $moved: MovementFilter, $from: Date!, $to: Date!, $step: TrendStep!, $of: TrendFilter) {
  movements(since: $since, filter: $moved) {
    counts { new closed up down opened resolved worse slipped }
    risks { id reference title project { key name } movement scoreFrom scoreTo levelFrom levelTo }
  }
  riskTrend(from: $from, to: $to, step: $step, filter: $of) { points { on live unassessed low medium high critical } }
}`

const DAY_MS = 86_400_000

export function readPast(filter: Filter): Promise<Past> {
  const since = sinceOf(filter)
  const days = (Date.parse(today()) - Date.parse(since)) / DAY_MS
  const { project, level } = riskFilterOf(filter)
  return query(PAST, {
    since,
    moved: { project, level },
    from: since < today() ? since : today(),
    to: today(),
    step: days <= 60 ? 'DAY' : days <= 730 ? 'WEEK' : 'MONTH',
    of: { project },
  })
}
