import { fold } from '../../text.js'
import type { ImportRun } from '../run.js'

/** Fewer may be corrections. */
const MOVED_LEAST = 5
const SHOWN_MAX = 5

interface Titled {
  readonly reference: string
  readonly title: string
}

/** Notices a register whose references now name other things than before, as after rows were inserted and numbered anew. */
export class MovedReferences {
  readonly #run: ImportRun
  readonly #kind: string
  /** References that are known, with both titles. */
  readonly #renamed: string[] = []
  /** Titles that are known, with both references. */
  readonly #renumbered: string[] = []
  /** Entries that the store knows by reference or by title. */
  #known = 0
  /** Entries with a title that was that of another reference: they are shifted, however many are not. */
  #shifted = 0

  constructor(run: ImportRun, kind: string) {
    this.#run = run
    this.#kind = kind
  }

  /** `before` is what is stored under the reference, and `namesake` what has the title elsewhere in the project. */
  see({ reference, title }: Titled, before: Titled | undefined, namesake: Titled | undefined): void {
    if (!before && !namesake) return
    this.#known++
    if (before && fold(before.title) !== fold(title)) {
      this.#renamed.push(`${reference} is ${quoted(title)} and was ${quoted(before.title)}`)
      if (namesake) this.#shifted++
    } else if (!before && namesake)
      this.#renumbered.push(`${quoted(title)} is ${reference} and was ${namesake.reference}`)
  }

  /** Refuses the file if most of what is known has moved, or several have the titles of others. */
  check(): void {
    const { options, violations } = this.#run
    const moved = this.#renamed.length + this.#renumbered.length
    const areMost = moved >= MOVED_LEAST && moved * 2 > this.#known
    if (options.accept || (!areMost && this.#shifted < MOVED_LEAST)) return
    const lists = [this.#renamed, this.#renumbered].filter((list) => list.length > 0).map(shown)
    const detail =
      `The references seem to have moved: ${moved} of ${this.#known} ${this.#kind}s that are known have another title or ` +
      `another reference. ${lists.join(' ')} If that is meant, say so with ${options.wording.accept}.`
    violations.push({ index: undefined, field: 'reference', detail })
  }
}

function shown(list: readonly string[]): string {
  const more = list.length > SHOWN_MAX ? `; and ${list.length - SHOWN_MAX} more` : ''
  return `${list.slice(0, SHOWN_MAX).join('; ')}${more}.`
}

function quoted(title: string): string {
  return JSON.stringify(title.length > 60 ? `${title.slice(0, 59)}…` : title)
}
