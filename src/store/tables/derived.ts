import { postgresColumns } from '../columns.js'

const { table, integer, text } = postgresColumns

// Not stored tables: rows that SQL extracts from the JSON of a column.

/** One changed field of a history row (a list as one text). */
export const fieldChange = table('field_change', {
  id: integer('id').notNull(),
  field: text('field').notNull(),
  from: text('from'),
  to: text('to'),
})
export type FieldChangeTable = typeof fieldChange

/** One detail of an entity. */
export const detail = table('detail', {
  id: integer('id').notNull(),
  name: text('name').notNull(),
  text: text('text').notNull(),
})
export type DetailTable = typeof detail
