import { and, sql } from 'drizzle-orm'
import { Fault, ResponseTooLong } from '../../errors.js'
import { isOfStore, toFault } from '../../store/faults.js'
import { listed, type Separator } from '../../store/query/json.js'
import { bytesOf, conditional, listSource } from '../../store/query/jsonPage.js'
import { cursorGone, extentOf, requireWhole } from '../../store/query/page.js'
import { type AnySummary, type AnyView, countedGroups, summaryOf } from '../../store/query/views.js'
import type { CompiledSql, Read } from '../../store/store.js'
import type { Context } from '../builder.js'
import { checkNames } from '../hints/names.js'
import type { Arguments, SingleRow } from './declared.js'
import type { Connection, EntryPlanner, Part, Refusal } from './entries.js'
import { pageRequestsIn, requirePageSize } from './pageRequests.js'
import type { Variables } from './selections.js'
import {
  Build,
  boundIn,
  compiledWith,
  type Entry,
  type PlannedRows,
  type PlannedSql,
  statementOf,
  Weighing,
} from './statements.js'

export interface RootResult {
  /** Its JSON, in pieces. */
  readonly json: readonly Buffer[]
  /** The parts of a list, for REST, which shows it in another shape. */
  readonly list?: ListResult
  /** Whether there is a row. */
  readonly isThere: boolean
  /** The id of a changed row. */
  readonly id?: string
  /** The errors of a list of references, by index. */
  readonly violations?: ReadonlyMap<number, Fault>
}

export interface ListResult {
  /** The JSON of each entry, with the separator between them. */
  readonly entries: Buffer
  readonly pageInfo: { readonly hasNextPage?: boolean; readonly endCursor?: string | null }
  readonly totalCount: number | undefined
}

/** What a root field reads with these arguments. */
export type ReadRoot = (
  context: Context,
  args: readonly Arguments[],
  separator: Separator,
  variables: Variables,
) => Promise<RootRead>

/** The statements of a root field, and how their rows become its result. */
export interface RootRead {
  readonly statements: readonly PlannedSql[]
  /** What the caller may not read of it. */
  readonly refusals: readonly Refusal[]
  /** Gets the rows of each statement; throws a Fault that concerns this field alone. */
  resultOf(rows: readonly unknown[][][]): Promise<RootResult>
}

/** Runs all root fields of an operation in one snapshot; equal fields under several aliases run once. */
export async function readRoots(
  { store: { read } }: Context,
  roots: readonly (RootRead | Fault)[],
): Promise<(RootResult | Fault)[]> {
  const found = await rowsOfRoots(
    read,
    roots.map((root) => (root instanceof Fault ? [] : root.statements)),
  )
  const results: (RootResult | Fault)[] = []
  for (const [index, root] of roots.entries()) {
    results.push(root instanceof Fault ? root : await orFault(() => root.resultOf(found[index] ?? [])))
  }
  return results
}

async function rowsOfRoots(read: Read, roots: readonly (readonly CompiledSql[])[]): Promise<unknown[][][][]> {
  const [statement, ...others] = roots.flat()
  if (!statement) return []
  // Most operations have one statement, and comparing takes longer than all else here.
  if (others.length === 0) {
    const rows = await read.rows(statement)
    return roots.map((statements) => statements.map(() => rows))
  }
  const numbers = new Map<unknown, number>()
  const identified = roots.map((statements) => statements.map((one) => [identityOf(one, numbers), one] as const))
  const distinct = new Map(identified.flat())
  const [first = statement, ...more] = distinct.values()
  const found = more.length === 0 ? [await read.rows(first)] : await read.rowsTogether([first, ...more])
  const rows = new Map([...distinct.keys()].map((identity, index) => [identity, found[index] ?? []]))
  return identified.map((own) => own.map(([identity]) => rows.get(identity) ?? []))
}

/** The text, and the number of each value: a value can be a list of thousands, which all aliases have. */
function identityOf({ text, values }: CompiledSql, numbers: Map<unknown, number>): string {
  for (const value of values) if (!numbers.has(value)) numbers.set(value, numbers.size)
  return `${text}\n${values.map((value) => numbers.get(value)).join()}`
}

/** What is wrong with the request. All else concerns the whole operation, and is thrown again. */
export function faultOfRequest(error: unknown): Fault {
  const fault = toFault(error)
  if (fault instanceof Fault && !isOfStore(fault) && !(fault instanceof ResponseTooLong)) return fault
  throw error
}

/** The Fault of one root field is a result: others go on. */
export async function orFault<T>(work: () => Promise<T>): Promise<T | Fault> {
  try {
    return await work()
  } catch (error) {
    return faultOfRequest(error)
  }
}

type Refusals = Pick<EntryPlanner, 'refusals' | 'rowRefusals'>

/** What the caller may not read of rows that match this filter. */
export function refusalsIn({ refusals, rowRefusals }: Refusals, filter: object = {}): readonly Refusal[] {
  return rowRefusals.length === 0 ? refusals : [...refusals, ...rowRefusals.flatMap((of) => of(filter) ?? [])]
}

/** Reads a list by one statement. */
export function listReader(rows: PlannedRows, refused: Refusals, connection: Connection): ReadRoot {
  const { parts, isCounted } = connection
  const hasEntries = parts.some(({ entry }) => entry)
  return async (context, args, separator) => {
    const { read } = context.store
    const pageRequests = await pageRequestsIn(context, rows, args)
    const [own] = pageRequests
    if (!own?.list) throw new Error('A list has arguments of its own.')
    const { list, filter, first } = own
    const times = first ?? (await context.rowCounts.of(list, filter, own.most))
    requireWhole(times, own)
    const statement = await statementOf(context, rows, pageRequests, {
      key: separator,
      extent: extentOf(read, list, filter, hasEntries ? first : 1),
      times,
      isCounted,
      build: (build, guard) => {
        const page = build.rootPage(listSource(read, list, filter, own.bound.matching()), guard)
        const columns = parts.flatMap(({ part, entry, value }) => {
          if (part === 'totalCount') return []
          return entry ? read.json.entries(entry(build, page), separator) : value(build, page).value
        })
        // A total under several aliases is counted once.
        const total = isCounted ? page.totalCount : sql`0`
        const found = hasEntries ? sql`count(*)` : sql`0`
        const selected = listed([found, total, page.gone, ...columns])
        return sql`${page.prefix}select ${selected}${hasEntries ? sql` from ${page.rows}` : sql``}`
      },
    })
    return {
      statements: [statement],
      refusals: refusalsIn(refused, filter),
      async resultOf([found]) {
        const [rowsFound, total, gone, ...columns] = found?.[0] ?? []
        requireWhole(Number(rowsFound), own)
        if (Number(gone) === 1) throw cursorGone()
        return listResult(parts, total, columns)
      },
    }
  }
}

/** The JSON of a list from the columns of its parts, and the same for REST. */
function listResult(parts: readonly Part[], total: unknown, columns: unknown[]): RootResult {
  const json: Buffer[] = [Buffer.from('{')]
  let entries: Buffer = Buffer.alloc(0)
  let pageInfo = {}
  let totalCount: number | undefined
  for (const part of parts) {
    const shown = bytesOf(part.part === 'totalCount' ? total : columns.shift())
    const head = `${json.length === 1 ? '' : ','}"${part.name}":`
    if (part.entry) {
      entries = shown
      json.push(Buffer.from(`${head}[`), shown, Buffer.from(']'))
      continue
    }
    const text = part.part ? shown.toString() : JSON.stringify(shown.toString())
    if (part.part === 'pageInfo') pageInfo = JSON.parse(text)
    if (part.part === 'totalCount') totalCount = Number(text)
    json.push(Buffer.from(head + text))
  }
  return { json: [...json, Buffer.from('}')], isThere: true, list: { entries, pageInfo, totalCount } }
}

export const NULL = Buffer.from('null')

/** Reads a single row by one statement. */
export function rowReader(rows: PlannedRows, refused: Refusals, one: SingleRow, object: Entry['object']): ReadRoot {
  return async (context, args) => {
    const { key, condition, given } = one.named(args[0] ?? {})
    const pageRequests = await pageRequestsIn(context, rows, args)
    const statement = await statementOf(context, rows, pageRequests, {
      key: ` ${key}`,
      extent: { table: one.list.table(context.store.read.t), rows: 1 },
      times: 1,
      build: (build) => {
        const { name, alias } = build.row(one.list, key === 'id')
        return sql`select ${object(build, alias)} from ${name}${conditional(condition(build.read, alias))} limit 1`
      },
      given,
    })
    return {
      statements: [statement],
      refusals: refusalsIn(refused),
      async resultOf([found]) {
        const row = found?.[0]
        return { json: [row ? bytesOf(row[0]) : NULL], isThere: row !== undefined }
      },
    }
  }
}

/** Reads a summary by one statement, whose few groups become its JSON here. */
export function summaryReader(rows: PlannedRows, summary: AnySummary, shown: (value: object) => string): ReadRoot {
  return async (context, args) => {
    const { read } = context.store
    const pageRequests = await pageRequestsIn(context, rows, args)
    const matching = () => pageRequests[0]?.bound.matching().condition
    const statement = await statementOf(context, rows, pageRequests, {
      extent: { table: summary.list.table(read.t), rows: Number.POSITIVE_INFINITY },
      times: 1,
      build: (_, guard) => countedGroups(read, summary, conditional(and(guard, matching()))),
    })
    return {
      statements: [statement],
      refusals: [],
      resultOf: async ([found = []]) => ({ json: [Buffer.from(shown(summaryOf(summary, found)))], isThere: true }),
    }
  }
}

/** Reads a view by one statement. */
export function viewReader(rows: PlannedRows, refused: Refusals, view: AnyView, object: Entry['object']): ReadRoot {
  return async (context, args) => {
    const { store, wholeListRowsMax: most } = context
    const { read } = store
    // The field that declares a view coerces its arguments.
    const given = (args[0] ?? {}) as never
    view.check(given)
    const { filter, first } = given as { filter?: object | null; first?: number | null }
    requirePageSize(first)
    await checkNames(context, view, filter ?? {})
    const pageRequests = await pageRequestsIn(context, rows, args)
    // Its lists are seldom long, and most of their rows refer to different ones.
    const weighing = new Weighing(pageRequests, 1, context.rowCounts.texts)
    rows.weigh(weighing)
    const { builtOnce, longBytes } = weighing
    const [own, others] = [view.extent(read), weighing.others(read)]
    const extent = { ...own, ...others, wholeTables: [...(own.wholeTables ?? []), ...(others.wholeTables ?? [])] }
    const guard = read.guard(extent)
    const isHeavy = guard !== undefined
    const build = new Build(read, pageRequests, { isHeavy, builtOnce })
    const { name, alias } = build.row({ table: () => view.row })
    const selected = sql`(select ${view.size} from ${view.row}), ${object(build, alias)}`
    const tables = view.tables(read, given, { guard, most })
    const { values, ...compiled } = compiledWith(read, sql`${tables} select ${selected} from ${name}`, pageRequests)
    const weight = read.weigh(extent)
    return {
      statements: [{ ...compiled, values: boundIn(values, pageRequests), isHeavy, weight, longBytes }],
      refusals: refusalsIn(refused),
      async resultOf([[row = []] = []]) {
        const [size, json] = row
        if (Number(size ?? 0) > most && !view.isBounded?.(given)) throw view.tooMany(most)
        return { json: [bytesOf(json)], isThere: true }
      },
    }
  }
}

/** Makes JSON without the database. */
export function localReader(text: (context: Context, variables: Variables) => string): ReadRoot {
  return async (context, _, __, variables) => ({
    statements: [],
    refusals: [],
    resultOf: async () => ({ json: [Buffer.from(text(context, variables))], isThere: true }),
  })
}
