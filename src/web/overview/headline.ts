import { el, replace } from '../dom.js'
import { shownAge, shownNumber, T } from '../texts.js'
import type { Link } from './address.js'
import { chosenProjects, contains, type LevelCount, type Overview, type Project, shownProjects } from './data.js'
import { type Filter, today } from './filter.js'

/** The figures on top, each a link that sets the filter. */
export function headlinePart(link: Link) {
  const root = el('section', { class: 'headline', 'aria-label': T.title })

  function show(overview: Overview, filter: Filter): void {
    const { riskMatrix, issueCounts, overdue, lateRisks, hidden, personnel, groups } = overview
    const total = riskMatrix.levels.reduce((sum, { count }) => sum + count, 0)
    const late = (section: string, count: number) =>
      count > 0 && el('p', { class: 'overdue' }, link(section, { dueBefore: today() }, ...figure(count, T.overdue)))
    const projects = shownProjects(overview, filter)
    const isFound = ({ key, name }: Project) => contains(filter, key, name)
    const found = projects.filter(isFound)
    const isUnseen = (one: Project) => one.status === 'CLOSED' && !projects.includes(one) && isFound(one)
    const unseen = chosenProjects(overview, filter).filter(isUnseen).length
    const closed = () => link('register', { projectStatus: ['CLOSED'] }, T.closedHidden(hidden?.totalCount ?? 0))
    replace(
      root,
      tile(
        T.liveRisks,
        link('register', {}, shownNumber(total)),
        parts(riskMatrix.levels, (level, ...figure) => link('register', { level: [level] }, ...figure)),
        late('register', lateRisks.totalCount),
        (hidden?.totalCount ?? 0) > 0 && el('p', {}, T.notShownHere, closed()),
      ),
      tile(
        T.openIssues,
        link('issues', {}, shownNumber(issueCounts.total)),
        parts(issueCounts.severities, (level, ...figure) => link('issues', { severity: [level] }, ...figure)),
        late('issues', overdue.total),
      ),
      tile(
        T.projects,
        link('projects', {}, shownNumber(found.length)),
        states(found),
        freshness(projects),
        unseen > 0 &&
          el('p', {}, T.notShownHere, link('projects', { projectStatus: ['CLOSED'] }, T.closedProjects(unseen))),
      ),
      personnel && groups
        ? tile(
            T.people,
            link('roster', {}, shownNumber(personnel.totalCount)),
            el('p', {}, link('groups', { search: undefined }, T.inGroups(groups.nodes.length))),
          )
        : tile(T.people, T.nothing, el('p', {}, T.peopleHidden)),
    )
  }

  /** How many of the shown projects are in each state. */
  function states(projects: readonly Project[]): HTMLElement {
    const items = Object.entries(T.projectStates).flatMap(([status, word]) => {
      const count = projects.filter((one) => one.status === status).length
      return count > 0 ? el('li', {}, link('projects', { projectStatus: [status] }, ...figure(count, word))) : []
    })
    return el('ul', { class: 'parts states' }, ...items)
  }

  function freshness(projects: readonly Project[]): HTMLElement {
    const first = oldest(projects)
    if (!first) return el('p', {}, T.neverSynced)
    const key = link('', { project: [first.key] }, first.key)
    return el('p', {}, T.oldestData, key, `, ${shownAge(first.syncedAt)}`)
  }
  return { root, show }
}

function figure(count: number, word: string): (Node | string)[] {
  return [el('strong', {}, shownNumber(count)), ` ${word}`]
}

function tile(label: string, figure: Node | string, ...below: readonly (Node | false)[]): HTMLElement {
  const heading = el('h2', { tabindex: -1 }, label)
  return el('div', { class: 'tile' }, heading, el('p', { class: 'figure' }, figure), ...below)
}

/** The parts of a whole: a bar for the eye, and a list in which what is there is a link. */
function parts(all: readonly LevelCount[], linked: (level: string, ...figure: (Node | string)[]) => Node) {
  const bar = el('div', { class: 'bar', 'aria-hidden': 'true' })
  for (const { level, count } of all.filter((one) => one.count > 0)) {
    const share = el('span', { class: `level-${level}` })
    share.style.flexGrow = String(count)
    bar.append(share)
  }
  const items = all.map(({ level, count }) => {
    const content = figure(count, T.levels[level] ?? level)
    return el('li', { class: `level-${level}` }, ...(count === 0 ? content : [linked(level, ...content)]))
  })
  return el('div', {}, bar, el('ul', { class: 'parts' }, ...items))
}

/** The one of these projects whose data is the oldest; undefined without one. */
export function oldest(projects: readonly Project[]): (Project & { syncedAt: string }) | undefined {
  return projects
    .flatMap((one) => (one.syncedAt === null ? [] : [{ ...one, syncedAt: one.syncedAt }]))
    .sort((a, b) => a.syncedAt.localeCompare(b.syncedAt))[0]
}
