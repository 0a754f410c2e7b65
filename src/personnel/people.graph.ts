import { sql } from 'drizzle-orm'
import { builder, change, enumOf, needs } from '../graph/builder.js'
import { connectionOf, queryList } from '../graph/connections.js'
import { found, queryOne, stamps } from '../graph/entities.js'
import { asEntity, displayed } from '../graph/federation.js'
import { boundedList, boundedText, boundedTexts, neverNull } from '../graph/inputs.js'
import { columns } from '../graph/sql/fields.js'
import { LIMITS } from '../limits.js'
import { foldedName, trimmed } from '../text.js'
import { addPerson, changePerson, PERSON_FIELDS, type PersonRow, personKeys, personnel } from './people.js'

const PersonStatus = enumOf('PersonStatus', 'Whether someone is on the roster.', {
  ACTIVE: 'On the roster.',
  INACTIVE: 'No longer on the roster; the id stays valid for what is assigned to it.',
})

export const Person = builder.objectRef<PersonRow>('Person')
Person.implement({
  description: 'Someone on the roster. The id is the user id that tasks elsewhere are assigned to.',
  ...needs('personnel.read'),
})
columns(Person, {
  id: { type: 'ID', description: 'The user id.' },
  name: { type: 'String', description: 'The display name.', ...displayed },
  email: { type: 'String', nullable: true, description: 'The e-mail address; no two people share one.' },
  externalId: {
    type: 'String',
    nullable: true,
    description: 'The id in the HR system or directory; no two people share one.',
  },
  title: { type: 'String', nullable: true, description: 'The job title.' },
  department: { type: 'String', nullable: true, description: 'The department.' },
  status: { type: PersonStatus, description: 'Whether the person is on the roster.' },
})
stamps(Person)

export const PersonConnection = connectionOf(Person, 'people')

export const PersonFilter = builder.inputType('PersonFilter', {
  description: 'Which people. Conditions given together must all hold.',
  fields: (t) => ({
    status: t.field({
      type: [PersonStatus],
      description: 'With one of these statuses; without it, ACTIVE people only.',
    }),
    group: t.idList(boundedTexts('name', 'In one of the groups with these ids or names, in any case.')),
    department: t.stringList(boundedTexts('department', 'In one of these departments, in any case.')),
    search: t.string(boundedText('search', 'With this text in the name or the e-mail, in any case.')),
    email: t.string(boundedText('email', 'With exactly this e-mail, in any case.')),
    externalId: t.string(boundedText('externalId', 'With exactly this id of the HR system or directory.')),
    updatedSince: t.field({ type: 'DateTime', description: 'Changed at this instant or later.' }),
  }),
})

asEntity(Person, { scope: 'personnel.read', table: personnel.table, keys: personKeys })

queryList('personnel', {
  type: PersonConnection,
  filter: PersonFilter,
  scope: 'personnel.read',
  description: 'The roster: everyone who is on it, ordered by name.',
  list: personnel,
})

queryOne('person', {
  type: Person,
  scope: 'personnel.read',
  description: 'One person, by id, e-mail or externalId, whether or not still on the roster.',
  list: personnel,
  ways: [
    {
      args: { email: { kind: 'email', description: 'The e-mail address, in any case.', canonical: foldedName } },
      condition: (_, { emailFolded }) => sql`${emailFolded} = ${sql.placeholder('email')}`,
    },
    {
      args: {
        externalId: { kind: 'externalId', description: 'The id in the HR system or directory.', canonical: trimmed },
      },
      condition: (_, { externalId }) => sql`${externalId} = ${sql.placeholder('externalId')}`,
    },
  ],
})

/** A text that can be told of a person, in the words of its field. */
const told = (member: 'name' | 'email' | 'externalId' | 'title' | 'department') =>
  boundedText(member, PERSON_FIELDS[member].meaning)

const AddPersonInput = builder.inputType('AddPersonInput', {
  description: 'A person to add. An e-mail or an externalId is needed; both are fine.',
  fields: (t) => ({
    name: t.string({ required: true, ...told('name') }),
    email: t.string(told('email')),
    externalId: t.string(told('externalId')),
    title: t.string(told('title')),
    department: t.string(told('department')),
    groupIds: t.idList(boundedList(LIMITS.groupIdsMax, 'The ids of the groups to put the person into.')),
  }),
})

builder.mutationField('addPerson', (t) =>
  t.field({
    type: Person,
    nullable: true,
    description: 'Adds a person to the roster.',
    ...needs('personnel.manage'),
    args: { input: t.arg({ type: AddPersonInput, required: true, description: 'The person to add.' }) },
    resolve: (_, { input }, context) => change(context, (write) => addPerson(write, input)),
  }),
)

const ChangePersonInput = builder.inputType('ChangePersonInput', {
  description:
    'What to change of a person. What is left out stays as it is; null takes it away, but for name and status.',
  fields: (t) => ({
    name: t.string(neverNull(told('name'))),
    email: t.string(told('email')),
    externalId: t.string(told('externalId')),
    title: t.string(told('title')),
    department: t.string(told('department')),
    status: t.field({ type: PersonStatus, ...neverNull({ description: 'Whether the person is on the roster.' }) }),
  }),
})

builder.mutationField('changePerson', (t) =>
  t.field({
    type: Person,
    nullable: true,
    description: 'Changes a person. Whoever leaves becomes INACTIVE, and ACTIVE again on coming back.',
    ...needs('personnel.manage'),
    args: {
      id: t.arg.id({ required: true, description: 'The id of the person.' }),
      input: t.arg({ type: ChangePersonInput, required: true, description: 'What to change.' }),
    },
    resolve: (_, { id, input }, context) =>
      change(context, (write) => found(changePerson(write, id, input), 'person', id)),
  }),
)
