import type { SheetNoun } from '../nouns.js'
import { ALIASES } from './aliases.js'
import { NOUN_WORDS, SMALL_WORDS, STATES } from './headingWords.js'

/** A field that a heading may mean; the lowest rank is the best name for it. */
interface Meaning {
  readonly field: string
  readonly rank: number
}

/** A scale that a heading names, such as (1-10). */
export interface NamedScale {
  readonly least: number
  readonly most: number
}

/** The name of a field itself is better than every alias. */
const OWN_RANK = -1000
/** Another state of the risk is worse than any name without one. */
const STATE_RANKS = { current: -500, inherent: 500, residual: 0 } as const
/** What is left of a heading once the state is taken away, and the field in each state. */
const RESIDUAL: Readonly<Record<string, string>> = {
  likelihood: 'residualLikelihood',
  impact: 'residualImpact',
  score: 'residualScore',
  level: 'residualScore',
}

const SCALE = /(?<![\d.])([01])\s*(?:[-–—~]|to|bis|do|à|a|至|\.{2,3})\s*(3|4|5|6|7|10|100)(?!\d)/iu
const OUT_OF = /(?:\/|out of|von|sur|de|z)\s*(3|4|5|10|100)(?!\d)/iu
const BRACKETED = /[([（【{].*?[)\]）】}]/gu

/** What the headings of a noun may mean, by their aliases. */
export class Headings {
  readonly #noun: SheetNoun
  readonly #byKey = new Map<string, Meaning[]>()
  readonly #own: ReadonlyMap<string, string>

  constructor(noun: SheetNoun, fields: readonly string[]) {
    this.#noun = noun
    this.#own = new Map(fields.map((field) => [keyOf(field), field]))
    for (const [field, lines] of Object.entries(ALIASES[noun])) {
      for (const [rank, alias] of lines.flatMap((line) => line.split(', ')).entries()) {
        const key = keyOf(alias)
        const meanings = this.#byKey.get(key) ?? []
        if (!meanings.some((one) => one.field === field)) this.#byKey.set(key, [...meanings, { field, rank }])
      }
    }
  }

  /** The fields that a heading may mean; none if it is unknown. */
  meaningsOf(heading: string): readonly Meaning[] {
    const own = this.#own.get(keyOf(heading))
    if (own !== undefined) return [{ field: own, rank: OWN_RANK }, ...this.#aliased(heading)]
    return this.#aliased(heading)
  }

  isKnown(heading: string): boolean {
    return this.meaningsOf(heading).length > 0
  }

  #aliased(heading: string): readonly Meaning[] {
    const bare = heading.replaceAll('_', ' ').replace(BRACKETED, ' ').replace(SCALE, ' ')
    for (const text of [heading, bare]) {
      const all = wordsOf(text)
      const found = this.#byKey.get(all.join('')) ?? this.#byKey.get(this.#withoutNoun(all).join(''))
      if (found) return found
    }
    return this.#inState(wordsOf(bare))
  }

  #withoutNoun(words: readonly string[]): readonly string[] {
    const rest = words.filter((word) => !NOUN_WORDS[this.#noun].has(word))
    return rest.length > 0 ? rest : words
  }

  /** A factor before or after measures: Inherent Likelihood, Residual Risk. */
  #inState(words: readonly string[]): readonly Meaning[] {
    if (this.#noun !== 'risks') return []
    for (const [state, { words: of, prefixes }] of STATE_WORDS) {
      const rest = words.flatMap((word) => {
        if (of.has(word)) return []
        const prefix = prefixes.find((one) => word.startsWith(one))
        return prefix === undefined ? [word] : [word.slice(prefix.length)].filter((one) => one !== '')
      })
      if (rest.join('') === words.join('')) continue
      const bare = rest.filter((word) => !NOUN_WORDS.risks.has(word))
      const key = bare.join('')
      const meanings = key === '' || key === '风险' ? [{ field: 'level', rank: 0 }] : (this.#byKey.get(key) ?? [])
      const factors = meanings.filter(({ field }) => RESIDUAL[field] !== undefined)
      return factors.map(({ field, rank }) => ({
        field: state === 'residual' ? (RESIDUAL[field] ?? field) : field,
        rank: rank + STATE_RANKS[state],
      }))
    }
    return []
  }
}

const STATE_WORDS = (['current', 'inherent', 'residual'] as const).map(
  (state) =>
    [state, { words: new Set(STATES[state].words.split(' ').map(plain)), prefixes: STATES[state].prefixes }] as const,
)

/** The scale that a heading names, if it does. */
export function scaleIn(heading: string): NamedScale | undefined {
  const text = heading.replaceAll('_', ' ')
  const range = SCALE.exec(text)
  if (range) return { least: Number(range[1]), most: Number(range[2]) }
  const most = OUT_OF.exec(text)?.[1]
  return most === undefined ? undefined : { least: 1, most: Number(most) }
}

/** Lower case without accents: the form in which headings and words are compared. */
export function plain(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}|\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('ł', 'l')
}

function wordsOf(heading: string): readonly string[] {
  const parted = heading.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replaceAll(/[#№]/g, ' no ')
  const words = plain(parted)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
  const significant = words.filter((word) => !SMALL_WORDS.has(word))
  // A heading such as L has nothing else.
  return significant.length > 0 ? significant : words.length > 0 ? words : [heading.trim()]
}

function keyOf(heading: string): string {
  return wordsOf(heading).join('')
}
