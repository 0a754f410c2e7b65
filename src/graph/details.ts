import type { InputObjectRef, ObjectRef } from '@pothos/core'
import type { Detail as DetailFacts } from '../details.js'
import type { DetailTable } from '../store/derivedRows.js'
import { detailsOf } from '../store/query/relations.js'
import type { Tables } from '../store/tables.js'
import { DETAILS_MAX } from '../vocabulary.js'
import { builder } from './builder.js'
import { columns, itemsField, type Types } from './fields.js'
import { boundedList, boundedText } from './inputs.js'

const NAME = 'The name of the fact in its source, such as a column of a spreadsheet.'

const Detail = builder.objectRef<DetailTable['$inferSelect']>('Detail')
Detail.implement({
  description:
    'A fact as the source wrote it, for which there is no field. It has no id: caches keep it inside its entity.',
})
columns(Detail, {
  name: { type: 'String', description: NAME },
  text: { type: 'String', description: 'The text of the source.' },
})

/** Adds the field `details` to an entity. */
export function detailsField<T extends Tables['person' | 'project' | 'risk' | 'issue']>(
  type: ObjectRef<Types, T['$inferSelect']>,
  of: (t: Tables) => T,
): void {
  itemsField(type, 'details', {
    of: Detail,
    description: 'Facts for which there is no field, in the order of the source; not searched, ranked or filtered by.',
    relation: detailsOf(of),
  })
}

const DetailInput = builder.inputRef<DetailFacts>('DetailInput').implement({
  description: 'A fact as the source wrote it, for which there is no field.',
  fields: (t) => ({
    name: t.string({ required: true, ...boundedText('detailName', `${NAME} Unique within its list.`) }),
    text: t.string({ required: true, ...boundedText('detailText', 'The text of the source.') }),
  }),
})

/** The options of an input of details. */
export const detailsInput: { type: [InputObjectRef<Types, DetailFacts>] } & ReturnType<typeof boundedList> = {
  type: [DetailInput],
  ...boundedList(DETAILS_MAX, 'All facts for which there is no field: missing ones are removed.'),
}
