import { grants } from '../auth/scopes.js'
import { ruled } from '../fields.js'
import { builder, enumOf, needs, requireProject } from '../graph/builder.js'
import { field, localField, members, reportField } from '../graph/fields.js'
import { boundedList, checkedBy } from '../graph/inputs.js'
import { recordInput } from '../graph/nouns.js'
import type { SqlField } from '../graph/query/declared.js'
import { LIMITS } from '../limits.js'
import { SHEETS } from '../nouns.js'
import { Project } from '../projects/projects.graph.js'
import { inCapitals, PROJECT, projects } from '../projects/projects.js'
import { capitalized, ENTRY_PLURALS, NOUNS, perEntryPlural } from '../vocabulary.js'
import { checkProjectState, FOR_MORE, type SyncReport, syncProject } from './sync.js'
import { recordsIn, SyncCounts, SyncWarning } from './syncResults.graph.js'

const HELD =
  'Other texts are stored as a name. For a key without personnel.read nobody is looked up, and the text is stored as a name.'

/** The facts of an entry, and what else names another row but the project, without a column of its own. */
const SYNC_INPUTS = perEntryPlural((noun) => {
  const { holder, is, plural } = NOUNS[noun]
  const { facts, inputs } = SHEETS[plural]
  const naming = Object.entries(inputs).filter(
    ([name, field]) => 'role' in field && !('column' in field) && name !== 'project',
  )
  const named = naming.map(([name, field]) => [name, name === holder ? ruled(field, HELD) : field] as const)
  return recordInput(
    `Sync${capitalized(noun)}Input`,
    `${is} Absent fields stay, and null clears a field.`,
    { ...facts, ...Object.fromEntries(named) },
    { use: 'sync', key: 'reference' },
  )
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

const SyncProjectInput = recordInput('SyncProjectInput', 'A project, with its risks and issues.', PROJECT.facts, {
  use: 'sync',
  key: 'key',
  ...checkedBy(checkProjectState, LIMITS.syncViolationsMax),
  more: (t) => ({
    mode: t.field({ type: SyncMode, description: 'Whether the lists are complete; FULL by default.' }),
    ...perEntryPlural((_, plural) => t.field({ type: [SYNC_INPUTS[plural]], ...allOf(plural) })),
    closeLimit: t.int({
      description:
        `${ENTRY_PLURALS.map((plural, index) => `${index === 0 ? 'How' : 'and how'} many ${plural}`).join(', ')}, may be closed as missing; ` +
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
for (const plural of ENTRY_PLURALS) {
  const description = `Counts of its ${plural}.`
  localField(SyncResult, plural, { type: SyncCounts, description, local: ({ counts }) => counts.get(plural) })
}
members(SyncResult, {
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
  price: { records: ({ input }) => recordsIn(input, ...ENTRY_PLURALS) },
  args: (arg) => ({ input: arg({ type: SyncProjectInput, required: true, description: 'The state of the project.' }) }),
  check: (principal, { input }) => requireProject(principal, inCapitals(input.key)),
  change: (write, { input }, { scopes }) =>
    syncProject(write, { ...input, key: inCapitals(input.key) }, grants(scopes, 'personnel.read')),
})
