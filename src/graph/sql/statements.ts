import { aliasedTable, and, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { FieldNode, GraphQLField } from 'graphql'
import { LIMITS } from '../../limits.js'
import { JsonPage, type Source } from '../../store/query/jsonPage.js'
import { type AnyList, isServed } from '../../store/query/page.js'
import { type AnyRelation, HANDFUL, relatedSource } from '../../store/query/relations.js'
import type { Extent, Read } from '../../store/store.js'
import type { Tables } from '../../store/tables.js'
import type { ExecutionReason } from '../executionReasons.js'
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

/** A statement under construction. */
export class Build {
  readonly read: Read
  private readonly pageRequests: readonly (BoundPageRequest | undefined)[]
  private readonly isHeavy: boolean
  private names = 0

  constructor(read: Read, pageRequests: Build['pageRequests'], isHeavy: boolean) {
    this.read = read
    this.pageRequests = pageRequests
    this.isHeavy = isHeavy
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
  private guardOf({ list }: Source): SQL | undefined {
    if (!this.isHeavy) return undefined
    return this.read.guard({ table: list.table(this.read.t), rows: Number.POSITIVE_INFINITY })
  }
}

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
  /** Whether it reads an unknown number of rows of other tables. */
  private isCounting = false
  private readonly indexCounts: CountedTable[] = []
  private readonly pageRequests: readonly (PageRequest | undefined)[]
  /** How often the current part of the selection is evaluated. */
  private times: number
  /** Whether the same row may occur several times. */
  private isShared = false

  constructor(pageRequests: Weighing['pageRequests'], times: number) {
    this.pageRequests = pageRequests
    this.times = times
  }

  /** Counting runs once per row; for a row that occurs several times it would be repeated, so that is limited. */
  count(byIndex?: CountedTable): number {
    if (this.isShared && this.times > LIMITS.compiledRepeatsMax) throw new NotCompilable('bounds')
    if (byIndex && !this.isShared) this.indexCounts.push(byIndex)
    else this.isCounting = true
    return 1
  }

  /** The counts that a statement makes besides its own rows. */
  counts({ t }: Read): Pick<Extent, 'isCounting' | 'counted'> {
    return { isCounting: this.isCounting, counted: this.indexCounts.map((table) => table(t)) }
  }

  reference(weigh: (inner: Weighing) => number): number {
    return 1 + this.within(1, this.times > 1, weigh)
  }

  items({ through }: AnyRelation, weigh: (inner: Weighing) => number): number {
    return HANDFUL * (1 + this.within(HANDFUL, through !== undefined && this.times > 1, weigh))
  }

  page(slot: number, { list, through }: AnyRelation, isCounted: boolean, weigh: (inner: Weighing) => number): number {
    const { first = LIMITS.nestedPageRows, filter = {} } = this.pageRequests[slot] ?? {}
    if (isCounted || !isServed(list, filter)) this.count()
    return 1 + first * (1 + this.within(first, through !== undefined && this.times > 1, weigh))
  }

  private within(rows: number, isShared: boolean, weigh: (inner: Weighing) => number): number {
    const { times, isShared: wasShared } = this
    this.times = times * rows
    this.isShared ||= isShared
    const weight = weigh(this)
    this.times = times
    this.isShared = wasShared
    return weight
  }
}
