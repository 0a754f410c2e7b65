import { sql } from 'drizzle-orm'
import { builder } from '../graph/builder.js'
import { connectionOf, queryList } from '../graph/connections.js'
import { byKey, queryOne, type UniqueKey } from '../graph/entities.js'
import { computedField } from '../graph/fields.js'
import { boundedTexts } from '../graph/inputs.js'
import { entityType, filterInput } from '../graph/nouns.js'
import { keyPart } from '../store/query/rowKeys.js'
import type { Tables } from '../store/tables.js'
import { trimmed } from '../text.js'
import type { HeldNoun } from '../vocabulary.js'
import { isProject, overdueIssueCount, PROJECT, projectKeys, projects } from './projects.js'

export const Project = entityType(
  'Project',
  'A project: it owns its risks and issues, which are rolled up here.',
  PROJECT,
  { scope: 'projects.read', table: projects.table, keys: projectKeys, title: 'name' },
)
computedField(Project, 'overdueIssueCount', {
  type: 'Int',
  nullable: true,
  description: 'The number of its open issues that were due before a day; null if no day is given.',
  computed: overdueIssueCount,
  args: (arg) => ({ on: arg({ type: 'Date', description: 'The day: issues due before it are overdue.' }) }),
})

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

/** Identifies an entry by its project and its reference in the project. */
export const byReference: UniqueKey<Tables[HeldNoun]> = {
  args: {
    project: { part: keyPart('id', trimmed), description: 'The key of its project, in any case, or the id.' },
    reference: { part: keyPart('reference', trimmed), description: 'Its name in that project, such as R-7.' },
  },
  condition: ({ t: { project } }, { projectId, reference }) => {
    const named = isProject(project, sql`${sql.placeholder('project')}`)
    return sql`${projectId} = (select ${project.id} from ${project} where ${named}) and ${reference} = ${sql.placeholder('reference')}`
  },
}
