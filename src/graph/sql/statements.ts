import { aliasedTable, and, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { FieldNode, GraphQLField } from 'graphql'
import { LIMITS } from '../../limits.js'
import { JsonPage, type Source } from '../../store/jsonPage.js'
import { type AnyList, isServed } from '../../store/page.js'
import { type AnyRelation, HANDFUL, relatedSource } from '../../store/relations.js'
import type { Extent, Read } from '../../store/store.js'
import type { Tables } from '../../store/tables.js'
import type { ExecutionReason } from '../executionReasons.js'
import type { Asked } from '../windows.js'
import type { BoundFilter } from './boundFilters.js'

export type { ExecutionReason }

/** Something that no SQL can answer, or not within the bounds. */
export class NotCompilable extends Error {
  readonly reason: ExecutionReason

  constructor(reason: ExecutionReason = 'not_compilable') {
    super('This cannot be compiled.')
    this.reason = reason
  }
}

/** A field with arguments, which are known with each request. */
export interface Slot {
  readonly field: GraphQLField<unknown, unknown>
  readonly node: FieldNode
  /** Undefined of what is no list. */
  readonly list: AnyList | undefined
}

/** What a list is asked for, with its filter as a statement has it. */
export interface AskedList extends Asked {
  readonly bound: BoundFilter
}

/** A statement that is being put together. */
export class Build {
  readonly read: Read
  private readonly asked: readonly (AskedList | undefined)[]
  private readonly isHeavy: boolean
  private names = 0

  constructor(read: Read, asked: Build['asked'], isHeavy: boolean) {
    this.read = read
    this.asked = asked
    this.isHeavy = isHeavy
  }

  /** Rows have names of their own, so that the tables themselves can stand inside each other. */
  newName(): string {
    this.names += 1
    return `r${this.names}`
  }

  /** A table by another name. */
  row(list: AnyList): { name: SQL; alias: PgTable } {
    const name = this.newName()
    const table = list.table(this.read.t)
    return { name: sql`${table} ${sql.identifier(name)}`, alias: aliasedTable(table, name) }
  }

  /** A page of what belongs to a row. */
  page(slot: number, relation: AnyRelation, row: PgTable): JsonPage {
    const { filter = {}, bound } = this.asked[slot] ?? {}
    return this.pageOf(slot, relatedSource(this.read, relation, row, filter, bound?.condition()))
  }

  pageOf(slot: number, source: Source, guard = this.guardOf(source)): JsonPage {
    const { first, most = 0, place } = this.asked[slot] ?? {}
    const condition = and(guard, source.condition)
    const cut = { first, most, place: place?.map((_, index) => sql.placeholder(keyName(slot, index))) }
    return new JsonPage(this.read, { ...source, condition }, cut, this.newName())
  }

  /** What lets a statement be stopped also while it goes through what belongs to one row. */
  private guardOf({ list }: Source): SQL | undefined {
    if (!this.isHeavy) return undefined
    return this.read.guard({ table: list.table(this.read.t), rows: Number.POSITIVE_INFINITY })
  }
}

/** What stands in a statement for the keys of a place. */
function keyName(slot: number, index: number): string {
  return `s${slot}k${index}`
}

/** The values of all placeholders: of filters, and of places. */
export function boundValues(asked: readonly (AskedList | undefined)[]): Record<string, unknown> {
  const keys = asked.flatMap((one, slot) =>
    (one?.place ?? []).map((key, index) => [keyName(slot, index), key] as const),
  )
  return Object.assign(Object.fromEntries(keys), ...asked.map((one) => one?.bound.values))
}

type CountedTable = (t: Tables) => PgTable

/** Finds out how many rows a statement reads, at the most. */
export class Weighing {
  /** Whether it goes through rows of other tables without an end that is known. */
  private isCounting = false
  private readonly indexCounts: CountedTable[] = []
  private readonly asked: readonly (Asked | undefined)[]
  /** How many rows there are of what is looked at. */
  private times: number
  /** Whether the same row may come up several times. */
  private isShared = false

  constructor(asked: Weighing['asked'], times: number) {
    this.asked = asked
    this.times = times
  }

  /** Going through what belongs to a row is done once for each row; of a row that comes up often, it would be again. */
  count(byIndex?: CountedTable): number {
    if (this.isShared && this.times > LIMITS.compiledRepeatsMax) throw new NotCompilable('bounds')
    if (byIndex && !this.isShared) this.indexCounts.push(byIndex)
    else this.isCounting = true
    return 1
  }

  /** What a statement goes through besides its own rows. */
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
    const { first = LIMITS.nestedPageRows, filter = {} } = this.asked[slot] ?? {}
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
