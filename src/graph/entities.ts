import type { ObjectRef } from '@pothos/core'
import { type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Scope } from '../auth/scopes.js'
import { badArgument } from '../errors.js'
import { type IdKind, isId } from '../ids.js'
import type { List } from '../store/query/page.js'
import type { Identified } from '../store/query/relations.js'
import { idKey, type KeyPart, keyPart, type RowKey } from '../store/query/rowKeys.js'
import type { Read } from '../store/store.js'
import { needs } from './builder.js'
import { rootField, type Types } from './fields.js'
import { boundedText } from './inputs.js'
import type { SingleRow } from './query/declared.js'

/** The definition of a single entity at the root of Query, besides its name. */
interface RootEntity<T extends Identified, F extends object> {
  readonly type: ObjectRef<Types, T['$inferSelect']>
  readonly scope: Scope
  readonly description: string
  readonly list: List<T, F>
  /** Unique keys other than the id. */
  readonly keys: readonly UniqueKey<T>[]
  /** The argument whose values `id` accepts too. A text in the form of an id is always an id. */
  readonly idMayBe?: string
}

/** A unique key of a row, as one or more text arguments that must be given together. */
export interface UniqueKey<T extends PgTable> {
  readonly args: Readonly<Record<string, KeyArgument>>
  /** The condition for the row; the arguments are placeholders of the same names. */
  condition(read: Read, row: T): SQL
}

interface KeyArgument {
  readonly part: KeyPart
  readonly description: string
}

/** A key in one column, as an argument of this name. */
export function byKey<T extends PgTable>(name: string, key: RowKey<T>, description: string): UniqueKey<T> {
  const [part = keyPart('id')] = key.parts
  return {
    args: { [name]: { part, description } },
    condition: (read, row) => sql`${key.columns(read, row)[0]} = ${sql.placeholder(name)}`,
  }
}

/** Declares a query for one row, by exactly one of its unique keys. */
export function queryOne<T extends Identified, F extends object>(
  name: IdKind,
  { list, type, scope, description, keys, idMayBe }: RootEntity<T, F>,
): void {
  const byArguments = namedBy([BY_ID, ...keys])
  const named: SingleRow['named'] = (args) => {
    const found = byArguments(args)
    const { id } = found.given
    return idMayBe === undefined || id === undefined || isId(name, id) ? found : byArguments({ [idMayBe]: id })
  }
  const one: SingleRow = { list, named }
  const given = keys.flatMap(({ args }) => Object.entries(args))
  rootField('query', name, (arg) => {
    const texts = given.map(([key, { part, description }]) => {
      return [key, arg.string(boundedText(part.kind, description))] as const
    })
    const args = { id: arg.id({ description: idOf(name, idMayBe) }), ...Object.fromEntries(texts) }
    return { type, description, ...needs(scope, { sql: { one } }), args }
  })
}

/** The description of an argument that takes an id, and perhaps a unique name. */
export function idOf(noun: string, orBy?: string): string {
  return `The id${orBy === undefined ? '' : ` or the ${orBy === 'email' ? 'e-mail' : orBy}`} of the ${noun}.`
}

const BY_ID: UniqueKey<never> = byKey('id', idKey, '')

/** Finds the unique key that the arguments form; rejects none or a mix of two with the list of possible keys. */
function namedBy(declared: readonly UniqueKey<never>[]): SingleRow['named'] {
  const keys = declared.map((key) => ({ key, names: Object.keys(key.args) }))
  const all = keys.map(({ names }) => names.join(' with '))
  const listed = all.length === 1 ? all.join() : `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`
  return (args) => {
    const given = keys.flatMap(({ names }) => names).filter((name) => args[name] != null)
    const chosen = keys.find(({ names }) => names.join() === given.join())
    if (!chosen) throw badArgument(given[0] ?? 'id', `Give ${all.length === 1 ? listed : `exactly one of ${listed}`}.`)
    const { key, names } = chosen
    const values = names.map((name) => [name, key.args[name]?.part.canonical(String(args[name])) ?? ''] as const)
    return {
      key: names.join(),
      // A cast: a key is only used with the table that it is declared for.
      condition: (read, table) => key.condition(read, table as never),
      given: Object.fromEntries(values),
    }
  }
}
