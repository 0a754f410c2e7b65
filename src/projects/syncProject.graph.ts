import { grants } from '../auth/scopes.js'
import { builder, enumOf, needs, requireProject } from '../graph/builder.js'
import { detailsInput } from '../graph/details.js'
import { field, members, reportField } from '../graph/fields.js'
import { boundedList, boundedNumber, boundedText, checkedBy, neverNull } from '../graph/inputs.js'
import type { SqlField } from '../graph/query/declared.js'
import { checkProjectState, FOR_MORE, type SyncReport, syncProject } from '../ingest/sync.js'
import { LIMITS } from '../limits.js'
import { ASSESSMENT_MAX, SCORE_MAX } from '../vocabulary.js'
import { ISSUE_FIELDS } from './issues.js'
import { Project } from './projects.graph.js'
import { inCapitals, PROJECT_FIELDS, projects } from './projects.js'
import { RISK_FIELDS } from './risks.js'
import { recordsIn, SyncCounts, SyncWarning } from './syncResults.graph.js'

const WHO =
  'by e-mail, user id, externalId or a name that is unique on the roster; other texts are stored as a name. ' +
  'For a key without personnel.read nobody is looked up, and the text is stored as a name.'

const SyncRiskInput = builder.inputType('SyncRiskInput', {
  description: 'A risk of the project. Absent fields stay, and null clears a field.',
  fields: (t) => ({
    reference: t.string({ required: true, ...boundedText('reference', RISK_FIELDS.reference.meaning) }),
    title: t.string(neverNull(boundedText('headline', `${RISK_FIELDS.title.meaning} A new one needs it.`))),
    description: t.string(boundedText('description', RISK_FIELDS.description.meaning)),
    category: t.string(boundedText('category', RISK_FIELDS.category.meaning)),
    likelihood: t.int(boundedNumber(1, ASSESSMENT_MAX, RISK_FIELDS.likelihood.meaning)),
    impact: t.int(boundedNumber(1, ASSESSMENT_MAX, RISK_FIELDS.impact.meaning)),
    status: t.field({ type: 'RiskStatus', description: RISK_FIELDS.status.meaning }),
    response: t.field({ type: 'RiskResponse', description: RISK_FIELDS.response.meaning }),
    mitigation: t.string(boundedText('description', RISK_FIELDS.mitigation.meaning)),
    cause: t.string(boundedText('description', RISK_FIELDS.cause.meaning)),
    residualLikelihood: t.int(boundedNumber(1, ASSESSMENT_MAX, RISK_FIELDS.residualLikelihood.meaning)),
    residualImpact: t.int(boundedNumber(1, ASSESSMENT_MAX, RISK_FIELDS.residualImpact.meaning)),
    scoreGiven: t.int(boundedNumber(0, SCORE_MAX, RISK_FIELDS.scoreGiven.meaning)),
    owner: t.string(boundedText('email', `The owner, ${WHO}`)),
    url: t.string(boundedText('url', RISK_FIELDS.url.meaning)),
    raisedOn: t.field({ type: 'Date', description: RISK_FIELDS.raisedOn.meaning }),
    reviewOn: t.field({ type: 'Date', description: RISK_FIELDS.reviewOn.meaning }),
    dueOn: t.field({ type: 'Date', description: RISK_FIELDS.dueOn.meaning }),
    details: t.field(detailsInput),
  }),
})

const SyncIssueInput = builder.inputType('SyncIssueInput', {
  description: 'An issue of the project. Absent fields stay, and null clears a field.',
  fields: (t) => ({
    reference: t.string({ required: true, ...boundedText('reference', ISSUE_FIELDS.reference.meaning) }),
    title: t.string(neverNull(boundedText('headline', `${ISSUE_FIELDS.title.meaning} A new one needs it.`))),
    description: t.string(boundedText('description', ISSUE_FIELDS.description.meaning)),
    severity: t.field({
      type: 'IssueSeverity',
      ...neverNull({ description: `${ISSUE_FIELDS.severity.meaning} A new one needs it.` }),
    }),
    status: t.field({ type: 'IssueStatus', description: ISSUE_FIELDS.status.meaning }),
    assignee: t.string(boundedText('email', `The assignee, ${WHO}`)),
    risk: t.string(boundedText('reference', 'The reference of the risk that caused it, in the same project.')),
    url: t.string(boundedText('url', ISSUE_FIELDS.url.meaning)),
    raisedOn: t.field({ type: 'Date', description: ISSUE_FIELDS.raisedOn.meaning }),
    dueOn: t.field({ type: 'Date', description: ISSUE_FIELDS.dueOn.meaning }),
    details: t.field(detailsInput),
  }),
})

const SyncMode = enumOf('SyncMode', 'Whether the lists of a project sync are complete.', {
  FULL: 'Each given list is complete: what is missing from it is closed, and a closed entry in it without a status is reopened.',
  PARTIAL: 'Only what is given is added or changed; nothing is closed. For projects that are sent in parts.',
})

function allOf(nouns: string) {
  const rule = 'missing ones are closed, unless the mode is PARTIAL'
  const description = `All ${nouns} of the project: ${rule}. If absent, the ${nouns} stay as they are.`
  return boundedList(LIMITS.syncRecordsMax, description, FOR_MORE)
}

const SyncProjectInput = builder.inputType('SyncProjectInput', {
  description: 'A project, with its risks and issues.',
  ...checkedBy(checkProjectState, LIMITS.syncViolationsMax),
  fields: (t) => ({
    mode: t.field({ type: SyncMode, description: 'Whether the lists are complete; FULL by default.' }),
    key: t.string({ required: true, ...boundedText('projectKey', PROJECT_FIELDS.key.meaning) }),
    name: t.string(neverNull(boundedText('name', `${PROJECT_FIELDS.name.meaning} A new project needs it.`))),
    description: t.string(boundedText('description', PROJECT_FIELDS.description.meaning)),
    url: t.string(boundedText('url', PROJECT_FIELDS.url.meaning)),
    status: t.field({ type: 'ProjectStatus', description: PROJECT_FIELDS.status.meaning }),
    details: t.field(detailsInput),
    risks: t.field({ type: [SyncRiskInput], ...allOf('risks') }),
    issues: t.field({ type: [SyncIssueInput], ...allOf('issues') }),
    closeLimit: t.int({
      description:
        'How many risks, and how many issues, may be closed as missing; ' +
        `a fifth of the live ones, or ${LIMITS.closeLeast} if that is more, by default.`,
    }),
  }),
})

const SyncResult = builder.objectRef<SyncReport>('SyncResult')
SyncResult.implement({ description: 'The result of a project sync.', ...needs('projects.manage') })
const projectAfter: SqlField = { row: { list: projects, by: 'key', key: ({ key }: SyncReport) => key } }
field(SyncResult, 'project', () => ({
  type: Project,
  description: 'The project after the sync.',
  ...needs('projects.read', { sql: projectAfter }),
}))
members(SyncResult, {
  risks: { type: SyncCounts, description: 'Counts of its risks.' },
  issues: { type: SyncCounts, description: 'Counts of its issues.' },
  warnings: {
    type: [SyncWarning],
    description:
      'Values that may not be what was intended: owners and assignees who are not on the roster, and scores beside ' +
      'likelihood and impact. For a key without personnel.read the only warning about people is that nobody was ' +
      'looked up.',
  },
})

reportField('syncProject', {
  type: SyncResult,
  scope: 'projects.manage',
  description:
    'Updates a project, its risks and its issues to the given state, all or nothing. ' +
    'An unknown project is added. Repeating it changes nothing.',
  price: { records: ({ input }) => recordsIn(input, 'risks', 'issues') },
  args: (arg) => ({ input: arg({ type: SyncProjectInput, required: true, description: 'The state of the project.' }) }),
  check: (principal, { input }) => requireProject(principal, inCapitals(input.key)),
  change: (write, { input }, { scopes }) =>
    syncProject(write, { ...input, key: inCapitals(input.key) }, grants(scopes, 'personnel.read')),
})
