/** What the page shows: it lives in the URL, in the names of the REST parameters. */
export interface Filter {
  readonly project: readonly string[]
  readonly level: readonly string[]
  readonly likelihood: number | undefined
  readonly impact: number | undefined
  /** A user id or e-mail, or `none`. */
  readonly owner: string | undefined
  readonly search: string | undefined
  /** Of issues and of people only. */
  readonly severity: readonly string[]
  readonly group: string | undefined
  /** The day from which movements count; undefined for `SINCE_DAYS` ago. */
  readonly since: string | undefined
}

export const NO_FILTER: Filter = {
  project: [],
  level: [],
  likelihood: undefined,
  impact: undefined,
  owner: undefined,
  search: undefined,
  severity: [],
  group: undefined,
  since: undefined,
}

const SINCE_DAYS = 30
const DAY_MS = 86_400_000

export function filterIn(query: string): Filter {
  const given = new URLSearchParams(query)
  const one = (name: string) => given.get(name)?.trim() || undefined
  const several = (name: string) => given.getAll(name).flatMap((text) => text.split(',').filter((part) => part !== ''))
  const step = (name: string) => (/^[1-5]$/.test(one(name) ?? '') ? Number(one(name)) : undefined)
  const since = one('since')
  return {
    project: several('project'),
    level: several('level').map((level) => level.toUpperCase()),
    likelihood: step('likelihood'),
    impact: step('impact'),
    owner: one('owner'),
    search: one('search'),
    severity: several('severity').map((severity) => severity.toUpperCase()),
    group: one('group'),
    since: since && isDay(since) ? since : undefined,
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

/** The `RiskFilter` of GraphQL. */
export function riskFilterOf({ project, level, likelihood, impact, owner, search }: Filter) {
  return { project: orNone(project), level: orNone(level), likelihood, impact, owner: persons(owner), search }
}

/** The `IssueFilter` of GraphQL: what a risk and an issue have in common, and the severity. */
export function issueFilterOf({ project, owner, search, severity }: Filter) {
  return { project: orNone(project), severity: orNone(severity), assignee: persons(owner), search }
}
