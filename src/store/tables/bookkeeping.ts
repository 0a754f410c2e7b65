import { sql } from 'drizzle-orm'
import { CHANGE_ACTIONS, ENTITY_KINDS, IMPORT_KINDS } from '../../vocabulary.js'
import { type Columns, checksWith } from '../columns.js'

/** What the store keeps about its own work: keys, history, idempotency records, versions. */
export function bookkeepingTables(columns: Columns) {
  const { table, text, oneOf, integer, counter, sequence, index, uniqueIndex, primaryKey, check } = columns
  const { bounded, among, day, instant } = checksWith(columns)

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
      effectiveOn: text('effective_on').notNull(),
      /** A key's id, or `cli`. */
      by: text('written_by').notNull(),
      action: oneOf('action', CHANGE_ACTIONS).notNull(),
      entity: oneOf('entity', ENTITY_KINDS).notNull(),
      entityId: text('entity_id').notNull(),
      /** The project that the entity belongs to, or is; null for people and groups. */
      projectId: text('project_id'),
      /** The run of an import that made the change; null for single changes. */
      importId: text('import_id'),
      /** JSON: each changed field with its old and new value. */
      fields: text('fields').notNull(),
      /** What counts of a risk before and after (`riskState`), so that counting over time parses no JSON; null if it stays. */
      stateFrom: integer('state_from'),
      stateTo: integer('state_to'),
      /** The random value of the write, by which a cursor recognises its change (docs/decisions/0007-version-tokens.md). */
      nonce: counter('nonce').notNull().default(0),
    },
    (c) => [
      index('change_by_entity').on(c.entityId, c.id),
      // The states make them cover the levels over time.
      index('change_by_kind').on(c.entity, c.id, c.stateFrom, c.stateTo),
      index('change_by_project').on(c.projectId, c.entity, c.id, c.stateFrom, c.stateTo),
      index('change_by_time').on(c.recordedAt, c.id),
      instant('change_recorded_at', c.recordedAt),
      day('change_effective_on', c.effectiveOn),
      among('change_action', c.action, CHANGE_ACTIONS),
      among('change_entity', c.entity, ENTITY_KINDS),
    ],
  )

  /** The runs of imports, syncs and their like: each changes many entities at once, all of them at the instant `at`. */
  const importRun = table(
    'import_run',
    {
      id: text('id').primaryKey(),
      at: text('at').notNull(),
      kind: oneOf('kind', IMPORT_KINDS).notNull(),
      /** What it has: people, groups, projects, risks, issues; `personnel` or the key of a project for a sync. */
      noun: text('noun').notNull(),
      /** What it came from, the same each night: the name of a source, or of a key. */
      source: text('source').notNull(),
      file: text('file'),
      /** Of the bytes of the file, so that a file can be recognised. */
      sha256: text('sha256'),
      /** A key's id, or `cli`. */
      by: text('written_by').notNull(),
      /** The name of the person who ran a command; erased with that person. */
      operator: text('operator'),
      created: integer('created').notNull(),
      updated: integer('updated').notNull(),
      unchanged: integer('unchanged').notNull(),
      closed: integer('closed').notNull(),
      /** The run that this one undid. */
      undoes: text('undoes'),
    },
    (r) => [
      index('import_run_by_source').on(r.source, r.noun, r.id),
      among('import_run_kind', r.kind, IMPORT_KINDS),
      instant('import_run_at', r.at),
    ],
  )

  /** What the columns and words of a source mean, since an import from it was accepted. */
  const sourceMap = table(
    'source_map',
    {
      source: text('source').notNull(),
      noun: text('noun').notNull(),
      /** JSON, as --suggest-map prints it. */
      map: text('map').notNull(),
      /** JSON: all headings of the file, also of those columns that the map does not name. */
      headings: text('headings').notNull(),
      acceptedAt: text('accepted_at').notNull(),
    },
    (m) => [primaryKey({ columns: [m.source, m.noun] }), instant('source_map_accepted_at', m.acceptedAt)],
  )

  /** Idempotency records: the response to a request with an Idempotency-Key, so that a retry has no second effect. */
  const idempotencyRecord = table(
    'kept_answer',
    {
      keyId: text('key_id').notNull(),
      /** The Idempotency-Key header. */
      token: text('token').notNull(),
      /** A hash of the request. */
      fingerprint: text('fingerprint').notNull(),
      answer: text('answer').notNull(),
      createdAt: text('created_at').notNull(),
    },
    (k) => [
      primaryKey({ columns: [k.keyId, k.token] }),
      index('kept_answer_by_age').on(k.createdAt),
      instant('kept_answer_created_at', k.createdAt),
    ],
  )

  /** One row: the change counters, each with a random value that is renewed when it rises (docs/decisions/0007-version-tokens.md). */
  const revision = table(
    'revision',
    {
      id: integer('id').primaryKey(),
      value: counter('value').notNull(),
      personnel: counter('personnel').notNull().default(0),
      projects: counter('projects').notNull().default(0),
      history: counter('history').notNull().default(0),
      keys: counter('keys').notNull().default(0),
      personnelUpdates: counter('known').notNull().default(0),
      valueNonce: counter('value_nonce').notNull().default(0),
      personnelNonce: counter('personnel_nonce').notNull().default(0),
      projectsNonce: counter('projects_nonce').notNull().default(0),
      historyNonce: counter('history_nonce').notNull().default(0),
      keysNonce: counter('keys_nonce').notNull().default(0),
      personnelUpdatesNonce: counter('known_nonce').notNull().default(0),
      /** The least version of the program that may write to the store: a closing migration raises it. */
      leastVersion: text('least_version').notNull().default('0.1.0'),
    },
    (r) => [check('revision_only', sql`${r.id} = 1`)],
  )

  return { apiKey, change, importRun, sourceMap, idempotencyRecord, revision }
}
