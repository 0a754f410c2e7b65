import { el, replace } from '../dom.js'
import { T } from '../texts.js'
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
    options(project, T.anyProject, projects, filter.project.join())
    options(
      level,
      T.anyLevel,
      LEVELS.map((one) => [one, T.levels[one] ?? one] as const),
      filter.level.join(),
    )
    owners(owner, filter, overview)
    search.value = filter.search ?? ''
    since.value = sinceOf(filter)
    replace(chosen, ...choices(filter, overview, choose))
  }
  return { root, show }
}

type Option = readonly [value: string, text: string]

/** A select that also shows a value that is none of its options, such as several projects. */
function options(select: HTMLSelectElement, any: string, all: readonly Option[], value: string): void {
  const known = all.some(([one]) => one === value) || value === ''
  const extra: Option[] = known ? [] : [[value, value]]
  const made = [['', any] as const, ...extra, ...all].map(([one, text]) => el('option', { value: one }, text))
  replace(select, ...made)
  select.value = value
}

function owners(select: HTMLSelectElement, filter: Filter, overview: Overview | undefined): void {
  const found = new Map<string, string>()
  for (const { owner } of overview?.risks.nodes ?? []) if (owner) found.set(owner.id, owner.name)
  const value = filter.owner ?? ''
  const sorted = [...found].sort(([, a], [, b]) => a.localeCompare(b))
  const group = el(
    'optgroup',
    { label: T.ownersShown },
    ...sorted.map(([id, name]) => el('option', { value: id }, name)),
  )
  const isListed = value === '' || value === 'none' || found.has(value)
  replace(
    select,
    el('option', { value: '' }, T.anyOwner),
    el('option', { value: 'none' }, T.nobody),
    !isListed && el('option', { value }, ownerName(value, overview)),
    sorted.length > 0 && group,
  )
  select.value = value
}

/** The name of a person that the page has seen; else the id. */
export function ownerName(id: string, overview: Overview | undefined): string {
  if (id === 'none') return T.nobody.toLowerCase()
  const shown = [
    ...(overview?.personnel?.nodes ?? []),
    ...(overview?.risks.nodes ?? []).flatMap(({ owner }) => owner ?? []),
    ...(overview?.issues.nodes ?? []).flatMap(({ assignee }) => assignee ?? []),
  ]
  return shown.find((one) => one.id === id)?.name ?? id
}

interface Choice {
  readonly text: string
  readonly without: Partial<Filter>
}

/** What is chosen, in words. */
export function wordsOf(filter: Filter, overview: Overview | undefined): Choice[] {
  const { likelihood, impact, owner, search, group } = filter
  const without = (name: 'project' | 'level' | 'severity', value: string) => ({
    [name]: filter[name].filter((one) => one !== value),
  })
  return [
    ...filter.project.map((key) => ({ text: T.chosenProject(key), without: without('project', key) })),
    ...filter.level.map((one) => ({ text: T.chosenLevel(T.levels[one] ?? one), without: without('level', one) })),
    ...(likelihood !== undefined || impact !== undefined
      ? [{ text: T.chosenCell(likelihood, impact), without: { likelihood: undefined, impact: undefined } }]
      : []),
    ...(owner === undefined
      ? []
      : [{ text: T.chosenOwner(ownerName(owner, overview)), without: { owner: undefined } }]),
    ...(search === undefined ? [] : [{ text: T.chosenSearch(search), without: { search: undefined } }]),
    ...filter.severity.map((one) => ({
      text: T.chosenSeverity(T.levels[one] ?? one),
      without: without('severity', one),
    })),
    ...(group === undefined ? [] : [{ text: T.chosenGroup(group), without: { group: undefined } }]),
  ]
}

function choices(filter: Filter, overview: Overview | undefined, choose: Choose): HTMLElement[] {
  const all = wordsOf(filter, overview)
  if (all.length === 0) return []
  const item = ({ text, without }: Choice, index: number) =>
    el(
      'li',
      {},
      el(
        'button',
        { type: 'button', id: `chosen-${index}`, 'aria-label': T.remove(text), onclick: () => choose(without) },
        el('bdi', {}, text),
        el('span', { 'aria-hidden': 'true' }, ' ×'),
      ),
    )
  const { since } = filter
  const clear = el(
    'button',
    { type: 'button', class: 'quiet', onclick: () => choose({ ...NO_FILTER, since }) },
    T.clearFilter,
  )
  return [...all.map(item), el('li', {}, clear)]
}
