import { and, fillPlaceholders, type SQL, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { LIMITS } from '../../limits.js'
import { withCursorsInTurns } from '../../store/cursors.js'
import type { Separator } from '../../store/json.js'
import { bytesOf, conditional, listSource } from '../../store/jsonPage.js'
import { oncePerEngine } from '../../store/keyed.js'
import { extentOf, requireWhole } from '../../store/page.js'
import type { Extent, Read, Spelled } from '../../store/store.js'
import type { Context } from '../builder.js'
import { turn } from '../turns.js'
import { type Asked, askedOf } from '../windows.js'
import { boundFilter } from './boundFilters.js'
import type { ListRoot, SingleRoot } from './compiler.js'
import type { Part } from './entries.js'
import type { Arguments } from './fields.js'
import { type AskedList, Build, boundValues, Weighing } from './statements.js'

/** The result of a root field. */
export interface RootResult {
  /** Its JSON, in pieces. */
  readonly json: readonly Buffer[]
  /** The parts of a list, for REST, which shows it in another shape. */
  readonly list?: ListResult
  /** Whether there is a row. */
  readonly isThere: boolean
}

export interface ListResult {
  /** The JSON of each entry, with the separator between them. */
  readonly entries: Buffer
  readonly pageInfo: { readonly hasNextPage?: boolean; readonly endCursor?: string | null }
  readonly totalCount: number | undefined
}

/** Bounds the cache for all queries: callers choose selections and page sizes. */
const STATEMENTS_KEPT = 1_000

interface Kept {
  readonly text: string
  /** With placeholders for what differs between requests. */
  readonly values: readonly unknown[]
}

const keptOn = oncePerEngine(() => new LRUCache<string, Kept>({ max: STATEMENTS_KEPT }))

/** Caches the compiled SQL text of equal selections. */
export function kept(read: Read, key: string, build: () => SQL): Kept {
  const statements = keptOn(read)
  const known = statements.get(key)
  if (known) return known
  const spelled = read.spelled(build())
  if (key.length + spelled.text.length <= LIMITS.storeKeptCharacters) statements.set(key, spelled)
  return spelled
}

/** The statements of a root field, and how their rows become its result. */
export interface RootQuestion {
  readonly statements: readonly Spelled[]
  /** Gets the rows of each statement. */
  answer(rows: readonly unknown[][][]): Promise<RootResult>
}

/** Runs all root fields of an operation in one snapshot; equal fields under several aliases run once. */
export async function answersTo(context: Context, questions: readonly RootQuestion[]): Promise<RootResult[]> {
  const { read } = context.store
  const keyed = questions.map(({ statements }) => statements.map((one) => [questionOf(one), one] as const))
  const asked = new Map(keyed.flat())
  const [first, ...others] = asked.values()
  const found = first ? await (others.length === 0 ? alone(read, first) : read.rowsTogether([first, ...others])) : []
  const rows = new Map([...asked.keys()].map((question, index) => [question, found[index] ?? []]))
  const results: RootResult[] = []
  for (const [index, { answer }] of questions.entries()) {
    results.push(await answer((keyed[index] ?? []).map(([question]) => rows.get(question) ?? [])))
  }
  return results
}

async function alone(read: Read, statement: Spelled): Promise<unknown[][][]> {
  return [await read.rows(statement)]
}

function questionOf({ text, values }: Spelled): string {
  return `${text}\n${JSON.stringify(values)}`
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
  return async (context: Context, args: readonly Arguments[], separator: Separator): Promise<RootQuestion> => {
    const { read } = context.store
    const asked = askedIn(context, root, args, number)
    const [own] = asked
    if (!own) throw new Error('A list has arguments of its own.')
    const { filter, first } = own
    const rows = first ?? (await context.rowCounts.of(list, filter))
    const weighing = new Weighing(asked, rows)
    const perRow = 1 + root.weigh(weighing)
    const table = list.table(read.t)
    const extent = {
      ...extentOf(read, list, filter, { first: hasEntries ? first : 1 }),
      perRow,
      ...weighing.counts(read),
    }
    const guard =
      read.guard(extent) ?? (root.isCounted ? read.guard({ table, rows: Number.POSITIVE_INFINITY }) : undefined)
    const isHeavy = guard !== undefined
    const key = `${number}${separator}${isHeavy ? 'guarded' : 'bare'} ${keyOf(asked)}`
    const { text, values } = kept(read, key, () => {
      const build = new Build(read, asked, isHeavy)
      const page = build.pageOf(0, listSource(read, list, filter, own.bound.condition()), guard)
      const columns = parts.flatMap(({ part, entry, value }) => {
        if (part === 'totalCount') return []
        return entry ? read.json.entries(entry(build, page), separator) : value(build, page).value
      })
      // A total under several aliases is counted once.
      const total = root.isCounted ? page.totalCount : sql`0`
      const selected = sql.join([hasEntries ? sql`count(*)` : sql`0`, total, ...columns], sql.raw(', '))
      return sql`${page.prefix}select ${selected}${hasEntries ? sql` from ${page.rows}` : sql``}`
    })
    const filled = fillPlaceholders([...values], boundValues(asked))
    return {
      statements: [{ text, values: filled, isSteady: isSteady(asked), isHeavy, weight: read.weigh(extent) }],
      async answer([found]) {
        const row = found?.[0] ?? []
        requireWhole(Number(row[0]), own)
        return listResult(parts, await shownOf(context, parts, row))
      },
    }
  }
}

/** A filtered list has no stable plan: which index is best depends on how rare the values are. */
export function isSteady(asked: readonly (Asked | undefined)[]): boolean {
  return asked.every((one) => Object.keys(one?.filter ?? {}).length === 0)
}

export function askedIn(
  context: Context,
  { slots }: Pick<ListRoot, 'slots'>,
  args: readonly Arguments[],
  number: number,
): (AskedList | undefined)[] {
  return slots.map(({ list }, slot) => {
    if (!list) return undefined
    const asked = askedOf(context, list, args[slot] ?? {})
    return { ...asked, bound: boundFilter(context.store.read, list, asked.filter, `r${number}s${slot}f`) }
  })
}

/** Determines the SQL text: the shapes of the filters and the page sizes, but no values. */
export function keyOf(asked: readonly (AskedList | undefined)[]): string {
  return JSON.stringify(asked.map((one) => one && [one.bound.shape, one.first ?? -one.most, one.place ? 1 : 0]))
}

/** The parts of a list from the row of its statement, with cursors. */
function shownOf(context: Context, parts: readonly Part[], row: readonly unknown[]): Promise<Buffer[]> {
  let column = FIRST_PART
  return Promise.all(
    parts.map(({ part, hasCursors }) => {
      const bytes = bytesOf(row[part === 'totalCount' ? TOTAL : column++])
      return hasCursors ? cursorsInTurns(context, bytes) : bytes
    }),
  )
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

/** The columns of the total and of the first part; before them is the number of rows of the page. */
const TOTAL = 1
const FIRST_PART = 2

const NOTHING = Buffer.alloc(0)
const NULL = Buffer.from('null')

/** Runs the statement of a single row. */
export function singleRunner(root: SingleRoot) {
  const number = newNumber()
  const { one, object } = root
  return async (context: Context, args: readonly Arguments[]): Promise<RootQuestion> => {
    const { read } = context.store
    const given = one.given(args[0] ?? {})
    const asked = askedIn(context, root, args, number)
    const weighing = new Weighing(asked, 1)
    const perRow = 1 + root.weigh(weighing)
    const extent: Extent = { table: one.list.table(read.t), rows: 1, perRow, ...weighing.counts(read) }
    const isHeavy = read.guard(extent) !== undefined
    const { text, values } = kept(read, `${number}${isHeavy ? 'guarded' : 'bare'} ${keyOf(asked)}`, () => {
      const build = new Build(read, asked, isHeavy)
      const { name, alias } = build.row(one.list)
      return sql`select ${object(build, alias)} from ${name}${conditional(and(one.condition(alias)))} limit 1`
    })
    const filled = fillPlaceholders([...values], { ...boundValues(asked), ...given })
    return {
      statements: [{ text, values: filled, isSteady: isSteady(asked), isHeavy, weight: read.weigh(extent) }],
      async answer([found]) {
        const row = found?.[0]
        if (!row) return { json: [NULL], isThere: false }
        const json = root.hasCursors ? await cursorsInTurns(context, bytesOf(row[0])) : bytesOf(row[0])
        return { json: [json], isThere: true }
      },
    }
  }
}
