import { el, replace } from '../dom.js'
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
    options(project, T.anyProject, projects, filter.project.join(), filter.project.join(', '))
    options(
      level,
      T.anyLevel,
      LEVELS.map((one) => [one, T.levels[one] ?? one] as const),
      filter.level.join(),
      filter.level.map((one) => T.levels[one] ?? one).join(', '),
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
function options(select: HTMLSelectElement, any: string, all: readonly Option[], value: string, words = value): void {
  const known = all.some(([one]) => one === value) || value === ''
  const extra: Option[] = known ? [] : [[value, words]]
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

/** What is chosen, in words. */
export function wordsOf(filter: Filter, overview: Overview | undefined): Choice[] {
  const { likelihood, impact, owner, search, unplaced, dueBefore, group, movement } = filter
  const each = (name: Several, words: (value: string) => string): Choice[] =>
    filter[name].map((value) => ({
      name,
      text: words(value),
      without: { [name]: filter[name].filter((one) => one !== value) },
    }))
  const one = (name: keyof Filter, text: string | undefined | false): Choice[] =>
    text ? [{ name, text, without: { [name]: undefined } }] : []
  const cell = likelihood !== undefined || impact !== undefined
  const moved = movement && (T.movements[movement] ?? T.issueMovements[movement] ?? movement)
  return [
    ...each('project', T.chosenProject),
    ...each('level', (level) => T.chosenLevel(T.levels[level] ?? level)),
    ...(cell
      ? [
          {
            name: 'likelihood' as const,
            text: T.chosenCell(likelihood, impact),
            without: { likelihood: undefined, impact: undefined },
          },
        ]
      : []),
    ...one('unplaced', unplaced && T.chosenUnplaced),
    ...one('owner', owner && T.chosenOwner(ownerName(owner, overview))),
    ...one('search', search && T.chosenSearch(search)),
    ...each('severity', (severity) => T.chosenSeverity(T.levels[severity] ?? severity)),
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
  return words.length > 0 && el('p', { class: 'note' }, T.notFollowed(words.map(({ text }) => text).join(', ')))
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
