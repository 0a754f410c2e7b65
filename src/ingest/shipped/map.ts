import type { SheetNoun } from '../files/nouns.js'

/** A map that comes with the command, in the form of a map file. */
export interface ShippedMap {
  /** What `--map` calls it. */
  readonly name: string
  readonly noun: SheetNoun
  /** What the source is, as in "This looks like a Jira export". */
  readonly product: string
  /** What it reads, for the list of maps. */
  readonly reads: string
  readonly source: 'table' | 'objects'
  /** The headings or paths by which the source is recognised: one of each list must be there. */
  readonly signature: readonly (readonly string[])[]
  readonly where?: readonly Readonly<Record<string, unknown>>[]
  readonly columns: Readonly<Record<string, unknown>>
}
