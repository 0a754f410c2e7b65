import type { ObjectRef } from '@pothos/core'
import { builder, enumOf, needs } from '../graph/builder.js'
import { connectionOf, queryList } from '../graph/connections.js'
import { detailsField, detailsInput } from '../graph/details.js'
import { byKey, idOf, queryOne, timestampFields } from '../graph/entities.js'
import { asEntity, displayed } from '../graph/federation/schema.js'
import { columns, mutationField, referenceField, type Types } from '../graph/fields.js'
import { boundedList, boundedText, checkedBy, filterInput, neverNull } from '../graph/inputs.js'
import {
  addPerson,
  changePerson,
  GROUP_IDS_MAX,
  PERSON_FIELDS,
  type PersonRow,
  personKeys,
  personnel,
  readNewPerson,
  readPersonChange,
} from './people.js'

export const Person = builder.objectRef<PersonRow>('Person')
Person.implement({
  description: 'A person on the roster. The id is the user id that tasks elsewhere are assigned to.',
  ...needs('personnel.read'),
})
columns(Person, {
  id: { type: 'ID', description: 'The user id.' },
  name: { type: 'String', description: 'The display name.', ...displayed },
  email: { type: 'String', nullable: true, description: 'The e-mail address; unique.' },
  externalId: {
    type: 'String',
    nullable: true,
    description: 'The id in the HR system or directory; unique.',
  },
  title: { type: 'String', nullable: true, description: 'The job title.' },
  department: { type: 'String', nullable: true, description: 'The department.' },
  status: { type: 'PersonStatus', description: 'Whether the person is on the roster.' },
})
detailsField(Person, personnel.table)
referenceField(Person, 'mergedInto', {
  ...{ to: Person, by: 'mergedInto', list: personnel, scope: 'personnel.read' },
  description: 'The person who this one turned out to be, since two records of one person were merged.',
})
timestampFields(Person)

export const PersonConnection = connectionOf(Person, 'people')

export const PersonFilter = filterInput('PersonFilter', 'Filters people. All given conditions must hold.', personnel)

asEntity(Person, { scope: 'personnel.read', table: personnel.table, keys: personKeys })

const PersonOrder = enumOf('PersonOrder', 'The order of people.', {
  NAME: 'By name.',
  UPDATED: 'The one changed last.',
})

/** The person whose id a column has, such as the owner of a risk. */
export function personField<Row extends object>(type: ObjectRef<Types, Row>, name: string, by: keyof Row & string) {
  const description = `The ${name}; needs the scope personnel.read, and is null without it.`
  referenceField(type, name, { to: Person, list: personnel, scope: 'personnel.read', by, description })
}

queryList('personnel', {
  type: PersonConnection,
  filter: PersonFilter,
  scope: 'personnel.read',
  description: 'Everyone on the roster, ordered by name.',
  list: personnel,
  order: { type: PersonOrder, own: 'NAME' },
})

queryOne('person', {
  type: Person,
  scope: 'personnel.read',
  description: 'One person, by id, e-mail or externalId, on the roster or not.',
  list: personnel,
  idMayBe: 'email',
  keys: [
    byKey('email', personKeys.email, 'The e-mail address, in any case.'),
    byKey('externalId', personKeys.externalId, 'The id in the HR system or directory.'),
  ],
})

/** The options of a text input of a person, from its table of fields. */
const fieldText = (member: 'name' | 'email' | 'externalId' | 'title' | 'department') =>
  boundedText(member, PERSON_FIELDS[member].meaning)

const AddPersonInput = builder.inputType('AddPersonInput', {
  description: 'A person to add. Give an e-mail, an externalId, or both.',
  ...checkedBy(readNewPerson),
  fields: (t) => ({
    name: t.string({ required: true, ...fieldText('name') }),
    email: t.string(fieldText('email')),
    externalId: t.string(fieldText('externalId')),
    title: t.string(fieldText('title')),
    department: t.string(fieldText('department')),
    details: t.field(detailsInput),
    groupIds: t.idList(boundedList(GROUP_IDS_MAX, 'The ids or names of the groups that the person joins.')),
  }),
})

const CHANGED = { type: Person, list: personnel, scope: 'personnel.manage' } as const

mutationField('addPerson', {
  ...CHANGED,
  description: 'Adds a person to the roster.',
  args: (arg) => ({ input: arg({ type: AddPersonInput, required: true, description: 'The person to add.' }) }),
  change: (write, { input }) => addPerson(write, input),
})

const ChangePersonInput = builder.inputType('ChangePersonInput', {
  description: 'The changes of a person. Absent fields stay; null clears a field, except name and status.',
  ...checkedBy(readPersonChange),
  fields: (t) => ({
    name: t.string(neverNull(fieldText('name'))),
    email: t.string(fieldText('email')),
    externalId: t.string(fieldText('externalId')),
    title: t.string(fieldText('title')),
    department: t.string(fieldText('department')),
    status: t.field({ type: 'PersonStatus', ...neverNull({ description: 'Whether the person is on the roster.' }) }),
    details: t.field(detailsInput),
  }),
})

mutationField('changePerson', {
  ...CHANGED,
  description: 'Changes a person. Set the status to INACTIVE for people who leave, and to ACTIVE when they return.',
  args: (arg) => ({
    id: arg.id({ required: true, description: idOf('person', 'email') }),
    input: arg({ type: ChangePersonInput, required: true, description: 'What to change.' }),
  }),
  change: (write, { id, input }) => changePerson(write, id, input),
})
