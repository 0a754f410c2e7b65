/** The bodies of the REST contestants, field by field as the gateway shows them. */
import { cursorOf } from './cursors.mjs'
import { detailsOf, levelOf, residualScoreOf } from './store.mjs'

const NOBODY = []

export function personBody(row, groups) {
  const { id, name, email, externalId, title, department, status, details = null, createdAt, updatedAt } = row
  return {
    id,
    name,
    email,
    externalId,
    title,
    department,
    status,
    groups: groups ?? NOBODY,
    details: detailsOf(details),
    createdAt,
    updatedAt,
    mergedInto: row.mergedId ? { id: row.mergedId, name: row.mergedName } : null,
  }
}

export function peopleBody(store, limit, cursor) {
  const { rows, hasNext } = store.people(limit, cursor)
  const groups = store.groupsOf(limit === undefined ? undefined : rows.map(({ id }) => id))
  const last = rows.at(-1)
  return {
    data: rows.map((row) => personBody(row, groups.get(row.id))),
    page: { next: hasNext ? cursorOf('personnel', last.nameFolded, last.id) : null, total: null },
  }
}

export function risksBody(store, limit, project) {
  const rankOf = store.ranks()
  const { rows, hasNext } = store.risksShown(limit, project)
  return { data: rows.map((row) => riskBody(row, rankOf)), page: pageBody('risks', rows, hasNext) }
}

export function issuesBody(store, limit, project) {
  const { rows, hasNext } = store.issuesShown(limit, project)
  return { data: rows.map(issueBody), page: pageBody('issues', rows, hasNext) }
}

function pageBody(list, rows, hasNext) {
  const last = rows.at(-1)
  return { next: hasNext ? cursorOf(list, last.sortKey, last.raisedOn, last.id) : null, total: null }
}

function riskBody(row, rankOf) {
  const { residualLikelihood, residualImpact } = row
  const residualScore = residualScoreOf(row)
  return {
    id: row.id,
    project: { id: row.projectId, key: row.projectKey, name: row.projectName },
    reference: row.reference,
    title: row.title,
    description: row.description,
    category: row.category,
    likelihood: row.likelihood,
    impact: row.impact,
    scoreGiven: row.scoreGiven,
    score: row.score,
    level: levelOf(row.score),
    rank: rankOf(row.score),
    status: row.status,
    response: row.response,
    mitigation: row.mitigation,
    cause: row.cause,
    residualLikelihood,
    residualImpact,
    residualScore,
    residualLevel: residualScore === null ? null : levelOf(residualScore),
    owner: row.ownerId === null ? null : { id: row.ownerId, name: row.whoName },
    ownerId: row.ownerId,
    ownerName: row.ownerName,
    url: row.url,
    raisedOn: row.raisedOn,
    reviewOn: row.reviewOn,
    dueOn: row.dueOn,
    details: detailsOf(row.details),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}

function issueBody(row) {
  return {
    id: row.id,
    project: { id: row.projectId, key: row.projectKey, name: row.projectName },
    reference: row.reference,
    title: row.title,
    description: row.description,
    severity: row.severity,
    status: row.status,
    assignee: row.assigneeId === null ? null : { id: row.assigneeId, name: row.whoName },
    assigneeId: row.assigneeId,
    assigneeName: row.assigneeName,
    riskId: row.riskId,
    url: row.url,
    raisedOn: row.raisedOn,
    dueOn: row.dueOn,
    details: detailsOf(row.details),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}
