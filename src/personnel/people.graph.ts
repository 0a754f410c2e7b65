import type { ObjectRef } from '@pothos/core'
import { enumOf } from '../graph/builder.js'
import { connectionOf, queryList } from '../graph/connections.js'
import { byKey, idOf, queryOne } from '../graph/entities.js'
import { mutationField, referenceField, type Types } from '../graph/fields.js'
import { boundedList, checkedBy } from '../graph/inputs.js'
import { entityType, filterInput, recordInput } from '../graph/nouns.js'
import {
  addPerson,
  changePerson,
  GROUP_IDS_MAX,
  PERSON,
  personKeys,
  personnel,
  readNewPerson,
  readPersonChange,
} from './people.js'

export const Person = entityType(
  'Person',
  'A person on the roster. The id is the user id that tasks elsewhere are assigned to.',
  PERSON,
  { scope: 'personnel.read', table: personnel.table, keys: personKeys, title: 'name' },
)
referenceField(Person, 'mergedInto', {
  ...{ to: Person, by: 'mergedInto', list: personnel, scope: 'personnel.read' },
  description: 'The person who this one turned out to be, since two records of one person were merged.',
})

export const PersonConnection = connectionOf(Person, 'people')

export const PersonFilter = filterInput('PersonFilter', 'Filters people. All given conditions must hold.', personnel)

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

const { status: _, ...ofNewPerson } = PERSON.facts

const AddPersonInput = recordInput(
  'AddPersonInput',
  'A person to add. Give an e-mail, an externalId, or both.',
  ofNewPerson,
  {
    use: 'add',
    ...checkedBy(readNewPerson),
    more: (t) => ({
      groupIds: t.idList(boundedList(GROUP_IDS_MAX, 'The ids or names of the groups that the person joins.')),
    }),
  },
)

const CHANGED = { type: Person, list: personnel, scope: 'personnel.manage' } as const

mutationField('addPerson', {
  ...CHANGED,
  description: 'Adds a person to the roster.',
  args: (arg) => ({ input: arg({ type: AddPersonInput, required: true, description: 'The person to add.' }) }),
  change: (write, { input }) => addPerson(write, input),
})

const ChangePersonInput = recordInput(
  'ChangePersonInput',
  'The changes of a person. Absent fields stay; null clears a field, except name and status.',
  PERSON.facts,
  { use: 'change', ...checkedBy(readPersonChange) },
)

mutationField('changePerson', {
  ...CHANGED,
  description: 'Changes a person. Set the status to INACTIVE for people who leave, and to ACTIVE when they return.',
  args: (arg) => ({
    id: arg.id({ required: true, description: idOf('person', 'email') }),
    input: arg({ type: ChangePersonInput, required: true, description: 'What to change.' }),
  }),
  change: (write, { id, input }) => changePerson(write, id, input),
})
