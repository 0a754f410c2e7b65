import { postgresColumns } from './columns.js'

const { table, integer, text } = postgresColumns

/** One changed field of a history row, which SQL extracts from its JSON (a list as one text). Not a stored table. */
export const fieldChange = table('field_change', {
  id: integer('id').notNull(),
  field: text('field').notNull(),
  from: text('from'),
  to: text('to'),
})
export type FieldChangeTable = typeof fieldChange
