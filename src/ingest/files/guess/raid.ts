import { type Condition, folded } from '../mapping.js'
import type { SheetNoun } from '../nouns.js'
import type { TableRow } from '../table.js'
import { columnsOf, Words } from './column.js'
import type { Headings } from './headings.js'
import { RAID_WORDS } from './words.js'

/** A log of several kinds of rows: which of them are of a noun. */
interface RaidLog {
  readonly heading: string
  readonly rows: readonly TableRow[]
  readonly condition: Condition
  readonly note: string
}

const RAID = new Words<string>(RAID_WORDS)
const KIND_CHARACTERS_MAX = 40

/** The rows of a noun in a log of risks, issues and others; undefined if it is no such log. */
export function raidLog(
  noun: SheetNoun,
  header: readonly string[],
  rows: readonly TableRow[],
  headings: Headings,
): RaidLog | undefined {
  const isKind = (heading: string) => headings.meaningsOf(heading).some(({ field }) => field === 'raidType')
  const named = header.map((heading) => (isKind(heading) ? heading : ''))
  for (const { heading, at, texts, isOverfull, longest } of columnsOf(named, rows)) {
    if (isOverfull || longest > KIND_CHARACTERS_MAX) continue
    const kinds = texts.map(({ text }) => RAID.get(text))
    const mine = texts.filter((_, index) => kinds[index] === noun).map(({ text }) => text)
    if (new Set(kinds).size < 2 || kinds.includes(undefined) || mine.length === 0) continue
    const isMine = new Set(mine)
    const taken = rows.filter(({ cells }) => isMine.has((cells[at] ?? '').trim()))
    const note = `Only rows whose ${heading} is ${mine.join(' or ')} are taken: ${taken.length} of ${rows.length}.`
    return { heading, rows: taken, condition: { from: [heading], is: mine.map(folded) }, note }
  }
  return undefined
}
