import { query } from '../../api.js'
import { el } from '../../dom.js'
import { shownAge, shownMoment, shownNumber, T } from '../../texts.js'
import type { List, Project as Listed, Matrix, Texts } from '../data.js'
import { allIssuesOf, allRisksOf, type Filter, today } from '../filter.js'
import * as part from './parts.js'

interface Project extends part.Stored, Listed, Texts<'description' | 'url'> {
  readonly details: readonly part.Detail[]
  readonly risks: List<part.RiskEntry>
  readonly issues: List<part.IssueEntry>
}

interface Answer {
  readonly project: Project | null
  readonly riskMatrix: Pick<Matrix, 'levels'>
  readonly overdue: { readonly total: number }
}

export async function readProject(of: string, { link, grants }: part.Reader): Promise<part.Content | undefined> {
  const { project, riskMatrix, overdue } = await query<Answer>(
    `query Project($id: ID, $key: String, $of: [String!], $today: Date) { project(id: $id, key: $key) {
      key name description url status openRiskCount openIssueCount topRiskScore syncedAt
      details { name text } risks(first: 10) { totalCount nodes { ${part.RISK_ENTRY} } }
      issues(first: 10) { totalCount nodes { ${part.ISSUE_ENTRY} } } ${part.storedFields(grants('projects.manage'))}
    }
    riskMatrix(filter: { project: $of }) { levels { level count } }
    overdue: issueCounts(filter: { project: $of, dueBefore: $today }) { total } }`,
    { ...(of.startsWith('prj_') ? { id: of } : { key: of }), of: [of], today: today() },
  )
  if (!project) return undefined
  const { key, name, status, syncedAt, description, risks, issues } = project
  const [ofRisks, ofIssues] = [allRisksOf(key), allIssuesOf(key)]
  /** A link to what is counted, if there is any. */
  const counted = (to: string, filter: Partial<Filter>, count: number, word = '') =>
    count === 0 ? [] : [link(to, filter, `${shownNumber(count)} ${word}`)]
  const live = riskMatrix.levels.flatMap(({ level, count }) =>
    counted('register', { ...ofRisks, level: [level] }, count, T.levels[level]),
  )
  const open = [
    ...counted('issues', ofIssues, project.openIssueCount, T.openWord),
    ...counted('issues', { ...ofIssues, dueBefore: today() }, overdue.total, T.overdue),
  ]
  return {
    name: key,
    title: name,
    place: [`${T.kinds['project']} ${key}`],
    parts: [
      part.facts([
        [T.status, T.projectStates[status] ?? status],
        [T.liveRisks, part.listed(live) || shownNumber(0)],
        [T.openIssues, part.listed(open) || shownNumber(0)],
        [T.synced, syncedAt === null ? T.never : `${shownMoment(syncedAt)} (${shownAge(syncedAt)})`],
        ...part.detailLines(project.details, [description]),
      ]),
      el('p', { class: 'tools' }, link('', { project: [key] }, T.onlyThis), part.sourceLink(project.url)),
      ...part.paragraph(T.aboutIt, description),
      ...part.entries(T.register, risks, link('register', ofRisks, T.ofRisks(risks.nodes.length, risks.totalCount))),
      ...part.entries(T.issues, issues, link('issues', ofIssues, T.ofIssues(issues.nodes.length, issues.totalCount))),
      ...part.storedPart(project),
    ],
  }
}
