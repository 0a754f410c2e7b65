import { type AnyColumn, type SQL, sql } from 'drizzle-orm'
import { CURSOR_MARK } from './cursors.js'

/** A value on its way into JSON: a scalar of the engine's, or JSON that it has built already; null stays null. */
export interface JsonValue {
  readonly value: AnyColumn | SQL
  readonly isJson: boolean
}

/** How an engine builds JSON: without a blank and escaped as JSON.stringify does it, so that nobody can tell them apart. */
export interface Json {
  object(members: readonly (readonly [name: string, member: JsonValue])[]): SQL
  array(values: readonly (AnyColumn | SQL)[]): SQL
  /** Aggregates what was built of each row into an array, in this order. */
  list(built: SQL, order: readonly AnyColumn[]): SQL
  /** Aggregates rows that are in order already into an array. */
  items(built: SQL): SQL
  /** The same without brackets, to be handed over as bytes where the engine can; null of no rows. */
  entries(built: SQL, separator: Separator): SQL
  boolean(condition: SQL): SQL
  /** The fields that a row of the history has as JSON, as a table of their names and what each was and is. */
  changes(fields: AnyColumn): SQL
  /** The place of a row in a list, which `withCursors` makes a cursor of. */
  cursor(list: string, keys: readonly (AnyColumn | SQL)[]): SQL
  /** JSON out of a sorted subquery: sorting loses the mark by which SQLite knows JSON from a text. */
  sorted(built: SQL): SQL
}

/** What stands between the entries of a list: JSON has no line ends of its own, so a line can be read by itself. */
export type Separator = ',' | '\n'

const comma = sql.raw(', ')
// Only separators, names of GraphQL and names of lists come here, which hold neither quotes nor backslashes, so nothing can be injected.
const quoted = (text: string) => sql.raw(`'${text}'`)

export const sqliteJson: Json = {
  object: (members) => {
    const pairs = members.map(([name, { value }]) => sql`${quoted(name)}, ${value}`)
    return sql`json_object(${sql.join(pairs, comma)})`
  },
  array: (values) => sql`json_array(${sql.join([...values], comma)})`,
  list: (built, order) => sql`json_group_array(${built} order by ${sql.join([...order], comma)})`,
  items: (built) => sql`json_group_array(${built})`,
  changes: (fields) => {
    const text = (place: SQL) => sql`case json_type(each.value, ${place}) when 'array'
      then (select nullif(group_concat(item.value, '; '), '') from json_each(each.value, ${place}) item)
      else cast(json_extract(each.value, ${place}) as text) end`
    return sql`(select each.id, each.key as field, ${text(sql`'$[0]'`)} as "from", ${text(sql`'$[1]'`)} as "to"
      from json_each(${fields}) each)`
  },
  boolean: (condition) => sql`json(case when ${condition} then 'true' else 'false' end)`,
  cursor: (list, keys) => sql`json_array(${sql.join([quoted(CURSOR_MARK), quoted(list), ...keys], comma)})`,
  sorted: (built) => sql`json(${built})`,
  // As a text the driver would decode it, only for us to encode it again.
  entries: (built, separator) => sql`cast(group_concat(${built}, ${quoted(separator)}) as blob)`,
}

// The functions that make objects put blanks into them, so they are put together as texts.
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
  list: (built, order) =>
    sql`'[' || coalesce(string_agg(${built}, ',' order by ${sql.join([...order], comma)}), '') || ']'`,
  items: (built) => sql`'[' || coalesce(string_agg(${built}, ','), '') || ']'`,
  changes: (fields) => {
    const text = (place: SQL) => sql`case json_typeof(each.value -> ${place}) when 'array'
      then (select nullif(string_agg(item, '; '), '') from json_array_elements_text(each.value -> ${place}) item)
      else each.value ->> ${place} end`
    return sql`(select each.id, each.key as field, ${text(sql`0`)} as "from", ${text(sql`1`)} as "to"
      from json_each(${fields}::json) with ordinality each(key, value, id))`
  },
  boolean: (condition) => sql`case when ${condition} then 'true' else 'false' end`,
  cursor: (list, keys) => {
    const texts = keys.map((value) => postgresText({ value, isJson: false }))
    return sql`(${quoted(`["${CURSOR_MARK}","${list}",`)} || ${sql.join(texts, sql.raw(" || ',' || "))} || ']')`
  },
  sorted: (built) => built,
  entries: (built, separator) => sql`string_agg(${built}, ${quoted(separator)})`,
}

function postgresText({ value, isJson }: JsonValue): SQL {
  return isJson ? sql`coalesce(${value}, 'null')` : sql`coalesce(to_json(${value})::text, 'null')`
}
