import { el, given, remark, replace, section } from '../dom.js'
import { shownAge, shownNumber, T } from '../texts.js'
import { entryName, type Link, viewLink } from './address.js'
import type { Entry, Group, Issue, Late, Overview, Past, Project, Shown } from './data.js'
import { contains, FIRST, shownProjects } from './data.js'
import { allIssuesOf, allRisksOf, type Filter, isOther, issueFilterOf, lateOf, queryOf } from './filter.js'
import { unfollowed } from './filterBar.js'
import { chip, levelOf, statusMark } from './levels.js'
import { loading } from './past.js'
import { type Column, csvLink, extent, type Fail, type More, ordering, table } from './tables.js'
import { dueDay, facts, peopleList, responsible } from './views/parts.js'

/** The project of a risk or an issue, and its reference there. */
export function placed({ project, reference }: Entry, link: Link): HTMLElement {
  return el(
    'div',
    { title: `${project.name} · ${reference}` },
    link('', { project: [project.key] }, project.key),
    el('span', { class: 'meta' }, ' ', given(reference)),
  )
}

/** The title of a risk or an issue, in two lines at most, with what is only printed. */
export function titled(kind: 'risk' | 'issue', entry: Entry, ...more: readonly Node[]): HTMLElement {
  const view = viewLink(kind, entryName(entry), given(entry.title))
  view.id = entry.id
  return el('div', {}, el('div', { class: 'title', title: entry.title }, view), ...more)
}

export function issuesPart(link: Link, more: More, fail: Fail) {
  const tools = el('p', { class: 'tools no-print' })
  const { root, body } = section('issues', T.issues, tools)
  function show(overview: Overview, filter: Filter): void {
    const { nodes, totalCount } = overview.issues
    const order = ordering(link, 'issues', 'issueOrder', filter)
    const holder = (one: Issue) => responsible(one.assignee, one.assigneeName, one.assigneeId, T.noAssignee)
    const columns: readonly Column<Issue>[] = [
      { ...order(T.severity, 'SEVERITY'), kind: 'level', cell: ({ severity }) => chip(severity) },
      { label: T.issue, kind: 'title', cell: (issue) => titled('issue', issue) },
      { label: T.project, kind: 'place', cell: (issue) => placed(issue, link) },
      { label: T.status, kind: 'short', cell: ({ status }) => statusMark(status) },
      { label: T.assignee, kind: 'holder', cell: holder },
      { ...order(T.due, 'DUE'), kind: 'day', cell: ({ dueOn }) => dueDay(dueOn) },
      { ...order(T.changed, 'UPDATED'), kind: 'short', cell: ({ updatedAt }) => shownAge(updatedAt) },
    ]
    replace(tools, csvLink('issues', queryOf({ ...issueFilterOf(filter), order: filter.issueOrder }), fail))
    const others = Object.keys(filter.more).filter((name) => isOther('issues', name))
    const own = ['project', 'projectStatus', 'owner', 'ownership', 'search', 'dueAfter', 'dueBefore', 'severity']
    const followed = [...own, ...others]
    replace(
      body,
      unfollowed(filter, overview, followed),
      nodes.length === 0 ? remark(T.noIssues) : table(T.issuesCaption, columns, nodes, 'entries'),
      extent('issues', more, T.ofIssues, nodes.length, totalCount),
    )
  }
  return { root, show }
}

/** Who has something overdue, most first. */
export function latePart(link: Link, more: More) {
  const { root, body } = section('late', T.late)
  replace(body, loading())
  function show({ overdueByPerson: { total, people } }: Past, filter: Filter, overview: Overview): void {
    const counted = (section: string, { personId }: Late, late: number, all: number) => {
      const text = T.ofAll(late, all)
      return personId === null || late === 0 ? text : link(section, lateOf(personId), text)
    }
    const issues = (one: Late) => counted('issues', one, one.overdueIssueCount, one.openIssueCount)
    const risks = (one: Late) => counted('register', one, one.overdueRiskCount, one.riskCount)
    const columns: readonly Column<Late>[] = [
      { label: T.name, cell: ({ person, name, personId }) => responsible(person, name, personId) },
      { label: T.issuesLate, kind: 'number', cell: issues },
      { label: T.risksLate, kind: 'number', cell: risks },
    ]
    replace(
      body,
      unfollowed(filter, overview, ['project', 'projectStatus']),
      total === 0 ? remark(T.noneLate) : table(T.lateCaption, columns, people),
      total > FIRST.late && extent('late', more, T.ofPeople, people.length, total),
    )
  }
  return { root, show }
}

export function projectsPart(link: Link, more: More) {
  const { root, body } = section('projects', T.projects)

  function titleOf({ key, name, status }: Project): HTMLElement {
    const state = status === 'ACTIVE' ? '' : ` · ${T.projectStates[status] ?? status}`
    const place = el('div', { class: 'meta' }, link('', { project: [key] }, key), state)
    return el('div', {}, viewLink('project', key, given(name)), place)
  }

  function topOf({ key, topRiskScore: score }: Project): Node | string {
    if (score === null) return T.nothing
    const level = levelOf(score)
    return link('register', { ...allRisksOf(key), level: [level] }, chip(level, score))
  }

  const counted = (section: string, filter: Partial<Filter>, count: number) =>
    count === 0 ? '0' : link(section, filter, shownNumber(count))
  const issuesOf = ({ key, openIssueCount }: Project) => counted('issues', allIssuesOf(key), openIssueCount)
  const columns: readonly Column<Project>[] = [
    { label: T.project, cell: titleOf },
    { label: T.openRisks, kind: 'number', cell: (one) => counted('register', allRisksOf(one.key), one.openRiskCount) },
    { label: T.issuesShort, kind: 'number', cell: issuesOf },
    { label: T.topScore, kind: 'level', cell: topOf },
    { label: T.synced, kind: 'short wide', cell: ({ syncedAt }) => (syncedAt ? shownAge(syncedAt) : T.never) },
  ]
  function show(overview: Overview, filter: Filter, shown: Shown): void {
    const all = shownProjects(overview, filter).filter(({ key, name }) => contains(filter, key, name))
    const first = all.slice(0, shown.projects)
    replace(
      body,
      unfollowed(filter, overview, ['project', 'projectStatus', 'search']),
      all.length === 0 ? remark(T.noProjects) : table(T.projectsCaption, columns, first),
      all.length > first.length && extent('projects', more, T.ofProjects, first.length, all.length),
    )
  }
  return { root, show }
}

/** The roster and the groups; says which scope is missing where the key may not see them. */
export function peoplePart(link: Link, more: More, fail: Fail) {
  const tools = el('p', { class: 'tools no-print' })
  const roster = section('roster', T.roster, tools)
  const groups = section('groups', T.groups)
  const membersOf = (group: string, count: number) =>
    count === 0 ? '0' : link('roster', { group, search: undefined }, shownNumber(count))
  const groupColumns: readonly Column<Group>[] = [
    { label: T.name, cell: ({ name }) => viewLink('group', name, given(name)) },
    { label: T.members, kind: 'number', cell: ({ name, memberCount }) => membersOf(name, memberCount) },
  ]
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
    const first = named.slice(0, shown.groups)
    replace(
      groups.body,
      named.length === 0 ? remark(T.noGroups) : table(T.groupsCaption, groupColumns, first),
      named.length > first.length && extent('groups', more, T.ofGroups, first.length, named.length),
    )
  }
  return { roster: roster.root, groups: groups.root, show }
}

export function glossary(): HTMLElement {
  const { root, body } = section('glossary', T.glossaryHeading)
  body.append(facts(Object.entries(T.glossary)))
  return root
}
