/** The form in which a text is compared. */
export type Canonical = (text: string) => string

export type Texts = readonly (string | null | undefined)[]

/** By list: all aliases and all steps of a request share the list of a variable. */
const known = new WeakMap<Texts, Map<Canonical, readonly string[]>>()

/**
 * The canonical forms of the texts of a list, made once for each list; undefined if they have more than `most` characters
 * together. Stops there: folding can make a text 18 times as long.
 */
export function canonicalWithin(texts: Texts, canonical: Canonical, most: number): readonly string[] | undefined {
  const ofList = known.get(texts) ?? new Map<Canonical, readonly string[]>()
  known.set(texts, ofList)
  const made = ofList.get(canonical) ?? madeWithin(texts, canonical, most)
  if (made) ofList.set(canonical, made)
  return made
}

function madeWithin(texts: Texts, canonical: Canonical, most: number): readonly string[] | undefined {
  const made: string[] = []
  let left = most
  for (const text of texts) {
    const one = canonical(text ?? '')
    left -= one.length
    if (left < 0) return undefined
    made.push(one)
  }
  return made
}

/** The canonical forms of texts whose number and lengths are known to be bounded; null becomes an empty text. */
export function canonicalTexts(texts: Texts, canonical: Canonical): readonly string[] {
  return canonicalWithin(texts, canonical, Number.POSITIVE_INFINITY) ?? []
}
