import type { PgTable } from 'drizzle-orm/pg-core'
import { Kind, parse, type SelectionSetNode } from 'graphql'
import { grants, type Scope } from '../../auth/scopes.js'
import { Fault } from '../../errors.js'
import { type KeyedRow, keyValue, lookUpBy, type RowKey, type RowKeys } from '../../store/query/rowKeys.js'
import type { Tables } from '../../store/tables.js'
import { lengthFlaw } from '../../text.js'
import { type Context, missingScope } from '../builder.js'
import type { MayRead } from '../cost/references.js'
import { loadMany, type Query, readTogether } from '../loaders.js'
import { isUnlisted } from '../resolverErrors.js'

/** The definition of an entity: its scope, its table and its keys. */
export interface EntityOptions<T extends PgTable> {
  readonly scope: Scope
  readonly table: (t: Tables) => T
  /** By the selection set of the key; in a reference with several keys the first one here counts. */
  readonly keys: RowKeys<T>
}

/** A key of an entity, as in references. */
export interface EntityKey {
  readonly name: string
  readonly row: RowKey<PgTable>
  /** The path of each part in a reference. */
  readonly paths: readonly (readonly string[])[]
  /** Rows by their values of this key, in one statement. */
  readonly load: (context: Context, values: readonly string[]) => Promise<readonly (KeyedRow<PgTable> | undefined)[]>
}

interface Entity {
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
      // Only ever called with rows of this entity's own table.
      row: row as unknown as RowKey<PgTable>,
      paths: pathsOf(key),
      load: loading((read, values) => lookUp(read, key, values)),
    })),
  })
}

/** All entity types, each with its id as a key. */
export function entityTypes(): readonly Entity[] {
  return [...entities.values()]
}

function loading<V>(query: Query<V>) {
  return (context: Context, values: readonly string[]) => loadMany(context, query, values)
}

/** The leaves of a selection set: `project { key } reference` has two. */
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
interface Named {
  readonly key: EntityKey
  /** In the form in which rows are compared with it. */
  readonly value: string
}

/** A parsed reference: its first key counts, and the others must match the same row. */
export interface Reference extends Named {
  readonly entity: Entity
  readonly others: readonly Named[]
}

/** Parses a gateway's representation, or says what is wrong with it; the scope comes before the keys. */
function readReference(representation: unknown, mayRead: MayRead): Reference | Fault {
  const typename = memberAt(representation, TYPENAME)
  const entity = typeof typename === 'string' ? entities.get(typename) : undefined
  if (!entity) return malformed(`\`__typename\` must be one of ${[...entities.keys()].join(', ')}.`)
  // Before the look-up: the result is the same whether or not a row exists.
  if (!mayRead(entity.scope)) return missingScope(entity.scope)
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

/** Undefined if a part is missing: a gateway sends every key that it knows, and null for null values. */
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

/** One Fault for each sentence: every reference may be bad, and capturing a stack takes longer than reading one. */
const flaws = new Map<string, Fault>()

/** `detail` quotes nothing of the representation, so that there are few. */
function malformed(detail: string): Fault {
  const known = flaws.get(detail) ?? new Fault('BAD_REQUEST', `This representation cannot be used: ${detail}`)
  flaws.set(detail, known)
  return known
}

/** References of one list that are looked up together: of one entity, by one key, each value once. */
export interface Batch {
  readonly entity: Entity
  readonly key: EntityKey
  readonly values: ReadonlySet<string>
}

/** A list of references: the parsed references, and the look-ups for all of them. */
interface References {
  readonly places: readonly (Reference | Fault)[]
  readonly batches: readonly Batch[]
}

// Cached, because they are parsed for the price and again for the resolver, perhaps under two aliases.
const known = new WeakMap<readonly unknown[], References>()

/** A list belongs to one request, and so to one caller. */
export function readReferences(representations: readonly unknown[], mayRead: MayRead): References {
  const references = known.get(representations) ?? read(representations, mayRead)
  known.set(representations, references)
  return references
}

function read(representations: readonly unknown[], mayRead: MayRead): References {
  const places = representations.map((one) => readReference(one, mayRead))
  const batches = new Map<EntityKey, Batch & { readonly values: Set<string> }>()
  for (const place of places) {
    if (place instanceof Fault) continue
    const batch = batches.get(place.key) ?? { entity: place.entity, key: place.key, values: new Set<string>() }
    batches.set(place.key, batch)
    batch.values.add(place.value)
  }
  return { places, batches: [...batches.values()] }
}

/** The number of references and of distinct ones; malformed ones count each time, and those without the scope as repeated. */
export function countReferences(
  representations: readonly unknown[],
  mayRead: MayRead,
): { all: number; different: number } {
  const { places, batches } = readReferences(representations, mayRead)
  const isBad = (place: Reference | Fault) => place instanceof Fault && place.code === 'BAD_REQUEST'
  return {
    all: places.length,
    different: batches.reduce((sum, { values }) => sum + values.size, places.filter(isBad).length),
  }
}

/** The error of a reference whose keys name different rows. */
export function contradiction(
  { entity, key, others }: Reference,
  keyOf: (key: string) => string | undefined,
): Fault | undefined {
  const other = others.find((one) => keyOf(one.key.name) !== one.value)
  return other && malformed(`\`${key.name}\` and \`${other.key.name}\` do not name the same ${entity.name}.`)
}

/** The row of each reference, null if there is none; a Fault is an error at that path only. */
export async function resolveReferences(
  context: Context,
  representations: readonly unknown[],
): Promise<(object | null | Fault)[]> {
  const { places, batches } = readReferences(representations, (scope) => grants(context.principal.scopes, scope))
  const found = new Map<EntityKey, ReadonlyMap<string, Found>>()
  await Promise.all(batches.map(async (batch) => found.set(batch.key, await lookUp(context, batch))))
  return places.map((place) => {
    const row = place instanceof Fault ? place : rowOf(place, found)
    return row instanceof Fault && isUnlisted(context) ? null : row
  })
}

function rowOf(reference: Reference, found: ReadonlyMap<EntityKey, ReadonlyMap<string, Found>>): object | null | Fault {
  const row = found.get(reference.key)?.get(reference.value)
  return row ? (contradiction(reference, row.keyOf) ?? row.entity) : null
}

interface Found extends Pick<KeyedRow<PgTable>, 'keyOf'> {
  readonly entity: object
}

async function lookUp(context: Context, { entity, key, values }: Batch): Promise<Map<string, Found>> {
  const given = [...values]
  const found = new Map<string, Found>()
  for (const [index, loaded] of (await key.load(context, given)).entries()) {
    if (loaded) {
      found.set(given[index] ?? '', { keyOf: loaded.keyOf, entity: { ...loaded.row, __typename: entity.name } })
    }
  }
  readTogether([...found.values()].map((one) => one.entity))
  return found
}
