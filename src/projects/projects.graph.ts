import { badArgument } from '../errors.js'
import { builder, enumOf, needs } from '../graph/builder.js'
import { connectionOf, queryList } from '../graph/connections.js'
import { stamps } from '../graph/entities.js'
import { asEntity, displayed } from '../graph/federation.js'
import { boundedText } from '../graph/inputs.js'
import { loader, rowLoader } from '../graph/loaders.js'
import { type OneTelling, toldByCount } from '../graph/told.js'
import { oneTeller } from '../store/told.js'
import {
  called,
  isCalled,
  type ProjectRow,
  projectByIdOrKey,
  projectHealth,
  projectKeys,
  projects,
  toldOpenIssues,
  toldOpenRisks,
  toldTopScore,
} from './projects.js'

export const ProjectStatus = enumOf('ProjectStatus', 'Where a project stands.', {
  ACTIVE: 'Under way.',
  ON_HOLD: 'Paused for now.',
  CLOSED: 'Finished or given up.',
})

export const projectById = rowLoader(projects)
const healthOfProject = loader(projectHealth)

export const Project = builder.objectRef<ProjectRow>('Project')
Project.implement({
  description: 'A project: it owns its risks and issues, which are rolled up here.',
  ...needs('projects.read'),
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the project.' }),
    key: t.exposeString('key', { description: 'The short name, in capitals; no two projects share one.' }),
    name: t.exposeString('name', { ...displayed, description: 'The name.' }),
    description: t.exposeString('description', { nullable: true, description: 'What the project is about.' }),
    url: t.exposeString('url', { nullable: true, description: 'Where the project is kept.' }),
    status: t.expose('status', { type: ProjectStatus, description: 'Where the project stands.' }),
    openRiskCount: t.int({
      description: 'How many of its risks are not closed.',
      extensions: toldByCount(toldOpenRisks),
      resolve: async ({ id }, _, context) => (await healthOfProject(context, id))?.openRiskCount ?? 0,
    }),
    openIssueCount: t.int({
      description: 'How many of its issues are open.',
      extensions: toldByCount(toldOpenIssues),
      resolve: async ({ id }, _, context) => (await healthOfProject(context, id))?.openIssueCount ?? 0,
    }),
    topRiskScore: t.int({
      nullable: true,
      description: 'The highest score among its risks that are not closed; null when there are none.',
      extensions: toldByCount(toldTopScore),
      resolve: async ({ id }, _, context) => (await healthOfProject(context, id))?.topRiskScore,
    }),
    syncedAt: t.expose('syncedAt', {
      type: 'DateTime',
      nullable: true,
      description: "When the project's data last came in.",
    }),
  }),
})
stamps(Project)
asEntity(Project, { scope: 'projects.read', table: projects.table, keys: projectKeys })

const ProjectFilter = builder.inputType('ProjectFilter', {
  description: 'Which projects. Conditions given together must all hold.',
  fields: (t) => ({
    status: t.field({ type: [ProjectStatus], description: 'With one of these statuses; without it, all projects.' }),
    search: t.string(boundedText('search', 'With this text in the name or the key, in any case.')),
    updatedSince: t.field({ type: 'DateTime', description: 'Changed at this instant or later.' }),
  }),
})

queryList('projects', {
  type: connectionOf(Project, 'projects'),
  filter: ProjectFilter,
  scope: 'projects.read',
  description: 'The projects whose risks and issues are rolled up here, ordered by key.',
  list: projects,
})

/** What names a project at the root. */
interface ProjectName {
  readonly id?: string | null | undefined
  readonly key?: string | null | undefined
}

function nameIn({ id, key }: ProjectName): string {
  const name = id ?? key
  if (name == null || (id != null && key != null)) throw badArgument('id', 'Give the id or the key, one of the two.')
  return name
}

const rootTold: OneTelling = {
  one: (entry) => {
    const tell = oneTeller(projects.table, entry, isCalled)
    return ({ store: { read } }, args: ProjectName) => tell(read, called(nameIn(args)))
  },
}

builder.queryField('project', (t) =>
  t.field({
    type: Project,
    nullable: true,
    description: 'One project, by its id or by its key.',
    ...needs('projects.read', { rootTold }),
    args: {
      id: t.arg.id({ description: 'The id of the project; its key will do too, as they never look alike.' }),
      key: t.arg.string(boundedText('projectKey', 'The key of the project, instead of the id.')),
    },
    resolve: (_, args, { store }) => projectByIdOrKey(store.read, nameIn(args)),
  }),
)
