import { aliasedTable, and, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Read } from '../store.js'
import type { Key } from './cursors.js'
import { listed } from './json.js'
import { type AnyList, BEGINNING, columnList, cursorKeys, isAfter, isGone, isIndexed, sortOf, unionOf } from './page.js'

/** The rows that a page is taken from: a list, or the part of it that belongs to a row of another table. */
export interface Source {
  readonly list: AnyList
  readonly from: SQL
  readonly condition: SQL | undefined
  /** Conditions whose rows are merged, each together with `condition`. */
  readonly parts?: readonly SQL[] | undefined
  /** Whether an index has exactly these rows, in this order. */
  readonly isIndexed: boolean
}

/** What a filter matches: the rows of a condition, or those of several parts. */
export type Matching = Pick<Source, 'condition' | 'parts'>

export function matchingOf(read: Read, list: AnyList, filter: object): Matching {
  const parts = list.parts?.(read, filter)
  return parts ? { condition: undefined, parts } : { condition: list.matching(read, filter) }
}

export function listSource(read: Read, list: AnyList, filter: object, matching: Matching): Source {
  return { list, from: sql`${list.table(read.t)}`, ...matching, isIndexed: isIndexed(list, filter) }
}

/** The requested part of a source; without `first` all of it, up to `most` rows. */
export interface Cut {
  readonly first: number | undefined
  readonly most: number
  /** The position of the `after` cursor: its keys, or placeholders for them. */
  readonly place: readonly (Key | Placeholder)[] | undefined
}

export type PageFact = 'hasNextPage' | 'hasPreviousPage' | 'startCursor' | 'endCursor'

/** A page in SQL: its rows and the members of its connection, each as an expression that builds JSON. */
export class JsonPage {
  /** The table alias that entries are built from. */
  readonly row: PgTable
  /** The WITH clause of the statement, if any. */
  readonly prefix: SQL
  private readonly read: Read
  private readonly source: Source
  private readonly cut: Cut
  /** The source tables, or the WITH clause that has already collected the rows. */
  private readonly from: SQL
  private readonly where: SQL
  private readonly table: PgTable
  private readonly name: string

  constructor(read: Read, source: Source, cut: Cut, name: string) {
    this.read = read
    this.source = source
    this.cut = cut
    this.name = name
    const base = source.list.table(read.t)
    this.row = aliasedTable(base, name)
    const { parts, condition } = source
    const after = cut.place && isAfter(source.list, base, cut.place)
    this.prefix = sql.raw('')
    this.table = base
    this.from = parts ? this.union(parts) : source.from
    this.where = conditional(and(parts ? undefined : condition, after))
    // Without an index in list order, collect the rows once for all expressions.
    if (cut.first !== undefined && (parts || !source.isIndexed)) {
      const gathered = sql.identifier(`${name}_page`)
      const rows = sql`${this.selecting(columnList(base))} limit ${read.limit(cut.first + 1)}`
      this.prefix = sql`with ${gathered} as materialized (${rows}) `
      this.from = sql`${gathered}`
      this.where = sql.raw('')
      this.table = aliasedTable(base, `${name}_page`)
    }
  }

  private union(parts: readonly SQL[]): SQL {
    const { list, condition } = this.source
    const each = parts.map((part) => and(condition, part))
    return unionOf(list.table(this.read.t), each)
  }

  /** The rows; for a whole list one more than `most`, to detect that there are too many. */
  get rows(): SQL {
    const { first, most } = this.cut
    const limit = this.read.limit(first ?? most + 1)
    return sql`(${this.selecting(columnList(this.table))} limit ${limit}) ${sql.identifier(this.name)}`
  }

  get totalCount(): SQL {
    const { from, condition, parts } = this.source
    return sql`(select count(*) from ${parts ? this.union(parts) : sql`${from}${conditional(condition)}`})`
  }

  /** 1 if the row of the `after` cursor is no longer the one that it was made for, else 0. */
  get gone(): SQL {
    const { list } = this.source
    const { place } = this.cut
    if (!list.rowNonce || !place) return sql`0`
    return sql`case when ${isGone(list, list.table(this.read.t), place)} then 1 else 0 end`
  }

  get hasNextPage(): SQL {
    const { first } = this.cut
    if (first === undefined) return this.read.json.boolean(sql`false`)
    const next = sql`${this.selecting(sql`1`)} limit 1 offset ${this.read.limit(first)}`
    return this.read.json.boolean(sql`(${next}) is not null`)
  }

  get hasPreviousPage(): SQL {
    return this.read.json.boolean(this.cut.place ? sql`true` : sql`false`)
  }

  get startCursor(): SQL {
    return this.read.json.sorted(sql`(${this.selecting(this.cursor(this.table))} limit 1)`)
  }

  get endCursor(): SQL {
    const { first } = this.cut
    const cursor = this.cursor(this.table)
    const order = sortOf(this.source.list, this.table, true)
    const last = sql`(select ${cursor} from ${this.from}${this.where} order by ${order} limit 1)`
    const ends = [
      // A page that is not full ends with the last row of the list.
      ...(first === undefined ? [] : [sql`(${this.selecting(cursor)} limit 1 offset ${this.read.limit(first - 1)})`]),
      last,
      ...(this.source.list.rowNonce ? this.resumption() : []),
    ]
    return this.read.json.sorted(ends.length === 1 ? last : sql`coalesce(${listed(ends)})`)
  }

  /** Where to follow a list after an empty page: the same position, or the end of all rows, whatever the filter. */
  private resumption(): SQL[] {
    const { list } = this.source
    const at = (place: readonly unknown[]) => {
      const keys = place.map((key) => sql`cast(${key} as bigint)`)
      return this.read.json.cursor(list.name, keys)
    }
    if (this.cut.place) return [at(this.cut.place)]
    const all = list.table(this.read.t)
    const end = sql`(select ${this.cursor(all)} from ${all} order by ${sortOf(list, all, true)} limit 1)`
    return [end, at(cursorKeys(list, all).map(() => sql.raw(String(BEGINNING))))]
  }

  private selecting(selected: SQL): SQL {
    const order = sortOf(this.source.list, this.table)
    return sql`select ${selected} from ${this.from}${this.where} order by ${order}`
  }

  cursor(table = this.row): SQL {
    return this.read.json.cursor(this.source.list.name, cursorKeys(this.source.list, table))
  }
}

export function bytesOf(value: unknown): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.from(String(value ?? ''))
}

export function conditional(condition: SQL | undefined): SQL {
  return condition ? sql` where ${condition}` : sql.raw('')
}
