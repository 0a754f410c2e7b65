/** Prepared SQL on the gateway's own tables, with its key check and durability, for most contestants. */
import { createHash } from 'node:crypto'
import Database from 'better-sqlite3'
import { placeOf } from './cursors.mjs'
import { addPersonOn } from './people.mjs'
import { pageOf, relationsOn } from './relations.mjs'

const PERSON = `p.id, p.name, p.email, p.external_id as externalId, p.title, p.department, p.status, p.details,
  p.created_at as createdAt, p.updated_at as updatedAt, p.name_folded as nameFolded, p.merged_into as mergedId,
  (select o.name from person o where o.id = p.merged_into) as mergedName`

const RISK = `r.id, r.reference, r.project_id as projectId, r.title, r.description, r.category, r.likelihood, r.impact,
  r.score_given as scoreGiven, r.score, r.status, r.response, r.mitigation, r.cause,
  r.residual_likelihood as residualLikelihood, r.residual_impact as residualImpact, r.owner_id as ownerId,
  r.owner_name as ownerName, r.url, r.raised_on as raisedOn, r.review_on as reviewOn, r.due_on as dueOn, r.details, r.created_at as createdAt, r.updated_at as updatedAt, r.standing as sortKey`

const ISSUE = `i.id, i.reference, i.project_id as projectId, i.title, i.description, i.severity, i.status,
  i.assignee_id as assigneeId, i.assignee_name as assigneeName, i.risk_id as riskId, i.url, i.raised_on as raisedOn,
  i.due_on as dueOn, i.details, i.created_at as createdAt, i.updated_at as updatedAt, i.standing as sortKey`

// For contestants that always return it; GraphQL servers look up projects only if selected.
const PROJECT = 'o.key as projectKey, o.name as projectName, w.name as whoName'

/** Larger than any page; better-sqlite3 takes -1 as no limit. */
const WHOLE = -1

export function openStore(file) {
  const db = new Database(file, { fileMustExist: true })
  db.pragma('journal_mode = wal')
  db.pragma('synchronous = full')
  db.pragma('foreign_keys = on')
  const reads = { ...peopleOn(db), ...entriesOn(db), ...relationsOn(db, { person: PERSON, risk: RISK }) }
  return { caller: callerOn(db), ...reads, addPerson: addPersonOn(db) }
}

/** The scopes of an `Authorization` header; undefined if its key is invalid. */
function callerOn(db) {
  const find = db.prepare('select id, scopes, expires_at, revoked_at from api_key where hash = ?')
  return (authorization) => {
    if (!authorization?.startsWith('Bearer ')) return undefined
    const key = find.get(createHash('sha256').update(authorization.slice(7)).digest('hex'))
    if (!key || key.revoked_at || (key.expires_at && key.expires_at <= new Date().toISOString())) return undefined
    const scopes = new Set(key.scopes.split(' '))
    return {
      keyId: key.id,
      may: (scope) => scopes.has(scope) || scopes.has(scope.replace(/\.read$/, '.manage')),
    }
  }
}

function peopleOn(db) {
  const active = `select ${PERSON} from person p where p.status = 'ACTIVE'`
  const first = db.prepare(`${active} order by p.name_folded, p.id limit ?`)
  const after = db.prepare(`${active} and (p.name_folded, p.id) > (?, ?) order by p.name_folded, p.id limit ?`)
  const one = db.prepare(`select ${PERSON} from person p where p.id = ?`)
  const memberships = `select m.person_id as personId, g.id, g.name from membership m join groups g on g.id = m.group_id`
  const everyGroup = db.prepare(`${memberships} order by g.name_folded, g.id`)
  const someGroups = db.prepare(
    `${memberships} where m.person_id in (select value from json_each(?)) order by g.name_folded, g.id`,
  )
  const groupsOfOne = db.prepare(
    `select g.id, g.name from membership m join groups g on g.id = m.group_id where m.person_id = ?
      order by g.name_folded, g.id`,
  )
  return {
    /** A page and whether more rows follow; the whole list without a limit. */
    people(limit, cursor) {
      const most = limit === undefined ? WHOLE : limit + 1
      const rows = cursor === undefined ? first.all(most) : after.all(...placeOf('personnel', cursor), most)
      return pageOf(rows, limit)
    },
    person: (id) => one.get(id),
    groupsOfOne: (id) => groupsOfOne.all(id),
    /** The groups of each of these people; of all people without ids. */
    groupsOf(ids) {
      const found = new Map()
      for (const { personId, id, name } of ids ? someGroups.all(JSON.stringify(ids)) : everyGroup.all()) {
        const group = { id, name }
        const known = found.get(personId)
        if (known) known.push(group)
        else found.set(personId, [group])
      }
      return found
    },
  }
}

function entriesOn(db) {
  const order = (e) => `order by ${e}.standing, ${e}.raised_on, ${e}.id limit ?`
  const joined = (e) => `join project o on o.id = ${e}.project_id
    left join person w on w.id = ${e}.${e === 'r' ? 'owner_id' : 'assignee_id'}`
  const live = (columns, table, e) => `select ${columns} from ${table} ${e}`
  const ofProject = (e) =>
    `where ${e}.project_id = (select id from project where key = ?) and ${e}.live = 1 ${order(e)}`
  const shapes = {
    risks: db.prepare(`${live(RISK, 'risk', 'r')} where r.live = 1 ${order('r')}`),
    risksShown: db.prepare(`${live(`${RISK}, ${PROJECT}`, 'risk', 'r')} ${joined('r')} where r.live = 1 ${order('r')}`),
    risksOf: db.prepare(`${live(RISK, 'risk', 'r')} ${ofProject('r')}`),
    risksOfShown: db.prepare(`${live(`${RISK}, ${PROJECT}`, 'risk', 'r')} ${joined('r')} ${ofProject('r')}`),
    issues: db.prepare(`${live(ISSUE, 'issue', 'i')} where i.live = 1 ${order('i')}`),
    issuesOf: db.prepare(`${live(ISSUE, 'issue', 'i')} ${ofProject('i')}`),
    issuesOfShown: db.prepare(`${live(`${ISSUE}, ${PROJECT}`, 'issue', 'i')} ${joined('i')} ${ofProject('i')}`),
  }
  const project = db.prepare('select id, key, name from project where id = ?')
  const tally = db.prepare('select score, live from risk_tally')
  const listed = (whole, one) => (limit, key) =>
    pageOf(key === undefined ? whole.all(limit + 1) : one.all(key, limit + 1), limit)
  return {
    risks: listed(shapes.risks, shapes.risksOf),
    /** The same with the names of the project and of the owner in each row. */
    risksShown: listed(shapes.risksShown, shapes.risksOfShown),
    issues: listed(shapes.issues, shapes.issuesOf),
    issuesShown: listed(undefined, shapes.issuesOfShown),
    project: (id) => project.get(id),
    /** The rank of each score among all live risks. */
    ranks() {
      const scores = tally.all()
      const known = new Map()
      return (score) => {
        const rank = known.get(score) ?? scores.reduce((sum, row) => (row.score > score ? sum + row.live : sum), 1)
        known.set(score, rank)
        return rank
      }
    },
  }
}

export function levelOf(score) {
  if (score >= 20) return 'CRITICAL'
  if (score >= 10) return 'HIGH'
  if (score >= 5) return 'MEDIUM'
  return score >= 1 ? 'LOW' : 'UNASSESSED'
}

export function residualScoreOf({ residualLikelihood, residualImpact }) {
  return residualLikelihood === null ? null : residualLikelihood * residualImpact
}

const NONE = []

/** Details are stored as JSON. */
export function detailsOf(stored) {
  return stored === null ? NONE : JSON.parse(stored)
}
