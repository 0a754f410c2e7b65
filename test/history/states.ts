import { LEVEL_FLOORS, RISK_LEVELS } from '../../src/vocabulary.js'
import type { TestStore } from '../support/stores.js'

type Row = Readonly<Record<string, unknown>> & {
  readonly id: string
  readonly project_id: string
  readonly reference: string
  readonly title: string
  readonly live: number
  readonly score: number
  readonly severity: string
  readonly standing: number
  readonly due_on: string | null
}

/** The risks and issues of a store as they are. */
export interface State {
  readonly risks: readonly Row[]
  readonly issues: readonly Row[]
  readonly projects: readonly Readonly<Record<string, string>>[]
}

export const NOTHING: State = { risks: [], issues: [], projects: [] }

export function stateOf(store: TestStore): State {
  const rows = (table: string) => store.rows(`select * from ${table}`) as never
  return { risks: rows('risk'), issues: rows('issue'), projects: rows('project') }
}

export interface Filter {
  readonly project?: string
  readonly level?: string
}

function levelOf(score: number): string {
  return [...RISK_LEVELS].reverse().find((level) => score >= LEVEL_FLOORS[level]) ?? ''
}

function rankIn({ risks }: State, score: number): number {
  return 1 + risks.filter((other) => other.live === 1 && other.score > score).length
}

function refOf({ projects }: State, projectId: string) {
  const { id, key, name } = projects.find((one) => one['id'] === projectId) ?? {}
  return { id, key, name }
}

/** What moved between two states, computed from their rows alone; lists are ordered by id. */
export function movementsBetween(from: State, to: State, now: State, { project, level }: Filter) {
  const isWanted = (row: Row) => project === undefined || refOf(now, row.project_id).key === project
  const risks = to.risks.filter(isWanted).flatMap((after) => {
    const before = from.risks.find(({ id }) => id === after.id)
    const [was, is] = [before?.live === 1 ? before.score : undefined, after.live === 1 ? after.score : undefined]
    if (was === undefined && is === undefined) return []
    const levels = [was, is].map((score) => (score === undefined ? null : levelOf(score)))
    if (level !== undefined && !levels.includes(level)) return []
    const movement =
      was === undefined ? 'NEW' : is === undefined ? 'CLOSED' : is > was ? 'UP' : is < was ? 'DOWN' : 'UNCHANGED'
    return {
      ...shown(after, now),
      movement,
      ...{ scoreFrom: was ?? null, scoreTo: is ?? null, levelFrom: levels[0], levelTo: levels[1] },
      ...{ rankFrom: was === undefined ? null : rankIn(from, was), rankTo: is === undefined ? null : rankIn(to, is) },
    }
  })
  const issues = to.issues.filter(isWanted).flatMap((after) => {
    const before = from.issues.find(({ id }) => id === after.id)
    const [was, is] = [before?.live === 1 ? before : undefined, after.live === 1 ? after : undefined]
    const kinds = [
      ...(!was && is ? ['OPENED'] : []),
      ...(was && !is ? ['RESOLVED'] : []),
      ...(was && is && is.standing < was.standing ? ['WORSE'] : []),
      ...(was?.due_on && is?.due_on && is.due_on > was.due_on ? ['SLIPPED'] : []),
    ]
    const ends = {
      ...{ severityFrom: was?.severity ?? null, severityTo: is?.severity ?? null },
      ...{ dueFrom: was?.due_on ?? null, dueTo: is?.due_on ?? null },
    }
    return kinds.map((movement) => ({ ...shown(after, now), movement, ...ends }))
  })
  const all = [...risks, ...issues]
  const keys = [...new Set(all.map((one) => String(one.project.key)))].sort()
  return {
    counts: countsOf(all),
    risks: risks.filter(({ movement }) => movement !== 'UNCHANGED').sort(byId),
    issues: issues.sort(byId),
    projects: keys.map((key) => {
      const own = all.filter((one) => one.project.key === key)
      return { project: own[0]?.project, counts: countsOf(own) }
    }),
  }
}

function shown({ id, reference, title, project_id }: Row, now: State) {
  return { id, reference, title, project: refOf(now, project_id) }
}

const KINDS = ['NEW', 'CLOSED', 'UP', 'DOWN', 'UNCHANGED', 'OPENED', 'RESOLVED', 'WORSE', 'SLIPPED']

function countsOf(all: readonly { movement: string }[]) {
  const count = (kind: string) => all.filter(({ movement }) => movement === kind).length
  return Object.fromEntries(KINDS.map((kind) => [kind.toLowerCase(), count(kind)]))
}

/** Movements of an issue are also ordered by kind. */
export function byId(one: { id: string; movement: string }, other: { id: string; movement: string }): number {
  const [a, b] = [`${one.id} ${one.movement}`, `${other.id} ${other.movement}`]
  return a < b ? -1 : a > b ? 1 : 0
}

/** The point of a trend, computed from the rows of a state. */
export function pointOf(on: string, state: State, project?: string) {
  const live = state.risks.filter(
    (one) => one.live === 1 && (project === undefined || refOf(state, one.project_id).key === project),
  )
  const levels = RISK_LEVELS.map((level) => [
    level.toLowerCase(),
    live.filter(({ score }) => levelOf(score) === level).length,
  ])
  return {
    on,
    live: live.length,
    ...Object.fromEntries(levels),
    score: live.reduce((sum, { score }) => sum + score, 0),
  }
}
