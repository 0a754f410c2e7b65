import { type AnyColumn, type SQL, sql } from 'drizzle-orm'
import { CURSOR_MARK } from './cursors.js'

/** A value to put into JSON: an SQL scalar, or JSON that SQL has already built; null stays null. */
export interface JsonValue {
  readonly value: AnyColumn | SQL
  readonly isJson: boolean
}

/** JSON functions of an engine, with output identical to JSON.stringify: no blanks, the same escapes. */
export interface Json {
  object(members: readonly (readonly [name: string, member: JsonValue])[]): SQL
  array(values: readonly (AnyColumn | SQL)[]): SQL
  /** Aggregates the JSON of each row into an array, in this order. */
  list(built: SQL, order: readonly AnyColumn[]): SQL
  /** Aggregates rows that are already ordered into an array. */
  items(built: SQL): SQL
  /** The same without brackets, as bytes where the engine supports it; null if there are no rows. */
  entries(built: SQL, separator: Separator): SQL
  boolean(condition: SQL): SQL
  /** The JSON fields of a history row as a table of name, old and new value. */
  changes(fields: AnyColumn): SQL
  /** The JSON details of an entity as a table of place, name and text. */
  details(stored: AnyColumn): SQL
  /** A JSON array that a column has, as it is; empty for null. */
  stored(column: AnyColumn): SQL
  /** Whether the JSON fields of a history row contain this field. */
  touches(fields: AnyColumn, field: string): SQL
  /**
   * The values of that field before and after the change, as their JSON between the brackets; null if the change does
   * not contain it. For numbers, days and names of enums: by position, since parsing takes longer than reading the row.
   */
  recordedPair(fields: AnyColumn, field: string): SQL
  /** One of the two, as JSON. */
  sideOf(pair: SQL, side: 'from' | 'to'): SQL
  /** The value of that field before or after the change, as text. */
  recorded(fields: AnyColumn, field: string, side: 'from' | 'to'): SQL
  /** The position of a row in a list, which `withCursors` replaces by a cursor. */
  cursor(list: string, keys: readonly (AnyColumn | SQL)[]): SQL
  /** The JSON of the row with this id, from a table of the JSON of many rows that the engine builds once. */
  builtOnce(
    name: string,
    all: { readonly id: AnyColumn; readonly built: SQL; readonly from: SQL },
    id: AnyColumn,
    metered: (built: SQL) => SQL,
  ): SQL
  /** JSON from a sorted subquery: sorting drops the subtype by which SQLite distinguishes JSON from text. */
  sorted(built: SQL): SQL
}

/** Separates the entries of a list: JSON contains no raw line breaks, so each line is one entry. */
export type Separator = ',' | '\n'

/** SQL parts, with commas between them. */
export function listed(parts: readonly (AnyColumn | SQL)[]): SQL {
  return sql.join([...parts], sql.raw(', '))
}

// Only separators, GraphQL names and list names come here. They have no quotes or backslashes, so nothing can be injected.
const quoted = (text: string) => sql.raw(`'${text}'`)

/** How a field begins in the JSON of a history row; inside a text its quotes would be escaped. */
const memberOf = (field: string) => `"${field}":[`
/** Longer than two names of enums or two days. */
const PAIR_CHARACTERS = 32
const SIDES = { from: 0, to: 1 } as const

export const sqliteJson: Json = {
  object: (members) => {
    const pairs = members.map(([name, { value }]) => sql`${quoted(name)}, ${value}`)
    return sql`json_object(${listed(pairs)})`
  },
  array: (values) => sql`json_array(${listed(values)})`,
  list: (built, order) => sql`json_group_array(${built} order by ${listed(order)})`,
  items: (built) => sql`json_group_array(${built})`,
  changes: (fields) => {
    const text = (place: SQL) => sql`case json_type(each.value, ${place}) when 'array'
      then (select nullif(group_concat(item.value, '; '), '') from json_each(each.value, ${place}) item)
      else cast(json_extract(each.value, ${place}) as text) end`
    return sql`(select each.id, each.key as field, ${text(sql`'$[0]'`)} as "from", ${text(sql`'$[1]'`)} as "to"
      from json_each(${fields}) each)`
  },
  details: (stored) => sql`(select each.key as id, each.value ->> '$.name' as name, each.value ->> '$.text' as text
    from json_each(${stored}) each)`,
  stored: (column) => sql`json(coalesce(${column}, '[]'))`,
  touches: (fields, field) => sql`instr(${fields}, ${quoted(memberOf(field))}) > 0`,
  recordedPair: (fields, field) => {
    const member = memberOf(field)
    const start = sql`nullif(instr(${fields}, ${quoted(member)}), 0) + ${sql.raw(String(member.length))}`
    return sql`substr(${fields}, ${start}, ${sql.raw(String(PAIR_CHARACTERS))})`
  },
  sideOf: (pair, side) => {
    const between = sql`instr(${pair}, ',')`
    if (side === 'from') return sql`substr(${pair}, 1, ${between} - 1)`
    return sql`substr(${pair}, ${between} + 1, instr(${pair}, ']') - ${between} - 1)`
  },
  recorded: (fields, field, side) => sql`(${fields} ->> ${quoted(`$.${field}[${SIDES[side]}]`)})`,
  boolean: (condition) => sql`json(case when ${condition} then 'true' else 'false' end)`,
  cursor: (list, keys) => sql`json_array(${listed([quoted(CURSOR_MARK), quoted(list), ...keys])})`,
  sorted: (built) => sql`json(${built})`,
  // SQLite fills a materialized table once for the statement, also within a subquery, and indexes it.
  builtOnce: (name, all, id, metered) => {
    const table = sql.identifier(name)
    const filled = sql`${table}(id, built) as materialized (select ${all.id}, ${all.built} from ${all.from})`
    const built = metered(sql`${table}.built`)
    return sql`(with ${filled} select json(${built}) from ${table} where ${table}.id = ${id})`
  },
  // As bytes: the driver would decode a text to a string, only for us to encode it again.
  entries: (built, separator) => sql`cast(group_concat(${built}, ${quoted(separator)}) as blob)`,
}

// json_build_object adds blanks, so objects are concatenated as text.
export const postgresJson: Json = {
  object: (members) => {
    const parts = members.map(([name, member], index) => {
      const beginning = quoted(`${index === 0 ? '{' : ','}"${name}":`)
      return sql`${beginning} || ${postgresText(member)}`
    })
    return parts.length === 0 ? sql`'{}'` : sql`(${sql.join(parts, sql.raw(' || '))} || '}')`
  },
  array: (values) => {
    const parts = values.map((value) => postgresText({ value, isJson: false }))
    return sql`('[' || ${sql.join(parts, sql.raw(" || ',' || "))} || ']')`
  },
  list: (built, order) => sql`'[' || coalesce(string_agg(${built}, ',' order by ${listed(order)}), '') || ']'`,
  items: (built) => sql`'[' || coalesce(string_agg(${built}, ','), '') || ']'`,
  changes: (fields) => {
    const text = (place: SQL) => sql`case json_typeof(each.value -> ${place}) when 'array'
      then (select nullif(string_agg(item, '; '), '') from json_array_elements_text(each.value -> ${place}) item)
      else each.value ->> ${place} end`
    return sql`(select each.id, each.key as field, ${text(sql`0`)} as "from", ${text(sql`1`)} as "to"
      from json_each(${fields}::json) with ordinality each(key, value, id))`
  },
  details: (stored) => sql`(select each.id, each.value ->> 'name' as name, each.value ->> 'text' as text
    from json_array_elements(${stored}::json) with ordinality each(value, id))`,
  stored: (column) => sql`coalesce(${column}, '[]')`,
  touches: (fields, field) => sql`strpos(${fields}, ${quoted(memberOf(field))}) > 0`,
  recordedPair: (fields, field) =>
    sql`nullif(split_part(split_part(${fields}, ${quoted(memberOf(field))}, 2), ']', 1), '')`,
  sideOf: (pair, side) => sql`split_part(${pair}, ',', ${sql.raw(String(1 + SIDES[side]))})`,
  recorded: (fields, field, side) => sql`(${fields}::json -> ${quoted(field)} ->> ${sql.raw(String(SIDES[side]))})`,
  boolean: (condition) => sql`case when ${condition} then 'true' else 'false' end`,
  cursor: (list, keys) => {
    const texts = keys.map((value) => postgresText({ value, isJson: false }))
    return sql`(${quoted(`["${CURSOR_MARK}","${list}",`)} || ${sql.join(texts, sql.raw(" || ',' || "))} || ']')`
  },
  sorted: (built) => built,
  // PostgreSQL has no index on a materialized table, but finds a key of an object by binary search.
  builtOnce: (_, all, id) => sql`((select jsonb_object_agg(${all.id}, ${all.built}) from ${all.from}) ->> ${id})`,
  entries: (built, separator) => sql`string_agg(${built}, ${quoted(separator)})`,
}

function postgresText({ value, isJson }: JsonValue): SQL {
  return isJson ? sql`coalesce(${value}, 'null')` : sql`coalesce(to_json(${value})::text, 'null')`
}
