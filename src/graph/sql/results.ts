import { fillPlaceholders, type SQL, sql } from 'drizzle-orm'
import { LIMITS } from '../../limits.js'
import { withCursorsInTurns } from '../../store/cursors.js'
import type { Separator } from '../../store/json.js'
import { bytesOf, conditional, listSource } from '../../store/jsonPage.js'
import { oncePerEngine } from '../../store/keyed.js'
import { extentOf, requireWhole } from '../../store/page.js'
import type { Extent, Read, Spelled } from '../../store/store.js'
import type { Context } from '../builder.js'
import { oncePerRequest } from '../loaders.js'
import { checkNames } from '../names.js'
import { turn } from '../turns.js'
import { type Asked, askedOf } from '../windows.js'
import type { ListRoot, SingleRoot } from './compiler.js'
import type { Part } from './entries.js'
import type { Arguments } from './fields.js'
import { Build, placesIn, Weighing } from './statements.js'

/** What a field at the root was answered with. */
export interface RootResult {
  /** The JSON of it, in pieces. */
  readonly json: readonly Buffer[]
  /** The parts of a list, for whoever shows it in another shape. */
  readonly list?: ListResult
  /** Whether there is something. */
  readonly isThere: boolean
}

export interface ListResult {
  /** The JSON of each entry, with what was asked for between. */
  readonly entries: Buffer
  readonly pageInfo: { readonly hasNextPage?: boolean; readonly endCursor?: string | null }
  readonly totalCount: number | undefined
}

/** Of all queries together: callers choose both what is selected and the filters, each without end. */
const STATEMENTS_KEPT = 1_000

interface Kept {
  readonly text: string
  /** With placeholders for what differs from request to request. */
  readonly values: readonly unknown[]
}

const keptOn = oncePerEngine(() => new Map<string, Kept>())

/** A statement as it was spelled out before for the same question. */
export function kept(read: Read, key: string, build: () => SQL): Kept {
  const statements = keptOn(read)
  const known = statements.get(key)
  if (known) return known
  const spelled = read.spelled(build())
  if (key.length + spelled.text.length <= LIMITS.storeKeptCharacters) {
    if (statements.size >= STATEMENTS_KEPT) statements.clear()
    statements.set(key, spelled)
  }
  return spelled
}

/** The rows of a statement; the same question under several names is asked once. */
export function rowsOnce(context: Context, statement: Spelled): Promise<unknown[][]> {
  const question = `${statement.text}\n${JSON.stringify(statement.values)}`
  return oncePerRequest(context, question, () => context.store.read.rows(statement))
}

let rootsMade = 0

/** What the statements of one root are kept under. */
export function newNumber(): number {
  rootsMade += 1
  return rootsMade
}

/** Runs the statement of a list. */
export function listRunner(root: ListRoot) {
  const number = newNumber()
  const { list, parts } = root
  const hasEntries = parts.some(({ entry }) => entry)
  return async (context: Context, args: readonly Arguments[], separator: Separator): Promise<RootResult> => {
    const { read } = context.store
    const asked = await askedIn(context, root, args)
    const [own] = asked
    if (!own) throw new Error('A list has arguments of its own.')
    const { filter, first } = own
    const rows = first ?? (await context.rowCounts.of(list, filter))
    requireWhole(rows, own)
    const weighing = new Weighing(asked, rows)
    const perRow = 1 + root.weigh(weighing)
    const { isCounting } = weighing
    const table = list.table(read.t)
    const guard =
      read.guard({ ...extentOf(read, list, filter, { first: hasEntries ? first : 1 }), perRow, isCounting }) ??
      (root.isCounted ? read.guard({ table, rows: Number.POSITIVE_INFINITY }) : undefined)
    const isHeavy = guard !== undefined
    const key = `${number}${separator}${isHeavy ? 'guarded' : 'bare'} ${keyOf(asked)}`
    const { text, values } = kept(read, key, () => {
      const build = new Build(read, asked, isHeavy)
      const page = build.pageOf(0, listSource(read, list, filter), guard)
      const columns = parts.flatMap(({ part, entry, value }) => {
        if (part === 'totalCount') return []
        return entry ? read.json.entries(entry(build, page), separator) : value(build, page).value
      })
      // However many names it has, a total is counted once.
      const total = root.isCounted ? page.totalCount : sql`0`
      const selected = sql.join([hasEntries ? sql`count(*)` : sql`0`, total, ...columns], sql.raw(', '))
      return sql`${page.prefix}select ${selected}${hasEntries ? sql` from ${page.rows}` : sql``}`
    })
    const filled = fillPlaceholders([...values], placesIn(asked))
    const [row = []] = await rowsOnce(context, { text, values: filled, isSteady: isSteady(asked), isHeavy })
    requireWhole(Number(row[0]), own)
    return listResult(parts, await shownOf(context, parts, row))
  }
}

/** Which index serves a filter best depends on how rare its values are, so those are planned for each time. */
export function isSteady(asked: readonly (Asked | undefined)[]): boolean {
  return asked.every((one) => Object.keys(one?.filter ?? {}).length === 0)
}

export async function askedIn(context: Context, { slots }: Pick<ListRoot, 'slots'>, args: readonly Arguments[]) {
  const asked = slots.map(({ list }, slot) => list && askedOf(context, list, args[slot] ?? {}))
  for (const [slot, { list }] of slots.entries()) {
    const checking = list && checkNames(context, list, asked[slot]?.filter ?? {})
    if (checking) await checking
  }
  return asked
}

/** What a statement depends on, but for the places that pages begin after. */
export function keyOf(asked: readonly (Asked | undefined)[]): string {
  return JSON.stringify(asked.map((one) => one && [one.filter, one.first ?? -one.most, one.place ? 1 : 0]))
}

/** What a statement has of each part of a list, with the cursors of those that have any. */
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

/** Where a statement has the total, and the first of the parts; in front is how many rows the page has. */
const TOTAL = 1
const FIRST_PART = 2

const NOTHING = Buffer.alloc(0)
const NULL = Buffer.from('null')

/** Runs the statement of a single thing. */
export function singleRunner(root: SingleRoot) {
  const number = newNumber()
  const { one, object } = root
  return async (context: Context, args: readonly Arguments[]): Promise<RootResult> => {
    const { read } = context.store
    const { way, condition, given } = one.named(args[0] ?? {})
    const asked = await askedIn(context, root, args)
    const weighing = new Weighing(asked, 1)
    const perRow = 1 + root.weigh(weighing)
    const extent: Extent = { table: one.list.table(read.t), rows: 1, perRow, isCounting: weighing.isCounting }
    const isHeavy = read.guard(extent) !== undefined
    const { text, values } = kept(read, `${number} ${way} ${isHeavy ? 'guarded' : 'bare'} ${keyOf(asked)}`, () => {
      const build = new Build(read, asked, isHeavy)
      const { name, alias } = build.row(one.list)
      return sql`select ${object(build, alias)} from ${name}${conditional(condition(read, alias))} limit 1`
    })
    const filled = fillPlaceholders([...values], { ...placesIn(asked), ...given })
    const [row] = await rowsOnce(context, { text, values: filled, isSteady: isSteady(asked), isHeavy })
    if (!row) return { json: [NULL], isThere: false }
    const json = root.hasCursors ? await cursorsInTurns(context, bytesOf(row[0])) : bytesOf(row[0])
    return { json: [json], isThere: true }
  }
}
