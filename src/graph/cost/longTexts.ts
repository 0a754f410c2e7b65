import { type GraphQLField, type GraphQLNamedType, type GraphQLSchema, getNamedType, isObjectType } from 'graphql'
import type { AnyList } from '../../store/query/page.js'
import type { LongColumn } from '../../store/query/textSizes.js'
import { longColumnOf, sqlOf } from '../fields.js'

/** A column of a table whose texts may be long. */
export interface LongText {
  readonly table: AnyList['table']
  readonly column: LongColumn
}

type Field = GraphQLField<unknown, unknown>

const known = new WeakMap<GraphQLSchema, ReadonlyMap<Field, LongText>>()

/** The long text that a field shows; undefined for another field. */
export function longTextOf(schema: GraphQLSchema, type: GraphQLNamedType, field: Field): LongText | undefined {
  if (!isObjectType(type)) return undefined
  const found = known.get(schema) ?? longTextsIn(schema)
  known.set(schema, found)
  return found.get(field)
}

/** The tables of types are known from the lists and single rows at the root. */
function longTextsIn(schema: GraphQLSchema): ReadonlyMap<Field, LongText> {
  const texts = new Map<Field, LongText>()
  for (const root of Object.values(schema.getQueryType()?.getFields() ?? {})) {
    const declared = sqlOf(root)
    const list = declared && ('list' in declared ? declared.list : 'one' in declared ? declared.one.list : undefined)
    if (!list) continue
    for (const field of fieldsOfRows(root)) {
      const column = longColumnOf(sqlOf(field))
      if (column) texts.set(field, { table: list.table, column })
    }
  }
  return texts
}

/** The fields of a row, which a connection has as `nodes`. */
function fieldsOfRows({ type }: Field): readonly Field[] {
  const shown = getNamedType(type)
  if (!isObjectType(shown)) return []
  const { nodes } = shown.getFields()
  const row = nodes ? getNamedType(nodes.type) : shown
  return isObjectType(row) ? Object.values(row.getFields()) : []
}
