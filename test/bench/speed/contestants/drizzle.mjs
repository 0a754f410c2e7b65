/** The same reads with Drizzle, each statement built for each request. */
import Database from 'better-sqlite3'
import DataLoader from 'dataloader'
import { and, asc, count, eq, inArray, max, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { sqliteColumns } from '../../../../dist/store/columns.js'
import { defineTables } from '../../../../dist/store/tables.js'
import { placeOf } from './cursors.mjs'
import { levelOf } from './store.mjs'

const { group, issue, membership, person, project, risk, riskTally } = defineTables(sqliteColumns)

// SQLite's limit of variables in one statement.
const IDS_MAX = 30_000

export function openTables(file) {
  const db = drizzle(new Database(file, { fileMustExist: true }))
  return {
    levelOf,
    people: (limit, cursor) => peopleOn(db, limit, cursor),
    risks: (limit, key) => entriesOn(db, risk, limit, key),
    issues: (limit, key) => entriesOn(db, issue, limit, key),
    projects: (limit) => db.select().from(project).orderBy(asc(project.key), asc(project.id)).limit(limit),
    groups: (limit) => db.select().from(group).orderBy(asc(group.nameFolded), asc(group.id)).limit(limit),
    risksOfProject: (id, limit) => entriesWhere(db, risk, limit, eq(risk.projectId, id)),
    openLoaders: () => loadersOn(db),
  }
}

async function peopleOn(db, limit, cursor) {
  const after = cursor && placeOf('personnel', cursor)
  const isAfter = after && sql`(${person.nameFolded}, ${person.id}) > (${after[0]}, ${after[1]})`
  const query = db
    .select()
    .from(person)
    .where(and(eq(person.status, 'ACTIVE'), isAfter))
    .orderBy(asc(person.nameFolded), asc(person.id))
  return pageOf(await (limit === undefined ? query : query.limit(limit + 1)), limit)
}

async function entriesOn(db, table, limit, key) {
  const ofProject = key && eq(table.projectId, db.select({ id: project.id }).from(project).where(eq(project.key, key)))
  return entriesWhere(db, table, limit, ofProject)
}

async function entriesWhere(db, table, limit, condition) {
  const rows = await db
    .select()
    .from(table)
    .where(and(eq(table.live, 1), condition))
    .orderBy(asc(table.sortKey), asc(table.raisedOn), asc(table.id))
    .limit(limit + 1)
  return pageOf(rows, limit)
}

function pageOf(rows, limit) {
  return limit === undefined || rows.length <= limit
    ? { rows, hasNext: false }
    : { rows: rows.slice(0, limit), hasNext: true }
}

function loadersOn(db) {
  const byIds = (table) =>
    new DataLoader(
      async (ids) => {
        const rows = await db.select().from(table).where(inArray(table.id, ids))
        const found = new Map(rows.map((row) => [row.id, row]))
        return ids.map((id) => found.get(id) ?? null)
      },
      { maxBatchSize: IDS_MAX },
    )
  let ranks
  return {
    people: byIds(person),
    projects: byIds(project),
    groups: new DataLoader((ids) => groupsOn(db, ids), { maxBatchSize: IDS_MAX }),
    risksIn: new DataLoader((ids) => liveIn(db, risk, { live: count(), top: max(risk.score) }, ids)),
    issuesIn: new DataLoader((ids) => liveIn(db, issue, { live: count() }, ids)),
    memberCounts: new DataLoader((ids) => memberCountsOn(db, ids)),
    ranks() {
      ranks ??= ranksOn(db)
      return ranks
    },
  }
}

async function groupsOn(db, ids) {
  const rows = await db
    .select({ personId: membership.personId, group })
    .from(membership)
    .innerJoin(group, eq(group.id, membership.groupId))
    .where(inArray(membership.personId, ids))
    .orderBy(asc(group.nameFolded), asc(group.id))
  const found = new Map(ids.map((id) => [id, []]))
  for (const row of rows) found.get(row.personId).push(row.group)
  return ids.map((id) => found.get(id))
}

async function liveIn(db, table, sums, ids) {
  const rows = await db
    .select({ id: table.projectId, ...sums })
    .from(table)
    .where(and(inArray(table.projectId, ids), eq(table.live, 1)))
    .groupBy(table.projectId)
  const found = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => found.get(id) ?? { live: 0, top: null })
}

async function memberCountsOn(db, ids) {
  const rows = await db
    .select({ id: membership.groupId, members: count() })
    .from(membership)
    .where(and(inArray(membership.groupId, ids), eq(membership.live, 1)))
    .groupBy(membership.groupId)
  const found = new Map(rows.map((row) => [row.id, row.members]))
  return ids.map((id) => found.get(id) ?? 0)
}

async function ranksOn(db) {
  const tally = await db.select().from(riskTally)
  return (score) => tally.reduce((rank, row) => (row.score > score ? rank + row.live : rank), 1)
}
