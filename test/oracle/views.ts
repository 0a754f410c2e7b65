import { type Filter, idsNamed, isUnplaced, matchingIssues, matchingRisks, requireArguments } from './lists.js'
import type { Context, Issue, Past, Risk } from './rows.js'
import * as rows from './rows.js'

/** What is counted: the matrix, the issues, what moved between two instants, and the levels over time. */

export function riskMatrix(context: Context, filter: Filter) {
  requireArguments(context, [{ list: 'risks', args: { filter } }])
  return counted(matchingRisks(context, context.world.all('RISK'), filter))
}

function counted(risks: readonly Risk[]) {
  const count = (isIt: (risk: Risk) => boolean) => risks.filter(isIt).length
  const steps = [5, 4, 3, 2, 1]
  const cells = steps.flatMap((likelihood) =>
    steps.map((impact) => {
      return { likelihood, impact, count: count((one) => one.likelihood === likelihood && one.impact === impact) }
    }),
  )
  return {
    cells: cells.filter((cell) => cell.count > 0),
    unassessed: count((risk) => rows.scoreOf(risk) === 0),
    unplaced: count(isUnplaced),
    levels: rows.LEVELS.map((level) => ({ level, count: count((one) => rows.levelOf(rows.scoreOf(one)) === level) })),
  }
}

/** The matrix of the same risks, as if the residual factors were their factors. */
export function residualMatrix(context: Context, filter: Filter) {
  requireArguments(context, [{ list: 'risks', args: { filter } }])
  const risks = matchingRisks(context, context.world.all('RISK'), filter)
  return counted(
    risks.map((risk) => {
      const { residualLikelihood: likelihood, residualImpact: impact } = risk
      return { ...risk, likelihood, impact, scoreGiven: null }
    }),
  )
}

export function issueCounts(context: Context, filter: Filter) {
  requireArguments(context, [{ list: 'issues', args: { filter } }])
  const issues = matchingIssues(context, context.world.all('ISSUE'), filter)
  const count = (isIt: (issue: Issue) => boolean) => issues.filter(isIt).length
  return {
    total: issues.length,
    severities: rows.SEVERITIES.toReversed().map((severity) => {
      return { severity, count: count((issue) => issue.severity === severity) }
    }),
    statuses: rows.OPEN_STATUSES.map((status) => ({ status, count: count((issue) => issue.status === status) })),
  }
}

/** Rows as they were, by what was recorded before an instant. */
function before<Row extends Risk | Issue>(past: readonly Past<Row>[], instant?: string | null): Map<string, Row> {
  const known = past.filter(({ at }) => instant == null || at < instant)
  return new Map(known.map(({ row }) => [row.id, row]))
}

interface MovementArguments {
  readonly since: string
  readonly until?: string | null
  readonly first?: number | null
  readonly including?: readonly string[] | null
  readonly filter?: Filter | null
}

/** Each row at the end with what it was at both ends, while it was live. */
function ends<Row extends Risk | Issue>(past: readonly Past<Row>[], { since, until }: MovementArguments) {
  const [then, now] = [before(past, since), before(past, until)]
  const whileLive = (row: Row | undefined) => (row && rows.isLive(row) ? row : null)
  return [...now.values()].map((row) => {
    const { id, projectId, reference, title } = row
    const shown = { id, projectId, reference, title }
    return {
      shown,
      from: whileLive(then.get(id)),
      to: whileLive(row),
      sides: [[...then.values()], [...now.values()]] as const,
    }
  })
}

function riskMovements({ world }: Context, args: MovementArguments) {
  return ends(world.risks, args).map(({ shown, from, to, sides: [then, now] }) => {
    const [scoreFrom, scoreTo] = [from && rows.scoreOf(from), to && rows.scoreOf(to)]
    const rise = (scoreTo ?? 0) - (scoreFrom ?? 0)
    const both = rise > 0 ? 'UP' : rise < 0 ? 'DOWN' : 'UNCHANGED'
    return {
      ...{ ...shown, movement: from && to ? both : from ? 'CLOSED' : to ? 'NEW' : 'NEITHER', scoreFrom, scoreTo },
      levelFrom: scoreFrom === null ? null : rows.levelOf(scoreFrom),
      levelTo: scoreTo === null ? null : rows.levelOf(scoreTo),
      ...{ rankFrom: from && rows.rankOf(from, then), rankTo: to && rows.rankOf(to, now) },
      size: [Math.abs(rise), (scoreFrom ?? 0) + (scoreTo ?? 0)],
    }
  })
}

const DAY_MS = 86_400_000

function issueMovements({ world }: Context, args: MovementArguments) {
  const gravity = (issue: Issue | null) => (issue ? rows.SEVERITIES.indexOf(issue.severity) : -1)
  return ends(world.issues, args).flatMap(({ shown, from, to }) => {
    const worse = gravity(to) - gravity(from)
    const later = from?.dueOn && to?.dueOn ? (Date.parse(to.dueOn) - Date.parse(from.dueOn)) / DAY_MS : 0
    const kinds = [
      ...[!from && to ? ['OPENED'] : [], from && !to ? ['RESOLVED'] : []].flat(),
      ...[from && to && worse > 0 ? ['WORSE'] : [], later > 0 ? ['SLIPPED'] : []].flat(),
    ]
    return kinds.map((movement) => ({
      ...{ ...shown, movement, severityFrom: from?.severity ?? null, severityTo: to?.severity ?? null },
      ...{ dueFrom: from?.dueOn ?? null, dueTo: to?.dueOn ?? null },
      size:
        movement === 'SLIPPED'
          ? [0, later, gravity(from) + gravity(to)]
          : [Math.abs(worse), 0, gravity(from) + gravity(to)],
    }))
  })
}

type Moved = { readonly id: string; readonly movement: string; readonly size: readonly number[] }

/** The biggest first; of each kind of movement so many, and what is included. */
function bounded<M extends Moved>(moved: readonly M[], { first, including }: MovementArguments): M[] {
  const sorted = moved
    .filter(({ movement }) => movement !== 'UNCHANGED')
    .toSorted((one, other) => {
      const bigger = one.size.map((size, index) => (other.size[index] ?? 0) - size).find((by) => by !== 0)
      return bigger ?? (rows.compareTexts(one.id, other.id) || rows.compareTexts(one.movement, other.movement))
    })
  const placeOf = (one: M) => sorted.filter(({ movement }) => movement === one.movement).indexOf(one)
  return sorted.filter((one) => first == null || placeOf(one) < first || including?.includes(one.id))
}

const MOVEMENTS = ['NEW', 'CLOSED', 'UP', 'DOWN', 'UNCHANGED', 'OPENED', 'RESOLVED', 'WORSE', 'SLIPPED']

function countsOf(moved: readonly { readonly movement: string }[]) {
  const counts = MOVEMENTS.map((name) => [name.toLowerCase(), moved.filter((one) => one.movement === name).length])
  return Object.fromEntries(counts)
}

/** Whether something is in one of the projects of a filter. */
function inProjects(context: Context, filter: Filter | null | undefined) {
  const named = idsNamed(context, 'PROJECT', filter?.project)
  const { projectStatus } = filter ?? {}
  const statuses = new Map(context.world.all('PROJECT').map(({ id, status }) => [id, status]))
  const hasStatus = (id: string) => !projectStatus || projectStatus.includes(statuses.get(id) ?? '')
  return ({ projectId }: { readonly projectId: string }) =>
    (!named || named.includes(projectId)) && hasStatus(projectId)
}

export function movements(context: Context, args: MovementArguments) {
  const { since, until, filter, first } = args
  if (until != null && until < since) throw rows.bad()
  requireArguments(context, [{ list: 'movements', args: { first: first ?? null, filter: filter ?? null } }])
  const isIn = inProjects(context, filter)
  const isAt = (level: string | null) => !filter?.level || (level !== null && filter.level.includes(level))
  const risks = riskMovements(context, args).filter(
    (one) => one.movement !== 'NEITHER' && isIn(one) && (isAt(one.levelFrom) || isAt(one.levelTo)),
  )
  const issues = issueMovements(context, args).filter(isIn)
  const byProject = context.world
    .all('PROJECT')
    .toSorted((one, other) => rows.compareTexts(one.key, other.key))
    .map(({ id }) => ({ projectId: id, moved: [...risks, ...issues].filter(({ projectId }) => projectId === id) }))
    .filter(({ moved }) => moved.length > 0)
  return {
    ...{ since, until, counts: countsOf([...risks, ...issues]), risks: bounded(risks, args) },
    // Only risks are included by their ids.
    issues: bounded(issues, { ...args, including: null }),
    projects: byProject.map(({ projectId, moved }) => ({ projectId, counts: countsOf(moved) })),
  }
}

type TrendArguments = { readonly [name in 'from' | 'to' | 'step']: string } & { readonly filter?: Filter | null }

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/** The same day so many months later, or the last one of a shorter month. */
function monthsAfter(day: string, months: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  const last = new Date(Date.UTC(year, month + months, 0)).getUTCDate()
  return dayOf(Date.UTC(year, month - 1 + months, Math.min(date, last)))
}

export function riskTrend(context: Context, { from, to, step, filter }: TrendArguments) {
  if (to < from) throw rows.bad()
  const days: string[] = []
  for (let index = 0; (days.at(-1) ?? '') < to; index++) {
    const shift = (step === 'WEEK' ? 7 : 1) * index * DAY_MS
    const day = step === 'MONTH' ? monthsAfter(from, index) : dayOf(Date.parse(from) + shift)
    days.push(day < to ? day : to)
    if (days.length > 400) throw rows.bad()
  }
  requireArguments(context, [{ list: 'movements', args: { filter: filter ?? null } }])
  const isIn = inProjects(context, filter)
  return {
    points: days.map((on) => {
      const end = new Date(Date.parse(on) + DAY_MS).toISOString()
      const risks = [...before(context.world.risks, end).values()]
      const live = risks.filter((risk) => rows.isLive(risk) && isIn(risk))
      const atLevel = (level: string) => live.filter((risk) => rows.levelOf(rows.scoreOf(risk)) === level).length
      const levels = Object.fromEntries(rows.LEVELS.map((level) => [level.toLowerCase(), atLevel(level)]))
      return { on, live: live.length, ...levels, score: live.reduce((sum, risk) => sum + rows.scoreOf(risk), 0) }
    }),
  }
}

interface OverdueArguments {
  readonly on: string
  readonly first?: number | null
  readonly filter?: Filter | null
}

/** Each person, or name that is on no roster, with what they have; most overdue first, then most open issues. */
export function overdueByPerson(context: Context, { on, first, filter }: OverdueArguments) {
  requireArguments(context, [{ list: 'movements', args: { first: first ?? null, filter: filter ?? null } }])
  const { world } = context
  const isIn = inProjects(context, filter)
  const issues = world.all('ISSUE').filter((one) => rows.isLive(one) && isIn(one))
  const risks = world.all('RISK').filter((one) => rows.isLive(one) && isIn(one))
  const isLate = ({ dueOn }: Issue | Risk) => dueOn !== null && dueOn < on
  const whoOf = (id: string | null, name: string | null) => JSON.stringify([id, id === null ? name : null])
  const ofIssue = ({ assigneeId, assigneeName }: Issue) => whoOf(assigneeId, assigneeName)
  const ofRisk = ({ ownerId, ownerName }: Risk) => whoOf(ownerId, ownerName)
  const everyone = new Set([...issues.map(ofIssue), ...risks.map(ofRisk)])
  const people = [...everyone].flatMap((who) => {
    const [personId, name]: [string | null, string | null] = JSON.parse(who)
    const [theirs, owned] = [issues.filter((one) => ofIssue(one) === who), risks.filter((one) => ofRisk(one) === who)]
    const [overdueIssueCount, overdueRiskCount] = [theirs.filter(isLate).length, owned.filter(isLate).length]
    if ((personId ?? name) === null || overdueIssueCount + overdueRiskCount === 0) return []
    const counts = { overdueIssueCount, openIssueCount: theirs.length, overdueRiskCount, riskCount: owned.length }
    return [{ personId, name, person: world.get('PERSON', personId), ...counts }]
  })
  const overdue = (one: (typeof people)[number]) => one.overdueIssueCount + one.overdueRiskCount
  const sorted = people.toSorted(
    (one, other) =>
      overdue(other) - overdue(one) ||
      other.openIssueCount - one.openIssueCount ||
      Number(one.personId === null) - Number(other.personId === null) ||
      rows.compareTexts(one.personId ?? one.name ?? '', other.personId ?? other.name ?? ''),
  )
  return { total: people.length, people: sorted.slice(0, first ?? sorted.length) }
}
