import { el, replace } from '../dom.js'
import { shownAge, shownNumber, T } from '../texts.js'
import type { Overview, Project } from './data.js'
import type { Filter } from './filter.js'
import type { Link } from './lists.js'

/** The figures on top, each a link that sets the filter. */
export function headlinePart(link: Link) {
  const root = el('section', { class: 'headline', 'aria-label': T.title })

  function show({ riskMatrix, issueCounts, overdue, projects, personnel, groups }: Overview, filter: Filter): void {
    const levels = riskMatrix.levels.map(({ level, count }) => ({
      name: level,
      count,
      link: link({ level: [level] }, ...figure(count, T.levels[level] ?? level)),
    }))
    const severities = issueCounts.severities.map(({ severity, count }) => ({
      name: severity,
      count,
      link: link({ severity: [severity] }, ...figure(count, T.levels[severity] ?? severity)),
    }))
    const total = riskMatrix.levels.reduce((sum, { count }) => sum + count, 0)
    replace(
      root,
      tile(
        T.liveRisks,
        link({ level: [], likelihood: undefined, impact: undefined }, shownNumber(total)),
        parts(levels),
      ),
      tile(
        T.openIssues,
        link({ severity: [] }, shownNumber(issueCounts.total)),
        parts(severities),
        overdue.total > 0 && el('p', { class: 'overdue' }, T.overdue(overdue.total)),
      ),
      tile(
        T.projects,
        link({ project: [] }, shownNumber(projects.nodes.length)),
        states(projects.nodes),
        freshness(projects.nodes, filter),
      ),
      personnel && groups
        ? tile(
            T.people,
            anchor('#roster', shownNumber(personnel.totalCount)),
            el('p', {}, anchor('#groups', T.inGroups(groups.nodes.length))),
          )
        : tile(T.people, T.nothing, el('p', {}, T.peopleHidden)),
    )
  }
  return { root, show }
}

function anchor(href: string, text: string): HTMLAnchorElement {
  return el('a', { href }, text)
}

function figure(count: number, word: string): (Node | string)[] {
  return [el('strong', {}, shownNumber(count)), ` ${word}`]
}

function tile(label: string, figure: Node | string, ...below: readonly (Node | false)[]): HTMLElement {
  return el('div', { class: 'tile' }, el('h2', {}, label), el('p', { class: 'figure' }, figure), ...below)
}

interface Part {
  readonly name: string
  readonly count: number
  readonly link: Node
}

/** The parts of a whole: a bar for the eye, and a list of links. */
function parts(all: readonly Part[]): HTMLElement {
  const bar = el('div', { class: 'bar', 'aria-hidden': 'true' })
  for (const { name, count } of all.filter((one) => one.count > 0)) {
    const share = el('span', { class: `level-${name}` })
    share.style.flexGrow = String(count)
    bar.append(share)
  }
  const items = all.map(({ name, link }) => el('li', { class: `level-${name}` }, link))
  return el('div', {}, bar, el('ul', { class: 'parts' }, ...items))
}

function states(projects: readonly Project[]): HTMLElement {
  const counts = new Map<string, number>()
  for (const { status } of projects) counts.set(status, (counts.get(status) ?? 0) + 1)
  return el(
    'p',
    {},
    [...counts].map(([status, count]) => `${shownNumber(count)} ${T.projectStates[status] ?? status}`).join(', '),
  )
}

/** The project whose data is the oldest among those that are shown; undefined if none has any. */
export function oldest(
  projects: readonly Project[],
  { project }: Filter,
): (Project & { syncedAt: string }) | undefined {
  const chosen = new Set(project.map((key) => key.toUpperCase()))
  return projects
    .filter(({ key, status }) => (chosen.size === 0 ? status !== 'CLOSED' : chosen.has(key)))
    .flatMap((one) => (one.syncedAt === null ? [] : [{ ...one, syncedAt: one.syncedAt }]))
    .sort((a, b) => a.syncedAt.localeCompare(b.syncedAt))[0]
}

function freshness(projects: readonly Project[], filter: Filter): HTMLElement {
  const first = oldest(projects, filter)
  if (!first) return el('p', {}, T.neverSynced)
  return el('p', {}, T.oldestData(first.key, shownAge(first.syncedAt)))
}
