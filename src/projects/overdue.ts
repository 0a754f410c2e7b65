import { and, type SQL, sql } from 'drizzle-orm'
import { TooComplex } from '../errors.js'
import { overdue, overduePerson } from '../store/derivedRows.js'
import type { Optional } from '../store/query/conditions.js'
import { conditional } from '../store/query/jsonPage.js'
import type { View } from '../store/query/views.js'
import { type InProjects, inProjects, projectNaming } from './projects.js'

interface OverdueArguments {
  readonly on: string
  readonly first?: Optional<number>
  readonly filter?: Optional<InProjects>
}

const ALL = { rows: Number.POSITIVE_INFINITY }

/** Who has open issues or live risks that were due before a day. */
export const overdueView: View<OverdueArguments> = {
  row: overdue,
  lists: { people: overduePerson },
  names: { project: projectNaming },
  check: () => undefined,
  isBounded: ({ first }) => first != null,
  extent: ({ t }) => ({ ...ALL, table: t.issue, wholeTables: [{ table: t.risk, perRow: 1 }] }),
  tables(read, { on, first, filter }, { guard, most }) {
    const { issue, risk } = read.t
    const late = sql`count(case when due_on < ${on} then 1 end)`
    const owed = (role: string, counts: SQL, from: typeof issue | typeof risk, stop: SQL | undefined) => {
      const [id, name] = [sql.raw(`${role}_id`), sql.raw(`${role}_name`)]
      const isOwed = sql`live = 1 and coalesce(${id}, ${name}) is not null`
      return sql`select ${id} as person_id, case when ${id} is null then ${name} end as name, ${counts}
        from ${from}${conditional(and(stop, isOwed, inProjects(read, from.projectId, filter)))} group by 1, 2`
    }
    const ofIssues = sql`${late} as late_issues, count(*) as issues, 0 as late_risks, 0 as risks`
    const ofRisks = owed('owner', sql`0, 0, ${late}, count(*)`, risk, read.guard({ ...ALL, table: risk }))
    const sum = (count: string) => sql.raw(`cast(sum(${count}) as integer)`)
    // People before names: a name may look like an id.
    return sql`with owed as materialized (${owed('assignee', ofIssues, issue, guard)} union all ${ofRisks}),
      late as materialized (select person_id, name, ${sum('late_issues')} as overdue_issue_count,
        ${sum('issues')} as open_issue_count, ${sum('late_risks')} as overdue_risk_count, ${sum('risks')} as risk_count
        from owed group by 1, 2 having sum(late_issues + late_risks) > 0),
      overdue_person as materialized (select row_number() over (order by overdue_issue_count + overdue_risk_count desc,
        open_issue_count desc, case when person_id is null then 1 else 0 end, coalesce(person_id, name)) as position, late.*
        from late order by 1 limit ${read.limit(first ?? most + 1)}),
      overdue as materialized (select 1 as id, cast(count(*) as integer) as total from late)`
  },
  size: sql`total`,
  tooMany: (most) =>
    new TooComplex(`More than ${most} people are overdue.`, (page) => `Name a \`project\`, or set ${page()}.`),
}
