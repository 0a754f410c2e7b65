import { aliasedTable, and, fillPlaceholders, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { grants } from '../../auth/scopes.js'
import { Fault } from '../../errors.js'
import { conditional } from '../../store/jsonPage.js'
import { keysIn, SAMPLE } from '../../store/rowKeys.js'
import type { Context } from '../builder.js'
import { type Batch, contradiction, type EntityKey, type Reference, readReferences } from '../references.js'
import type { Asked } from '../windows.js'
import type { EntitiesRoot, EntityEntry } from './compiler.js'
import type { Arguments } from './fields.js'
import { askedIn, cursorsInTurns, isSteady, kept, keyOf, newNumber, type RootResult, rowsOnce } from './results.js'
import { Build, NotCompilable, placesIn, Weighing } from './statements.js'

/** The JSON of a row, and the value that it has of each key that references give. */
interface Found {
  readonly json: string
  readonly keyOf: (key: string) => string | undefined
}

/** Runs one statement for each type and key that is referred to, however often and in whatever order. */
export function entitiesRunner(root: EntitiesRoot) {
  const number = newNumber()
  return async (context: Context, args: readonly Arguments[]): Promise<RootResult> => {
    const { representations = [] } = args[0] as { representations?: readonly unknown[] }
    const { places, batches } = readReferences(representations)
    const references = places.map(usable)
    const asked = await askedIn(context, root, args)
    const found = new Map<EntityKey, ReadonlyMap<string, Found>>()
    for (const batch of batches) {
      const entry = visibleEntry(context, root, batch)
      const others = references.flatMap((one) => (one.key === batch.key ? one.others.map(({ key }) => key) : []))
      const look = { batch, keys: [...new Set([batch.key, ...others])], entry, asked, number }
      found.set(batch.key, await lookUp(context, look))
    }
    const json = Buffer.from(`[${references.map((one) => jsonOf(one, found.get(one.key)?.get(one.value))).join()}]`)
    const hasCursors = [...root.types.values()].some((one) => one.hasCursors)
    return { json: [hasCursors ? await cursorsInTurns(context, json) : json], isThere: true }
  }
}

/** What is wrong with a reference is an error at its place, which execution puts there. */
function usable(place: Reference | Fault): Reference {
  if (place instanceof Fault) throw place
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
  /** Those that references of this batch give. */
  readonly keys: readonly EntityKey[]
  readonly entry: EntityEntry
  readonly asked: readonly (Asked | undefined)[]
  readonly number: number
}

async function lookUp(
  context: Context,
  { batch: { entity, key, values: wanted }, keys, entry, asked, number }: Look,
): Promise<ReadonlyMap<string, Found>> {
  const { read } = context.store
  const table = entity.table(read.t)
  const weighing = new Weighing(asked, wanted.size)
  const perRow = 1 + entry.weigh(weighing)
  const extent = { table, row: aliasedTable(table, 'e'), rows: wanted.size, perRow, isCounting: weighing.isCounting }
  const guard = read.guard(extent)
  const isHeavy = guard !== undefined
  const condition = (row: PgTable, values: readonly string[]) => key.row.among(read, row, values)
  const values = [...wanted]
  const sample = values.length === 1 ? SAMPLE.slice(1) : SAMPLE
  const shape = `${number} ${entity.name} ${keys.map(({ name }) => name)} ${sample.length} ${isHeavy ? 'guarded' : 'bare'}`
  const statement = kept(read, `${shape} ${keyOf(asked)}`, () => {
    const build = new Build(read, asked, isHeavy)
    const parts = keys.flatMap(({ row }) => row.columns(read, extent.row))
    const selected = sql.join([entry.object(build, extent.row), ...parts], sql.raw(', '))
    const where = conditional(and(guard, condition(extent.row, sample)))
    return sql`select ${selected} from ${table} ${sql.identifier('e')}${where}`
  })
  // The values that are looked for stand at the end, and are the only ones that differ.
  const own = read.spelled(condition(extent.row, values)).values
  const before = fillPlaceholders(statement.values.slice(0, statement.values.length - own.length), placesIn(asked))
  const rows = await rowsOnce(context, {
    text: statement.text,
    values: [...before, ...own],
    isSteady: isSteady(asked),
    isHeavy,
  })
  const named = keys.map(({ name, row }) => [name, row] as const)
  return new Map(
    rows.map(([json, ...columns]) => {
      const keyed = keysIn(named, columns)
      return [keyed(key.name) ?? '', { json: String(json), keyOf: keyed }]
    }),
  )
}
