import { postgresColumns } from './columns.js'

const { table, integer, text } = postgresColumns

/** What a row of the history says of one field, as SQL takes it out of its JSON; a list is one text. No store has it. */
export const fieldChange = table('field_change', {
  id: integer('id').notNull(),
  field: text('field').notNull(),
  from: text('from'),
  to: text('to'),
})
export type FieldChangeTable = typeof fieldChange
