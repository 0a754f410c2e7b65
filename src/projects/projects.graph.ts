import { sql } from 'drizzle-orm'
import { builder, needs } from '../graph/builder.js'
import { connectionOf, queryList } from '../graph/connections.js'
import { detailsField } from '../graph/details.js'
import { byKey, queryOne, timestampFields, type UniqueKey } from '../graph/entities.js'
import { asEntity, displayed } from '../graph/federation/schema.js'
import { columns, computedField } from '../graph/fields.js'
import { boundedTexts, filterInput } from '../graph/inputs.js'
import { keyPart } from '../store/query/rowKeys.js'
import type { Tables } from '../store/tables.js'
import { trimmed } from '../text.js'
import { isProject, overdueIssueCount, type ProjectRow, projectHealth, projectKeys, projects } from './projects.js'

export const Project = builder.objectRef<ProjectRow>('Project')
Project.implement({
  description: 'A project: it owns its risks and issues, which are rolled up here.',
  ...needs('projects.read'),
})
columns(Project, {
  id: { type: 'ID', description: 'The id of the project.' },
  key: { type: 'String', description: 'The short name in capitals; unique.' },
  name: { type: 'String', description: 'The name.', ...displayed },
  description: { type: 'String', nullable: true, description: 'What the project is about.' },
  url: { type: 'String', nullable: true, description: 'The link to the project in its own system.' },
  status: { type: 'ProjectStatus', description: 'The status of the project.' },
  syncedAt: { type: 'DateTime', nullable: true, description: "When the project's data was last imported or synced." },
})
const count = (name: Exclude<keyof typeof projectHealth, 'topRiskScore'>, description: string) =>
  computedField(Project, name, { type: 'Int', description, computed: projectHealth[name] })
count('openRiskCount', 'The number of its risks that are not closed.')
count('criticalRiskCount', 'The number of its risks of the level CRITICAL that are not closed.')
count('openIssueCount', 'The number of its open issues.')
computedField(Project, 'overdueIssueCount', {
  type: 'Int',
  nullable: true,
  description: 'The number of its open issues that were due before a day; null if no day is given.',
  computed: overdueIssueCount,
  args: (arg) => ({ on: arg({ type: 'Date', description: 'The day: issues due before it are overdue.' }) }),
})
computedField(Project, 'topRiskScore', {
  type: 'Int',
  nullable: true,
  description: 'The highest score of its risks that are not closed; null if there are none.',
  computed: projectHealth.topRiskScore,
})
detailsField(Project, projects.table)
timestampFields(Project)
asEntity(Project, { scope: 'projects.read', table: projects.table, keys: projectKeys })

/** The orders that risks and issues share. */
export const ENTRY_ORDERS_IN_WORDS = {
  DUE: 'The one due first; those without a due day come last.',
  UPDATED: 'The one changed last.',
}

/** The filter of a view by the projects of what it counts. */
export const projectsFilter = (name: string, description: string) =>
  builder.inputType(name, {
    description,
    fields: (t) => ({
      project: t.stringList(boundedTexts('id', 'In one of these projects, by key or id.')),
      projectStatus: t.field({
        type: ['ProjectStatus'],
        description: 'In a project that has one of these statuses now.',
      }),
    }),
  })

/** For `referenceField`: the project of an entry or of a movement. */
export const TO_PROJECT = { to: Project, list: projects, scope: 'projects.read', required: true } as const

const ProjectFilter = filterInput('ProjectFilter', 'Filters projects. All given conditions must hold.', projects)

queryList('projects', {
  type: connectionOf(Project, 'projects'),
  filter: ProjectFilter,
  scope: 'projects.read',
  description: 'The projects whose risks and issues are rolled up here, ordered by key.',
  list: projects,
})

queryOne('project', {
  type: Project,
  scope: 'projects.read',
  description: 'One project, by id or key.',
  list: projects,
  idMayBe: 'key',
  keys: [byKey('key', projectKeys.key, 'The key of the project, in any case.')],
})

/** Identifies a risk or an issue by its project and its reference in the project. */
export const byReference: UniqueKey<Tables['risk'] | Tables['issue']> = {
  args: {
    project: { part: keyPart('id', trimmed), description: 'The key of its project, in any case, or the id.' },
    reference: { part: keyPart('reference', trimmed), description: 'Its name in that project, such as R-7.' },
  },
  condition: ({ t: { project } }, { projectId, reference }) => {
    const named = isProject(project, sql`${sql.placeholder('project')}`)
    return sql`${projectId} = (select ${project.id} from ${project} where ${named}) and ${reference} = ${sql.placeholder('reference')}`
  },
}
