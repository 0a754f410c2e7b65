/** The bodies of the REST contestants, field by field as the gateway shows them. */
import { cursorOf } from './cursors.mjs'
import { levelOf } from './store.mjs'

const NOBODY = []

export function personBody({ id, name, email, externalId, title, department, status, createdAt, updatedAt }, groups) {
  return {
    id,
    name,
    email,
    externalId,
    title,
    department,
    status,
    groups: groups ?? NOBODY,
    createdAt,
    updatedAt,
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
  return { next: hasNext ? cursorOf(list, last.standing, last.raisedOn, last.id) : null, total: null }
}

function riskBody(row, rankOf) {
  return {
    id: row.id,
    reference: row.reference,
    project: { id: row.projectId, key: row.projectKey, name: row.projectName },
    title: row.title,
    description: row.description,
    category: row.category,
    likelihood: row.likelihood,
    impact: row.impact,
    score: row.score,
    level: levelOf(row.score),
    rank: rankOf(row.score),
    status: row.status,
    response: row.response,
    ownerId: row.ownerId,
    ownerName: row.ownerName,
    url: row.url,
    raisedOn: row.raisedOn,
    reviewOn: row.reviewOn,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}

function issueBody(row) {
  return {
    id: row.id,
    reference: row.reference,
    project: { id: row.projectId, key: row.projectKey, name: row.projectName },
    title: row.title,
    description: row.description,
    severity: row.severity,
    status: row.status,
    assigneeId: row.assigneeId,
    assigneeName: row.assigneeName,
    riskId: row.riskId,
    url: row.url,
    raisedOn: row.raisedOn,
    dueOn: row.dueOn,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}
