import { Fault } from '../../errors.js'
import { LIMITS } from '../../limits.js'
import { canonicalWithin } from '../../store/query/canonicalTexts.js'
import type { CountedList } from '../../store/query/rowCounts.js'
import { foldedName } from '../../text.js'
import type { Arguments } from '../fields.js'

/** A filter as it is given to a list. */
export interface GivenFilter {
  readonly list: Pick<CountedList, 'names'>
  readonly filter: Arguments
}

/** Refuses filters whose texts are too long together in the form in which they are compared, before any is read. */
export function requireComparable(filters: Iterable<GivenFilter>): void {
  let left: number = LIMITS.comparedCharactersMax
  const seen = new Set<unknown>()
  for (const { list, filter } of filters) {
    for (const [member, value] of Object.entries(filter)) {
      // Several aliases may have the same list, which is then folded once.
      if (value == null || seen.has(value)) continue
      seen.add(value)
      const texts = Array.isArray(value) ? value : typeof value === 'string' ? [value] : []
      const compared = canonicalWithin(texts, list.names?.[member]?.key?.canonical ?? foldedName, left)
      if (!compared) throw tooLong()
      left -= compared.reduce((total, { length }) => total + length, 0)
    }
  }
}

function tooLong(): Fault {
  const most = LIMITS.comparedCharactersMax
  return new Fault(
    'TOO_COMPLEX',
    `The texts in the filters of this query have more than ${most} characters in the form in which they are compared, ` +
      'Unicode NFKC. Filter by fewer values, or send several queries.',
  )
}
