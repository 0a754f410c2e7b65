import { read } from '../api.js'
import { button, el, given, remark, replace } from '../dom.js'
import { shownDay, T } from '../texts.js'
import { VIEW_NAMES } from './address.js'
import type { Overview } from './data.js'
import { droppedIn, type Filter, NO_FILTER, sinceOf, VALUES } from './filter.js'
import { LEVELS } from './levels.js'

type Choose = (change: Partial<Filter>, to?: string, isTyped?: boolean) => void

/** Milliseconds without a key pressed after which a text is looked up. */
const TYPING_MS = 250

/** Runs the last of several calls, as soon as no other one follows. */
function debounced(act: () => void) {
  let timer: number | undefined
  const now = () => {
    clearTimeout(timer)
    timer = undefined
    act()
  }
  const later = () => {
    clearTimeout(timer)
    timer = window.setTimeout(now, TYPING_MS)
  }
  return { now, later, isPending: () => timer !== undefined }
}

/** The controls of the filter, links to the sections, and what is chosen: each choice can be removed. */
export function filterPart(choose: Choose) {
  const search = el('input', { type: 'search', id: 'search', placeholder: T.searchHint, maxlength: 200 })
  const project = el('select', { id: 'project' })
  const level = el('select', { id: 'level' })
  const status = el('select', { id: 'status' })
  const categories = el('datalist', { id: 'categories' })
  const category = el('input', { id: 'category', list: 'categories', placeholder: T.anyCategory, maxlength: 200 })
  const unmitigated = el('input', { type: 'checkbox', id: 'unmitigated' })
  const [dueAfter, dueBefore, since] = [dayInput('due-after'), dayInput('due-before'), dayInput('since')]
  const owner = ownerField(choose)
  const chosen = el('ul', { class: 'chosen' })
  const dropped = el('div', { role: 'status' })
  let current = NO_FILTER

  const listOf = (value: string) => (value === '' ? [] : [value])
  const typed = debounced(() => {
    const text = search.value.trim() || undefined
    if (text !== current.search) choose({ search: text }, '', true)
  })
  const on = (control: HTMLElement, change: () => Partial<Filter>) =>
    control.addEventListener('change', () => choose(change()))
  search.addEventListener('input', typed.later)
  on(project, () => ({ project: listOf(project.value) }))
  on(level, () => ({ level: listOf(level.value) }))
  on(status, () => ({ status: listOf(status.value) }))
  on(category, () => ({ category: listOf(category.value.trim()) }))
  on(unmitigated, () => ({ mitigated: unmitigated.checked ? false : undefined }))
  on(dueAfter, () => ({ dueAfter: dueAfter.value || undefined }))
  on(dueBefore, () => ({ dueBefore: dueBefore.value || undefined }))
  on(since, () => ({ since: since.value || undefined }))
  const submit = (event: Event) => {
    event.preventDefault()
    typed.now()
  }
  const first = [field(T.search, search), field(T.project, project), field(T.level, level), field(T.owner, owner.input)]
  const days = [field(T.dueAfter, dueAfter), field(T.dueBefore, dueBefore), field(T.since, since)]
  const others = [field(T.status, status), field(T.category, category), ...days, field(T.unmitigated, unmitigated)]
  const form = el(
    'form',
    { class: 'filter', role: 'search', 'aria-label': T.filter, onsubmit: submit },
    ...first,
    owner.list,
    el(
      'details',
      { id: 'more-filters' },
      el('summary', {}, T.moreFilters),
      el('div', { class: 'filter' }, ...others, categories),
    ),
  )
  const links = Object.entries(T.sections).map(([id, word]) => el('a', { href: `#${id}` }, word))
  const sections = el('nav', { class: 'sections', 'aria-label': T.sectionsLabel }, ...links)
  const root = el('div', { class: 'filters no-print' }, form, dropped, chosen, sections)

  function show(filter: Filter, overview: Overview | undefined): void {
    current = filter
    const projects = (overview?.projects.nodes ?? []).map(({ key, name }) => [key, `${key} · ${name}`] as const)
    options(project, T.anyProject, projects, filter.project)
    const levels = LEVELS.map((one) => [one, levelName(one)] as const)
    options(level, T.anyLevel, levels, filter.level, levelName)
    const statuses = VALUES.status.map((one) => [one, statusName(one)] as const)
    options(status, T.anyStatus, statuses, filter.status, statusName)
    const seen = new Set((overview?.risks.nodes ?? []).flatMap((risk) => risk.category ?? []))
    replace(categories, ...[...seen].sort().map((value) => el('option', { value })))
    category.value = filter.category.join()
    unmitigated.checked = filter.mitigated === false
    dueAfter.value = filter.dueAfter ?? ''
    dueBefore.value = filter.dueBefore ?? ''
    since.value = sinceOf(filter)
    if (!typed.isPending() && search.value.trim() !== (filter.search ?? '')) search.value = filter.search ?? ''
    owner.show(filter, overview)
    const unknown = droppedIn(location.search).filter(({ name }) => !VIEW_NAMES.has(name))
    const words = unknown.map(({ name, value }) => T.dropped(name, value))
    replace(dropped, words.length > 0 && remark(T.droppedAll(words.join(', '))))
    replace(chosen, ...choices(filter, overview, choose))
    hideUnsearchable(filter)
  }

  /** The past cannot be searched. */
  function hideUnsearchable({ search: text }: Filter): void {
    for (const id of ['moved', 'trend']) {
      const parts = [document.getElementById(id), links.find(({ hash }) => hash === `#${id}`)]
      for (const part of parts) if (part) part.hidden = text !== undefined
    }
  }
  return { root, show }
}

const dayInput = (id: string) => el('input', { type: 'date', id, min: '1970-01-01' })

const field = (text: string, control: HTMLElement) =>
  el('div', { class: 'field' }, el('label', { for: control.id }, text), control)

const levelName = (level: string) => T.levels[level] ?? level
const statusName = (status: string) => T.statuses[status] ?? status

type Option = readonly [value: string, text: string]

/** A select that also shows a choice that is none of its options, such as several projects. */
function options(
  select: HTMLSelectElement,
  any: string,
  all: readonly Option[],
  chosen: readonly string[],
  wordOf = (one: string) => one,
): void {
  const value = chosen.join()
  const isOption = value === '' || all.some(([one]) => one === value)
  const extra: Option[] = isOption ? [] : [[value, chosen.map(wordOf).join(', ')]]
  const made = [['', any] as const, ...extra, ...all].map(([one, text]) => el('option', { value: one }, text))
  replace(select, ...made)
  select.value = value
}

interface Found {
  readonly data: readonly { readonly id: string; readonly name: string; readonly email: string | null }[]
}

/** Finds anybody by name, e-mail, title or department as one types, and those who are nobody or have left. */
function ownerField(choose: Choose) {
  const input = el('input', {
    id: 'owner',
    list: 'owners',
    placeholder: T.anyOwner,
    maxlength: 200,
    autocomplete: 'off',
  })
  const list = el('datalist', { id: 'owners' })
  const offered = new Map<string, Partial<Filter>>()
  let mayFind = false
  let shown = ''

  function offer(people: Found['data']): void {
    offered.clear()
    // Who has left is known to keys that may read people.
    for (const value of VALUES.ownership.filter((one) => mayFind || one === 'NONE' || one === 'NAMED')) {
      offered.set(T.ownerships[value] ?? value, { owner: undefined, ownership: [value] })
    }
    for (const { id, name, email } of people) {
      offered.set(email === null ? name : `${name} · ${email}`, { owner: email ?? id, ownership: [] })
    }
    replace(list, ...[...offered.keys()].map((value) => el('option', { value })))
  }
  const find = debounced(async () => {
    const text = input.value.trim()
    if (text === '' || !mayFind || offered.has(text)) return
    const query = new URLSearchParams({ search: text, status: 'ACTIVE,INACTIVE', limit: '8' })
    const found = await read<Found>(`/v1/personnel?${query}`).catch((): Found => ({ data: [] }))
    if (input.value.trim() === text) offer(found.data)
  })
  input.addEventListener('input', () => {
    const chosen = offered.get(input.value)
    if (chosen) choose(chosen)
    else find.later()
  })
  input.addEventListener('change', () => {
    const text = input.value.trim()
    // Also when the focus leaves what has been chosen already.
    if (text !== shown) choose(offered.get(text) ?? { owner: text || undefined, ownership: [] })
  })

  function show(filter: Filter, overview: Overview | undefined): void {
    mayFind = overview?.personnel !== undefined
    if (offered.size === 0 && overview) offer([])
    if (document.activeElement === input && !offered.has(input.value)) return
    const { owner, ownership } = filter
    input.value = owner ? ownerName(owner, overview) : ownership.map((one) => T.ownerships[one]).join(', ')
    shown = input.value
  }
  return { input, list, show }
}

/** The name of a person that the page has seen; else what names them. */
function ownerName(id: string, overview: Overview | undefined): string {
  if (id === 'none') return T.nobody.toLowerCase()
  const owners = overview?.risks.nodes.map(({ owner }) => owner)
  const assignees = overview?.issues.nodes.map(({ assignee }) => assignee)
  return [overview?.personnel?.nodes, owners, assignees].flat().find((one) => one?.id === id)?.name ?? id
}

type Choice = ReturnType<typeof chosenInWords>[number]

/** What is chosen, in words, each with the change that removes it. */
export function chosenInWords(filter: Filter, overview: Overview | undefined) {
  const { likelihood, impact, owner, search, unplaced, mitigated, dueAfter, dueBefore, group, movement } = filter
  const cell = T.chosenCell(likelihood, impact)
  const moved = movement && (T.movements[movement] ?? T.issueMovements[movement] ?? movement)
  const said: readonly (readonly [keyof Filter, string | false | undefined | readonly string[]])[] = [
    ['project', filter.project.map(T.chosenProject)],
    ['level', filter.level.map((level) => T.chosenLevel(levelName(level)))],
    ['likelihood', cell && filter.residual ? T.chosenResidual(cell) : cell],
    ['unplaced', unplaced && T.chosenUnplaced],
    ['owner', owner && T.chosenOwner(ownerName(owner, overview))],
    ['ownership', filter.ownership.map((one) => T.chosenOwnership(T.ownerships[one]?.toLowerCase() ?? one))],
    ['search', search && T.chosenSearch(search)],
    ['status', filter.status.map((status) => T.chosenStatus(statusName(status)))],
    ['category', filter.category.map(T.chosenCategory)],
    ['mitigated', mitigated !== undefined && (mitigated ? T.chosenMitigated : T.unmitigated.toLowerCase())],
    ['dueAfter', dueAfter && T.chosenDueAfter(shownDay(dueAfter))],
    ['dueBefore', dueBefore && T.chosenDue(shownDay(dueBefore))],
    ['severity', filter.severity.map((severity) => T.chosenSeverity(levelName(severity)))],
    ['projectStatus', filter.projectStatus.map((state) => T.chosenState(T.projectStates[state] ?? state))],
    ['group', group && T.chosenGroup(group)],
    ['movement', moved && T.chosenMovement(moved)],
  ]
  const own = said.flatMap(([name, words]) =>
    [words || []].flat().map((text, index) => ({ name, text, without: withoutPart(filter, name, index) })),
  )
  const others = Object.entries(filter.more).map(([name, value]) => {
    const { [name]: _, ...more } = filter.more
    return { name, text: `${name}: ${[value].flat().join(', ')}`, without: { more } }
  })
  return [...own, ...others]
}

/** The filter without one of its parts, or without one value of a part that can have several. */
function withoutPart(filter: Filter, name: keyof Filter, index: number): Partial<Filter> {
  if (name === 'likelihood') return { likelihood: undefined, impact: undefined }
  const values = filter[name]
  return { [name]: Array.isArray(values) ? values.filter((one) => one !== values[index]) : undefined }
}

/** Says of one list only which it is of, so that the others need not say that they do not follow it. */
const OF_ONE_LIST: readonly string[] = ['group', 'movement', 'severity']

/** Says which parts of the filter a section does not follow, if they are set. */
export function unfollowed(filter: Filter, overview: Overview, followed: readonly string[]): HTMLElement | false {
  const words = chosenInWords(filter, overview).filter(({ name }) => ![...followed, ...OF_ONE_LIST].includes(name))
  return words.length > 0 && remark(T.notFollowed(words.map(({ text }) => text).join(', ')))
}

function choices(filter: Filter, overview: Overview | undefined, choose: Choose): HTMLElement[] {
  const all = chosenInWords(filter, overview)
  if (all.length === 0) return []
  const item = ({ text, without }: Choice, index: number) =>
    button(
      { id: `chosen-${index}`, 'aria-label': T.remove(text), onclick: () => choose(without) },
      given(text),
      el('span', { 'aria-hidden': 'true' }, ' ×'),
    )
  const { since, residual, order, issueOrder } = filter
  const kept = { since, residual, order, issueOrder }
  const clear = button({ class: 'quiet', onclick: () => choose({ ...NO_FILTER, ...kept }) }, T.clearFilter)
  return [...all.map(item), clear].map((one) => el('li', {}, one))
}
