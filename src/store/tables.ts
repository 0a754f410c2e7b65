import { type AnyColumn, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import {
  ASSESSMENT_MAX,
  CHANGE_ACTIONS,
  ENTITY_KINDS,
  ISSUE_SEVERITIES,
  ISSUE_STATUSES,
  LIVE_RISK_STATUSES,
  OPEN_ISSUE_STATUSES,
  PERSON_STATUSES,
  PROJECT_STATUSES,
  RISK_RESPONSES,
  RISK_STATUSES,
} from '../vocabulary.js'
import { checksWith } from './checks.js'
import { type Columns, isAmong } from './columns.js'

/** The whole data model, declared once for both engines; CHECK constraints hold for every writer. */
export function defineTables(columns: Columns) {
  const { table, text, oneOf, integer, counter, sequence, index, uniqueIndex, primaryKey, check } = columns
  const { bounded, among, day, instant, timestampChecks } = checksWith(columns)
  const timestamps = () => ({
    createdAt: text('created_at').notNull(),
    updatedAt: text('updated_at').notNull(),
  })

  const person = table(
    'person',
    {
      id: text('id').primaryKey(),
      name: text('name').notNull(),
      nameFolded: text('name_folded').notNull(),
      email: text('email'),
      emailFolded: text('email_folded'),
      externalId: text('external_id'),
      title: text('title'),
      department: text('department'),
      status: oneOf('status', PERSON_STATUSES).notNull(),
      /** When the person's data was erased on a legal request. */
      erasedAt: text('erased_at'),
      ...timestamps(),
    },
    (p) => [
      uniqueIndex('person_email').on(p.emailFolded),
      uniqueIndex('person_external_id').on(p.externalId),
      index('person_by_name').on(p.nameFolded, p.id),
      index('person_by_status').on(p.status, p.nameFolded, p.id),
      ...bounded('person', {
        name: [p.name, 'name'],
        email: [p.email, 'email'],
        external_id: [p.externalId, 'externalId'],
        title: [p.title, 'title'],
        department: [p.department, 'department'],
      }),
      among('person_status', p.status, PERSON_STATUSES),
      check('person_reachable', sql`coalesce(${p.email}, ${p.externalId}, ${p.erasedAt}) is not null`),
      instant('person_erased_at', p.erasedAt),
      check('person_email_folded', sql`(${p.email} is null) = (${p.emailFolded} is null)`),
      ...timestampChecks('person', p),
    ],
  )

  const group = table(
    'groups',
    {
      id: text('id').primaryKey(),
      name: text('name').notNull(),
      nameFolded: text('name_folded').notNull(),
      externalId: text('external_id'),
      description: text('description'),
      ...timestamps(),
    },
    (g) => [
      uniqueIndex('groups_name').on(g.nameFolded),
      uniqueIndex('groups_external_id').on(g.externalId),
      ...bounded('groups', {
        name: [g.name, 'name'],
        external_id: [g.externalId, 'externalId'],
        description: [g.description, 'description'],
      }),
      ...timestampChecks('groups', g),
    ],
  )

  const membership = table(
    'membership',
    {
      groupId: text('group_id')
        .notNull()
        .references(() => group.id),
      personId: text('person_id')
        .notNull()
        .references(() => person.id),
      /** 1 while the person is on the roster, so that an index-only scan counts the members of a group. */
      live: integer('live').notNull().default(1),
    },
    (m) => [
      primaryKey({ columns: [m.groupId, m.personId] }),
      index('membership_by_person').on(m.personId, m.groupId),
      index('membership_by_live').on(m.groupId, m.live),
    ],
  )

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
      ...timestamps(),
    },
    (p) => [
      uniqueIndex('project_key').on(p.key),
      index('project_by_status').on(p.status, p.key, p.id),
      ...bounded('project', {
        key: [p.key, 'projectKey'],
        name: [p.name, 'name'],
        description: [p.description, 'description'],
        url: [p.url, 'url'],
      }),
      check('project_key_capitals', sql`${p.key} = upper(${p.key})`),
      among('project_status', p.status, PROJECT_STATUSES),
      instant('project_synced_at', p.syncedAt),
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
    standing: integer('standing').notNull(),
    ...timestamps(),
  })
  type Entry = { [Name in keyof ReturnType<typeof entry> | 'status']: AnyPgColumn }
  const placeOf = (e: Entry) => [e.standing, e.raisedOn, e.id] as const
  const entryRules = (name: string, e: Entry, statuses: readonly string[], liveStatuses: readonly string[]) => [
    uniqueIndex(`${name}_reference`).on(e.projectId, e.reference),
    index(`${name}_by_live`).on(e.live, ...placeOf(e)),
    index(`${name}_by_status`).on(e.status, e.live, ...placeOf(e)),
    index(`${name}_by_project`).on(e.projectId, e.live, ...placeOf(e)),
    ...bounded(name, {
      reference: [e.reference, 'reference'],
      title: [e.title, 'headline'],
      description: [e.description, 'description'],
      url: [e.url, 'url'],
    }),
    among(`${name}_status`, e.status, statuses),
    check(`${name}_live`, sql`${e.live} = case when ${isAmong(e.status, liveStatuses)} then 1 else 0 end`),
    day(`${name}_raised_on`, e.raisedOn),
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
      score: integer('score').notNull(),
      response: oneOf('response', RISK_RESPONSES),
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
      ...bounded('risk', { category: [r.category, 'category'], owner_name: [r.ownerName, 'name'] }),
      check('risk_category_folded', sql`(${r.category} is null) = (${r.categoryFolded} is null)`),
      among('risk_likelihood', r.likelihood, steps),
      among('risk_impact', r.impact, steps),
      check('risk_assessed', sql`(${r.likelihood} is null) = (${r.impact} is null)`),
      check('risk_score', sql`${r.score} = coalesce(${r.likelihood} * ${r.impact}, 0)`),
      check('risk_standing', sql`${r.standing} = -(${r.score} * 10 + coalesce(${r.impact}, 0))`),
      among('risk_response', r.response, RISK_RESPONSES),
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
      dueOn: text('due_on'),
    },
    (i) => [
      ...entryRules('issue', i, ISSUE_STATUSES, OPEN_ISSUE_STATUSES),
      index('issue_by_assignee').on(i.assigneeId, i.live, ...placeOf(i)),
      index('issue_by_risk').on(i.riskId),
      ...bounded('issue', { assignee_name: [i.assigneeName, 'name'] }),
      among('issue_severity', i.severity, ISSUE_SEVERITIES),
      check('issue_standing', sql`${i.standing} = ${severityStanding(i.severity)}`),
      day('issue_due_on', i.dueOn),
    ],
  )

  const apiKey = table(
    'api_key',
    {
      id: text('id').primaryKey(),
      name: text('name').notNull(),
      /** The first characters of the key, for recognition. */
      prefix: text('prefix').notNull(),
      hash: text('hash').notNull(),
      /** Space-separated, as in OAuth. */
      scopes: text('scopes').notNull(),
      /** Keys of the projects that it may change, space-separated; null for all. */
      projects: text('projects'),
      createdAt: text('created_at').notNull(),
      expiresAt: text('expires_at'),
      revokedAt: text('revoked_at'),
      lastUsedAt: text('last_used_at'),
    },
    (k) => [uniqueIndex('api_key_hash').on(k.hash), ...bounded('api_key', { name: [k.name, 'name'] })],
  )

  /** The history: one row for each change of an entity, written in the same transaction. */
  const change = table(
    'change',
    {
      id: sequence('id'),
      recordedAt: text('recorded_at').notNull(),
      /** The day for which the change is effective. */
      effectiveOn: text('effective_on').notNull(),
      /** A key's id, or `cli`. */
      by: text('written_by').notNull(),
      action: oneOf('action', CHANGE_ACTIONS).notNull(),
      entity: oneOf('entity', ENTITY_KINDS).notNull(),
      entityId: text('entity_id').notNull(),
      /** The project that the entity belongs to, or is; null for people and groups. */
      projectId: text('project_id'),
      /** JSON: each changed field with its old and new value. */
      fields: text('fields').notNull(),
      /** The random value of the write, by which a cursor recognises its change (docs/decisions/0007-version-tokens.md). */
      nonce: counter('nonce').notNull().default(0),
    },
    (c) => [
      index('change_by_entity').on(c.entityId, c.id),
      index('change_by_kind').on(c.entity, c.id),
      index('change_by_project').on(c.projectId, c.entity, c.id),
      index('change_by_time').on(c.recordedAt, c.id),
      instant('change_recorded_at', c.recordedAt),
      day('change_effective_on', c.effectiveOn),
      among('change_action', c.action, CHANGE_ACTIONS),
      among('change_entity', c.entity, ENTITY_KINDS),
    ],
  )

  /** Idempotency records: the response to a request with an Idempotency-Key, so that a retry has no second effect. */
  const keptAnswer = table(
    'kept_answer',
    {
      /** The API key of the request. */
      keyId: text('key_id').notNull(),
      /** The Idempotency-Key header. */
      token: text('token').notNull(),
      /** A hash of the request. */
      fingerprint: text('fingerprint').notNull(),
      /** JSON. */
      answer: text('answer').notNull(),
      createdAt: text('created_at').notNull(),
    },
    (k) => [
      primaryKey({ columns: [k.keyId, k.token] }),
      index('kept_answer_by_age').on(k.createdAt),
      instant('kept_answer_created_at', k.createdAt),
    ],
  )

  /**
   * One row: every write that can change a result raises the overall counter and that of each part it changes. Beside
   * each counter is a random value, renewed when it rises (docs/decisions/0007-version-tokens.md).
   */
  const revision = table(
    'revision',
    {
      id: integer('id').primaryKey(),
      value: counter('value').notNull(),
      personnel: counter('personnel').notNull().default(0),
      projects: counter('projects').notNull().default(0),
      history: counter('history').notNull().default(0),
      keys: counter('keys').notNull().default(0),
      valueNonce: counter('value_nonce').notNull().default(0),
      personnelNonce: counter('personnel_nonce').notNull().default(0),
      projectsNonce: counter('projects_nonce').notNull().default(0),
      historyNonce: counter('history_nonce').notNull().default(0),
      keysNonce: counter('keys_nonce').notNull().default(0),
    },
    (r) => [check('revision_only', sql`${r.id} = 1`)],
  )

  return { person, group, membership, project, risk, riskTally, issue, change, apiKey, keptAnswer, revision }
}

function severityStanding(severity: AnyColumn): SQL {
  const cases = ISSUE_SEVERITIES.map((name, index) => `when '${name}' then ${-index}`).join(' ')
  return sql`case ${severity} ${sql.raw(cases)} end`
}

export type Tables = ReturnType<typeof defineTables>
