import type { SheetFlaw } from './flaws.js'

/** A record by field names: a blank cell is '', JSON values are as they are, a field without a column is absent. */
export interface SheetRecord {
  /** Its index among the records, from 0. */
  readonly index: number
  /** The line on which it begins; in JSON the number of the element. From 1. */
  readonly line: number
  readonly values: Readonly<Record<string, unknown>>
  readonly flaws: readonly SheetFlaw[]
}

/** The records of a source, and what to say about them. */
export interface SheetRecords {
  readonly records: readonly SheetRecord[]
  /** What its reader should know about how it was read. */
  readonly notes: readonly string[]
  /** What was changed on the way. */
  readonly warnings: readonly string[]
}
