import { type DetailTable, detail } from '../tables/derived.js'
import type { Tables } from '../tables.js'
import type { Relation } from './relations.js'

type Detailed = Tables['person' | 'project' | 'risk' | 'issue']

/** The details of an entity, which a column of its row has as JSON. */
export function detailsOf<T extends Detailed>(of: (t: Tables) => T): Relation<T, DetailTable, object> {
  return {
    of,
    column: 'details',
    from: ({ json }, row) => json.details(row.details),
    stored: { members: ['name', 'text'], json: ({ json }, row) => json.stored(row.details) },
    list: { name: 'details', table: () => detail, order: ({ id }) => [id], matching: () => undefined },
    where: () => undefined,
  }
}
