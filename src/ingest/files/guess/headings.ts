import { HEADING_CHARACTERS_MAX } from '../header.js'
import type { SheetNoun } from '../table.js'
import { ALIASES, FILLERS, NOUN_WORDS, PRIVATE_WORDS, SMALL_WORDS, STATE_FILLERS, STATES } from './aliases.js'

/** A field that a heading may mean; the lowest rank is the best name for it. */
interface Meaning {
  readonly field: string
  readonly rank: number
}

/** A scale that a heading names, such as (1-10); a turned one has its highest step at `least`. */
export type NamedScale = Readonly<Record<'least' | 'most', number>> & { readonly isTurned?: boolean }

/** The name of a field itself is better than every alias. */
const FIELD_RANK = -1000
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

type Aliases = ReturnType<typeof preparedAliases>

/** By noun: there are hundreds of aliases, and they stay the same. */
const prepared = new Map<SheetNoun, Aliases>()

function preparedAliases(noun: SheetNoun) {
  const [byKey, bySingular] = [new Map<string, Meaning[]>(), new Map<string, Meaning[]>()]
  for (const [field, names] of Object.entries(ALIASES[noun])) {
    for (const [rank, alias] of names.split(', ').entries()) {
      add(byKey, keyOf(alias), { field, rank })
      add(bySingular, wordsOf(alias).map(singular).join(''), { field, rank })
    }
  }
  return { byKey, bySingular, slips: new Slips(byKey) }
}

export class Headings {
  readonly #noun: SheetNoun
  readonly #aliases: Aliases
  readonly #fields: ReadonlyMap<string, string>
  /** Every heading that was seen, so that each is looked up once. */
  readonly #seen = new Map<string, readonly Meaning[]>()

  constructor(noun: SheetNoun, fields: readonly string[]) {
    this.#noun = noun
    this.#fields = new Map(fields.map((field) => [keyOf(field), field]))
    this.#aliases = prepared.get(noun) ?? preparedAliases(noun)
    prepared.set(noun, this.#aliases)
  }

  meaningsOf(heading: string): readonly Meaning[] {
    const seen = this.#seen.get(heading)
    if (seen) return seen
    const field = this.#fields.get(keyOf(heading))
    const aliased = this.#aliased(heading)
    const all = field === undefined ? aliased : [{ field, rank: FIELD_RANK }, ...aliased]
    this.#seen.set(heading, all)
    return all
  }

  isPrivate(heading: string): boolean {
    return wordsOf(heading).some((word) => PRIVATE_WORDS.has(word))
  }

  isOf(sheet: string): boolean {
    return wordsOf(sheet).some((word) => NOUN_WORDS[this.#noun].has(word))
  }

  #aliased(heading: string): readonly Meaning[] {
    if (heading.length > HEADING_CHARACTERS_MAX) return []
    const bare = heading.replaceAll('_', ' ').replace(BRACKETED, ' ').replace(SCALE, ' ')
    // Of Treatment / Response, the first counts.
    for (const text of new Set([heading, bare, bare.split('/')[0] ?? ''])) {
      const found = this.#named(wordsOf(text))
      if (found) return found
    }
    const inState = this.#inState(wordsOf(bare))
    if (inState.length > 0) return inState
    // A long heading with a typo, such as Likelhood.
    const key = keyOf(bare)
    return key.length < SLIP_CHARACTERS_MIN ? [] : (this.#aliases.slips.of(key)[0] ?? [])
  }

  #named(all: readonly string[]): readonly Meaning[] | undefined {
    const bare = without(all, NOUN_WORDS[this.#noun])
    const forms = [all, bare, without(all, FILLERS), without(bare, FILLERS)]
    for (const words of forms) {
      const found =
        this.#aliases.byKey.get(words.join('')) ?? this.#aliases.bySingular.get(words.map(singular).join(''))
      if (found) return found
    }
    return undefined
  }

  /** A factor before or after measures: Inherent Likelihood, Residual Risk. */
  #inState(words: readonly string[]): readonly Meaning[] {
    const found = STATES.find((one) => words.some((word) => one.words.has(word)))
    if (this.#noun !== 'risks' || !found) return []
    const rest = words.filter((word) => !found.words.has(word) && !NOUN_WORDS.risks.has(word))
    const isNamed = this.#aliases.byKey.has(rest.join(''))
    const key = rest.filter((word) => isNamed || !STATE_FILLERS.has(word)).join('')
    const meanings = key === '' ? [{ field: 'level', rank: 0 }] : (this.#aliases.byKey.get(key) ?? [])
    return meanings.flatMap(({ field, rank }) => {
      const residual = RESIDUAL[field]
      if (residual === undefined) return []
      return [{ field: found.state === 'residual' ? residual : field, rank: rank + found.rank }]
    })
  }
}

function add(all: Map<string, Meaning[]>, key: string, meaning: Meaning): void {
  const meanings = all.get(key) ?? []
  if (!meanings.some((one) => one.field === meaning.field)) all.set(key, [...meanings, meaning])
}

function without(words: readonly string[], some: ReadonlySet<string>): readonly string[] {
  const rest = words.filter((word) => !some.has(word))
  return rest.length > 0 ? rest : words
}

function singular(word: string): string {
  return word.length > 3 ? word.replace(/s$/, '') : word
}

/** Finds the long names from which a text differs by one letter. */
export class Slips<V> {
  readonly #names: readonly (readonly [name: string, value: V])[]

  constructor(names: Iterable<readonly [name: string, value: V]>) {
    this.#names = Array.from(names).filter(([name]) => name.length >= SLIP_CHARACTERS_MIN)
  }

  of(text: string): V[] {
    return this.#names.filter(([name]) => isSlip(text, name)).map(([, value]) => value)
  }
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

/** Lower case without accents: the form in which headings and words are compared. */
export function plain(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text.toLowerCase()
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
  // The L of Residual L is no article.
  const isLetter = (word: string, at: number) => word.length === 1 && at > 0 && at === words.length - 1
  const significant = words.filter((word, at) => !SMALL_WORDS.has(word) || isLetter(word, at))
  // A heading such as L has nothing else.
  return significant.length > 0 ? significant : words.length > 0 ? words : [heading.trim()]
}

function keyOf(heading: string): string {
  return wordsOf(heading).join('')
}
