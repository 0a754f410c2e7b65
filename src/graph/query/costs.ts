import type { PgTable } from 'drizzle-orm/pg-core'
import type { CountedList, CountedRelation, LongColumn } from '../../store/query/rowCounts.js'
import type { Tables } from '../../store/tables.js'
import type { Arguments } from './declared.js'

/** What a selection costs each time that it is read, as gathered by the walk of the plan. */
export interface Cost {
  readonly fixed: number
  /** Parts that depend on the store or on arguments. */
  readonly inner: readonly Inner[]
  readonly texts: readonly LongText[]
}

type Inner = ListCost | ReferenceCost

/** A column of texts that may be long. */
export interface LongText {
  readonly table: (t: Tables) => PgTable
  readonly column: LongColumn
  /** How often it is in one row. */
  readonly times: number
}

/** Entities that others refer to. */
export interface ReferenceCost {
  /** The number of references, and of distinct ones among them. */
  readonly references: (args: readonly Arguments[]) => References
  /** The cost of looking one up, besides its selection. */
  readonly lookUp: number
  readonly each: Cost
}

interface References {
  readonly all: number
  readonly different: number
}

/** A list, whose number of rows depends on its arguments and on the store. */
export interface ListCost {
  /** The name of its field. */
  readonly name: string
  readonly list: CountedList
  /** Undefined for a list at the root. */
  readonly relation?: CountedRelation
  readonly args: (args: readonly Arguments[]) => ListArguments
  /** Whether the field takes `first`; summaries and what is derived from a list do not. */
  readonly isPaged: boolean
  readonly entry: Cost
  readonly isCounted: boolean
  /** Whether the ends of its page are selected. */
  readonly needsEnds: boolean
}

interface ListArguments {
  readonly first?: number | null
  readonly filter?: Arguments | null
}

/** How a field is priced, if it costs more than 1 and its selection; the extension `price` of the field. */
export type FieldPrice =
  /** An object derived from the rows of a list: how many entries its own lists have, if that is not a matter of rows. */
  | {
      readonly derived: {
        readonly list: CountedList
        readonly filter: (args: Arguments) => Arguments
        readonly entries?: (args: Arguments) => number
      }
    }
  /** A list of a derived object: its entries are among those of that object. */
  | { readonly part: 'entries' }
  /** A mutation that stores this many records. */
  | { readonly records: (args: Arguments) => number }

export const FREE: Cost = { fixed: 0, inner: [], texts: [] }

export function costing(fixed: number): Cost {
  return fixed === 0 ? FREE : { ...FREE, fixed }
}

export function sum(costs: readonly Cost[]): Cost {
  return {
    fixed: costs.reduce((total, { fixed }) => total + fixed, 0),
    inner: costs.flatMap(({ inner }) => inner),
    texts: costs.flatMap(({ texts }) => texts),
  }
}

/** A field with what is selected of it, so many times. */
export function selected(cost: Cost, times = 1): Cost {
  const { fixed, inner, texts } = cost
  if (inner.length > 0) return within({ references: () => ({ all: times, different: times }), lookUp: 0, each: cost })
  return { fixed: 1 + times * fixed, inner, texts: texts.map((text) => ({ ...text, times: text.times * times })) }
}

/** A field with a part of its own. */
export function within(inner: Inner, fixed = 0): Cost {
  return { fixed: 1 + fixed, inner: [inner], texts: [] }
}
