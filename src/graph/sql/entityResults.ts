import { aliasedTable, and, fillPlaceholders, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { grants, type Scope } from '../../auth/scopes.js'
import { Fault } from '../../errors.js'
import { conditional } from '../../store/query/jsonPage.js'
import { keysIn, SAMPLE } from '../../store/query/rowKeys.js'
import type { CompiledSql } from '../../store/store.js'
import type { Context } from '../builder.js'
import { type Batch, contradiction, type EntityKey, type Reference, readReferences } from '../federation/references.js'
import type { Arguments } from '../fields.js'
import type { EntitiesRoot, EntityEntry } from './compiler.js'
import {
  cachedStatement,
  checkedPageRequests,
  cursorsInTurns,
  hasStablePlan,
  keyOf,
  newNumber,
  type RootRead,
} from './results.js'
import { type BoundPageRequest, Build, boundValues, NotCompilable, Weighing } from './statements.js'

/** The JSON of a row, and its value of each key that references use. */
interface Found {
  readonly json: string
  readonly keyOf: (key: string) => string | undefined
}

/** Runs one statement for each type and key, for any number and order of references. */
export function entitiesRunner(root: EntitiesRoot) {
  const number = newNumber()
  return async (context: Context, args: readonly Arguments[]): Promise<RootRead> => {
    const mayRead = (scope: Scope) => grants(context.principal.scopes, scope)
    const { places, batches } = readReferences(root.references.of(args[0] ?? {}), mayRead)
    const references = places.map(usable)
    const pageRequests = await checkedPageRequests(context, root, args, number)
    const lookUps: LookUp[] = []
    for (const batch of batches) {
      const entry = visibleEntry(context, root, batch)
      const others = references.flatMap((one) => (one.key === batch.key ? one.others.map(({ key }) => key) : []))
      const keys = [...new Set([batch.key, ...others])]
      lookUps.push(await lookUp(context, { batch, keys, entry, pageRequests, number }))
    }
    return {
      statements: lookUps.map(({ statement }) => statement),
      async resultOf(rows) {
        const found = new Map(lookUps.map(({ key, foundIn }, index) => [key, foundIn(rows[index] ?? [])]))
        const things = references.map((one) => jsonOf(one, found.get(one.key)?.get(one.value)))
        const json = Buffer.from(root.references.isOne ? (things[0] ?? 'null') : `[${things.join()}]`)
        const hasCursors = [...root.types.values()].some((one) => one.hasCursors)
        return { json: [hasCursors ? await cursorsInTurns(context, json) : json], isThere: true }
      },
    }
  }
}

/** A bad reference is an error at its path, which execution reports. */
function usable(place: Reference | Fault): Reference {
  if (place instanceof Fault) throw new NotCompilable(place.code === 'INSUFFICIENT_SCOPE' ? 'scope' : 'bad_input')
  return place
}

function jsonOf(reference: Reference, found: Found | undefined): string {
  const flaw = found && contradiction(reference, found.keyOf)
  if (flaw) throw flaw
  return found?.json ?? 'null'
}

function visibleEntry({ principal }: Context, { types }: EntitiesRoot, { entity }: Batch): EntityEntry {
  const entry = types.get(entity.name)
  if (!entry) throw new NotCompilable()
  if (![...entry.scopes].every((scope) => grants(principal.scopes, scope))) throw new NotCompilable('scope')
  return entry
}

interface Look {
  readonly batch: Batch
  /** The keys that references of this batch use. */
  readonly keys: readonly EntityKey[]
  readonly entry: EntityEntry
  readonly pageRequests: readonly (BoundPageRequest | undefined)[]
  readonly number: number
}

interface LookUp {
  readonly key: EntityKey
  readonly statement: CompiledSql
  foundIn(rows: readonly unknown[][]): ReadonlyMap<string, Found>
}

async function lookUp(
  context: Context,
  { batch: { entity, key, values: wanted }, keys, entry, pageRequests, number }: Look,
): Promise<LookUp> {
  const { read } = context.store
  const table = entity.table(read.t)
  const weighing = new Weighing(pageRequests, wanted.size)
  const perRow = 1 + entry.weigh(weighing)
  const { builtOnce } = weighing
  const extent = { table, row: aliasedTable(table, 'e'), rows: wanted.size, perRow, ...weighing.others(read) }
  const guard = read.guard(extent)
  const isHeavy = guard !== undefined
  const condition = (row: PgTable, values: readonly string[]) => key.row.among(read, row, values)
  const values = [...wanted]
  const sample = values.length === 1 ? SAMPLE.slice(1) : SAMPLE
  const shape = `${number} ${entity.name} ${keys.map(({ name }) => name)} ${sample.length} ${isHeavy ? 'guarded' : 'bare'}`
  const statement = await cachedStatement(context, `${shape} ${keyOf(pageRequests, builtOnce)}`, () => {
    const build = new Build(read, pageRequests, { isHeavy, builtOnce })
    const parts = keys.flatMap(({ row }) => row.columns(read, extent.row))
    const selected = sql.join([entry.object(build, extent.row), ...parts], sql.raw(', '))
    const where = conditional(and(guard, condition(extent.row, sample)))
    return sql`select ${selected} from ${table} ${sql.identifier('e')}${where}`
  })
  // The values to look up come last, and are the only ones that differ.
  const own = read.compile(condition(extent.row, values)).values
  const before = fillPlaceholders(
    statement.values.slice(0, statement.values.length - own.length),
    boundValues(pageRequests),
  )
  const named = keys.map(({ name, row }) => [name, row] as const)
  const found = ([json, ...columns]: readonly unknown[]) => {
    const keyOf = keysIn(named, columns)
    return [keyOf(key.name) ?? '', { json: String(json), keyOf }] as const
  }
  const weight = read.weigh(extent)
  return {
    key,
    statement: {
      text: statement.text,
      values: [...before, ...own],
      hasStablePlan: hasStablePlan(pageRequests),
      isHeavy,
      weight,
    },
    foundIn: (rows) => new Map(rows.map(found)),
  }
}
