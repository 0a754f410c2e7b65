import { getTableName, isNull, or, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import { LRUCache } from 'lru-cache'
import { type IdKind, isId } from '../../ids.js'
import { LIMITS } from '../../limits.js'
import { nearest } from '../../text.js'
import { counterOf, type Versions } from '../changeCounters.js'
import type { Read, Store } from '../store.js'
import type { Tables } from '../tables.js'
import type { Optional } from './conditions.js'

/** How the values of a filter name rows of another table: by id, or by what people know them by. */
export interface Naming {
  readonly kind: IdKind
  /** What it can be named by, in words. */
  readonly ways: string
  readonly table: (t: Tables) => PgTable & { readonly id: AnyPgColumn }
  /** The unique key that people know; undefined where there are ids alone. */
  readonly key?: KnownKey
}

interface KnownKey {
  /** The form in which it is compared. */
  readonly canonical: (text: string) => string
  /** In that form. */
  readonly column: (t: Tables) => AnyPgColumn
  /** As people write it. */
  readonly shown: (t: Tables) => AnyPgColumn
  /** Whether a text can be one; any can unless this is given. */
  readonly canBe?: (text: string) => boolean
}

type Values = readonly Optional<string>[]

/** The values that are no ids, as they are compared. */
export function namesIn({ kind, key }: Naming, values: Values): ReadonlyMap<string, string> {
  const canonical = key?.canonical ?? ((text: string) => text)
  const names = values.filter((value) => value != null).filter((value) => !isId(kind, value))
  return new Map(names.map((name) => [canonical(name), name]))
}

/** The first value that names nothing whatever is stored: it has neither the form of an id nor that of a name. */
export function impossibleIn({ kind, key }: Naming, values: Values): string | undefined {
  const canBe = (text: string) => isId(kind, text) || (key !== undefined && (key.canBe?.(text) ?? true))
  return values.filter((value) => value != null).find((value) => !canBe(value))
}

/** That a column refers to one of the named rows; a null among the values means that it refers to none. */
export function refersTo(read: Read, column: AnyPgColumn, naming: Naming, values: Values): SQL | undefined {
  const ids = values.filter((value) => value != null).filter((value) => isId(naming.kind, value))
  const names = [...namesIn(naming, values).keys()]
  const none = values.some((value) => value == null) ? isNull(column) : undefined
  if (names.length === 0) return ids.length === 0 && none ? none : or(read.among(column, ids), none)
  const table = naming.table(read.t)
  const byName = naming.key ? read.among(naming.key.column(read.t), names) : sql`false`
  const named = sql`(select ${table.id} from ${table} where ${ids.length === 0 ? byName : or(read.among(table.id, ids), byName)})`
  // One name is an equality, so that an index can serve the order too.
  return or(names.length + ids.length === 1 ? sql`${column} = ${named}` : sql`${column} in ${named}`, none)
}

/** Callers choose the names; one filter must fit. */
const KNOWN_MAX = Math.max(1_000, LIMITS.filterItemsMax)

/** Which names are there: looked up when first given, and remembered while the register stands still. */
export class KnownNames {
  private readonly store: Pick<Store, 'read' | 'versions'>
  private readonly known = new LRUCache<string, Versions[keyof Versions]>({ max: KNOWN_MAX })

  constructor(store: Pick<Store, 'read' | 'versions'>) {
    this.store = store
  }

  /** The first of these values that is neither the form of an id nor a name that is there. */
  async missing(naming: Naming, values: Values): Promise<string | undefined> {
    const names = namesIn(naming, values)
    if (names.size === 0) return undefined
    const { read, versions } = this.store
    const version = (await versions())[counterOf(getTableName(naming.table(read.t)))]
    const isKnown = (name: string) => this.known.get(`${naming.kind} ${name}`) === version
    const unsure = [...names.keys()].filter((name) => !isKnown(name))
    if (unsure.length === 0) return undefined
    for (const name of await there(read, naming, unsure)) this.known.set(`${naming.kind} ${name}`, version)
    const [missing] = unsure.filter((name) => !isKnown(name))
    return missing === undefined ? undefined : names.get(missing)
  }

  /** The name that is meant, most likely. */
  async nearest({ table, key }: Naming, text: string): Promise<string | undefined> {
    if (!key) return undefined
    const { read } = this.store
    const start = `${key
      .canonical(text)
      .slice(0, 1)
      .replace(/[\\%_]/g, '\\$&')}%`
    const isNear = sql`${key.column(read.t)} like ${start} escape '\\'`
    const most = read.limit(LIMITS.namesComparedMax)
    const near = sql`select ${key.shown(read.t)} from ${table(read.t)} where ${isNear} limit ${most}`
    const rows = await read.rows(read.compile(near))
    return nearest(
      text,
      rows.map(([name]) => String(name)),
    )
  }
}

async function there(read: Read, { table, key }: Naming, names: readonly string[]): Promise<string[]> {
  if (!key) return []
  const column = key.column(read.t)
  const rows = await read.rows(
    read.compile(sql`select ${column} from ${table(read.t)} where ${read.among(column, names)}`),
  )
  return rows.map(([name]) => String(name))
}
