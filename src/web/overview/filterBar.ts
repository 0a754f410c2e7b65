import { button, el, given, remark, replace } from '../dom.js'
import { shownDay, T } from '../texts.js'
import type { Overview } from './data.js'
import { type Filter, NO_FILTER, sinceOf } from './filter.js'
import { LEVELS } from './levels.js'

type Choose = (change: Partial<Filter>) => void

/** The controls of the filter, and what is chosen: each choice can be removed. */
export function filterPart(choose: Choose) {
  const search = el('input', { type: 'search', id: 'search', placeholder: T.searchHint, maxlength: 200 })
  const project = el('select', { id: 'project' })
  const level = el('select', { id: 'level' })
  const owner = el('select', { id: 'owner' })
  const since = el('input', { type: 'date', id: 'since', min: '1970-01-01' })
  const chosen = el('ul', { class: 'chosen' })
  const listOf = (value: string) => (value === '' ? [] : [value])
  search.addEventListener('change', () => choose({ search: search.value.trim() || undefined }))
  project.addEventListener('change', () => choose({ project: listOf(project.value) }))
  level.addEventListener('change', () => choose({ level: listOf(level.value) }))
  owner.addEventListener('change', () => choose({ owner: owner.value || undefined }))
  since.addEventListener('change', () => choose({ since: since.value || undefined }))
  const labelled = (text: string, control: HTMLElement) =>
    el('div', { class: 'field' }, el('label', { for: control.id }, text), control)
  const form = el(
    'form',
    { class: 'filter', role: 'search', 'aria-label': T.filter, onsubmit: (event) => event.preventDefault() },
    labelled(T.search, search),
    labelled(T.project, project),
    labelled(T.level, level),
    labelled(T.owner, owner),
    labelled(T.since, since),
  )
  const root = el('div', { class: 'filters no-print' }, form, chosen)

  function show(filter: Filter, overview: Overview | undefined): void {
    const projects = (overview?.projects.nodes ?? []).map(({ key, name }) => [key, `${key} · ${name}`] as const)
    const levels = LEVELS.map((one) => [one, levelName(one)] as const)
    options(project, T.anyProject, projects, filter.project)
    options(level, T.anyLevel, levels, filter.level, levelName)
    owners(owner, filter, overview)
    search.value = filter.search ?? ''
    since.value = sinceOf(filter)
    replace(chosen, ...choices(filter, overview, choose))
  }
  return { root, show }
}

const levelName = (level: string) => T.levels[level] ?? level

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

function owners(select: HTMLSelectElement, filter: Filter, overview: Overview | undefined): void {
  const found = new Map<string, string>()
  for (const { owner } of overview?.risks.nodes ?? []) if (owner) found.set(owner.id, owner.name)
  const value = filter.owner ?? ''
  const sorted = [...found].sort(([, a], [, b]) => a.localeCompare(b))
  const people = sorted.map(([id, name]) => el('option', { value: id }, name))
  const isListed = value === '' || value === 'none' || found.has(value)
  replace(
    select,
    el('option', { value: '' }, T.anyOwner),
    el('option', { value: 'none' }, T.nobody),
    !isListed && el('option', { value }, ownerName(value, overview)),
    people.length > 0 && el('optgroup', { label: T.ownersShown }, ...people),
  )
  select.value = value
}

/** The name of a person that the page has seen; else the id. */
function ownerName(id: string, overview: Overview | undefined): string {
  if (id === 'none') return T.nobody.toLowerCase()
  const shown = [
    ...(overview?.personnel?.nodes ?? []),
    ...(overview?.risks.nodes ?? []).flatMap(({ owner }) => owner ?? []),
    ...(overview?.issues.nodes ?? []).flatMap(({ assignee }) => assignee ?? []),
  ]
  return shown.find((one) => one.id === id)?.name ?? id
}

interface Choice {
  readonly name: keyof Filter
  readonly text: string
  readonly without: Partial<Filter>
}

type Several = 'project' | 'level' | 'severity' | 'projectStatus'

export function wordsOf(filter: Filter, overview: Overview | undefined): Choice[] {
  const { likelihood, impact, owner, search, unplaced, dueBefore, group, movement } = filter
  const each = (name: Several, words: (value: string) => string): Choice[] =>
    filter[name].map((value) => ({
      name,
      text: words(value),
      without: { [name]: filter[name].filter((one) => one !== value) },
    }))
  const one = (
    name: keyof Filter,
    text: string | undefined,
    without: Partial<Filter> = { [name]: undefined },
  ): Choice[] => (text ? [{ name, text, without }] : [])
  const moved = movement && (T.movements[movement] ?? T.issueMovements[movement] ?? movement)
  return [
    ...each('project', T.chosenProject),
    ...each('level', (level) => T.chosenLevel(levelName(level))),
    ...one('likelihood', T.chosenCell(likelihood, impact), { likelihood: undefined, impact: undefined }),
    ...one('unplaced', unplaced && T.chosenUnplaced),
    ...one('owner', owner && T.chosenOwner(ownerName(owner, overview))),
    ...one('search', search && T.chosenSearch(search)),
    ...each('severity', (severity) => T.chosenSeverity(levelName(severity))),
    ...one('dueBefore', dueBefore && T.chosenDue(shownDay(dueBefore))),
    ...each('projectStatus', (state) => T.chosenState(T.projectStates[state] ?? state)),
    ...one('group', group && T.chosenGroup(group)),
    ...one('movement', moved && T.chosenMovement(moved)),
  ]
}

/** Says which parts of the filter a section does not follow, if they are set. */
export function unfollowed(
  filter: Filter,
  overview: Overview | undefined,
  names: readonly (keyof Filter)[],
): HTMLElement | false {
  const words = wordsOf(filter, overview).filter(({ name }) => names.includes(name))
  return words.length > 0 && remark(T.notFollowed(words.map(({ text }) => text).join(', ')))
}

function choices(filter: Filter, overview: Overview | undefined, choose: Choose): HTMLElement[] {
  const all = wordsOf(filter, overview)
  if (all.length === 0) return []
  const item = ({ text, without }: Choice, index: number) =>
    button(
      { id: `chosen-${index}`, 'aria-label': T.remove(text), onclick: () => choose(without) },
      given(text),
      el('span', { 'aria-hidden': 'true' }, ' ×'),
    )
  const { since } = filter
  const clear = button({ class: 'quiet', onclick: () => choose({ ...NO_FILTER, since }) }, T.clearFilter)
  return [...all.map(item), clear].map((one) => el('li', {}, one))
}
