import { fold } from '../../text.js'
import { firstOf } from '../files/table.js'
import type { ImportRun } from '../run.js'

/** Fewer may be corrections. */
const MOVED_LEAST = 5
const SHOWN_MAX = 5

type Titled = Readonly<Record<'reference' | 'title', string>>

/** Notices a register whose references now name other things than before, as after rows were inserted and numbered anew. */
export function movedReferences({ options, violations }: ImportRun, kind: string) {
  /** References that are known, and titles that are, both with what they were. */
  const [renamed, renumbered]: [string[], string[]] = [[], []]
  /** Entries that the store knows by reference or by title. */
  let known = 0
  /** Entries with a title that was that of another reference: they are shifted, however many are not. */
  let shifted = 0
  return {
    /** `before` is what is stored under the reference, and `namesake` what has the title elsewhere in the project. */
    see({ reference, title }: Titled, before: Titled | undefined, namesake: Titled | undefined): void {
      if (!before && !namesake) return
      known++
      if (before && fold(before.title) !== fold(title)) {
        renamed.push(`${reference} is ${quoted(title)} and was ${quoted(before.title)}`)
        if (namesake) shifted++
      } else if (!before && namesake) renumbered.push(`${quoted(title)} is ${reference} and was ${namesake.reference}`)
    },

    /** Refuses the file if most of what is known has moved, or several have the titles of others. */
    check(): void {
      const moved = renamed.length + renumbered.length
      const areMost = moved >= MOVED_LEAST && moved * 2 > known
      if (options.accept || (!areMost && shifted < MOVED_LEAST)) return
      const lists = [renamed, renumbered].flatMap((list) => (list.length > 0 ? `${firstOf(list, SHOWN_MAX)}.` : []))
      const detail =
        `The references seem to have moved: ${moved} of ${known} ${kind}s that are known have another title or ` +
        `another reference. ${lists.join(' ')} If that is meant, say so with ${options.wording.accept}.`
      violations.push({ index: undefined, field: 'reference', detail })
    },
  }
}

function quoted(title: string): string {
  return JSON.stringify(title.length > 60 ? `${title.slice(0, 59)}…` : title)
}
