import { createHash } from 'node:crypto'
import { TEXT_MAX } from '../../../vocabulary.js'

/** Room for the number of a repeated text. */
const NUMBER_CHARACTERS = 10
const TEXT_CHARACTERS_MAX = TEXT_MAX.reference - NUMBER_CHARACTERS
const HASH_CHARACTERS = 8

/** Makes references of texts, the same ones each time that the same rows are read. */
export class UniqueTexts {
  readonly #seen = new Map<string, number>()

  /** The reference for a text within a project; the second of the same text gets (2). */
  next(value: unknown, project: unknown): string {
    const text = String(value ?? '')
      .replaceAll(/[\s\p{Cc}]+/gu, ' ')
      .trim()
    if (text === '') return ''
    const short = shortened(text)
    const key = `${String(project ?? '')}\n${short}`
    const count = (this.#seen.get(key) ?? 0) + 1
    this.#seen.set(key, count)
    return count === 1 ? short : `${short} (${count})`
  }
}

/** Two long texts with the same beginning stay different by their hashes. */
function shortened(text: string): string {
  const points = Array.from(text)
  if (points.length <= TEXT_CHARACTERS_MAX) return text
  const hash = createHash('sha256').update(text).digest('hex').slice(0, HASH_CHARACTERS)
  return `${points
    .slice(0, TEXT_CHARACTERS_MAX - HASH_CHARACTERS - 1)
    .join('')
    .trimEnd()}~${hash}`
}
