import { builder, enumOf, needs } from '../graph/builder.js'
import { members, reportField } from '../graph/fields.js'
import { boundedList, boundedText, boundedTexts, checkedBy, neverNull } from '../graph/inputs.js'
import { checkPersonnelState, FOR_MORE_PERSONNEL, type PersonnelReport, syncPersonnel } from '../ingest/sync.js'
import { LIMITS } from '../limits.js'
import { recordsIn, SyncCounts, SyncWarning } from '../projects/syncResults.graph.js'
import { GROUP_FIELDS } from './groups.js'
import { PERSON_FIELDS } from './people.js'

const SyncPersonInput = builder.inputType('SyncPersonInput', {
  description:
    'A person, matched by externalId, else by e-mail; give at least one of them. Absent fields stay, and null clears a field.',
  fields: (t) => ({
    name: t.string(neverNull(boundedText('name', `${PERSON_FIELDS.name.meaning} A new person needs it.`))),
    email: t.string(boundedText('email', PERSON_FIELDS.email.meaning)),
    externalId: t.string(boundedText('externalId', PERSON_FIELDS.externalId.meaning)),
    title: t.string(boundedText('title', PERSON_FIELDS.title.meaning)),
    department: t.string(boundedText('department', PERSON_FIELDS.department.meaning)),
    status: t.field({ type: 'PersonStatus', description: PERSON_FIELDS.status.meaning }),
    groups: t.stringList(
      boundedTexts('name', 'All groups of the person, by name, externalId or id; not with members of groups.'),
    ),
  }),
})

const SyncGroupInput = builder.inputType('SyncGroupInput', {
  description: 'A group, matched by externalId, else by name. Absent fields stay, and null clears a field.',
  fields: (t) => ({
    name: t.string(neverNull(boundedText('name', `${GROUP_FIELDS.name.meaning} A new group needs it.`))),
    externalId: t.string(boundedText('externalId', GROUP_FIELDS.externalId.meaning)),
    description: t.string(boundedText('description', GROUP_FIELDS.description.meaning)),
    members: t.stringList(
      boundedTexts(
        'email',
        'All members of the group, by e-mail, externalId or user id, or a name that is unique on the roster.',
      ),
    ),
  }),
})

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
