import { aliasedTable, and, inArray, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { FieldNode, GraphQLField } from 'graphql'
import { LIMITS } from '../../limits.js'
import { conditional, JsonPage, type Source } from '../../store/query/jsonPage.js'
import { type AnyList, isServed } from '../../store/query/page.js'
import { type AnyRelation, HANDFUL, type Identified, relatedSource } from '../../store/query/relations.js'
import type { Extent, Read } from '../../store/store.js'
import type { Tables } from '../../store/tables.js'
import type { ExecutionReason } from '../executionReasons.js'
import { columnOf } from '../fields.js'
import type { PageRequest } from '../paging/requests.js'
import type { BoundFilter } from './boundFilters.js'

export type { ExecutionReason }

/** The operation cannot be expressed in SQL, or not within the limits. */
export class NotCompilable extends Error {
  readonly reason: ExecutionReason

  constructor(reason: ExecutionReason = 'not_compilable') {
    super('This cannot be compiled.')
    this.reason = reason
  }
}

/** A field with arguments, whose values come with each request. */
export interface Slot {
  readonly field: GraphQLField<unknown, unknown>
  readonly node: FieldNode
  /** Undefined if the field is no list. */
  readonly list: AnyList | undefined
}

/** The arguments of a list, with its filter as bound SQL. */
export interface BoundPageRequest extends PageRequest {
  readonly bound: BoundFilter
}

/** The number of rows that a row reads besides itself. */
export type Weigh = (weighing: Weighing) => number

/** A row as an object of its selected fields. */
export interface Entry {
  readonly object: (build: Build, row: PgTable) => SQL
  readonly weigh: Weigh
}

/** A statement under construction. */
export class Build {
  readonly read: Read
  private readonly pageRequests: readonly (BoundPageRequest | undefined)[]
  private readonly isHeavy: boolean
  private readonly isMetered: boolean
  private readonly builtOnce: ReadonlySet<Entry>
  private names = 0
  /** Undefined for a whole list, which mostly refers to all that there are. */
  private root: JsonPage | undefined

  constructor(
    read: Read,
    pageRequests: Build['pageRequests'],
    {
      isHeavy = false,
      isMetered = false,
      builtOnce = NO_ENTRIES,
    }: { readonly isHeavy?: boolean; readonly isMetered?: boolean; readonly builtOnce?: ReadonlySet<Entry> } = {},
  ) {
    this.read = read
    this.pageRequests = pageRequests
    this.isHeavy = isHeavy
    this.isMetered = isMetered
    this.builtOnce = builtOnce
  }

  /** A unique table alias, so that subqueries of the same table can be nested. */
  newName(): string {
    this.names += 1
    return `r${this.names}`
  }

  /** A table with a new alias. */
  row(list: Pick<AnyList, 'table'>): { name: SQL; alias: PgTable } {
    const name = this.newName()
    const table = list.table(this.read.t)
    return { name: sql`${table} ${sql.identifier(name)}`, alias: aliasedTable(table, name) }
  }

  isBuiltOnce(entry: Entry): boolean {
    return this.builtOnce.has(entry)
  }

  /** The object of the row with this id, from a table of the objects of all rows, or of these, which is built once. */
  objectOf(list: AnyList, object: Entry['object'], id: AnyPgColumn, ids?: SQL): SQL {
    const { name, alias } = this.row(list)
    const { id: ownId } = alias as Identified
    const where = conditional(and(this.guardOf({ list }, alias), ids && inArray(ownId, ids)))
    const objects = { id: ownId, built: object(this, alias), from: sql`${name}${where}` }
    return this.read.json.builtOnce(this.newName(), objects, id, (built) =>
      this.metered(built, [sql`octet_length(${built})`]),
    )
  }

  /** A part of the result with these bytes; the statement stops where all parts together are too long. */
  metered(part: SQL, bytes: readonly SQL[]): SQL {
    const isWithin = this.isMetered && bytes.length > 0 ? this.read.meter(sql.join([...bytes], sql` + `)) : undefined
    return isWithin ? sql`case when ${isWithin} then ${part} end` : part
  }

  /** The ids in a column of the root page, if these rows are its own; the tables that it refers to may be far larger. */
  idsIn(row: PgTable, column: string): SQL | undefined {
    return row === this.root?.row ? sql`(select ${columnOf(row, column)} from ${this.root.rows})` : undefined
  }

  /** The page of a root list. */
  rootPage(source: Source, guard: SQL | undefined): JsonPage {
    const page = this.pageOf(0, source, guard)
    if (this.pageRequests[0]?.first !== undefined) this.root = page
    return page
  }

  /** A page of related rows. */
  page(slot: number, relation: AnyRelation, row: PgTable): JsonPage {
    const { filter = {}, bound } = this.pageRequests[slot] ?? {}
    return this.pageOf(slot, relatedSource(this.read, relation, row, filter, bound?.matching().condition))
  }

  pageOf(slot: number, source: Source, guard = this.guardOf(source)): JsonPage {
    const { first, most = 0, place } = this.pageRequests[slot] ?? {}
    const condition = and(guard, source.condition)
    const cut = { first, most, place: place?.map((_, index) => sql.placeholder(keyName(slot, index))) }
    return new JsonPage(this.read, { ...source, condition }, cut, this.newName())
  }

  /** Makes a heavy statement also stoppable while it reads the related rows of one row. */
  private guardOf({ list }: Pick<Source, 'list'>, row?: PgTable): SQL | undefined {
    if (!this.isHeavy) return undefined
    return this.read.guard({ table: list.table(this.read.t), ...(row && { row }), rows: Number.POSITIVE_INFINITY })
  }
}

const NO_ENTRIES: ReadonlySet<Entry> = new Set()

/** The placeholder name of a cursor key. */
function keyName(slot: number, index: number): string {
  return `s${slot}k${index}`
}

/** The values of all placeholders: of filters and of cursors. */
export function boundValues(pageRequests: readonly (BoundPageRequest | undefined)[]): Record<string, unknown> {
  const keys = pageRequests.flatMap((one, slot) =>
    (one?.place ?? []).map((key, index) => [keyName(slot, index), key] as const),
  )
  return Object.assign(Object.fromEntries(keys), ...pageRequests.map((one) => one?.bound.values))
}

type CountedTable = (t: Tables) => PgTable

/** Estimates the rows that a statement reads, as an upper bound. */
export class Weighing {
  /** The entries whose objects are built once, for all rows of their tables. */
  readonly builtOnce = new Set<Entry>()
  /** Whether it reads an unknown number of rows of other tables. */
  private isCounting = false
  private readonly indexCounts: CountedTable[] = []
  private readonly wholeTables: { readonly table: CountedTable; readonly perRow: number }[] = []
  private readonly pageRequests: readonly (PageRequest | undefined)[]
  /** How often the current part of the selection is evaluated. */
  private times: number
  /** Whether the same row may occur several times. */
  private isShared = false
  /** Whether that is so for the rows of the next entries, and not only for the rows that lead to them. */
  private areShared = false
  /** Whether the current entry counts for too many repeats. */
  private isRepeating = false

  constructor(pageRequests: Weighing['pageRequests'], times: number) {
    this.pageRequests = pageRequests
    this.times = times
  }

  /** Counting runs once per row; for a row that occurs several times it would be repeated, so that is limited. */
  count(byIndex?: CountedTable): number {
    if (this.isShared && this.times > LIMITS.compiledRepeatsMax) this.isRepeating = true
    if (byIndex && !this.isShared) this.indexCounts.push(byIndex)
    else this.isCounting = true
    return 1
  }

  /** What a statement reads besides its own rows. */
  others({ t }: Read): Pick<Extent, 'isCounting' | 'counted' | 'wholeTables'> {
    return {
      isCounting: this.isCounting,
      counted: this.indexCounts.map((table) => table(t)),
      wholeTables: this.wholeTables.map(({ table, perRow }) => ({ table: table(t), perRow })),
    }
  }

  /** An entry that is built once if it is the nearest one around counts that would be repeated too often. */
  entry(entry: Entry, { table }: AnyList, weigh: Weigh): number {
    const { areShared, isRepeating } = this
    this.areShared = false
    this.isRepeating = false
    const weight = weigh(this)
    const isOnce = areShared && this.isRepeating
    this.areShared = areShared
    this.isRepeating = isRepeating || (this.isRepeating && !isOnce)
    if (!isOnce) return weight
    this.builtOnce.add(entry)
    this.wholeTables.push({ table, perRow: 1 + weight })
    return 1
  }

  reference(weigh: Weigh): number {
    return 1 + this.within(1, this.times > 1, weigh)
  }

  items({ through }: AnyRelation, weigh: Weigh): number {
    return HANDFUL * (1 + this.within(HANDFUL, through !== undefined && this.times > 1, weigh))
  }

  page(slot: number, { list, through }: AnyRelation, isCounted: boolean, weigh: Weigh): number {
    const { first = LIMITS.nestedPageRows, filter = {} } = this.pageRequests[slot] ?? {}
    if (isCounted || !isServed(list, filter)) this.count()
    return 1 + first * (1 + this.within(first, through !== undefined && this.times > 1, weigh))
  }

  private within(rows: number, areShared: boolean, weigh: Weigh): number {
    const { times, isShared, areShared: wereShared } = this
    this.times = times * rows
    this.isShared ||= areShared
    this.areShared = areShared
    const weight = weigh(this)
    this.times = times
    this.isShared = isShared
    this.areShared = wereShared
    return weight
  }
}
