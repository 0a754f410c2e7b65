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
  /** Aggregates rows that are in order already: what was built of each, with commas between; null of none. */
  joined(built: SQL): SQL
  /** The same, to be handed over as bytes where the engine can. */
  joinedBytes(built: SQL): SQL
}

const comma = sql.raw(', ')
const quoted = (text: string) => sql.raw(`'${text}'`)

export const sqliteJson: Json = {
  object: (members) => {
    const pairs = members.map(([name, { value }]) => sql`${quoted(name)}, ${value}`)
    return sql`json_object(${sql.join(pairs, comma)})`
  },
  array: (values) => sql`json_array(${sql.join([...values], comma)})`,
  list: (built, order) => sql`json_group_array(${built} order by ${sql.join([...order], comma)})`,
  joined: (built) => sql`group_concat(${built}, ',')`,
  // As a text the driver would decode it, only for us to encode it again.
  joinedBytes: (built) => sql`cast(group_concat(${built}, ',') as blob)`,
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
  joined: (built) => sql`string_agg(${built}, ',')`,
  joinedBytes: (built) => sql`string_agg(${built}, ',')`,
}

function postgresText({ value, isJson }: JsonValue): SQL {
  return isJson ? sql`coalesce(${value}, 'null')` : sql`coalesce(to_json(${value})::text, 'null')`
}
