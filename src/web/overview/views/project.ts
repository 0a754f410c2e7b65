import { query } from '../../api.js'
import { el } from '../../dom.js'
import { shownAge, shownMoment, shownNumber, T } from '../../texts.js'
import type { List, Project as Listed, Matrix } from '../data.js'
import type { Content } from '../dialog.js'
import { allIssuesOf, allRisksOf, today } from '../filter.js'
import * as part from './parts.js'

interface Project extends part.Stored, Omit<Listed, keyof part.Stored>, part.Texts<'description' | 'url'> {
  readonly details: readonly part.Detail[]
  readonly risks: List<part.RiskEntry>
  readonly issues: List<part.IssueEntry>
}

interface Answer {
  readonly project: Project | null
  readonly riskMatrix: Pick<Matrix, 'levels'>
  readonly overdue: { readonly total: number }
}

export async function readProject(name: string, reader: part.Reader): Promise<Content | undefined> {
  const answer = await query<Answer>(
    `query Project($id: ID, $key: String, $of: [String!], $today: Date) { project(id: $id, key: $key) {
      key name description url status openRiskCount openIssueCount topRiskScore syncedAt
      details { name text } risks(first: 10) { totalCount nodes { ${part.RISK_ENTRY} } }
      issues(first: 10) { totalCount nodes { ${part.ISSUE_ENTRY} } } ${part.storedFields(reader.grants('projects.manage'))}
    }
    riskMatrix(filter: { project: $of }) { levels { level count } }
    overdue: issueCounts(filter: { project: $of, dueBefore: $today }) { total } }`,
    { ...(name.startsWith('prj_') ? { id: name } : { key: name }), of: [name], today: today() },
  )
  return answer.project ? contentOf(answer.project, answer, reader) : undefined
}

/** Counts, each a link to what it counts. */
function contentOf(project: Project, { riskMatrix, overdue }: Answer, { link }: part.Reader): Content {
  const { key, name, status, syncedAt, description, risks, issues } = project
  const [ofRisks, ofIssues] = [allRisksOf(key), allIssuesOf(key)]
  const levels = riskMatrix.levels
    .filter(({ count }) => count > 0)
    .map(({ level, count }) =>
      link('register', { ...ofRisks, level: [level] }, `${shownNumber(count)} ${T.levels[level]}`),
    )
  const late = link('issues', { ...ofIssues, dueBefore: today() }, `${shownNumber(overdue.total)} ${T.overdue}`)
  const counted = link('issues', ofIssues, `${shownNumber(project.openIssueCount)} ${T.openWord}`)
  return {
    name: key,
    title: name,
    place: [`${T.kinds['project']} ${key}`],
    parts: [
      part.facts(
        [
          [T.status, T.projectStates[status] ?? status],
          [T.liveRisks, levels.length > 0 ? part.listed(levels) : shownNumber(0)],
          [
            T.openIssues,
            project.openIssueCount > 0 ? part.listed(overdue.total > 0 ? [counted, late] : [counted]) : shownNumber(0),
          ],
          [T.synced, syncedAt === null ? T.never : `${shownMoment(syncedAt)} (${shownAge(syncedAt)})`],
          ...part.detailLines(project.details, [description]),
        ],
        'summary',
      ),
      el('p', { class: 'tools' }, link('', { project: [key] }, T.onlyThis), part.sourceLink(project.url)),
      ...part.paragraph(T.aboutIt, description),
      ...part.entries(T.register, risks, link('register', ofRisks, T.ofRisks(risks.nodes.length, risks.totalCount))),
      ...part.entries(T.issues, issues, link('issues', ofIssues, T.ofIssues(issues.nodes.length, issues.totalCount))),
      ...part.storedPart(project),
    ],
  }
}
