import { el, given, remark, replace, section } from '../dom.js'
import { shownAge, shownDay, shownNumber, T } from '../texts.js'
import { type Overview, type ProjectRef, type Shown, shownProjects, today } from './data.js'
import { allIssuesOf, allRisksOf, type Filter } from './filter.js'
import { unfollowed } from './filterBar.js'
import { chip, levelOf } from './levels.js'
import { extent, type More, table } from './tables.js'

/** A link that changes the filter, and leads to a section; with no section it stays where it is. */
export type Link = (to: string, change: Partial<Filter>, ...content: readonly (Node | string)[]) => HTMLAnchorElement

/** The project of a risk or an issue, and its reference there. */
export function placed({ project, reference }: { project: ProjectRef; reference: string }, link: Link): HTMLElement {
  return el(
    'div',
    { title: project.name },
    link('', { project: [project.key] }, project.key),
    el('span', { class: 'meta' }, ' ', given(reference)),
  )
}

export function issuesPart(link: Link, more: More) {
  const { root, body } = section('issues', T.issues)
  const columns = [
    { label: T.severity, kind: 'level' },
    { label: T.issue },
    { label: T.project, kind: 'wide' },
    { label: T.status, kind: 'wide' },
    { label: T.due, kind: 'day' },
    { label: T.assignee, kind: 'wide' },
  ]
  function show(overview: Overview, filter: Filter): void {
    const { nodes, totalCount } = overview.issues
    const rows = nodes.map((issue) => [
      chip(issue.severity),
      el(
        'div',
        {},
        issue.url ? el('a', { href: issue.url, rel: 'noreferrer' }, given(issue.title)) : given(issue.title),
        el('div', { class: 'meta narrow' }, `${issue.project.key} · `, given(issue.reference)),
      ),
      placed(issue, link),
      T.statuses[issue.status] ?? issue.status,
      due(issue.dueOn),
      given(issue.assignee?.name ?? issue.assigneeName ?? (issue.assigneeId ? T.hidden : T.nothing)),
    ])
    replace(
      body,
      unfollowed(filter, overview, ['level', 'likelihood', 'unplaced']),
      nodes.length === 0 ? remark(T.noIssues) : table(T.issuesCaption, columns, rows),
      extent('issues', more, T.ofIssues, nodes.length, totalCount),
    )
  }
  return { root, show }
}

function due(day: string | null): Node | string {
  if (day === null) return T.nothing
  return day < today() ? el('strong', { class: 'overdue' }, T.overdueOn(shownDay(day))) : shownDay(day)
}

export function projectsPart(link: Link, more: More) {
  const { root, body } = section('projects', T.projects)
  const columns = [
    { label: T.project },
    { label: T.openRisks, kind: 'number' },
    { label: T.issuesShort, kind: 'number' },
    { label: T.topScore, kind: 'level' },
    { label: T.synced, kind: 'wide' },
  ]
  function show(overview: Overview, filter: Filter, shown: Shown): void {
    const all = shownProjects(overview, filter)
    const rows = all.slice(0, shown.projects).map((project) => {
      const { key, name, status, openRiskCount, openIssueCount, topRiskScore, syncedAt } = project
      const top = topRiskScore === null ? undefined : levelOf(topRiskScore)
      return [
        el(
          'div',
          {},
          link('', { project: [key] }, given(name)),
          el('div', { class: 'meta' }, key, status === 'ACTIVE' ? '' : ` · ${T.projectStates[status] ?? status}`),
        ),
        openRiskCount === 0 ? '0' : link('register', allRisksOf(key), shownNumber(openRiskCount)),
        openIssueCount === 0 ? '0' : link('issues', allIssuesOf(key), shownNumber(openIssueCount)),
        top === undefined || topRiskScore === null
          ? T.nothing
          : link('register', { ...allRisksOf(key), level: [top] }, chip(top, topRiskScore)),
        syncedAt === null ? T.never : shownAge(syncedAt),
      ]
    })
    replace(
      body,
      unfollowed(filter, overview, ['level', 'likelihood', 'unplaced', 'owner', 'search', 'severity', 'dueBefore']),
      table(T.projectsCaption, columns, rows),
      all.length > rows.length && extent('projects', more, T.ofProjects, rows.length, all.length),
    )
  }
  return { root, show }
}

/** The roster and the groups; says which scope is missing where the key may not see them. */
export function peoplePart(link: Link, more: More) {
  const roster = section('roster', T.roster)
  const groups = section('groups', T.groups)
  function show({ personnel, groups: found }: Overview, shown: Shown): void {
    if (!personnel || !found) {
      replace(roster.body, remark(T.scopeMissing(T.people, 'personnel.read')))
      replace(groups.body, remark(T.scopeMissing(T.groups, 'personnel.read')))
      return
    }
    const people = personnel.nodes.map(({ id, name, title, department }) => {
      const position = [title, department].filter((text) => text !== null).join(', ')
      return el('li', {}, link('register', { owner: id }, given(name)), el('div', { class: 'meta' }, given(position)))
    })
    replace(
      roster.body,
      el('ul', { class: 'people' }, ...people),
      extent('people', more, T.ofPeople, people.length, personnel.totalCount),
    )
    const rows = found.nodes
      .slice(0, shown.groups)
      .map(({ name, memberCount }) => [
        link('roster', { group: name }, given(name)),
        memberCount === 0 ? '0' : link('roster', { group: name }, shownNumber(memberCount)),
      ])
    const all = found.nodes.length
    replace(
      groups.body,
      table(T.groupsCaption, [{ label: T.name }, { label: T.members, kind: 'number' }], rows),
      all > rows.length && extent('groups', more, T.ofGroups, rows.length, all),
    )
  }
  return { roster: roster.root, groups: groups.root, show }
}
