import { grants } from '../auth/scopes.js'
import type { FieldPrice } from '../graph/bills.js'
import { builder, change, needs, requireProject } from '../graph/builder.js'
import { present } from '../graph/entities.js'
import { boundedList, boundedNumber, boundedText, neverNull } from '../graph/inputs.js'
import type { Arguments } from '../graph/sql/fields.js'
import type { Counts } from '../intake/intake.js'
import { FOR_MORE, type SyncReport, syncProject } from '../intake/sync.js'
import { LIMITS } from '../limits.js'
import { ASSESSMENT_MAX } from '../vocabulary.js'
import { IssueSeverity, IssueStatus } from './issues.graph.js'
import { ISSUE_FIELDS } from './issues.js'
import { Project, ProjectStatus } from './projects.graph.js'
import { PROJECT_FIELDS, projectsByKeys } from './projects.js'
import { RiskResponse, RiskStatus } from './risks.graph.js'
import { RISK_FIELDS } from './risks.js'

const WHO =
  'by e-mail, user id, externalId or a name that is unique on the roster; anyone else is kept as a name. ' +
  'Nobody is looked up for a key without personnel.read: what it sends is kept as a name.'

const SyncRiskInput = builder.inputType('SyncRiskInput', {
  description: 'A risk as the project has it. What is absent stays as it is, and null clears it.',
  fields: (t) => ({
    reference: t.string({ required: true, ...boundedText('reference', RISK_FIELDS.reference.meaning) }),
    title: t.string(neverNull(boundedText('headline', `${RISK_FIELDS.title.meaning} A new one needs it.`))),
    description: t.string(boundedText('description', RISK_FIELDS.description.meaning)),
    category: t.string(boundedText('category', RISK_FIELDS.category.meaning)),
    likelihood: t.int(boundedNumber(1, ASSESSMENT_MAX, RISK_FIELDS.likelihood.meaning)),
    impact: t.int(boundedNumber(1, ASSESSMENT_MAX, RISK_FIELDS.impact.meaning)),
    status: t.field({ type: RiskStatus, description: RISK_FIELDS.status.meaning }),
    response: t.field({ type: RiskResponse, description: RISK_FIELDS.response.meaning }),
    owner: t.string(boundedText('email', `Who looks after it, ${WHO}`)),
    url: t.string(boundedText('url', RISK_FIELDS.url.meaning)),
    raisedOn: t.field({ type: 'Date', description: RISK_FIELDS.raisedOn.meaning }),
    reviewOn: t.field({ type: 'Date', description: RISK_FIELDS.reviewOn.meaning }),
  }),
})

const SyncIssueInput = builder.inputType('SyncIssueInput', {
  description: 'An issue as the project has it. What is absent stays as it is, and null clears it.',
  fields: (t) => ({
    reference: t.string({ required: true, ...boundedText('reference', ISSUE_FIELDS.reference.meaning) }),
    title: t.string(neverNull(boundedText('headline', `${ISSUE_FIELDS.title.meaning} A new one needs it.`))),
    description: t.string(boundedText('description', ISSUE_FIELDS.description.meaning)),
    severity: t.field({
      type: IssueSeverity,
      ...neverNull({ description: `${ISSUE_FIELDS.severity.meaning} A new one needs it.` }),
    }),
    status: t.field({ type: IssueStatus, description: ISSUE_FIELDS.status.meaning }),
    assignee: t.string(boundedText('email', `Who is to solve it, ${WHO}`)),
    risk: t.string(boundedText('reference', 'The reference of the risk that it came from, in the same project.')),
    url: t.string(boundedText('url', ISSUE_FIELDS.url.meaning)),
    raisedOn: t.field({ type: 'Date', description: ISSUE_FIELDS.raisedOn.meaning }),
    dueOn: t.field({ type: 'Date', description: ISSUE_FIELDS.dueOn.meaning }),
  }),
})

const SyncProjectInput = builder.inputType('SyncProjectInput', {
  description: 'A project as its own system has it, with all of its risks and issues.',
  fields: (t) => ({
    key: t.string({ required: true, ...boundedText('projectKey', PROJECT_FIELDS.key.meaning) }),
    name: t.string(neverNull(boundedText('name', `${PROJECT_FIELDS.name.meaning} A new project needs it.`))),
    description: t.string(boundedText('description', PROJECT_FIELDS.description.meaning)),
    url: t.string(boundedText('url', PROJECT_FIELDS.url.meaning)),
    status: t.field({ type: ProjectStatus, description: PROJECT_FIELDS.status.meaning }),
    risks: t.field({
      type: [SyncRiskInput],
      ...boundedList(
        LIMITS.syncRecordsMax,
        'All risks of the project: those that are missing are closed. Without it, they stay as they are.',
        FOR_MORE,
      ),
    }),
    issues: t.field({
      type: [SyncIssueInput],
      ...boundedList(
        LIMITS.syncRecordsMax,
        'All issues of the project: those that are missing are closed. Without it, they stay as they are.',
        FOR_MORE,
      ),
    }),
    closeLimit: t.int({
      description:
        'How many risks, and how many issues, may be closed as missing; without it, a fifth of the live ones.',
    }),
  }),
})

const SyncCounts = builder.objectRef<Readonly<Counts>>('SyncCounts')
SyncCounts.implement({
  description: 'What became of the risks or issues of a project.',
  fields: (t) => ({
    created: t.exposeInt('created', { description: 'How many are new.' }),
    updated: t.exposeInt('updated', { description: 'How many have changed.' }),
    unchanged: t.exposeInt('unchanged', { description: 'How many are as they were.' }),
    closed: t.exposeInt('closed', { description: 'How many were closed, because they are missing.' }),
  }),
})

const SyncWarning = builder.objectRef<{ pointer?: string; detail: string }>('SyncWarning')
SyncWarning.implement({
  description: 'Something that was stored, but may not be as it was meant.',
  fields: (t) => ({
    pointer: t.string({ description: 'Where in the input.', resolve: ({ pointer }) => pointer ?? '' }),
    detail: t.exposeString('detail', { description: 'What was found.' }),
  }),
})

const SyncResult = builder.objectRef<SyncReport>('SyncResult')
SyncResult.implement({
  description: 'What became of a project that was brought up to date.',
  ...needs('projects.manage'),
  fields: (t) => ({
    project: t.field({
      type: Project,
      description: 'The project as it is now.',
      ...needs('projects.read'),
      resolve: async ({ key }, _, { store }) => present((await projectsByKeys(store.read, [key])).get(key)),
    }),
    risks: t.expose('risks', { type: SyncCounts, description: 'What became of its risks.' }),
    issues: t.expose('issues', { type: SyncCounts, description: 'What became of its issues.' }),
    warnings: t.field({
      type: [SyncWarning],
      description:
        'What may not be as it was meant: owners and assignees whom the roster does not know. ' +
        'A key without personnel.read learns only that nobody was looked up.',
      resolve: ({ warnings }) => warnings,
    }),
  }),
})

/** As they were sent: REST counts them before anyone has looked at what they hold. */
function recordsIn({ input }: Arguments): number {
  const { risks, issues } = Object(input) as { risks?: unknown; issues?: unknown }
  return [risks, issues].reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 0), 0)
}

builder.mutationField('syncProject', (t) =>
  t.field({
    type: SyncResult,
    nullable: true,
    description:
      'Brings a project, its risks and its issues to the state that its own system tells, all or nothing. ' +
      'A project that is not known yet is added. Doing it again changes nothing.',
    ...needs('projects.manage', { price: { records: recordsIn } satisfies FieldPrice }),
    args: { input: t.arg({ type: SyncProjectInput, required: true, description: 'The project, as it should be.' }) },
    resolve: (_, { input }, context) => {
      const state = { ...input, key: input.key.trim().toUpperCase() }
      requireProject(context.principal, state.key)
      const matchPeople = grants(context.principal.scopes, 'personnel.read')
      return change(context, (write) => syncProject(write, state, matchPeople))
    },
  }),
)
