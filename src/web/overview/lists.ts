import { el, given, replace, section } from '../dom.js'
import { shownAge, shownDay, shownNumber, T } from '../texts.js'
import { ISSUES_SHOWN, type Overview, type ProjectRef, today } from './data.js'
import type { Filter } from './filter.js'
import { chip, levelOf } from './levels.js'
import { table } from './tables.js'

export type Link = (change: Partial<Filter>, ...content: readonly (Node | string)[]) => HTMLAnchorElement

/** The project of a risk or an issue, and its reference there. */
export function placed({ project, reference }: { project: ProjectRef; reference: string }, link: Link): HTMLElement {
  return el(
    'div',
    { title: project.name },
    link({ project: [project.key] }, project.key),
    el('span', { class: 'meta' }, ' ', given(reference)),
  )
}

export function issuesPart(link: Link) {
  const count = el('p', { class: 'tools' })
  const { root, body } = section('issues', T.issues, count)
  const columns = [
    { label: T.severity, kind: 'level' },
    { label: T.issue },
    { label: T.project, kind: 'wide' },
    { label: T.status, kind: 'wide' },
    { label: T.due, kind: 'day' },
    { label: T.assignee, kind: 'wide' },
  ]
  function show({ issues: { nodes, totalCount } }: Overview): void {
    replace(count, totalCount > ISSUES_SHOWN && T.ofIssues(nodes.length, totalCount))
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
      given(issue.assignee?.name ?? issue.assigneeName ?? T.nothing),
    ])
    replace(body, nodes.length === 0 ? el('p', { class: 'note' }, T.noIssues) : table(T.issuesCaption, columns, rows))
  }
  return { root, show }
}

function due(day: string | null): Node | string {
  if (day === null) return T.nothing
  return day < today() ? el('strong', { class: 'overdue' }, T.overdueOn(shownDay(day))) : shownDay(day)
}

export function projectsPart(link: Link) {
  const { root, body } = section('projects', T.projects)
  const columns = [
    { label: T.project },
    { label: T.openRisks, kind: 'number' },
    { label: T.issuesShort, kind: 'number' },
    { label: T.topScore, kind: 'level' },
    { label: T.synced, kind: 'wide' },
  ]
  function show({ projects: { nodes } }: Overview, filter: Filter): void {
    const chosen = new Set(filter.project.map((key) => key.toUpperCase()))
    const shown = nodes.filter(({ key, status }) => (chosen.size === 0 ? status !== 'CLOSED' : chosen.has(key)))
    const rows = shown.map(({ key, name, status, openRiskCount, openIssueCount, topRiskScore, syncedAt }) => [
      el(
        'div',
        {},
        link({ project: [key] }, given(name)),
        el('div', { class: 'meta' }, key, status === 'ACTIVE' ? '' : ` · ${T.projectStates[status] ?? status}`),
      ),
      openRiskCount === 0 ? '0' : link({ project: [key] }, shownNumber(openRiskCount)),
      openIssueCount === 0 ? '0' : link({ project: [key] }, shownNumber(openIssueCount)),
      topRiskScore === null ? T.nothing : chip(levelOf(topRiskScore), topRiskScore),
      syncedAt === null ? T.never : shownAge(syncedAt),
    ])
    replace(body, table(T.projectsCaption, columns, rows))
  }
  return { root, show }
}

/** The roster and the groups; says which scope is missing where the key may not see them. */
export function peoplePart(link: Link) {
  const count = el('p', { class: 'tools' })
  const roster = section('roster', T.roster, count)
  const groups = section('groups', T.groups)
  function show({ personnel, groups: found }: Overview): void {
    if (!personnel || !found) {
      replace(count)
      replace(roster.body, missing(T.people))
      replace(groups.body, missing(T.groups))
      return
    }
    replace(count, T.ofPeople(personnel.nodes.length, personnel.totalCount))
    const people = personnel.nodes.map(({ id, name, title, department }) => {
      const position = [title, department].filter((text) => text !== null).join(', ')
      return el('li', {}, link({ owner: id }, given(name)), el('div', { class: 'meta' }, given(position)))
    })
    replace(roster.body, el('ul', { class: 'people' }, ...people))
    const rows = found.nodes.map(({ name, memberCount }) => [
      link({ group: name }, given(name)),
      shownNumber(memberCount),
    ])
    replace(groups.body, table(T.groupsCaption, [{ label: T.name }, { label: T.members, kind: 'number' }], rows))
  }
  return { roster: roster.root, groups: groups.root, show }
}

function missing(what: string): HTMLElement {
  return el('p', { class: 'note' }, T.scopeMissing(what, 'personnel.read'))
}
