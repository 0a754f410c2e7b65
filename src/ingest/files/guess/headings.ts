import { oncePer } from '../../../caches.js'
import { plain } from '../../../text.js'
import type { NounPlural } from '../../../vocabulary.js'
import { HEADING_CHARACTERS_MAX } from '../header.js'
import { ALIASES, FILLERS, PRIVATE_WORDS, SMALL_WORDS, STATE_FILLERS, STATES, wordsOfNoun } from './aliases.js'

/** The fields that a heading may mean, and how good a name it is for each: the lowest rank is the best. */
type Meanings = ReadonlyMap<string, number>

/** A scale that a heading names, such as (1-10); a turned one has its highest step at `least`. */
export type NamedScale = Readonly<Record<'least' | 'most', number>> & { readonly isTurned?: boolean }

/** The name of a field itself is better than every alias. */
const FIELD_RANK = -1000
/** A later field is worse than every name of an earlier one. */
const ORDER_RANK = 10_000
/** The fields of what remains of a risk. */
const RESIDUAL: Readonly<Record<string, string>> = {
  likelihood: 'residualLikelihood',
  impact: 'residualImpact',
  score: 'residualScore',
  level: 'residualScore',
  rating: 'residualScore',
}

const SCALE = /(?<![\d.])([01])(?:\s*(?:[-–—~]|to|bis|do|à|a|至|\.{2,3})\s*|\s+(?=\d+\s*$))(3|4|5|6|7|10|100)(?!\d)/iu
const OUT_OF = /(?:\/|out of|von|sur|de|z)\s*(3|4|5|10|100)(?!\d)/iu
/** Shorter names differ from others by a letter. */
const SLIP_CHARACTERS_MIN = 8
const BRACKETED = /[([（【{][^([（【{)\]）】}]*[)\]）】}]/gu

const NO_ALIASES: Readonly<Record<string, string>> = {}

/** The meanings of the aliases of a noun: there are hundreds, which stay the same. */
const aliasesOf = oncePer((names: Readonly<Record<string, string>>) => {
  const meanings = new Map<string, Map<string, number>>()
  for (const [field, aliases] of Object.entries(names)) {
    for (const [rank, alias] of aliases.split(', ').entries()) {
      const key = keyOfWords(wordsOfHeading(alias))
      meanings.set(key, new Map([[field, rank], ...(meanings.get(key) ?? [])]))
    }
  }
  return meanings
})

export type Headings = ReturnType<typeof headingsOf>

/** What the headings of a noun may mean. */
export function headingsOf(noun: NounPlural, fields: readonly string[]) {
  const ofNoun = wordsOfNoun(noun)
  const own = new Map(fields.map((field) => [keyOfWords(wordsOfHeading(field)), field]))
  const aliases = aliasesOf(ALIASES[noun] ?? NO_ALIASES)
  /** Every heading that was seen, so that each is looked up once. */
  const seen = new Map<string, Meanings>()

  const named = (all: readonly string[]): Meanings | undefined => {
    const bare = without(all, ofNoun)
    const forms = [all, bare, without(all, FILLERS), without(bare, FILLERS)]
    return forms.map((words) => aliases.get(keyOfWords(words))).find((found) => found !== undefined)
  }

  /** A factor before or after measures: Inherent Likelihood, Residual Risk. */
  const inState = (words: readonly string[]): Meanings => {
    const found = STATES.find((one) => words.some((word) => one.words.has(word)))
    if (noun !== 'risks' || !found) return NO_MEANINGS
    const rest = words.filter((word) => !found.words.has(word) && !ofNoun.has(word))
    const isNamed = aliases.has(keyOfWords(rest))
    const key = keyOfWords(rest.filter((word) => isNamed || !STATE_FILLERS.has(word)))
    const meanings = key === '' ? new Map([['level', 0]]) : (aliases.get(key) ?? NO_MEANINGS)
    const factors = Array.from(meanings).flatMap(([field, rank]) => {
      const residual = RESIDUAL[field]
      return residual === undefined ? [] : [[found.isResidual ? residual : field, rank + found.rank] as const]
    })
    // Of two fields that become one, the better name counts.
    return new Map(factors.toSorted(([, one], [, other]) => other - one))
  }

  const aliased = (heading: string): Meanings => {
    if (heading.length > HEADING_CHARACTERS_MAX) return NO_MEANINGS
    const bare = heading.replaceAll('_', ' ').replace(BRACKETED, ' ').replace(SCALE, ' ')
    // Of Treatment / Response, the first counts.
    for (const text of new Set([heading, bare, bare.split('/')[0] ?? ''])) {
      const found = named(wordsOfHeading(text))
      if (found) return found
    }
    const ofState = inState(wordsOfHeading(bare))
    // A long heading with a typo, such as Likelhood.
    return ofState.size > 0 ? ofState : (slipsOf(aliases, keyOfWords(wordsOfHeading(bare)))[0] ?? NO_MEANINGS)
  }

  const meaningsOf = (heading: string): Meanings => {
    const before = seen.get(heading)
    if (before) return before
    const field = own.get(keyOfWords(wordsOfHeading(heading)))
    const all = field === undefined ? aliased(heading) : new Map([...aliased(heading), [field, FIELD_RANK]])
    seen.set(heading, all)
    return all
  }

  /** How good a name a heading is for one of these fields, if it may mean one; the lowest rank is the best. */
  const rankOf = (heading: string, ...meant: string[]): number | undefined => {
    const meanings = meaningsOf(heading)
    const order = meant.findIndex((field) => meanings.has(field))
    return order === -1 ? undefined : (meanings.get(meant[order] ?? '') ?? 0) + order * ORDER_RANK
  }

  return {
    meaningsOf,
    rankOf,

    /** The places of the headings that may mean one of these fields, the best name first. */
    ranked(headings: readonly string[], ...meant: string[]): number[] {
      const ranks = headings.map((heading) => rankOf(heading, ...meant))
      const places = [...headings.keys()].filter((at) => ranks[at] !== undefined)
      return places.toSorted((one, other) => (ranks[one] ?? 0) - (ranks[other] ?? 0))
    },

    isPrivate: (heading: string) => wordsOfHeading(heading).some((word) => PRIVATE_WORDS.has(word)),

    isOf: (sheet: string) => wordsOfHeading(sheet).some((word) => ofNoun.has(word)),
  }
}

const NO_MEANINGS: Meanings = new Map()

function without(words: readonly string[], some: ReadonlySet<string>): readonly string[] {
  const rest = words.filter((word) => !some.has(word))
  return rest.length > 0 ? rest : words
}

/** The values of the long names from which a text differs by one letter. */
export function slipsOf<V>(names: ReadonlyMap<string, V>, text: string): V[] {
  return Array.from(names).flatMap(([name, value]) =>
    name.length >= SLIP_CHARACTERS_MIN && isSlip(text, name) ? [value] : [],
  )
}

/** Whether one letter after the first is missing, too many or another one, and no digit. */
function isSlip(key: string, alias: string): boolean {
  if (key[0] !== alias[0] || Math.abs(key.length - alias.length) > 1) return false
  let start = 0
  while (start < key.length && key[start] === alias[start]) start++
  let [end, aliasEnd] = [key.length, alias.length]
  while (end > start && aliasEnd > start && key[end - 1] === alias[aliasEnd - 1]) {
    end--
    aliasEnd--
  }
  return end - start <= 1 && aliasEnd - start <= 1 && !/\d/.test(key.slice(start, end) + alias.slice(start, aliasEnd))
}

export function rangeIn(heading: string): NamedScale | undefined {
  if (heading.length > HEADING_CHARACTERS_MAX) return undefined
  const text = heading.replaceAll('_', ' ')
  const range = SCALE.exec(text)
  if (range) return { least: Number(range[1]), most: Number(range[2]) }
  const most = OUT_OF.exec(text)?.[1]
  return most === undefined ? undefined : { least: 1, most: Number(most) }
}

function wordsOfHeading(heading: string): readonly string[] {
  const parted = heading.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replaceAll(/[#№]/g, ' no ')
  const words = plain(parted)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
  // The L of Residual L is no article.
  const isLetter = (word: string, at: number) => word.length === 1 && at > 0 && at === words.length - 1
  const significant = words.filter((word, at) => !SMALL_WORDS.has(word) || isLetter(word, at))
  // A heading such as L has nothing else.
  return significant.length > 0 ? significant : words.length > 0 ? words : [heading.trim()]
}

/** The form in which headings are compared: their words in the singular. */
function keyOfWords(words: readonly string[]): string {
  return words.map((word) => (word.length > 3 ? word.replace(/s$/, '') : word)).join('')
}
