import type { CountedList, CountedRelation } from '../../store/query/rowCounts.js'
import type { Arguments } from '../fields.js'
import type { MayRead, References } from './references.js'

/** How a field is priced, if it costs more than 1 and its selection; the extension `price` of the field. */
export type FieldPrice =
  /** A list at the root, which is complete unless a page is requested. */
  | { readonly list: CountedList }
  /** An object derived from the rows of a list: how many entries its own lists have, if that is not a matter of rows. */
  | {
      readonly derived: {
        readonly list: CountedList
        readonly filter: (args: Arguments) => Arguments
        readonly entries?: (args: Arguments) => number
      }
    }
  /** A summary of a list, which counts its rows. */
  | { readonly counted: CountedList }
  /** A nested list, which is always a page. */
  | { readonly relation: CountedRelation }
  /** Parts of a connection: its entries, the node of an edge, `totalCount`, and what needs the ends of the page. */
  | { readonly part: 'entries' | 'entry' | 'count' | 'ends' }
  /** A mutation that stores this many records. */
  | { readonly records: (args: Arguments) => number }
  /** The references of a gateway: each distinct one is looked up, and all are written. */
  | { readonly references: (args: Arguments, mayRead: MayRead) => References }
