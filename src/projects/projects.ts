import { and, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import { checkSize, details } from '../details.js'
import {
  byDefault,
  link,
  namesOf,
  oneOf,
  patchedFields,
  projectKey,
  required,
  requireFields,
  text,
  type Values,
} from '../fields.js'
import { Ledger } from '../history/ledger.js'
import { newId } from '../ids.js'
import { type Naming, type Optional, refersTo } from '../store/query/conditions.js'
import { anyOf, changedSince, filteredList, INDEXED, searchIn } from '../store/query/filters.js'
import { idMember, nounOf, shown } from '../store/query/nouns.js'
import type { Computed } from '../store/query/relations.js'
import { columnKey, idKey, keyPart, type RowKeys } from '../store/query/rowKeys.js'
import type { Read, Write } from '../store/store.js'
import type { Tables } from '../store/tables.js'
import { foldedTogether, type InputCheck } from '../text.js'
import type { HeldNoun, ProjectStatus } from '../vocabulary.js'
import { isAtLevels } from './scores.js'

export type ProjectRow = Tables['project']['$inferSelect']

/** A project's key as stored. */
export const inCapitals = (text: string) => text.trim().toUpperCase()

export const projectKeyPart = keyPart('projectKey', inCapitals)

const key = columnKey<Tables['project']>(projectKeyPart, ({ key }) => key)
export const projectKeys = { id: idKey, key } satisfies RowKeys<Tables['project']>

/** A condition that a row is the project with this id or key, which never look alike. */
export function isProject({ id, key }: Pick<Tables['project'], 'id' | 'key'>, idOrKey: SQLWrapper): SQL {
  return sql`(${id} = ${idOrKey} or ${key} = upper(${idOrKey}))`
}

/** How filters and paths name projects. */
export const projectNaming: Naming = {
  kind: 'project',
  identifiers: 'its key or its id',
  table: (t) => t.project,
  key: { canonical: inCapitals, column: (t) => t.project.key, shown: (t) => t.project.key },
}

/** The projects of entries, in the filters of views. */
export interface InProjects {
  /** Ids or keys. */
  readonly project?: Optional<readonly string[]>
  readonly projectStatus?: Optional<readonly ProjectStatus[]>
}

/** The condition that a column refers to one of these projects. */
export function inProjects(read: Read, column: AnyPgColumn, filter: Optional<InProjects>): SQL | undefined {
  const { project } = read.t
  const status = filter?.projectStatus && read.among(project.status, filter.projectStatus)
  return and(
    filter?.project ? refersTo(read, column, projectNaming, filter.project) : undefined,
    status ? sql`${column} in (select ${project.id} from ${project} where ${status})` : undefined,
  )
}

type OfProject = Computed<Tables['project']>

function liveCount(
  entry: (t: Tables) => Tables[HeldNoun],
  more?: (t: Tables, given?: SQLWrapper) => SQL,
  how: Pick<OfProject, 'counted' | 'isCount'> = { counted: entry },
): OfProject {
  return {
    of: (t) => t.project,
    ...how,
    value: ({ t }, { id }, given) => {
      const { projectId, live } = entry(t)
      return sql`(select count(*) from ${entry(t)} where ${projectId} = ${id} and ${live} = 1${more?.(t, given)})`
    },
  }
}

const openRiskCount = liveCount((t) => t.risk)
const openIssueCount = liveCount((t) => t.issue)
const isCritical = ({ risk }: Tables) => sql` and ${isAtLevels(risk.sortKey, ['CRITICAL'])}`
const criticalRiskCount = liveCount((t) => t.risk, isCritical)
const topRiskScore: OfProject = { of: (t) => t.project, value: ({ t }, { id }) => ofTopRisk(t, id, t.risk.score) }

/** A column of the highest live risk of a project: the first in the order of the index; max() would read all of them. */
function ofTopRisk({ risk }: Tables, projectId: AnyPgColumn, column: AnyPgColumn): SQL {
  return sql`(select ${column} from ${risk} where ${risk.projectId} = ${projectId} and ${risk.live} = 1 order by ${risk.sortKey} limit 1)`
}

const isOverdue = ({ issue }: Tables, day?: SQLWrapper) => sql` and ${issue.dueOn} < ${day}`
/** The open issues that were due before a day; no index of a project's issues has it, so they are read themselves. */
export const overdueIssueCount = liveCount((t) => t.issue, isOverdue, { isCount: true })

const FILTERS = {
  status: anyOf(
    'ProjectStatus',
    'With one of these statuses; all projects by default.',
    ({ t, among }, statuses) => among(t.project.status, statuses),
    INDEXED,
  ),
  topLevel: anyOf('RiskLevel', 'Whose highest risk that is not closed is at one of these levels.', ({ t }, levels) =>
    isAtLevels(ofTopRisk(t, t.project.id, t.risk.sortKey), levels),
  ),
  search: searchIn('the name or the key', ({ project }) => [project.searchFolded]),
  updatedSince: changedSince((t) => t.project),
}

export const projects = filteredList((t) => t.project, FILTERS, {
  name: 'projects',
  order: ({ key, id }) => [key, id],
})

/** The owner of a risk or the assignee of an issue: a person on the roster, the source's name, both, or nobody. */
export interface Assignee {
  readonly id?: string | null | undefined
  readonly name?: string | null | undefined
}

const counted = (meaning: string, computed: OfProject) => shown('Int', meaning, { computed })

export const PROJECT = nounOf({
  id: idMember('The id of the project.'),
  key: required(projectKey('The short name in capitals; unique.', 'APOLLO')),
  name: required(text('name', 'The name.', 'Apollo bridge renewal')),
  description: text('description', 'What the project is about.', 'Renewal of the bridge over the river.'),
  url: link('The link to the project in its own system.', 'https://projects.example.com/apollo'),
  status: byDefault(oneOf('ProjectStatus', 'The status of the project.'), 'ACTIVE'),
  openRiskCount: counted('The number of its risks that are not closed.', openRiskCount),
  criticalRiskCount: counted('The number of its risks of the level CRITICAL that are not closed.', criticalRiskCount),
  openIssueCount: counted('The number of its open issues.', openIssueCount),
  topRiskScore: shown('Int', 'The highest score of its risks that are not closed; null if there are none.', {
    computed: topRiskScore,
    isNullable: true,
  }),
  syncedAt: shown('DateTime', "When the project's data was last imported or synced.", { isNullable: true }),
  details: details('Budget', '4.2 million EUR'),
})
type ProjectValues = Values<typeof PROJECT.facts>

export function projectsLedger(write: Write): Ledger<ProjectRow> {
  return new Ledger(write, {
    kind: 'PROJECT',
    table: (t) => t.project,
    unique: ['key'],
    projectOf: ({ id }) => id,
    tracked: namesOf(PROJECT.facts),
  })
}

export function checkProject(before: ProjectRow | undefined, values: ProjectValues, check: InputCheck): void {
  if (!before) requireFields(PROJECT.facts, values, check)
  checkSize(PROJECT.facts, values, before, check)
}

/** A project as it would be stored: the given values merged with the row before. */
export function projectWith(
  { at }: Write,
  before: ProjectRow | undefined,
  values: ProjectValues,
  id?: string,
): ProjectRow {
  const key = values.key ?? before?.key ?? ''
  const name = values.name ?? before?.name ?? ''
  return {
    id: before?.id ?? id ?? newId('project', new Date(at)),
    ...patchedFields(PROJECT.facts, values, before),
    key,
    name,
    searchFolded: foldedTogether(key, name),
    status: values.status ?? before?.status ?? 'ACTIVE',
    syncedAt: before ? before.syncedAt : at,
    createdAt: at,
    updatedAt: at,
  }
}

/** Records that data of these projects was imported, which does not change `updatedAt`. */
export async function recordSync({ db, t, among, at }: Write, projectIds: readonly string[]): Promise<void> {
  await db.update(t.project).set({ syncedAt: at }).where(among(t.project.id, projectIds))
}
