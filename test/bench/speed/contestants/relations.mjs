/** Prepared SQL for projects and groups, and for what hangs on many things at once. */

/** Of things that refer to others, one statement for all that they refer to. */
function manyOn(db, columns, table) {
  const some = db.prepare(`select ${columns} from ${table} where id in (select value from json_each(?))`)
  return (ids) => {
    const found = new Map(some.all(JSON.stringify([...new Set(ids)])).map((row) => [row.id, row]))
    return ids.map((id) => found.get(id) ?? null)
  }
}

export function relationsOn(db, { person, risk }) {
  const projects = db.prepare('select id, key, name, status from project order by key, id limit ?')
  const groups = db.prepare('select id, name from groups order by name_folded, id limit ?')
  const risksOf = db.prepare(
    `select ${risk} from risk r where r.project_id = ? and r.live = 1 order by r.standing, r.raised_on, r.id limit ?`,
  )
  const risksIn = db.prepare('select count(*) as live, max(score) as top from risk where project_id = ? and live = 1')
  const issuesIn = db.prepare('select count(*) from issue where project_id = ? and live = 1').pluck()
  const members = db.prepare(`select count(*) from membership m where m.group_id = ? and m.live = 1`).pluck()
  return {
    projects: (limit) => pageOf(projects.all(limit + 1), limit),
    groups: (limit) => pageOf(groups.all(limit + 1), limit),
    risksOfProject: (id, limit) => pageOf(risksOf.all(id, limit + 1), limit),
    /** `live` and `top` of a project's risks. */
    risksIn: (id) => risksIn.get(id),
    openIssuesIn: (id) => issuesIn.get(id),
    memberCount: (id) => members.get(id),
    peopleByIds: manyOn(db, person, 'person p'),
    projectsByIds: manyOn(db, 'id, key, name', 'project'),
  }
}

export function pageOf(rows, limit) {
  if (limit === undefined || rows.length <= limit) return { rows, hasNext: false }
  rows.length = limit
  return { rows, hasNext: true }
}
