import { type AnyColumn, type SQL, sql } from 'drizzle-orm'

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
  /** Aggregates rows that are in order already: what was built of each, a line each; null of none. */
  lines(built: SQL): SQL
  /** The same with any character between, to be handed over as bytes where the engine can. */
  entries(built: SQL, separator: Separator): SQL
}

/** What stands between the entries of a list: JSON has no line ends of its own, so a line can be read by itself. */
export type Separator = ',' | '\n'

const comma = sql.raw(', ')
// Only separators and names of GraphQL come here, which hold neither quotes nor backslashes, so nothing can be injected.
const quoted = (text: string) => sql.raw(`'${text}'`)

export const sqliteJson: Json = {
  object: (members) => {
    const pairs = members.map(([name, { value }]) => sql`${quoted(name)}, ${value}`)
    return sql`json_object(${sql.join(pairs, comma)})`
  },
  array: (values) => sql`json_array(${sql.join([...values], comma)})`,
  list: (built, order) => sql`json_group_array(${built} order by ${sql.join([...order], comma)})`,
  lines: (built) => sql`group_concat(${built}, ${quoted('\n')})`,
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
  lines: (built) => sql`string_agg(${built}, ${quoted('\n')})`,
  entries: (built, separator) => sql`string_agg(${built}, ${quoted(separator)})`,
}

function postgresText({ value, isJson }: JsonValue): SQL {
  return isJson ? sql`coalesce(${value}, 'null')` : sql`coalesce(to_json(${value})::text, 'null')`
}
