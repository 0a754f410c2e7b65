import { grants } from '../auth/scopes.js'
import { type Field, ruled } from '../fields.js'
import { builder, enumOf, needs, requireProject } from '../graph/builder.js'
import { field, members, reportField } from '../graph/fields.js'
import { boundedList, checkedBy } from '../graph/inputs.js'
import { recordInput } from '../graph/nouns.js'
import type { SqlField } from '../graph/query/declared.js'
import { LIMITS } from '../limits.js'
import { ISSUE } from '../projects/issues.js'
import { Project } from '../projects/projects.graph.js'
import { inCapitals, PROJECT, projects } from '../projects/projects.js'
import { RISK } from '../projects/risks.js'
import { checkProjectState, FOR_MORE, type SyncReport, syncProject } from './sync.js'
import { recordsIn, SyncCounts, SyncWarning } from './syncResults.graph.js'

const held = <F extends Field<string>>(member: F) =>
  ruled(
    member,
    'Other texts are stored as a name. For a key without personnel.read nobody is looked up, and the text is stored as a name.',
  )

const SyncRiskInput = recordInput(
  'SyncRiskInput',
  'A risk of the project. Absent fields stay, and null clears a field.',
  { ...RISK.facts, owner: held(RISK.inputs.owner) },
  { use: 'sync', key: 'reference' },
)

const SyncIssueInput = recordInput(
  'SyncIssueInput',
  'An issue of the project. Absent fields stay, and null clears a field.',
  { ...ISSUE.facts, assignee: held(ISSUE.inputs.assignee), risk: ISSUE.inputs.risk },
  { use: 'sync', key: 'reference' },
)

const SyncMode = enumOf('SyncMode', 'Whether the lists of a project sync are complete.', {
  FULL: 'Each given list is complete: what is missing from it is closed, and a closed entry in it without a status is reopened.',
  PARTIAL: 'Only what is given is added or changed; nothing is closed. For projects that are sent in parts.',
})

function allOf(nouns: string) {
  const rule = 'missing ones are closed, unless the mode is PARTIAL'
  const description = `All ${nouns} of the project: ${rule}. If absent, the ${nouns} stay as they are.`
  return boundedList(LIMITS.syncRecordsMax, description, FOR_MORE)
}

const SyncProjectInput = recordInput('SyncProjectInput', 'A project, with its risks and issues.', PROJECT.facts, {
  use: 'sync',
  key: 'key',
  ...checkedBy(checkProjectState, LIMITS.syncViolationsMax),
  more: (t) => ({
    mode: t.field({ type: SyncMode, description: 'Whether the lists are complete; FULL by default.' }),
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
