/** What the page shows: it lives in the URL, in the names of the REST parameters. */
export interface Filter {
  readonly project: readonly string[]
  readonly level: readonly string[]
  readonly likelihood: number | undefined
  readonly impact: number | undefined
  /** A user id or e-mail, or `none`. */
  readonly owner: string | undefined
  readonly search: string | undefined
  readonly unplaced: true | undefined
  /** Of issues only. */
  readonly severity: readonly string[]
  readonly dueBefore: string | undefined
  /** Of the list of projects only. */
  readonly projectStatus: readonly string[]
  /** Of people only. */
  readonly group: string | undefined
  /** Of what moved only: a kind of movement. */
  readonly movement: string | undefined
  /** The day from which movements count; undefined for `SINCE_DAYS` ago. */
  readonly since: string | undefined
}

const ANY_RISK = { level: [], likelihood: undefined, impact: undefined, unplaced: undefined }
const ANY_ISSUE = { severity: [], dueBefore: undefined }
const ANY_ENTRY = { project: [], owner: undefined, search: undefined }

export const NO_FILTER: Filter = {
  ...ANY_ENTRY,
  ...ANY_RISK,
  ...ANY_ISSUE,
  projectStatus: [],
  group: undefined,
  movement: undefined,
  since: undefined,
}

/** All live risks, or all open issues, of one project. */
export const allRisksOf = (key: string) => ({ ...ANY_ENTRY, ...ANY_RISK, project: [key] })
export const allIssuesOf = (key: string) => ({ ...ANY_ENTRY, ...ANY_ISSUE, project: [key] })

const SINCE_DAYS = 30
const DAY_MS = 86_400_000

export function filterIn(query: string): Filter {
  const given = new URLSearchParams(query)
  const one = (name: string) => given.get(name)?.trim() || undefined
  const several = (name: string) => given.getAll(name).flatMap((text) => text.split(',').filter((part) => part !== ''))
  const step = (name: string) => (/^[1-5]$/.test(one(name) ?? '') ? Number(one(name)) : undefined)
  const words = (name: string) => several(name).map((word) => word.toUpperCase())
  const day = (name: string) => (isDay(one(name) ?? '') ? one(name) : undefined)
  return {
    project: several('project'),
    level: words('level'),
    likelihood: step('likelihood'),
    impact: step('impact'),
    owner: one('owner'),
    search: one('search'),
    unplaced: one('unplaced') === 'true' || undefined,
    severity: words('severity'),
    dueBefore: day('dueBefore'),
    projectStatus: words('projectStatus'),
    group: one('group'),
    movement: words('movement')[0],
    since: day('since'),
  }
}

function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))
}

/** The query of a URL, with its question mark; empty for no filter. */
export function queryOf(filter: Partial<Filter>, ...names: readonly (keyof Filter)[]): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(filter)) {
    const text = Array.isArray(value) ? value.join(',') : value
    const isWanted = names.length === 0 || names.some((one) => one === name)
    if (isWanted && text !== undefined && text !== '') query.set(name, String(text))
  }
  return query.size === 0 ? '' : `?${query}`
}

export function sinceOf({ since }: Filter, now = Date.now()): string {
  return since ?? new Date(now - SINCE_DAYS * DAY_MS).toISOString().slice(0, 10)
}

const persons = (owner: string | undefined) => (owner === undefined ? undefined : [owner === 'none' ? null : owner])
const orNone = <V>(list: readonly V[]) => (list.length === 0 ? undefined : list)

export function riskFilterOf({ project, level, likelihood, impact, owner, search, unplaced }: Filter) {
  return { project: orNone(project), level: orNone(level), likelihood, impact, owner: persons(owner), search, unplaced }
}

/** The `IssueFilter` of GraphQL: what a risk and an issue have in common, the severity, and what is due. */
export function issueFilterOf({ project, owner, search, severity, dueBefore }: Filter) {
  return { project: orNone(project), severity: orNone(severity), assignee: persons(owner), search, dueBefore }
}
