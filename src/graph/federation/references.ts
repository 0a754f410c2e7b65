import type { PgTable } from 'drizzle-orm/pg-core'
import { Kind, parse, type SelectionSetNode } from 'graphql'
import type { Scope } from '../../auth/scopes.js'
import { Fault } from '../../errors.js'
import { keyValue, type RowKey, type RowKeys } from '../../store/query/rowKeys.js'
import type { Tables } from '../../store/tables.js'
import { lengthViolation } from '../../text.js'
import { TEXT_MAX } from '../../vocabulary.js'
import { missingScope } from '../builder.js'

type MayRead = (scope: Scope) => boolean

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
}

export interface Entity {
  readonly name: string
  readonly scope: Scope
  readonly table: (t: Tables) => PgTable
  readonly keys: readonly EntityKey[]
}

const entities = new Map<string, Entity>()

export function registerEntity<T extends PgTable>(name: string, { scope, table, keys }: EntityOptions<T>): void {
  entities.set(name, {
    name,
    scope,
    table,
    keys: Object.entries(keys).map(([key, row]) => ({
      name: key,
      // Only ever called with rows of this entity's own table.
      row: row as unknown as RowKey<PgTable>,
      paths: pathsOf(key),
    })),
  })
}

/** All entity types, each with its id as a key. */
export function entityTypes(): readonly Entity[] {
  return [...entities.values()]
}

export function entityNamed(name: string): Entity {
  const entity = entities.get(name)
  if (!entity) throw new Error(`${name} is no entity.`)
  return entity
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
  const typename = memberAt(representation, ['__typename'])
  const entity = typeof typename === 'string' ? entities.get(typename) : undefined
  if (!entity) return malformed(`\`__typename\` must be one of ${[...entities.keys()].join(', ')}.`)
  // Before the look-up: the result is the same whether or not a row exists.
  if (!mayRead(entity.scope)) return missingScope(entity.scope)
  const named: Named[] = []
  for (const key of entity.keys) {
    const value = valueIn(representation, key)
    if (value instanceof Fault) return value
    if (value !== undefined) named.push({ key, value })
  }
  const [first, ...others] = named
  if (first) return { entity, ...first, others }
  const names = entity.keys.map(({ name }) => `\`${name}\``)
  return malformed(`A ${entity.name} is referred to by ${names.join(' or ')}.`)
}

/** Undefined if a part is missing: a gateway sends every key that it knows, and null for null values. */
function valueIn(representation: unknown, { paths, row: { parts } }: EntityKey): string | Fault | undefined {
  const texts: string[] = []
  for (const [index, path] of paths.entries()) {
    const text = memberAt(representation, path)
    if (text === undefined || text === null) return undefined
    const most = TEXT_MAX[parts[index]?.kind ?? 'id']
    if (typeof text !== 'string' || lengthViolation(text, most) !== undefined) {
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
const violations = new Map<string, Fault>()

/** `detail` quotes nothing of the representation, so that there are few. */
function malformed(detail: string): Fault {
  const known = violations.get(detail) ?? new Fault('BAD_REQUEST', `This representation cannot be used: ${detail}`)
  violations.set(detail, known)
  return known
}

/** References of one list that are looked up together: of one entity, by one key, each value once. */
export interface Batch {
  readonly entity: Entity
  readonly key: EntityKey
  /** All keys that the references have, that one first. */
  readonly keys: ReadonlySet<EntityKey>
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
  const batches = new Map<EntityKey, Batch & { readonly keys: Set<EntityKey>; readonly values: Set<string> }>()
  for (const place of places) {
    if (place instanceof Fault) continue
    const { entity, key, value, others } = place
    const batch = batches.get(key) ?? { entity, key, keys: new Set([key]), values: new Set<string>() }
    batches.set(key, batch)
    batch.values.add(value)
    for (const other of others) batch.keys.add(other.key)
  }
  return { places, batches: [...batches.values()] }
}

/** The number of references to a type, and of distinct ones among them. */
export function countReferences({ places, batches }: References, type: string): { all: number; different: number } {
  const all = places.filter((place) => !(place instanceof Fault) && place.entity.name === type).length
  const ofType = batches.filter(({ entity }) => entity.name === type)
  return { all, different: ofType.reduce((sum, { values }) => sum + values.size, 0) }
}

/** The same for those that are refused: malformed ones count each time, and those without the scope as repeated. */
export function countRefused({ places }: References): { all: number; different: number } {
  const refused = places.filter((place) => place instanceof Fault)
  return { all: refused.length, different: refused.filter(({ code }) => code === 'BAD_REQUEST').length }
}

/** The error of a reference whose keys name different rows. */
export function contradiction(
  { entity, key, others }: Reference,
  keyOf: (key: string) => string | undefined,
): Fault | undefined {
  const other = others.find((one) => keyOf(one.key.name) !== one.value)
  return other && malformed(`\`${key.name}\` and \`${other.key.name}\` do not name the same ${entity.name}.`)
}
