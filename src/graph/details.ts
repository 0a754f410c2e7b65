import type { InputObjectRef } from '@pothos/core'
import type { Detail as DetailFacts } from '../details.js'
import type { DetailTable } from '../store/derivedRows.js'
import { DETAILS_MAX } from '../vocabulary.js'
import { builder } from './builder.js'
import { columns, type Types } from './fields.js'
import { boundedList, boundedText } from './inputs.js'

const NAME = 'The name of the fact in its source, such as a column of a spreadsheet.'

export const DetailType = builder.objectRef<DetailTable['$inferSelect']>('Detail')
DetailType.implement({
  description:
    'A fact as the source wrote it, for which there is no field. It has no id: caches keep it inside its entity.',
})
columns(DetailType, {
  name: { type: 'String', description: NAME },
  text: { type: 'String', description: 'The text of the source.' },
})

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
