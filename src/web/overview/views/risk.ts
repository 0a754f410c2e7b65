import { query } from '../../api.js'
import { el, given } from '../../dom.js'
import { fieldName, shownDay, shownNumber, T } from '../../texts.js'
import { entryName } from '../address.js'
import type { List, Risk as Listed, Texts } from '../data.js'
import { chip, statusMark } from '../levels.js'
import * as part from './parts.js'

interface Risk extends part.Stored, Listed, Texts<'response' | 'cause' | 'description' | 'url' | 'reviewOn'> {
  readonly raisedOn: string
  readonly details: readonly part.Detail[]
  readonly issues: List<part.IssueEntry>
}

export async function readRisk(name: string, reader: part.Reader): Promise<part.Content | undefined> {
  const { risk } = await query<{ risk: Risk | null }>(
    `query Risk($id: ID, $project: String, $reference: String) { risk(id: $id, project: $project, reference: $reference) {
      reference project { key name } title status score level rank likelihood impact
      residualLikelihood residualImpact residualScore residualLevel response mitigation cause description category
      ownerId ownerName ${reader.grants('personnel.read') ? 'owner { id name status }' : ''}
      url raisedOn dueOn reviewOn  details { name text }
      issues(first: 100) { totalCount nodes { ${part.ISSUE_ENTRY} } } ${part.storedFields(reader.grants('projects.manage'))}
    } }`,
    part.variablesOf(name),
  )
  return risk ? contentOf(risk, reader) : undefined
}

function contentOf(risk: Risk, { day: since }: part.Reader): part.Content {
  const { title, status, description, mitigation, cause, category, ownerName, rank } = risk
  const summary = part.facts([
    [T.status, statusMark(status)],
    [T.score, scores(risk)],
    [T.owner, part.responsible(risk.owner, ownerName, risk.ownerId)],
    [T.due, part.dueDay(risk.dueOn)],
    [T.trend, trend(risk, since)],
    [T.measures, measures(risk)],
  ])
  const others = part.facts([
    [T.rank, rank !== null && shownNumber(rank)],
    [fieldName('category'), category && given(category)],
    [fieldName('raisedOn'), part.day(risk.raisedOn)],
    [fieldName('reviewOn'), part.day(risk.reviewOn)],
    ...part.detailLines(risk.details, [title, description, mitigation, cause, category, ownerName]),
  ])
  return {
    name: entryName(risk),
    title,
    place: part.projectPlace('risk', risk.reference, risk.project),
    parts: [
      summary,
      part.sourceLink(risk.url),
      ...part.paragraph(fieldName('description'), description),
      ...part.paragraph(fieldName('cause'), cause),
      el('h3', {}, T.moreFacts),
      others,
      ...part.entries(T.caused, risk.issues),
      ...part.storedPart(risk, [T.userId, risk.ownerId]),
    ],
  }
}

const factors = (likelihood: number | null, impact: number | null) =>
  likelihood === null || impact === null ? '' : ` (${likelihood} × ${impact})`

/** The score of today, and the one that remains after the response. */
function scores({ level, score, likelihood, impact, ...residual }: Risk): HTMLElement {
  const { residualLevel, residualScore, residualLikelihood, residualImpact } = residual
  const after =
    residualLevel === null || residualScore === null
      ? []
      : [` → ${T.residual} `, chip(residualLevel, residualScore), factors(residualLikelihood, residualImpact)]
  return el('span', {}, chip(level, score), factors(likelihood, impact), ...after)
}

function measures({ response, mitigation }: Risk): Node {
  const word = response && `${T.responses[response] ?? response}: `
  const what = mitigation === null ? el('strong', { class: 'overdue' }, T.noMeasure) : given(mitigation)
  return el('span', {}, word, what)
}

/** How the score has moved since a day, by its history. */
function trend({ history: { nodes }, likelihood, impact, score }: Risk, since: string): string {
  const changes = nodes.filter(({ recordedAt }) => recordedAt >= since)
  if (changes.some(({ action }) => action === 'CREATED')) return T.newSince(shownDay(since))
  const then: Record<string, number> = { likelihood: likelihood ?? 0, impact: impact ?? 0, scoreGiven: score }
  for (const { fields } of [...changes].reverse()) {
    for (const { field, from } of fields) if (field in then) then[field] = Number(from ?? 0)
  }
  const before = (then['likelihood'] ?? 0) * (then['impact'] ?? 0) || (then['scoreGiven'] ?? 0)
  if (before === score) return T.unchangedSince(shownDay(since))
  return T.movedFrom(before < score, before, shownDay(since))
}
