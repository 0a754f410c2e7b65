import { type AnyColumn, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import {
  ASSESSMENT_MAX,
  ISSUE_SEVERITIES,
  ISSUE_STATUSES,
  LIVE_RISK_STATUSES,
  NO_DAY,
  OPEN_ISSUE_STATUSES,
  PROJECT_STATUSES,
  RISK_RESPONSES,
  RISK_STATUSES,
  SCORE_MAX,
} from '../../vocabulary.js'
import { type Columns, checksWith, isAmong } from '../columns.js'
import { literal } from '../literals.js'
import type { personnelTables } from './personnel.js'

export function projectTables(columns: Columns, { person }: ReturnType<typeof personnelTables>) {
  const { table, text, oneOf, integer, timestamps, index, uniqueIndex, check } = columns
  const { bounded, among, day, instant, detailed, timestampChecks } = checksWith(columns)

  const project = table(
    'project',
    {
      id: text('id').primaryKey(),
      key: text('key').notNull(),
      name: text('name').notNull(),
      /** Key and name, case-folded, for `search`. */
      searchFolded: text('search_folded').notNull(),
      description: text('description'),
      url: text('url'),
      status: oneOf('status', PROJECT_STATUSES).notNull(),
      syncedAt: text('synced_at'),
      /** JSON: a list of objects with name and text. */
      details: text('details'),
      ...timestamps(),
    },
    (p) => [
      uniqueIndex('project_key').on(p.key),
      index('project_by_status').on(p.status, p.key, p.id),
      index('project_by_updated').on(p.updatedAt),
      ...bounded('project', {
        key: [p.key, 'projectKey'],
        name: [p.name, 'name'],
        description: [p.description, 'description'],
        url: [p.url, 'url'],
      }),
      check('project_key_capitals', sql`${p.key} = upper(${p.key})`),
      among('project_status', p.status, PROJECT_STATUSES),
      instant('project_synced_at', p.syncedAt),
      detailed('project', p.details),
      ...timestampChecks('project', p),
    ],
  )

  /** Columns that risks and issues share: they belong to a project and are ranked. */
  const entry = () => ({
    id: text('id').primaryKey(),
    projectId: text('project_id')
      .notNull()
      .references(() => project.id),
    reference: text('reference').notNull(),
    title: text('title').notNull(),
    /** Reference and title, case-folded, for `search`. */
    searchFolded: text('search_folded').notNull(),
    description: text('description'),
    url: text('url'),
    raisedOn: text('raised_on').notNull(),
    /** 1 while the row is in its list, so that one index serves every page of it. */
    live: integer('live').notNull(),
    sortKey: integer('standing').notNull(),
    dueOn: text('due_on'),
    /** `dueOn`, or a text after every day, so that what has no due day comes last. */
    dueKey: text('due_key').notNull(),
    /** JSON: a list of objects with name and text. */
    details: text('details'),
    ...timestamps(),
  })
  type Entry = { [Name in keyof ReturnType<typeof entry> | 'status']: AnyPgColumn }
  const placeOf = (e: Entry) => [e.sortKey, e.raisedOn, e.id] as const
  const entryRules = (name: string, e: Entry, statuses: readonly string[], liveStatuses: readonly string[]) => [
    uniqueIndex(`${name}_reference`).on(e.projectId, e.reference),
    index(`${name}_by_live`).on(e.live, ...placeOf(e)),
    index(`${name}_by_status`).on(e.status, e.live, ...placeOf(e)),
    index(`${name}_by_project`).on(e.projectId, e.live, ...placeOf(e)),
    index(`${name}_by_due`).on(e.live, e.dueKey, e.sortKey, e.id),
    index(`${name}_by_updated`).on(e.live, e.updatedAt, e.id),
    ...bounded(name, {
      reference: [e.reference, 'reference'],
      title: [e.title, 'headline'],
      description: [e.description, 'description'],
      url: [e.url, 'url'],
    }),
    among(`${name}_status`, e.status, statuses),
    check(`${name}_live`, sql`${e.live} = case when ${isAmong(e.status, liveStatuses)} then 1 else 0 end`),
    day(`${name}_raised_on`, e.raisedOn),
    day(`${name}_due_on`, e.dueOn),
    check(`${name}_due_key`, sql`${e.dueKey} = coalesce(${e.dueOn}, ${literal(NO_DAY)})`),
    detailed(name, e.details),
    ...timestampChecks(name, e),
  ]

  // Enumerated: in a range check SQLite would accept 2.5 as an integer.
  const steps = Array.from({ length: ASSESSMENT_MAX }, (_, index) => index + 1)
  const risk = table(
    'risk',
    {
      ...entry(),
      status: oneOf('status', RISK_STATUSES).notNull(),
      category: text('category'),
      categoryFolded: text('category_folded'),
      likelihood: integer('likelihood'),
      impact: integer('impact'),
      /** The score of a source that does not give both factors. */
      scoreGiven: integer('score_given'),
      score: integer('score').notNull(),
      response: oneOf('response', RISK_RESPONSES),
      mitigation: text('mitigation'),
      cause: text('cause'),
      residualLikelihood: integer('residual_likelihood'),
      residualImpact: integer('residual_impact'),
      ownerId: text('owner_id').references(() => person.id),
      ownerName: text('owner_name'),
      reviewOn: text('review_on'),
    },
    (r) => [
      ...entryRules('risk', r, RISK_STATUSES, LIVE_RISK_STATUSES),
      index('risk_by_likelihood').on(r.likelihood, r.live, ...placeOf(r)),
      index('risk_by_impact').on(r.impact, r.live, ...placeOf(r)),
      index('risk_by_owner').on(r.ownerId, r.live, ...placeOf(r)),
      index('risk_by_category').on(r.categoryFolded, r.live, ...placeOf(r)),
      ...bounded('risk', {
        category: [r.category, 'category'],
        mitigation: [r.mitigation, 'description'],
        cause: [r.cause, 'description'],
        owner_name: [r.ownerName, 'name'],
      }),
      check('risk_category_folded', sql`(${r.category} is null) = (${r.categoryFolded} is null)`),
      among('risk_likelihood', r.likelihood, steps),
      among('risk_impact', r.impact, steps),
      check('risk_assessed', sql`(${r.likelihood} is null) = (${r.impact} is null)`),
      check(
        'risk_score_given',
        sql`${r.scoreGiven} between 0 and ${literal(SCORE_MAX)} and ${r.scoreGiven} = cast(${r.scoreGiven} as integer)`,
      ),
      check('risk_score_needed', sql`${r.scoreGiven} is null or ${r.likelihood} is null`),
      check('risk_score', sql`${r.score} = coalesce(${r.likelihood} * ${r.impact}, ${r.scoreGiven}, 0)`),
      check('risk_standing', sql`${r.sortKey} = -(${r.score} * 10 + coalesce(${r.impact}, 0))`),
      among('risk_response', r.response, RISK_RESPONSES),
      among('risk_residual_likelihood', r.residualLikelihood, steps),
      among('risk_residual_impact', r.residualImpact, steps),
      check('risk_residual_assessed', sql`(${r.residualLikelihood} is null) = (${r.residualImpact} is null)`),
      day('risk_review_on', r.reviewOn),
    ],
  )

  /** The number of live risks per score, from which a rank is computed. */
  const riskTally = table(
    'risk_tally',
    { score: integer('score').primaryKey(), live: integer('live').notNull() },
    (tally) => [check('risk_tally_live', sql`${tally.live} >= 0`)],
  )

  const issue = table(
    'issue',
    {
      ...entry(),
      status: oneOf('status', ISSUE_STATUSES).notNull(),
      severity: oneOf('severity', ISSUE_SEVERITIES).notNull(),
      assigneeId: text('assignee_id').references(() => person.id),
      assigneeName: text('assignee_name'),
      riskId: text('risk_id').references(() => risk.id),
    },
    (i) => [
      ...entryRules('issue', i, ISSUE_STATUSES, OPEN_ISSUE_STATUSES),
      index('issue_by_assignee').on(i.assigneeId, i.live, ...placeOf(i)),
      index('issue_by_risk').on(i.riskId),
      ...bounded('issue', { assignee_name: [i.assigneeName, 'name'] }),
      among('issue_severity', i.severity, ISSUE_SEVERITIES),
      check('issue_standing', sql`${i.sortKey} = ${severitySortKey(i.severity)}`),
    ],
  )

  return { project, risk, riskTally, issue }
}

function severitySortKey(severity: AnyColumn): SQL {
  const cases = ISSUE_SEVERITIES.map((name, index) => `when '${name}' then ${-index}`).join(' ')
  return sql`case ${severity} ${sql.raw(cases)} end`
}
