import { type AnyColumn, and, isNull, or, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import { BoundedCache, oncePerPair } from '../../caches.js'
import { badArgument } from '../../errors.js'
import { type IdKind, isId } from '../../ids.js'
import { LIMITS } from '../../limits.js'
import { checkText, fold, foldedName, lengthViolation, NAMES_COMPARED_MAX, nearest } from '../../text.js'
import { counterOf, type Versions } from '../changeCounters.js'
import type { Read, Store } from '../store.js'
import type { Tables } from '../tables.js'

/** A filter as callers give it: absent and null both mean "any". */
export type Optional<T> = T | null | undefined

/** One of these folded columns contains the folded text. */
export function contains(read: Read, text: string, ...columns: AnyColumn[]): SQL | undefined {
  const checked = checkText(text, 'search')
  if ('violation' in checked) throw badArgument('search', checked.violation)
  const folded = fold(checked.text)
  const tooLong = lengthViolation(folded, LIMITS.searchFoldedMax)
  if (tooLong !== undefined)
    throw badArgument('search', `${tooLong} Texts are compared in Unicode NFKC, where one can be several.`)
  return or(...columns.map((column) => read.includes(column, folded)))
}

export function equalsFolded({ among }: Read, column: AnyColumn, texts: readonly string[]): SQL {
  return among(column, canonicalTexts(texts, foldedName))
}

/** Wraps the column in a no-op, so that the planner uses no index on it. */
export function unindexed(column: AnyColumn): SQL {
  return column.dataType === 'number' ? sql`(${column} + 0)` : sql`coalesce(${column}, '')`
}

/** The form in which a text is compared. */
export type Canonical = (text: string) => string

export type Texts = readonly (string | null | undefined)[]

/** By list: all aliases and all steps of a request share the list of a variable. */
const known = new WeakMap<Texts, Map<Canonical, readonly string[]>>()

/** Made once for each list; undefined beyond `most` characters: folding can make a text 18 times as long. */
export function canonicalWithin(texts: Texts, canonical: Canonical, most: number): readonly string[] | undefined {
  const ofList = known.get(texts) ?? new Map<Canonical, readonly string[]>()
  known.set(texts, ofList)
  const made = ofList.get(canonical) ?? madeWithin(texts, canonical, most)
  if (made) ofList.set(canonical, made)
  return made
}

function madeWithin(texts: Texts, canonical: Canonical, most: number): readonly string[] | undefined {
  const made: string[] = []
  let left = most
  for (const text of texts) {
    const one = canonical(text ?? '')
    left -= one.length
    if (left < 0) return undefined
    made.push(one)
  }
  return made
}

/** The canonical forms of texts whose number and lengths are known to be bounded; null becomes an empty text. */
export function canonicalTexts(texts: Texts, canonical: Canonical): readonly string[] {
  return canonicalWithin(texts, canonical, Number.POSITIVE_INFINITY) ?? []
}

/** How a reference identifies a row: by id or by a unique name. A text in the form of an id is always an id. */
export interface Naming {
  readonly kind: IdKind
  /** The accepted identifiers, for error messages. */
  readonly identifiers: string
  readonly table: (t: Tables) => PgTable & { readonly id: AnyPgColumn }
  /** The unique name; undefined if only ids are accepted. */
  readonly key?: KnownKey
}

interface KnownKey {
  readonly canonical: Canonical
  /** The column with the canonical form. */
  readonly column: (t: Tables) => AnyPgColumn
  /** The column with the form that users write. */
  readonly shown: (t: Tables) => AnyPgColumn
  /** Whether a text can be such a name; by default any can. */
  readonly canBe?: (text: string) => boolean
  /** Where several rows may have the name: those that it may mean. It is known only if one of them has it. */
  readonly among?: (t: Tables) => SQL
  /** The name that all other texts are. */
  readonly otherwise?: KnownKey
}

/** The name that a text can be. */
function keyFor({ key: first }: NamingForm, text: string): KnownKey | undefined {
  for (let key = first; key; key = key.otherwise) if (key.canBe?.(text) ?? true) return key
  return undefined
}

/** Those of these canonical names that are each kind of name, with the condition that a row has one of them. */
function byKey({ t, among }: Read, naming: Naming, names: readonly string[]) {
  const keyOf = (name: string) => keyFor(naming, name)
  return [...new Set(names.map(keyOf))].flatMap((key) => {
    const own = names.filter((name) => keyOf(name) === key)
    return key ? { key, isNamed: and(among(key.column(t), own), key.among?.(t)) } : []
  })
}

const AS_GIVEN: Canonical = (text) => text

/** Whether one of these values is not an id. */
export function hasName({ kind }: Naming, values: Texts): boolean {
  return values.some((value) => value != null && !isId(kind, value))
}

/** The values that are not ids, by their canonical form; found once for each list. */
export const namesIn = oncePerPair((values: Texts, { kind, key }: Naming): ReadonlyMap<string, string> => {
  const pairs = canonicalTexts(values, key?.canonical ?? AS_GIVEN).flatMap((name, index): [string, string][] => {
    const given = values[index]
    return given == null || isId(kind, given) ? [] : [[name, given]]
  })
  return new Map(pairs)
})

export type NamingForm = Pick<Naming, 'kind' | 'key'> & Partial<Naming>

/** The first value that can match no row: it has the form of neither an id nor a name. */
export function impossibleIn(naming: NamingForm, values: Texts): string | undefined {
  const canBe = (text: string) => isId(naming.kind, text) || keyFor(naming, text) !== undefined
  return values.filter((value) => value != null).find((value) => !canBe(value))
}

/** The condition that a column refers to one of these rows; a null among the values matches a null reference. */
export function refersTo(read: Read, column: AnyPgColumn, naming: Naming, values: Texts): SQL | undefined {
  const ids = values.filter((value) => value != null).filter((value) => isId(naming.kind, value))
  const names = [...namesIn(values, naming).keys()]
  const none = values.some((value) => value == null) ? isNull(column) : undefined
  if (names.length === 0) return ids.length === 0 && none ? none : or(read.among(column, ids), none)
  const table = naming.table(read.t)
  const named = byKey(read, naming, names)
  const isOneOf = or(ids.length > 0 ? read.among(table.id, ids) : undefined, ...named.map(({ isNamed }) => isNamed))
  const found = sql`(select ${table.id} from ${table} where ${isOneOf ?? sql`false`})`
  // One name is an equality, so that an index can serve the order too.
  const isOne = names.length + ids.length === 1 && !named[0]?.key.among
  return or(isOne ? sql`${column} = ${found}` : sql`${column} in ${found}`, none)
}

/** Bounds the cache, because callers choose the names; all names of one filter must fit. */
const KNOWN_MAX = Math.max(1_000, LIMITS.filterItemsMax)

/** Rows of one name that an error lists. */
const SHARING_SHOWN_MAX = 10

/** Caches which names exist, until the change counter of their table rises. */
export class KnownNames {
  private readonly store: Pick<Store, 'read' | 'versions'>
  private readonly known = new BoundedCache<Versions[keyof Versions]>({ entries: KNOWN_MAX, entrySize: 10_000 })

  constructor(store: Pick<Store, 'read' | 'versions'>) {
    this.store = store
  }

  /** The first of these values that is neither an id nor an existing name. */
  async missing(naming: Naming, values: Texts): Promise<string | undefined> {
    const names = namesIn(values, naming)
    if (names.size === 0) return undefined
    const { read, versions } = this.store
    const version = (await versions())[counterOf(naming.table(read.t)) ?? 'all']
    const isKnown = (name: string) => this.known.get(`${naming.kind} ${name}`) === version
    const unsure = [...names.keys()].filter((name) => !isKnown(name))
    if (unsure.length === 0) return undefined
    for (const name of await this.found(naming, unsure)) this.known.set(`${naming.kind} ${name}`, version)
    const [missing] = unsure.filter((name) => !isKnown(name))
    return missing === undefined ? undefined : names.get(missing)
  }

  /** Those of these names that exactly one row has. */
  private async found(naming: Naming, names: readonly string[]): Promise<string[]> {
    const { read } = this.store
    const found = byKey(read, naming, names).map(({ key, isNamed }) => {
      const column = key.column(read.t)
      const from = sql`from ${naming.table(read.t)} where ${isNamed}`
      return textsOf(read, sql`select ${column} ${from} group by ${column} having count(*) = 1`)
    })
    return (await Promise.all(found)).flat()
  }

  /** What distinguishes the rows that share this name. */
  async sharing(naming: Naming, text: string): Promise<string[]> {
    const { read } = this.store
    const [one] = byKey(read, naming, [naming.key?.canonical(text) ?? text])
    if (!one?.key.among || !naming.key) return []
    const table = naming.table(read.t)
    const shown = sql`select coalesce(${naming.key.shown(read.t)}, ${table.id}) from ${table} where ${one.isNamed}`
    return textsOf(read, sql`${shown} order by 1 limit ${read.limit(SHARING_SHOWN_MAX)}`)
  }

  /** The existing name with the nearest spelling, of those next to it in the order of an index. */
  async nearest(naming: Naming, text: string): Promise<string | undefined> {
    const key = keyFor(naming, text) ?? naming.key
    if (!key) return undefined
    const { read } = this.store
    const [column, name] = [key.column(read.t), key.canonical(text)]
    const most = read.limit(NAMES_COMPARED_MAX / 2)
    const isMeant = key.among ? sql` and ${key.among(read.t)}` : sql.raw('')
    const from = sql`select ${key.shown(read.t)} as name from ${naming.table(read.t)} where ${column}`
    const after = sql`${from} > ${name}${isMeant} order by ${column} limit ${most}`
    const before = sql`${from} < ${name}${isMeant} order by ${column} desc limit ${most}`
    const both = sql`select name from (${after}) after_it union all select name from (${before}) before_it`
    return nearest(text, await textsOf(read, both))
  }
}

async function textsOf(read: Read, statement: SQL): Promise<string[]> {
  const rows = await read.rows(read.compile(statement))
  return rows.map(([text]) => String(text))
}
