import { builder, enumOf, needs } from '../graph/builder.js'
import { connectionOf, queryList } from '../graph/connections.js'
import { queryOne, stamps } from '../graph/entities.js'
import { asEntity } from '../graph/federation.js'
import { boundedText } from '../graph/inputs.js'
import { rowLoader } from '../graph/loaders.js'
import { LIMITS } from '../limits.js'
import { addPerson, type PersonRow, personnel } from './people.js'

const PersonStatus = enumOf('PersonStatus', 'Whether someone is on the roster.', {
  ACTIVE: 'On the roster.',
  INACTIVE: 'No longer on the roster; the id stays valid for what is assigned to it.',
})

export const Person = builder.objectRef<PersonRow>('Person')
Person.implement({
  description: 'Someone on the roster. The id is the user id that tasks elsewhere are assigned to.',
  ...needs('personnel.read'),
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The user id.' }),
    name: t.exposeString('name', { description: 'The display name.' }),
    email: t.exposeString('email', { nullable: true, description: 'The e-mail address; no two people share one.' }),
    externalId: t.exposeString('externalId', {
      nullable: true,
      description: 'The id in the HR system or directory; no two people share one.',
    }),
    title: t.exposeString('title', { nullable: true, description: 'The job title.' }),
    department: t.exposeString('department', { nullable: true, description: 'The department.' }),
    status: t.expose('status', { type: PersonStatus, description: 'Whether the person is on the roster.' }),
  }),
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
    group: t.idList({ description: 'In one of the groups with these ids.' }),
    search: t.string(boundedText('search', 'With this text in the name or the e-mail, in any case.')),
    email: t.string({ description: 'With exactly this e-mail, in any case.' }),
    externalId: t.string({ description: 'With exactly this id of the HR system or directory.' }),
    updatedSince: t.field({ type: 'DateTime', description: 'Changed at this instant or later.' }),
  }),
})

export const personById = rowLoader(personnel)
asEntity(Person, { scope: 'personnel.read', keys: { id: personById } })

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
  description: 'One person, by id, whether or not still on the roster.',
  load: personById,
})

const AddPersonInput = builder.inputType('AddPersonInput', {
  description: 'A person to add. An e-mail or an externalId is needed; both are fine.',
  fields: (t) => ({
    name: t.string({ required: true, ...boundedText('name', 'The display name.') }),
    email: t.string(boundedText('email', 'The e-mail address, which nobody else may have, in any case.')),
    externalId: t.string(
      boundedText('externalId', 'The id in the HR system or directory, which nobody else may have.'),
    ),
    title: t.string(boundedText('title', 'The job title.')),
    department: t.string(boundedText('department', 'The department.')),
    groupIds: t.idList({
      description: `The ids of the groups to put the person into, at most ${LIMITS.groupIdsMax}.`,
      extensions: { maxItems: LIMITS.groupIdsMax },
    }),
  }),
})

builder.mutationField('addPerson', (t) =>
  t.field({
    type: Person,
    nullable: true,
    description: 'Adds a person to the roster.',
    ...needs('personnel.manage'),
    args: { input: t.arg({ type: AddPersonInput, required: true, description: 'The person to add.' }) },
    resolve: (_, { input }, { store, principal, clock }) =>
      store.write({ by: principal.keyId, at: clock }, (write) => addPerson(write, input)),
  }),
)
