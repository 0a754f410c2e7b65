import { query } from '../../api.js'
import { el, given } from '../../dom.js'
import { fieldName, T } from '../../texts.js'
import { entryName, viewLink } from '../address.js'
import type { Issue as Listed, Texts } from '../data.js'
import { chip, statusMark } from '../levels.js'
import * as part from './parts.js'

interface Issue extends part.Stored, Listed, Texts<'description' | 'url'> {
  readonly risk: part.RiskEntry | null
  readonly raisedOn: string
  readonly details: readonly part.Detail[]
}

export async function readIssue(name: string, reader: part.Reader): Promise<part.Content | undefined> {
  const { issue } = await query<{ issue: Issue | null }>(
    `query Issue($id: ID, $project: String, $reference: String) { issue(id: $id, project: $project, reference: $reference) {
      reference project { key name } title description severity status dueOn url raisedOn
      assigneeId assigneeName ${reader.grants('personnel.read') ? 'assignee { id name status }' : ''}
      risk { ${part.RISK_ENTRY} } details { name text } ${part.storedFields(reader.grants('projects.manage'))}
    } }`,
    part.variablesOf(name),
  )
  if (!issue) return undefined
  const { title, description, severity, status, risk, assigneeName } = issue
  const cause =
    risk && el('span', {}, viewLink('risk', entryName(risk), given(risk.title)), ' ', chip(risk.level, risk.score))
  return {
    name: entryName(issue),
    title,
    place: part.projectPlace('issue', issue.reference, issue.project),
    parts: [
      part.facts([
        [T.severity, chip(severity)],
        [T.status, statusMark(status)],
        [T.assignee, part.responsible(issue.assignee, assigneeName, issue.assigneeId)],
        [T.due, part.dueDay(issue.dueOn)],
        [T.cameFrom, cause],
        [fieldName('raisedOn'), part.day(issue.raisedOn)],
      ]),
      part.sourceLink(issue.url),
      ...part.paragraph(fieldName('description'), description),
      part.facts(part.detailLines(issue.details, [title, description, assigneeName])),
      ...part.storedPart(issue, [T.userId, issue.assigneeId]),
    ],
  }
}
