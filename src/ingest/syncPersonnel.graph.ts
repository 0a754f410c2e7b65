import { ruled } from '../fields.js'
import { builder, enumOf, needs } from '../graph/builder.js'
import { members, reportField } from '../graph/fields.js'
import { boundedList, checkedBy } from '../graph/inputs.js'
import { recordInput } from '../graph/nouns.js'
import { LIMITS } from '../limits.js'
import { GROUP } from '../personnel/groups.js'
import { PERSON } from '../personnel/people.js'
import { checkPersonnelState, FOR_MORE_PERSONNEL, type PersonnelReport, syncPersonnel } from './sync.js'
import { recordsIn, SyncCounts, SyncWarning } from './syncResults.graph.js'

const { details: _, ...ofPerson } = PERSON.facts

const SyncPersonInput = recordInput(
  'SyncPersonInput',
  'A person, matched by externalId, else by e-mail; give at least one of them. Absent fields stay, and null clears a field.',
  { ...ofPerson, groups: ruled(PERSON.inputs.groups, 'Not with members of groups.') },
  { use: 'sync' },
)

const SyncGroupInput = recordInput(
  'SyncGroupInput',
  'A group, matched by externalId, else by name. Absent fields stay, and null clears a field.',
  { ...GROUP.facts, members: GROUP.inputs.members },
  { use: 'sync' },
)

const SyncLeavers = enumOf('SyncLeavers', 'What becomes of people who are not in the list.', {
  KEEP: 'They stay as they are.',
  INACTIVE:
    'The list is complete: active people who came from the same source, and are not in it, become INACTIVE. ' +
    'INACTIVE people in the list without a status become ACTIVE.',
})

const records = (description: string) => boundedList(LIMITS.syncRecordsMax, description, FOR_MORE_PERSONNEL)

const SyncPersonnelInput = builder.inputType('SyncPersonnelInput', {
  description: 'People and groups to add or change.',
  ...checkedBy(checkPersonnelState, LIMITS.syncViolationsMax),
  fields: (t) => ({
    people: t.field({ type: [SyncPersonInput], ...records('The people.') }),
    groups: t.field({ type: [SyncGroupInput], ...records('The groups.') }),
    leavers: t.field({ type: SyncLeavers, description: 'What becomes of other people; KEEP by default.' }),
    leaverLimit: t.int({
      description: `How many people may become INACTIVE; a fifth, or ${LIMITS.closeLeast} if that is more, by default.`,
    }),
  }),
})

const SyncPersonnelResult = builder.objectRef<PersonnelReport>('SyncPersonnelResult')
SyncPersonnelResult.implement({ description: 'The result of a personnel sync.', ...needs('personnel.manage') })
members(SyncPersonnelResult, {
  people: { type: SyncCounts, description: 'Counts of people.' },
  groups: { type: SyncCounts, description: 'Counts of groups.' },
  warnings: {
    type: [SyncWarning],
    description: 'What may not be as intended: active people who are not in a complete list, but came from elsewhere.',
  },
})

reportField('syncPersonnel', {
  type: SyncPersonnelResult,
  scope: 'personnel.manage',
  description: 'Adds and changes many people and groups at once, all or nothing. Repeating it changes nothing.',
  price: { records: ({ input }) => recordsIn(input, 'people', 'groups') },
  args: (arg) => ({
    input: arg({ type: SyncPersonnelInput, required: true, description: 'The people and groups.' }),
  }),
  change: (write, { input }) => syncPersonnel(write, input),
})
