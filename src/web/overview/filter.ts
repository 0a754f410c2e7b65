import { T } from '../texts.js'

/** A filter of a list, as its noun declares it. */
interface Declared {
  readonly type: string
  readonly isList: boolean
  readonly values?: readonly string[]
}
type ListName = 'risks' | 'issues'
const DECLARED: Readonly<Record<ListName, Readonly<Record<string, Declared>>>> = JSON.parse(
  document.body.dataset['filters'] ?? '{"risks":{},"issues":{}}',
)

const ANY_CELL = { level: [], likelihood: undefined, impact: undefined, unplaced: undefined }
const ANY_RISK = { ...ANY_CELL, status: [], category: [], mitigated: undefined }
const ANY_ISSUE = { severity: [] }
const ANY_ENTRY = {
  project: [],
  owner: undefined,
  ownership: [],
  search: undefined,
  dueAfter: undefined,
  dueBefore: undefined,
  more: {},
}

/** All live risks, or all open issues, of one project. */
export const allRisksOf = (key: string) => ({ ...ANY_ENTRY, ...ANY_RISK, project: [key], projectStatus: [] })
export const allIssuesOf = (key: string) => ({ ...ANY_ENTRY, ...ANY_ISSUE, project: [key], projectStatus: [] })

/** What is overdue of one person in the chosen projects. */
export function lateOf(owner: string) {
  const { project: _, ...any } = ANY_ENTRY
  return { ...any, ...ANY_RISK, ...ANY_ISSUE, owner, dueBefore: today() }
}

export const today = () => dayBefore(0)

export function dayBefore(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)
}

const SINCE_DAYS = 30
const DAY_MS = 86_400_000

const wordsFor = (list: ListName, name: string) => DECLARED[list][name]?.values ?? []

/** The values that a part of the filter can have, as far as they are words. */
export const VALUES = {
  level: wordsFor('risks', 'level'),
  status: wordsFor('risks', 'status'),
  ownership: wordsFor('risks', 'ownership'),
  severity: wordsFor('issues', 'severity'),
  projectStatus: wordsFor('risks', 'projectStatus'),
  movement: [...Object.keys(T.movements), ...Object.keys(T.issueMovements)],
  order: ['RANK', 'DUE', 'UPDATED'] as const,
  issueOrder: ['SEVERITY', 'DUE', 'UPDATED'] as const,
}

/** Owners and their states stand for both lists, a status is that of risks, and `risk` opens one. */
const TAKEN: readonly string[] = ['assignee', 'assignment', 'status', 'risk']

/** The filters without a control of their own: an address may have them, in the names of REST. */
export function isOther(list: ListName, name: string): boolean {
  return Object.hasOwn(DECLARED[list], name) && !(name in NO_FILTER) && !TAKEN.includes(name)
}

/** Values that the API has refused, such as projects that do not exist. */
const refused = new Set<string>()

/** What the page shows: it lives in the URL, mostly in the names of the REST parameters. */
export type Filter = Readonly<ReturnType<typeof filterIn>>

export function filterIn(query: string) {
  const given = new URLSearchParams(query)
  const several = (name: string): readonly string[] =>
    parameterParts(given, name).filter((part) => !refused.has(`${name}=${part}`))
  const one = (name: string) => {
    const text = given.get(name)?.trim()
    return text && !refused.has(`${name}=${text}`) ? text : undefined
  }
  const wordsIn = (name: string, values: readonly string[]): readonly string[] =>
    several(name)
      .map((word) => word.toUpperCase())
      .filter((word) => values.includes(word))
  const words = (name: keyof typeof VALUES) => wordsIn(name, VALUES[name])
  const step = (name: string) => (/^[1-5]$/.test(one(name) ?? '') ? Number(one(name)) : undefined)
  const day = (name: string) => {
    const text = one(name) ?? ''
    return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined
  }
  const isTrue = (name: string) => one(name) === 'true' || undefined
  const flag = (name: string) => isTrue(name) ?? (one(name) === 'false' ? false : undefined)
  const other = (name: string, { type, isList, values }: Declared) => {
    if (isList) return orNone(values ? wordsIn(name, values) : several(name))
    if (type === 'Int') return /^\d{1,9}$/.test(one(name) ?? '') ? Number(one(name)) : undefined
    if (type === 'Boolean') return flag(name)
    return type === 'Date' ? day(name) : one(name)
  }
  return {
    project: several('project'),
    level: words('level'),
    likelihood: step('likelihood'),
    impact: step('impact'),
    /** A user id, e-mail or name, or `none`. */
    owner: one('owner'),
    /** In which way risks are owned and issues assigned. */
    ownership: words('ownership'),
    search: one('search'),
    unplaced: isTrue('unplaced'),
    /** Of risks only. */
    status: words('status'),
    category: several('category'),
    mitigated: flag('mitigated'),
    dueAfter: day('dueAfter'),
    dueBefore: day('dueBefore'),
    /** Of issues only. */
    severity: words('severity'),
    /** Empty for projects that are not closed. */
    projectStatus: words('projectStatus'),
    /** Of people only. */
    group: one('group'),
    /** Of what moved only: a kind of movement. */
    movement: words('movement').at(0),
    /** The day from which movements count; undefined for `SINCE_DAYS` ago. */
    since: day('since'),
    /** Whether likelihood and impact are those that remain after the response. */
    residual: isTrue('residual'),
    order: words('order').at(0),
    issueOrder: words('issueOrder').at(0),
    /** By the filters without a control of their own. */
    more: Object.fromEntries(
      Object.entries({ ...DECLARED.issues, ...DECLARED.risks }).flatMap(([name, declared]) => {
        const value =
          given.has(name) && (isOther('risks', name) || isOther('issues', name)) ? other(name, declared) : undefined
        return value === undefined ? [] : [[name, value]]
      }),
    ) as Readonly<Record<string, unknown>>,
  }
}

export const NO_FILTER = filterIn('')

/** As in REST: a comma after a backslash belongs to the value. */
function parameterParts(given: URLSearchParams, name: string): string[] {
  const parts = given.getAll(name).flatMap((text) => text.match(/(?:\\,|[^,])+/g) ?? [])
  return parts.map((part) => part.replaceAll('\\,', ','))
}

/** The values of a URL that its filter does not have. */
export function droppedIn(query: string): { readonly name: string; readonly value: string }[] {
  const given = new URLSearchParams(query)
  const kept = new URLSearchParams(queryOf(filterIn(query)))
  return [...new Set(given.keys())].flatMap((name) => {
    if (!(name in NO_FILTER || isOther('risks', name) || isOther('issues', name)))
      return { name, value: given.getAll(name).join() }
    const known = parameterParts(kept, name).map((part) => part.trim().toLowerCase())
    const parts = parameterParts(given, name).filter((part) => !known.includes(part.trim().toLowerCase()))
    return parts.map((value) => ({ name, value }))
  })
}

/** Takes a value that the API does not know out of the filter of a URL; whether there was one. */
export function refuse(parameter: string, message: string, query: string): boolean {
  const name = parameter === 'assignee' ? 'owner' : parameter
  const before = refused.size
  const given = new URLSearchParams(query)
  // A name may have a comma.
  for (const value of [...parameterParts(given, name), given.get(name)?.trim()]) {
    if (message.includes(`'${value}'`)) refused.add(`${name}=${value}`)
  }
  return refused.size > before
}

/** The query of a URL, with its question mark; empty for no filter. */
export function queryOf(filter: object): string {
  const query = new URLSearchParams()
  const { more = {}, ...own } = filter as { readonly more?: object }
  for (const [name, value] of Object.entries({ ...own, ...more })) {
    const text = Array.isArray(value) ? value.map((one) => String(one ?? 'none').replaceAll(',', '\\,')).join() : value
    if (text !== undefined && text !== '') query.set(name, String(text))
  }
  return query.size === 0 ? '' : `?${query}`
}

export const sinceOf = ({ since }: Filter) => since ?? dayBefore(SINCE_DAYS)

const persons = (owner: string | undefined) => (owner === undefined ? undefined : [owner === 'none' ? null : owner])
const orNone = <V>(list: readonly V[]) => (list.length === 0 ? undefined : list)

/** The projects whose risks and issues count: those that are not closed, unless others are chosen. */
export function projectsOf(filter: Filter) {
  const open = VALUES.projectStatus.filter((one) => one !== 'CLOSED')
  return { project: orNone(filter.project), projectStatus: orNone(hidesClosed(filter) ? open : filter.projectStatus) }
}

export const hidesClosed = ({ project, projectStatus }: Filter) => project.length === 0 && projectStatus.length === 0

const othersOf = (list: ListName, { more }: Filter) =>
  Object.fromEntries(Object.entries(more).filter(([name]) => isOther(list, name)))

export function riskFilterOf(filter: Filter) {
  const { likelihood, impact, level, unplaced, status, category, mitigated } = filter
  const cell = filter.residual ? { residualLikelihood: likelihood, residualImpact: impact } : { likelihood, impact }
  const { owner, ownership, search, dueAfter, dueBefore } = filter
  return {
    ...projectsOf(filter),
    ...cell,
    ...{ level: orNone(level), unplaced, status: orNone(status), category: orNone(category), mitigated },
    ...{ owner: persons(owner), ownership: orNone(ownership), search, dueAfter, dueBefore },
    ...othersOf('risks', filter),
  }
}

/** What the cells of the matrix count, whichever of them is chosen. */
export const cellFilterOf = (filter: Filter) => riskFilterOf({ ...filter, ...chosenCell(filter) })

/** Whether a part of the matrix is chosen. */
export function hasCell({ level, likelihood, impact, unplaced }: Filter): boolean {
  return level.length > 0 || likelihood !== undefined || impact !== undefined || unplaced !== undefined
}

/** A cell instead of what was chosen before; levels are those of today's score, which a residual cell says nothing of. */
export function chosenCell({ level, residual }: Filter, likelihood?: number, impact?: number) {
  return { ...ANY_CELL, level: residual ? level : [], likelihood, impact }
}

/** The `IssueFilter` of GraphQL: what a risk and an issue have in common, and the severity. */
export function issueFilterOf(filter: Filter) {
  const { owner, ownership, search, severity, dueAfter, dueBefore } = filter
  const holders = { assignee: persons(owner), assignment: orNone(ownership) }
  const own = { ...projectsOf(filter), severity: orNone(severity), ...holders, search, dueAfter, dueBefore }
  return { ...own, ...othersOf('issues', filter) }
}
