import { setImmediate as nextTurn } from 'node:timers/promises'
import { fillPlaceholders, type SQL, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { grants, type Scope } from '../../auth/scopes.js'
import { LIMITS } from '../../limits.js'
import { withCursorsInTurns } from '../../store/query/cursors.js'
import type { Separator } from '../../store/query/json.js'
import { bytesOf, conditional, listSource } from '../../store/query/jsonPage.js'
import { oncePerEngine } from '../../store/query/lookups.js'
import { type AnyList, cursorGone, extentOf, requireWhole } from '../../store/query/page.js'
import type { CompiledSql, Extent, Read } from '../../store/store.js'
import type { Context } from '../builder.js'
import type { Arguments } from '../fields.js'
import { checkNames } from '../hints/names.js'
import { type PageRequest, pageRequestOf } from '../paging/requests.js'
import { turn } from '../turns.js'
import { boundFilter } from './boundFilters.js'
import type { ListRoot, SingleRoot } from './compiler.js'
import type { Part } from './entries.js'
import { type BoundPageRequest, Build, boundValues, type Entry, NotCompilable, Weighing } from './statements.js'

/** The result of a root field. */
export interface RootResult {
  /** Its JSON, in pieces. */
  readonly json: readonly Buffer[]
  /** The parts of a list, for REST, which shows it in another shape. */
  readonly list?: ListResult
  /** Whether there is a row. */
  readonly isThere: boolean
}

interface ListResult {
  /** The JSON of each entry, with the separator between them. */
  readonly entries: Buffer
  readonly pageInfo: { readonly hasNextPage?: boolean; readonly endCursor?: string | null }
  readonly totalCount: number | undefined
}

/** Bounds the cache for all queries: callers choose selections and page sizes. */
const STATEMENTS_CACHED_MAX = 1_000

interface CachedStatement {
  readonly text: string
  /** With placeholders for what differs between requests. */
  readonly values: readonly unknown[]
}

const cachedOn = oncePerEngine(() => new LRUCache<string, CachedStatement>({ max: STATEMENTS_CACHED_MAX }))

/** Caches the compiled SQL text of equal selections. */
export async function cachedStatement(context: Context, key: string, build: () => SQL): Promise<CachedStatement> {
  const { read } = context.store
  const statements = cachedOn(read)
  const known = statements.get(key)
  if (known) return known
  // With many look-ups, both building and compiling take milliseconds.
  await nextTurn()
  const built = build()
  await nextTurn()
  const compiled = read.compile(built)
  if (key.length + compiled.text.length <= LIMITS.storeKeptCharacters) statements.set(key, compiled)
  return compiled
}

/** The statements of a root field, and how their rows become its result. */
export interface RootRead {
  readonly statements: readonly CompiledSql[]
  /** Gets the rows of each statement. */
  resultOf(rows: readonly unknown[][][]): Promise<RootResult>
}

/** Runs all root fields of an operation in one snapshot; equal fields under several aliases run once. */
export async function readRoots(context: Context, roots: readonly RootRead[]): Promise<RootResult[]> {
  const { read } = context.store
  const [root, ...otherRoots] = roots
  const [statement, ...otherStatements] = root?.statements ?? []
  // Most operations have one statement, and comparing takes longer than all else here.
  if (root && statement && otherRoots.length + otherStatements.length === 0) {
    return [await root.resultOf([await read.rows(statement)])]
  }
  const numbers = new Map<unknown, number>()
  const identified = roots.map(({ statements }) => statements.map((one) => [identityOf(one, numbers), one] as const))
  const distinct = new Map(identified.flat())
  const [first, ...others] = distinct.values()
  const found = first ? await (others.length === 0 ? alone(read, first) : read.rowsTogether([first, ...others])) : []
  const rows = new Map([...distinct.keys()].map((identity, index) => [identity, found[index] ?? []]))
  const results: RootResult[] = []
  for (const [index, { resultOf }] of roots.entries()) {
    results.push(await resultOf((identified[index] ?? []).map(([identity]) => rows.get(identity) ?? [])))
  }
  return results
}

async function alone(read: Read, statement: CompiledSql): Promise<unknown[][][]> {
  return [await read.rows(statement)]
}

/** The text, and the number of each value: a value can be a list of thousands, which all aliases have. */
function identityOf({ text, values }: CompiledSql, numbers: Map<unknown, number>): string {
  for (const value of values) if (!numbers.has(value)) numbers.set(value, numbers.size)
  return `${text}\n${values.map((value) => numbers.get(value)).join()}`
}

let rootsMade = 0

/** The cache key of a root's statements. */
export function newNumber(): number {
  rootsMade += 1
  return rootsMade
}

/** Runs the statement of a list. */
export function listRunner(root: ListRoot) {
  const number = newNumber()
  const { list, parts } = root
  const hasEntries = parts.some(({ entry }) => entry)
  return async (context: Context, args: readonly Arguments[], separator: Separator): Promise<RootRead> => {
    const { read } = context.store
    const pageRequests = await checkedPageRequests(context, root, args, number)
    const [own] = pageRequests
    if (!own) throw new Error('A list has arguments of its own.')
    const { filter, first } = own
    // Whether the caller may read a field of every row depends on the rows.
    if (!root.rowScopes.every((scopes) => mayHave(context, scopes(filter)))) throw new NotCompilable('scope')
    const rows = first ?? (await context.rowCounts.of(list, filter, own.most))
    requireWhole(rows, own)
    const weighing = new Weighing(pageRequests, rows)
    const perRow = (1 + root.weigh(weighing)) * lengthFactor(context, root, list)
    const { builtOnce } = weighing
    const table = list.table(read.t)
    const extent = {
      perRow,
      ...extentOf(read, list, filter, { first: hasEntries ? first : 1 }),
      ...weighing.others(read),
    }
    const guard =
      read.guard(extent) ?? (root.isCounted ? read.guard({ table, rows: Number.POSITIVE_INFINITY }) : undefined)
    const isHeavy = guard !== undefined
    const weight = read.weigh(extent)
    const isMetered = isHeavy && mayBeTooLong(context, root, weight)
    const key = `${number}${separator}${kindOf(isHeavy, isMetered)} ${keyOf(pageRequests, builtOnce)}`
    const { text, values } = await cachedStatement(context, key, () => {
      const build = new Build(read, pageRequests, { isHeavy, isMetered, builtOnce })
      const page = build.rootPage(listSource(read, list, filter, own.bound.matching()), guard)
      const columns = parts.flatMap(({ part, entry, value }) => {
        if (part === 'totalCount') return []
        return entry ? read.json.entries(entry(build, page), separator) : value(build, page).value
      })
      // A total under several aliases is counted once.
      const total = root.isCounted ? page.totalCount : sql`0`
      const rows = hasEntries ? sql`count(*)` : sql`0`
      const selected = sql.join([rows, total, page.gone, ...columns], sql.raw(', '))
      return sql`${page.prefix}select ${selected}${hasEntries ? sql` from ${page.rows}` : sql``}`
    })
    const statement = {
      text,
      values: fillPlaceholders([...values], boundValues(pageRequests)),
      hasStablePlan: hasStablePlan(pageRequests),
      isHeavy,
      weight,
      hasCursors: root.hasCursors,
    }
    return {
      statements: [statement],
      async resultOf([found]) {
        const row = found?.[0] ?? []
        requireWhole(Number(row[0]), own)
        if (Number(row[GONE]) === 1) throw cursorGone()
        return listResult(parts, await shownOf(context, parts, row))
      },
    }
  }
}

/** Long rows count as several, so that a page of them is not read on the event loop. */
function lengthFactor({ rowCounts }: Context, { longTexts }: ListRoot, { table }: AnyList): number {
  if (longTexts === 0) return 1
  const { average } = rowCounts.texts.of(table)
  const bytes = Object.values(average).reduce((sum, one) => sum + one, 0)
  return Math.max(1, bytes / LIMITS.pricedRowBytes)
}

/** Whether so many of the longest rows would be too long. */
function mayBeTooLong(
  { rowCounts, responseBytesMax }: Context,
  { longTexts }: Pick<ListRoot, 'longTexts'>,
  rows: number,
): boolean {
  return rows * longTexts * rowCounts.texts.longest > responseBytesMax
}

/** Names the kind of a statement in its cache key. */
function kindOf(isHeavy: boolean, isMetered: boolean): string {
  return isMetered ? 'metered' : isHeavy ? 'guarded' : 'bare'
}

function mayHave({ principal: { scopes } }: Context, needed: readonly Scope[]): boolean {
  return needed.every((scope) => grants(scopes, scope))
}

/** A filtered list has no stable plan: which index is best depends on how rare the values are. */
export function hasStablePlan(pageRequests: readonly (PageRequest | undefined)[]): boolean {
  return pageRequests.every((one) => Object.keys(one?.filter ?? {}).length === 0)
}

/** The page request of each list of a root, its filter bound by shape. */
export function pageRequestsIn(
  context: Context,
  { slots }: Pick<ListRoot, 'slots'>,
  args: readonly Arguments[],
  number: number,
): (BoundPageRequest | undefined)[] {
  return slots.map(({ list }, slot) => {
    if (!list) return undefined
    const pageRequests = pageRequestOf(context, list, args[slot] ?? {})
    return { bound: boundFilter(context.store.read, list, pageRequests.filter, `r${number}s${slot}f`), ...pageRequests }
  })
}

/** The same, once every name in the filters is known to exist. */
export async function checkedPageRequests(
  context: Context,
  root: Pick<ListRoot, 'slots'>,
  args: readonly Arguments[],
  number: number,
): Promise<(BoundPageRequest | undefined)[]> {
  const pageRequests = pageRequestsIn(context, root, args, number)
  for (const [slot, { list }] of root.slots.entries()) {
    const checking = list && checkNames(context, list, pageRequests[slot]?.filter ?? {})
    if (checking) await checking
  }
  return pageRequests
}

/** What the text of a statement depends on: the shapes of its filters and the sizes of its pages, but no value. */
export function keyOf(
  pageRequests: readonly (BoundPageRequest | undefined)[],
  builtOnce: ReadonlySet<Entry> = new Set(),
): string {
  const shapes = pageRequests.map((one) => one && [one.bound.shape, one.first ?? -one.most, one.place ? 1 : 0])
  // The number is enough: with more rows, entries only join those that are built once.
  return JSON.stringify([...shapes, builtOnce.size])
}

/** The parts of a list from the row of its statement, with cursors. */
async function shownOf(context: Context, parts: readonly Part[], row: readonly unknown[]): Promise<Buffer[]> {
  const shown: Buffer[] = []
  let column = FIRST_PART
  for (const { part, entry, hasCursors } of parts) {
    const bytes = bytesOf(row[part === 'totalCount' ? TOTAL : column++])
    // Entries under several aliases: the cursors of each take milliseconds.
    if (entry && hasCursors && shown.length > 0) await turn(context)
    shown.push(hasCursors ? await cursorsInTurns(context, bytes) : bytes)
  }
  return shown
}

/** JSON with its cursors; a whole list may have a hundred thousand of them. */
export function cursorsInTurns(context: Context, json: Buffer): Promise<Buffer> {
  return withCursorsInTurns(json, () => turn(context))
}

function listResult(parts: readonly Part[], cells: readonly Buffer[]): RootResult {
  const json: Buffer[] = [Buffer.from('{')]
  let entries: Buffer = NOTHING
  let pageInfo = {}
  let totalCount: number | undefined
  parts.forEach(({ name, entry, part }, index) => {
    const shown = cells[index] ?? NOTHING
    const head = `${index === 0 ? '' : ','}"${name}":`
    if (entry) {
      entries = shown
      json.push(Buffer.from(`${head}[`), shown, Buffer.from(']'))
    } else {
      const text = part ? shown.toString() : JSON.stringify(shown.toString())
      if (part === 'pageInfo') pageInfo = JSON.parse(text)
      if (part === 'totalCount') totalCount = Number(text)
      json.push(Buffer.from(head + text))
    }
  })
  return { json: [...json, Buffer.from('}')], isThere: true, list: { entries, pageInfo, totalCount } }
}

/** The columns of a list's statement; before them is the number of rows of the page. */
const TOTAL = 1
const GONE = 2
const FIRST_PART = 3

const NOTHING = Buffer.alloc(0)
const NULL = Buffer.from('null')

/** Runs the statement of a single row. */
export function singleRunner(root: SingleRoot) {
  const number = newNumber()
  const { one, object } = root
  return async (context: Context, args: readonly Arguments[]): Promise<RootRead> => {
    const { read } = context.store
    const { way, condition, given } = one.named(args[0] ?? {})
    const pageRequests = await checkedPageRequests(context, root, args, number)
    const weighing = new Weighing(pageRequests, 1)
    const perRow = 1 + root.weigh(weighing)
    const { builtOnce } = weighing
    const extent: Extent = { table: one.list.table(read.t), rows: 1, perRow, ...weighing.others(read) }
    const isHeavy = read.guard(extent) !== undefined
    const weight = read.weigh(extent)
    const isMetered = isHeavy && mayBeTooLong(context, root, weight)
    const { text, values } = await cachedStatement(
      context,
      `${number} ${way} ${kindOf(isHeavy, isMetered)} ${keyOf(pageRequests, builtOnce)}`,
      () => {
        const build = new Build(read, pageRequests, { isHeavy, isMetered, builtOnce })
        const { name, alias } = build.row(one.list)
        return sql`select ${object(build, alias)} from ${name}${conditional(condition(read, alias))} limit 1`
      },
    )
    const filled = fillPlaceholders([...values], { ...boundValues(pageRequests), ...given })
    return {
      statements: [{ text, values: filled, hasStablePlan: hasStablePlan(pageRequests), isHeavy, weight }],
      async resultOf([found]) {
        const row = found?.[0]
        if (!row) return { json: [NULL], isThere: false }
        const json = root.hasCursors ? await cursorsInTurns(context, bytesOf(row[0])) : bytesOf(row[0])
        return { json: [json], isThere: true }
      },
    }
  }
}
