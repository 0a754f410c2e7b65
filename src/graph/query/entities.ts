import { aliasedTable, and, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { grants, type Scope } from '../../auth/scopes.js'
import { Fault } from '../../errors.js'
import { conditional } from '../../store/query/jsonPage.js'
import { keysIn, SAMPLE } from '../../store/query/rowKeys.js'
import type { Context } from '../builder.js'
import { type Batch, contradiction, readReferences } from '../federation/references.js'
import type { References } from './declared.js'
import type { Refusal } from './entries.js'
import { type PageRequests, pageRequestsIn } from './pageRequests.js'
import type { ReadRoot } from './readers.js'
import { type Entry, type PlannedRows, type PlannedSql, statementOf } from './statements.js'

/** What is planned for entities of one type. */
interface EntityPlan extends PlannedRows, Pick<Entry, 'object'> {
  readonly refusals: readonly Refusal[]
}

/** Reads entities by one statement for each type and key, for any number and order of references. */
export function entitiesReader(
  rows: Pick<PlannedRows, 'slots' | 'number'>,
  references: References,
  types: ReadonlyMap<string, EntityPlan>,
): ReadRoot {
  return async (context, args) => {
    const mayRead = (scope: Scope) => grants(context.principal.scopes, scope)
    const { places, batches } = readReferences(references.of(args[0] ?? {}), mayRead)
    const pageRequests = await pageRequestsIn(context, rows, args)
    const statements: PlannedSql[] = []
    const refusals = new Set<Refusal>()
    for (const batch of batches) {
      const plan = types.get(batch.entity.name)
      if (!plan) throw new Error(`There is no plan for ${batch.entity.name}.`)
      for (const refusal of plan.refusals) refusals.add(refusal)
      statements.push(await lookUp(context, plan, pageRequests, batch))
    }
    return {
      statements,
      refusals: [...refusals],
      async resultOf(rows) {
        const found = context.work.time(
          'complete',
          () => new Map(batches.map((batch, index) => [batch.key, foundIn(batch, rows[index] ?? [])])),
        )
        const violations = new Map<number, Fault>()
        const things = places.map((place, index) => {
          const row = place instanceof Fault ? undefined : found.get(place.key)?.get(place.value)
          const thing = place instanceof Fault ? place : row && (contradiction(place, row.keyOf) ?? row.json)
          if (!(thing instanceof Fault)) return thing ?? 'null'
          violations.set(index, thing)
          return 'null'
        })
        const [violation] = references.isOne ? violations.values() : []
        if (violation) throw violation
        const json = references.isOne ? (things[0] ?? 'null') : `[${things.join()}]`
        return { json: [Buffer.from(json)], isThere: true, violations }
      },
    }
  }
}

/** The JSON of a row, and its value of each key that references use. */
interface Found {
  readonly json: string
  readonly keyOf: (key: string) => string | undefined
}

/** The rows of a look-up, by the key that they were looked up by. */
function foundIn({ key, keys }: Batch, rows: readonly unknown[][]): ReadonlyMap<string, Found> {
  const named = Array.from(keys, ({ name, row }) => [name, row] as const)
  return new Map(
    rows.map(([json, columns]) => {
      const keyOf = keysIn(named, JSON.parse(String(columns)))
      return [keyOf(key.name) ?? '', { json: String(json), keyOf }]
    }),
  )
}

async function lookUp(
  context: Context,
  plan: EntityPlan,
  pageRequests: PageRequests,
  { entity, key, keys, values }: Batch,
): Promise<PlannedSql> {
  const { read } = context.store
  const table = entity.table(read.t)
  const row = aliasedTable(table, 'e')
  const condition = (among: readonly string[]) => key.row.among(read, row as PgTable, among)
  const sample = values.size === 1 ? SAMPLE.slice(1) : SAMPLE
  const statement = await statementOf(context, plan, pageRequests, {
    key: ` ${entity.name} ${Array.from(keys, ({ name }) => name)} ${sample.length}`,
    extent: { table, row, rows: values.size },
    times: values.size,
    build: (build, guard) => {
      const parts = Array.from(keys).flatMap(({ row: { columns } }) => columns(read, row))
      // As JSON too, in which no key can look like a marked position.
      const selected = sql`${plan.object(build, row)}, ${read.json.array(parts)}`
      return sql`select ${selected} from ${table} ${sql.identifier('e')}${conditional(and(guard, condition(sample)))}`
    },
  })
  // The values to look up come last, and are the only ones that differ.
  const own = read.compile(condition([...values])).values
  return { ...statement, values: [...statement.values.slice(0, -own.length), ...own] }
}
