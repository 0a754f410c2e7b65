import { el, given, remark, replace, section } from '../dom.js'
import { shownAge, shownNumber, T } from '../texts.js'
import { entryName, type Link, viewLink } from './address.js'
import type { Late, Overview, Past, ProjectRef, Shown } from './data.js'
import { contains, FIRST, shownProjects } from './data.js'
import { allIssuesOf, allRisksOf, type Filter, issueFilterOf, lateOf, queryOf } from './filter.js'
import { unfollowed } from './filterBar.js'
import { chip, levelOf, statusMark } from './levels.js'
import { loading } from './past.js'
import { csvLink, extent, type More, ordering, type Row, table } from './tables.js'
import { dueDay, facts, peopleList, responsible } from './views/parts.js'

type Fail = (error: unknown) => void

/** The project of a risk or an issue, and its reference there. */
export function placed({ project, reference }: { project: ProjectRef; reference: string }, link: Link): HTMLElement {
  return el(
    'div',
    { title: `${project.name} · ${reference}` },
    link('', { project: [project.key] }, project.key),
    el('span', { class: 'meta' }, ' ', given(reference)),
  )
}

/** The title of a risk or an issue, in two lines at most, with what is only printed. */
export function titled(title: HTMLAnchorElement, id: string, ...more: readonly Node[]): HTMLElement {
  title.id = id
  return el('div', {}, el('div', { class: 'title', title: title.textContent ?? '' }, title), ...more)
}

export function issuesPart(link: Link, more: More, fail: Fail) {
  const tools = el('p', { class: 'tools no-print' })
  const { root, body } = section('issues', T.issues, tools)
  function show(overview: Overview, filter: Filter): void {
    const { nodes, totalCount } = overview.issues
    const order = ordering(link, 'issues', 'issueOrder', filter)
    const columns = [
      { ...order(T.severity, 'SEVERITY'), kind: 'level' },
      { label: T.issue, kind: 'title' },
      { label: T.project, kind: 'place' },
      { label: T.status, kind: 'short' },
      { label: T.assignee, kind: 'holder' },
      { ...order(T.due, 'DUE'), kind: 'day' },
      { ...order(T.changed, 'UPDATED'), kind: 'short' },
    ]
    const rows = nodes.map((issue) => [
      chip(issue.severity),
      titled(viewLink('issue', entryName(issue), given(issue.title)), issue.id),
      placed(issue, link),
      statusMark(issue.status),
      responsible(issue.assignee, issue.assigneeName, issue.assigneeId, T.noAssignee),
      dueDay(issue.dueOn),
      shownAge(issue.updatedAt),
    ])
    replace(tools, csvLink('issues', queryOf({ ...issueFilterOf(filter), order: filter.issueOrder }), fail))
    const followed = ['project', 'projectStatus', 'owner', 'ownership', 'search', 'dueAfter', 'dueBefore', 'severity']
    replace(
      body,
      unfollowed(filter, overview, followed),
      nodes.length === 0 ? remark(T.noIssues) : table(T.issuesCaption, columns, rows, 'entries'),
      extent('issues', more, T.ofIssues, nodes.length, totalCount),
    )
  }
  return { root, show }
}

/** Who has something overdue, most first. */
export function latePart(link: Link, more: More) {
  const { root, body } = section('late', T.late)
  replace(body, loading())
  const columns = [{ label: T.name }, { label: T.issuesLate, kind: 'number' }, { label: T.risksLate, kind: 'number' }]
  function show({ overdueByPerson: { total, people } }: Past, filter: Filter, overview: Overview): void {
    const counted = (section: string, { personId }: Late, late: number, all: number) => {
      const text = T.ofAll(late, all)
      return personId === null || late === 0 ? text : link(section, lateOf(personId), text)
    }
    const rows = people.map(
      (one): Row => [
        responsible(one.person, one.name, one.personId),
        counted('issues', one, one.overdueIssueCount, one.openIssueCount),
        counted('register', one, one.overdueRiskCount, one.riskCount),
      ],
    )
    replace(
      body,
      unfollowed(filter, overview, ['project', 'projectStatus']),
      total === 0 ? remark(T.noneLate) : table(T.lateCaption, columns, rows),
      total > FIRST.late && extent('late', more, T.ofPeople, rows.length, total),
    )
  }
  return { root, show }
}

export function projectsPart(link: Link, more: More) {
  const { root, body } = section('projects', T.projects)
  const columns = [
    { label: T.project },
    { label: T.openRisks, kind: 'number' },
    { label: T.issuesShort, kind: 'number' },
    { label: T.topScore, kind: 'level' },
    { label: T.synced, kind: 'short wide' },
  ]
  function show(overview: Overview, filter: Filter, shown: Shown): void {
    const all = shownProjects(overview, filter).filter(({ key, name }) => contains(filter, key, name))
    const rows = all.slice(0, shown.projects).map((project) => {
      const { key, name, status, openRiskCount, openIssueCount, topRiskScore, syncedAt } = project
      const top = topRiskScore === null ? undefined : levelOf(topRiskScore)
      const state = status === 'ACTIVE' ? '' : ` · ${T.projectStates[status] ?? status}`
      const place = el('div', { class: 'meta' }, link('', { project: [key] }, key), state)
      return [
        el('div', {}, viewLink('project', key, given(name)), place),
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
      unfollowed(filter, overview, ['project', 'projectStatus', 'search']),
      rows.length === 0 ? remark(T.noProjects) : table(T.projectsCaption, columns, rows),
      all.length > rows.length && extent('projects', more, T.ofProjects, rows.length, all.length),
    )
  }
  return { root, show }
}

/** The roster and the groups; says which scope is missing where the key may not see them. */
export function peoplePart(link: Link, more: More, fail: Fail) {
  const tools = el('p', { class: 'tools no-print' })
  const roster = section('roster', T.roster, tools)
  const groups = section('groups', T.groups)
  function show(overview: Overview, filter: Filter, shown: Shown): void {
    const { personnel, groups: found } = overview
    if (!personnel || !found) {
      replace(roster.body, remark(T.scopeMissing(T.people, 'personnel.read')))
      replace(groups.body, remark(T.scopeMissing(T.groups, 'personnel.read')))
      return
    }
    replace(tools, csvLink('personnel', queryOf({ group: filter.group, search: filter.search }), fail))
    replace(
      roster.body,
      unfollowed(filter, overview, ['search']),
      peopleList(personnel.nodes, T.noPeople),
      extent('people', more, T.ofPeople, personnel.nodes.length, personnel.totalCount),
    )
    const named = found.nodes.filter(({ name }) => contains(filter, name))
    const rows = named
      .slice(0, shown.groups)
      .map(({ name, memberCount }) => [
        viewLink('group', name, given(name)),
        memberCount === 0 ? '0' : link('roster', { group: name, search: undefined }, shownNumber(memberCount)),
      ])
    const columns = [{ label: T.name }, { label: T.members, kind: 'number' }]
    replace(
      groups.body,
      rows.length === 0 ? remark(T.noGroups) : table(T.groupsCaption, columns, rows),
      named.length > rows.length && extent('groups', more, T.ofGroups, rows.length, named.length),
    )
  }
  return { roster: roster.root, groups: groups.root, show }
}

export function glossary(): HTMLElement {
  const { root, body } = section('glossary', T.glossaryHeading)
  body.append(facts(Object.entries(T.glossary)))
  return root
}
