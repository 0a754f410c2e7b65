import type { PgTable } from 'drizzle-orm/pg-core'
import { Kind, parse, type SelectionSetNode } from 'graphql'
import type { Scope } from '../auth/scopes.js'
import { grants } from '../auth/scopes.js'
import { Fault } from '../errors.js'
import { type KeyedRow, keyValue, lookUpBy, type RowKey, type RowKeys } from '../store/rowKeys.js'
import type { Tables } from '../store/tables.js'
import { lengthFlaw } from '../text.js'
import { type Context, missingScope } from './builder.js'
import { loadMany, type Query, readTogether } from './loaders.js'

/** What an entity of the larger graph is: who may see it, where its rows are, and the keys that name one. */
export interface EntityOptions<T extends PgTable> {
  readonly scope: Scope
  readonly table: (t: Tables) => T
  /** By the selection of fields that is the key; in references with several, the first one here counts. */
  readonly keys: RowKeys<T>
}

/** A key of an entity, as references spell it. */
export interface EntityKey {
  readonly name: string
  readonly row: RowKey<PgTable>
  /** Where each part of it stands in a reference. */
  readonly paths: readonly (readonly string[])[]
  /** Rows by their values of this key, one statement for all that are asked for together. */
  readonly load: (context: Context, values: readonly string[]) => Promise<readonly (KeyedRow<PgTable> | undefined)[]>
}

export interface Entity {
  readonly name: string
  readonly scope: Scope
  readonly table: (t: Tables) => PgTable
  readonly keys: readonly EntityKey[]
}

const entities = new Map<string, Entity>()

export function registerEntity<T extends PgTable>(name: string, { scope, table, keys }: EntityOptions<T>): void {
  const lookUp = lookUpBy(table, keys)
  entities.set(name, {
    name,
    scope,
    table,
    keys: Object.entries(keys).map(([key, row]) => ({
      name: key,
      // Only ever asked of rows of this entity's own table.
      row: row as unknown as RowKey<PgTable>,
      paths: pathsOf(key),
      load: loading((read, values) => lookUp(read, key, values)),
    })),
  })
}

function loading<V>(query: Query<V>) {
  return (context: Context, values: readonly string[]) => loadMany(context, query, values)
}

/** The leaves of a selection: `project { key } reference` has two. */
function pathsOf(selection: string): string[][] {
  const [definition] = parse(`{ ${selection} }`).definitions
  const leaves = ({ selections }: SelectionSetNode): string[][] =>
    selections.flatMap((node) => {
      if (node.kind !== Kind.FIELD) return []
      const inner = node.selectionSet ? leaves(node.selectionSet) : [[]]
      return inner.map((path) => [node.name.value, ...path])
    })
  return definition?.kind === Kind.OPERATION_DEFINITION ? leaves(definition.selectionSet) : []
}

/** A value of a key. */
export interface Named {
  readonly key: EntityKey
  /** In the form in which rows are compared with it. */
  readonly value: string
}

/** What a reference names: the first key that it gives counts, and the others must agree with it. */
export interface Reference extends Named {
  readonly entity: Entity
  readonly others: readonly Named[]
}

/** What a gateway's representation refers to, or what is wrong with it. */
function readReference(representation: unknown): Reference | Fault {
  const typename = memberAt(representation, TYPENAME)
  const entity = typeof typename === 'string' ? entities.get(typename) : undefined
  if (!entity) return malformed(`\`__typename\` must be one of ${[...entities.keys()].join(', ')}.`)
  let first: Named | undefined
  let others: Named[] = NONE
  for (const key of entity.keys) {
    const value = valueIn(representation, key)
    if (value instanceof Fault) return value
    if (value === undefined) continue
    if (!first) first = { key, value }
    else others = [...others, { key, value }]
  }
  if (first) return { entity, key: first.key, value: first.value, others }
  const names = entity.keys.map(({ name }) => `\`${name}\``)
  return malformed(`A ${entity.name} is referred to by ${names.join(' or ')}.`)
}

const TYPENAME = ['__typename']
const NONE: Named[] = []

/** Undefined where a part is missing: a gateway sends every key that it knows of, and null for what it was told is null. */
function valueIn(representation: unknown, { paths, row: { parts } }: EntityKey): string | Fault | undefined {
  const texts: string[] = []
  for (let index = 0; index < paths.length; index++) {
    const path = paths[index] ?? TYPENAME
    const text = memberAt(representation, path)
    if (text === undefined || text === null) return undefined
    const most = parts[index]?.charactersMax ?? 0
    if (typeof text !== 'string' || lengthFlaw(text, most) !== undefined) {
      return malformed(`\`${path.join('.')}\` must be a string of at most ${most} characters.`)
    }
    texts.push(text)
  }
  return keyValue(parts, texts)
}

function memberAt(value: unknown, path: readonly string[]): unknown {
  let at = value
  for (const name of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined
    at = (at as Record<string, unknown>)[name]
  }
  return at
}

function malformed(detail: string): Fault {
  return new Fault('BAD_REQUEST', `This representation cannot be used: ${detail}`)
}

/** The references of one list that are looked up together: of one entity, by one key, each value once. */
export interface Batch {
  readonly entity: Entity
  readonly key: EntityKey
  readonly values: ReadonlySet<string>
}

/** A list of references: what each place refers to, and what is to be looked up for all of them. */
export interface References {
  readonly places: readonly (Reference | Fault)[]
  readonly batches: readonly Batch[]
}

// They are read to be priced and again to be resolved, and perhaps under two aliases.
const known = new WeakMap<readonly unknown[], References>()

export function readReferences(representations: readonly unknown[]): References {
  const references = known.get(representations) ?? read(representations)
  known.set(representations, references)
  return references
}

function read(representations: readonly unknown[]): References {
  const places = representations.map(readReference)
  const batches = new Map<EntityKey, Batch & { readonly values: Set<string> }>()
  for (const place of places) {
    if (place instanceof Fault) continue
    const batch = batches.get(place.key) ?? { entity: place.entity, key: place.key, values: new Set<string>() }
    batches.set(place.key, batch)
    batch.values.add(place.value)
  }
  return { places, batches: [...batches.values()] }
}

/** How many references there are, and how many of them are different; what is malformed counts each time. */
export function countReferences(representations: readonly unknown[]): { all: number; different: number } {
  const { places, batches } = readReferences(representations)
  const flaws = places.filter((place) => place instanceof Fault).length
  return { all: places.length, different: batches.reduce((sum, { values }) => sum + values.size, flaws) }
}

/** What is wrong with a reference whose other keys are not those of the row that its first key names. */
export function contradiction(
  { entity, key, others }: Reference,
  keyOf: (key: string) => string | undefined,
): Fault | undefined {
  const other = others.find((one) => keyOf(one.key.name) !== one.value)
  return other && malformed(`\`${key.name}\` and \`${other.key.name}\` do not name the same ${entity.name}.`)
}

/** The row at each place, null where there is none; a Fault is an error at its place alone. */
export async function resolveReferences(
  context: Context,
  representations: readonly unknown[],
): Promise<(object | null | Fault)[]> {
  const { places, batches } = readReferences(representations)
  // Asked before anything is looked up: the answer is the same whether or not a row exists.
  const mayRead = ({ scope }: Entity) => grants(context.principal.scopes, scope)
  const found = new Map<EntityKey, ReadonlyMap<string, Found>>()
  await Promise.all(
    batches
      .filter(({ entity }) => mayRead(entity))
      .map(async (batch) => found.set(batch.key, await lookUp(context, batch))),
  )
  return places.map((place) => {
    if (place instanceof Fault) return place
    if (!mayRead(place.entity)) return missingScope(place.entity.scope)
    const row = found.get(place.key)?.get(place.value)
    return row ? (contradiction(place, row.keyOf) ?? row.entity) : null
  })
}

interface Found extends Pick<KeyedRow<PgTable>, 'keyOf'> {
  readonly entity: object
}

async function lookUp(context: Context, { entity, key, values }: Batch): Promise<Map<string, Found>> {
  const given = [...values]
  const found = new Map<string, Found>()
  for (const [index, keyed] of (await key.load(context, given)).entries()) {
    if (keyed) {
      found.set(given[index] ?? '', { keyOf: keyed.keyOf, entity: { ...keyed.row, __typename: entity.name } })
    }
  }
  readTogether([...found.values()].map((one) => one.entity))
  return found
}
