import { ASSESSMENT_MAX } from '../../../vocabulary.js'
import { HEADING_CHARACTERS_MAX } from '../header.js'
import { folded, type Scalar } from '../mapping.js'
import {
  type Column,
  countOf,
  isBlankWord,
  type Occurrence,
  occurrencesInWords,
  type Reading,
  Words,
} from './column.js'
import { type NamedScale, plain, rangeIn } from './headings.js'
import { BELOW_OTHERS, LIKELIHOOD_STEPS, STEPS } from './words.js'

type Factor = 'likelihood' | 'impact'
type Step = '1' | '2' | '3' | '4' | '5'

const WORDS: Readonly<Record<Factor, Words<Step>>> = {
  likelihood: new Words<Step>(LIKELIHOOD_STEPS, STEPS),
  impact: new Words<Step>(STEPS),
}

/** A text of a scale in its parts: a number or a percentage, a word, or a number and a word. */
interface Parts {
  readonly number?: number
  readonly percent?: number
  readonly word?: string
}

const NUMBER = /^\d+(?:[.,]\d+)?$/
const PERCENT = /^[<>≤≥~≈]?\s*(\d+(?:[.,]\d+)?)\s*%$/
const PERCENT_RANGE = /^(\d+(?:[.,]\d+)?)\s*(?:%\s*)?(?:[-–—]|to|bis|à|a)\s*(\d+(?:[.,]\d+)?)\s*%$/i
const OUT_OF = /^(\d+)\s*(?:\/|of|von|sur|de)\s*(\d+)$/i
const LETTERED = /^[lpicse]\s?-?(\d)$/i
const NUMBER_WORD = /^\(?(\d+)(\)?\s*(?:[-–—:.)=/|]\s*)?)\(?(\D.*)$/su
const WORD_NUMBER = /^(\D+)(\d+)\)?$/
const LETTER_WORD = /^[a-e]\s*[-–—:.)=(]\s*(.+)$/is

function partsOf(text: string): Parts {
  const number = (digits = '') => Number(digits.replace(',', '.'))
  if (NUMBER.test(text)) return { number: number(text) }
  const range = PERCENT_RANGE.exec(text)
  if (range) return { percent: (number(range[1]) + number(range[2])) / 2 }
  const percent = PERCENT.exec(text)?.[1]
  if (percent !== undefined) return { percent: number(percent) }
  const share = OUT_OF.exec(text) ?? LETTERED.exec(text)
  if (share) return { number: number(share[1]) }
  const [, before, gap, after] = NUMBER_WORD.exec(text) ?? []
  const first = gap ? lineOf(after) : undefined
  if (first !== undefined) return { number: number(before), word: first }
  const [, start, digits] = WORD_NUMBER.exec(text) ?? []
  const last = wordBefore(start)
  if (last !== undefined) return { number: number(digits), word: last }
  return { word: lineOf(LETTER_WORD.exec(text)?.[1]) ?? text }
}

/** A word on one line, without the bracket that closes it. */
function lineOf(text = ''): string | undefined {
  if (text === '' || /[\r\n\u2028\u2029]/.test(text)) return undefined
  return text.length > 1 && text.endsWith(')') ? text.slice(0, -1) : text
}

/** The word of a text that a number follows: a blank or one mark must part them. */
function wordBefore(text = ''): string | undefined {
  const spaced = text.trimEnd()
  const word = /[-–—:(=/]$/.test(spaced) ? spaced.slice(0, -1).trimEnd() : spaced
  return word === text || word === '' || /[(=:/-]$/.test(word) ? undefined : word
}

interface Entry extends Occurrence {
  readonly parts: Parts
}

/** The texts of a column in their parts, without those that stand for a blank. */
function entriesOf({ texts }: Column): Entry[] {
  return texts.filter(({ text }) => !isBlankWord(text)).map((one) => ({ ...one, parts: partsOf(one.text) }))
}

function isNumeric({ parts: { number, percent } }: Entry): boolean {
  return (number ?? percent) !== undefined
}

/** The highest number of a column; percentages do not count. */
function highestOf(column: Column | undefined): number {
  return Math.max(0, ...(column ? entriesOf(column) : []).map(({ parts }) => parts.number ?? 0))
}

/** Longer texts are sentences, which say more than a step. */
const STEP_CHARACTERS_MAX = 60
/** Longer texts are no steps, however they begin. */
const EXPLAINED_STEP_CHARACTERS_MAX = 1_000

/** Only a word at its beginning is a step: Medium: the crane is old, and so on. */
function isSentence({ text }: Occurrence): boolean {
  if (text.length > EXPLAINED_STEP_CHARACTERS_MAX) return true
  return text.length > STEP_CHARACTERS_MAX && !/^\p{L}[\p{L} ]{0,20}\s*[:–—]/u.test(text)
}

const FACTOR_STEPS = Array.from({ length: ASSESSMENT_MAX }, (_, index) => String(index + 1))

/** How a column gives the steps 1 to 5 of a factor; undefined if it is no scale. A residual one has the `inherent` scale. */
export function readFactor(
  part: Column,
  factor: Factor,
  {
    partner,
    inherent,
    isNamed,
  }: { partner?: Column | undefined; inherent?: Column | undefined; isNamed?: boolean } = {},
): Reading | undefined {
  const column = part.whole()
  if (column.filled === 0) return undefined
  const entries = entriesOf(column)
  const steps: [Entry, number][] = []
  const unknown: Entry[] = []
  const named = scaleIn(column.heading) ?? (partner && scaleIn(partner.heading)) ?? (inherent && scaleOf(inherent))
  const scale = numericScale(entries, factor, named, column, partner)
  if (!scale && entries.every(isNumeric)) return undefined
  const company = companyOf(entries)
  for (const entry of entries) {
    const step = isSentence(entry) ? undefined : stepOf(entry, factor, scale, company)
    if (step === undefined) unknown.push(entry)
    else steps.push([entry, step])
  }
  // A column that is called so is one as soon as one of its texts is a step.
  if (isNamed ? steps.length === 0 : countOf(unknown) * 2 > countOf(entries)) return undefined
  const question = unclearTurn(column, entries) ?? (named ? undefined : lonelyAboveFive(column, partner))
  return { ...readingOf(column, steps, scale, partner), unknown, choices: FACTOR_STEPS, question }
}

const END = /(\d{1,3})\s*(?:[=:]|is)\s*(?:the )?(\p{L}[\p{L} ]{0,20})/iu
const END_TURNED = /(\p{L}{1,20})\s*=\s*(\d{1,3})/gu

/** Whether a heading such as (1=High, 5=Low) says that the lowest number is the most; undefined if it says nothing of it. */
export function isTurned(heading: string): boolean | undefined {
  const text = heading.slice(0, HEADING_CHARACTERS_MAX)
  const [, number, word = ''] = END.exec(text) ?? END.exec(text.replaceAll(END_TURNED, '$2=$1')) ?? []
  const [first = ''] = word.split(' ')
  const extreme = { most: '5', worst: '5', least: '1', best: '1' }[first.toLowerCase()]
  const step = Number(extreme ?? WORDS.likelihood.get(word.trim()) ?? WORDS.likelihood.get(first))
  if (number === undefined || Number.isNaN(step)) return undefined
  return Number(number) <= 1 ? step > 3 : step < 3
}

/** The scale that a heading names: by its bounds, or by the numbers whose meaning it tells. */
function scaleIn(heading: string): NamedScale | undefined {
  const turn = isTurned(heading)
  const numbers = turn === undefined ? [] : (heading.match(/\d{1,3}/g) ?? []).map(Number)
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)]
  const range = rangeIn(heading) ?? (least < most ? { least, most } : undefined)
  return range && { ...range, isTurned: turn === true }
}

/** A scale that runs the other way can be turned only if it is known where it ends. */
function unclearTurn({ heading }: Column, entries: readonly Entry[]): string | undefined {
  if (!isTurned(heading) || scaleIn(heading) || !entries.some(isNumeric)) return undefined
  const advice = `Say where it ends, such as "${heading} (1=High, 5=Low)" as the heading`
  return `${heading}: the scale runs from the highest to the lowest, and its other end is not named. ${advice}, or give a map.`
}

function companyOf(entries: readonly Entry[]) {
  return {
    isAboveThree: entries.some(({ parts }) => (parts.number ?? 0) > 3),
    words: new Set(entries.flatMap(({ parts }) => (parts.word ? [plain(parts.word)] : []))),
  }
}
type Company = ReturnType<typeof companyOf>

/** The scale of whole numbers that a column names, or shows by a number above 5. */
function scaleOf(column: Column): NamedScale | undefined {
  const most = highestOf(column)
  return scaleIn(column.heading) ?? (most > ASSESSMENT_MAX && most <= 10 ? ONE_TO_TEN : undefined)
}

/** One number above 5 may be a slip, or the only sign of a scale from 1 to 10, which changes all the others. */
function lonelyAboveFive(column: Column, partner: Column | undefined): string | undefined {
  const entries = entriesOf(column)
  const above = entries.filter(({ parts }) => (parts.number ?? 0) > ASSESSMENT_MAX)
  const isAlone = above.length === 1 && above[0]?.count === 1 && highestOf(partner) <= ASSESSMENT_MAX
  const others = [...entries, ...(partner ? entriesOf(partner) : [])]
  const hasFives = others.some(({ parts }) => parts.number === ASSESSMENT_MAX)
  if (!isAlone || !hasFives || highestOf(column) > 10) return undefined
  return (
    `${column.heading}: only ${occurrencesInWords(above)} is above 5, so that the scale may be 1 to 5 or 1 to 10. ` +
    `Correct the cell, or say it in the heading: "${column.heading} (1-10)".`
  )
}

/** A scale of numbers: how a number becomes a step, and how it is called. */
interface NumericScale {
  readonly name: string
  readonly bands?: Reading['rule']['bands']
  /** Its bands are for whole numbers. */
  readonly isWhole?: boolean
  readonly step: (value: number) => number | undefined
}

/** A fifth each; a bound belongs to the step below it, so that 20, 40, 60, 80 and 100 % are 1 to 5. */
const FIFTHS = Array.from({ length: ASSESSMENT_MAX }, (_, index) => [(index + 1) * 20, index + 1] as const)

function fifth(percent: number): number | undefined {
  return percent < 0 ? undefined : FIFTHS.find(([bound]) => percent <= bound)?.[1]
}

function spread({ least, most, isTurned = false }: NamedScale): NumericScale {
  const turned = isTurned ? `, turned so that ${least} is the highest` : ''
  const name = `numbers from ${least} to ${most}${most === ASSESSMENT_MAX ? '' : ', spread over 1 to 5'}${turned}`
  const width = (most - least) / (ASSESSMENT_MAX - 1)
  const step = (given: number) => {
    const value = isTurned ? least + most - given : given
    if (value < least || value > most) return undefined
    return most === 10 ? Math.max(1, Math.ceil(value / 2)) : Math.round(1 + (value - least) / width)
  }
  if (most === ASSESSMENT_MAX && least === 1 && !isTurned) return { name, step }
  const numbers = Array.from({ length: most - least + 1 }, (_, index) => least + index)
  return { name, step, bands: numbers.map((number) => [number, step(number) ?? 0] as const), isWhole: true }
}

const PERCENTAGES: NumericScale = { name: 'percentages, a fifth for each step', bands: FIFTHS, step: fifth }
const FRACTIONS: NumericScale = {
  name: 'fractions of 1, a fifth for each step',
  bands: FIFTHS.map(([bound, step]) => [bound / 100, step] as const),
  step: (value) => fifth(value * 100),
}
/** The scale that PMI suggests for impacts: each step is twice the one before. */
const DOUBLING_STEPS = new Map([0.05, 0.1, 0.2, 0.4, 0.8].map((value, index) => [value, index + 1]))
const DOUBLING: NumericScale = {
  name: 'the impacts 0.05, 0.1, 0.2, 0.4, 0.8',
  step: (value) => DOUBLING_STEPS.get(value),
}
/** Without their sign, a fraction such as 0.9 beside 70% is what a spreadsheet keeps of 90%. */
const PERCENTAGES_AND_FRACTIONS: NumericScale = {
  name: 'percentages, also as fractions of 1, a fifth for each step',
  step: (value) => fifth(value < 1 ? value * 100 : value),
}
const ONE_TO_FIVE: NamedScale = { least: 1, most: ASSESSMENT_MAX }
const ONE_TO_TEN: NamedScale = { least: 1, most: 10 }

function numericScale(
  entries: readonly Entry[],
  factor: Factor,
  named: NamedScale | undefined,
  { heading }: Column,
  partner?: Column,
): NumericScale | undefined {
  const numeric = entries.filter(isNumeric)
  if (numeric.length === 0) return undefined
  if (numeric.some(({ parts }) => parts.percent !== undefined)) {
    const hasFraction = numeric.some(({ parts: { number } }) => number !== undefined && number > 0 && number < 1)
    return hasFraction ? PERCENTAGES_AND_FRACTIONS : PERCENTAGES
  }
  const values = numeric.map(({ parts }) => parts.number ?? 0)
  const most = Math.max(...values)
  // A heading of its own decides: what is above it is unknown.
  if (named && (most <= named.most || scaleIn(heading))) return named.most === 100 ? PERCENTAGES : spread(named)
  if (most <= 1 && values.some((value) => !Number.isInteger(value)))
    return factor === 'impact' && values.every((value) => DOUBLING_STEPS.has(value)) ? DOUBLING : FRACTIONS
  const both = Math.max(most, highestOf(partner))
  // A partner above 10 is no scale that this one could share.
  if (most <= ASSESSMENT_MAX && (both <= ASSESSMENT_MAX || both > 10)) return spread(ONE_TO_FIVE)
  if (most <= 10) return spread(ONE_TO_TEN)
  return most <= 100 && factor === 'likelihood' && isPercent(heading, values) ? PERCENTAGES : undefined
}

/** Without a sign, numbers are percentages only if the heading says so, or if they are too high and too round for products. */
function isPercent(heading: string, values: readonly number[]): boolean {
  return (
    /%|per ?cent|prozent|pour ?cent|por ?cent|procent/i.test(heading) ||
    (Math.max(...values) > 25 && values.every((value) => value % 5 === 0))
  )
}

function stepOf(entry: Entry, factor: Factor, scale: NumericScale | undefined, company: Company): number | undefined {
  const { number, percent, word } = entry.parts
  if (percent !== undefined) return fifth(percent)
  // Numbers up to 3 beside words may be steps of 3 or of 5: then the words say what is meant.
  const isStep = number !== undefined && (word === undefined || company.isAboveThree)
  if (isStep) return scale?.step(number)
  return word === undefined ? undefined : wordStep(word, factor, company)
}

function wordStep(word: string, factor: Factor, company: Company): number | undefined {
  const step = Number(WORDS[factor].get(word) ?? beginningStep(word, factor))
  if (Number.isNaN(step)) return undefined
  const { words, others } = BELOW_OTHERS
  const isBelow = words.includes(plain(word)) && others.some((one) => company.words.has(one))
  return isBelow ? step - 1 : step
}

/** Medium at the beginning, gets higher: the first words count, if no other word is a step. */
function beginningStep(text: string, factor: Factor): Step | undefined {
  const words = text.split(/[\s,;]+/)
  const stepOfFirst = (count: number) => WORDS[factor].get(words.slice(0, count).join(' '))
  const count = stepOfFirst(2) === undefined ? 1 : 2
  const isOnly = words.slice(count).every((word) => word.length < 2 || WORDS[factor].get(word) === undefined)
  return words.length > count && isOnly ? stepOfFirst(count) : undefined
}

function readingOf(
  column: Column,
  read: readonly (readonly [Entry, number])[],
  scale: NumericScale | undefined,
  partner: Column | undefined,
): Reading {
  const form = scale?.isWhole ? /^\d+$/ : /^[\d.,]+\s*%?$/
  const bands = read.every(([{ text }]) => form.test(text)) ? scale?.bands : undefined
  const foreign = read.flatMap(([{ text }, step]) => (bands || text === String(step) ? [] : [[text, step] as const]))
  // A map says what each number of its scale means, also those that no row has yet.
  const others =
    bands || !scale?.isWhole ? [] : (scale.bands ?? []).map(([number, step]) => [String(number), step] as const)
  const values = byFoldedText([...blankValues(column), ...others, ...foreign])
  const words = read.filter(([{ parts }]) => parts.word !== undefined)
  const steps = read.map(([, step]) => step)
  // Numbers up to 3 alone do not show whether 3 or 5 is the most.
  const most = Math.max(0, ...steps)
  const isOpen = Math.max(most, highestOf(partner)) <= 3 && !rangeIn(column.heading)
  const asIs = isOpen ? `steps from 1 to 5, though none is above ${most}` : undefined
  const how = words.length > 0 ? inWords(words) : scale?.name
  return {
    rule: { ...(values.size > 0 && { values }), ...(bands && { bands }) },
    how: !bands && foreign.length === 0 ? asIs : how,
    isLossy: new Set(steps).size < read.length,
  }
}

function inWords(read: readonly (readonly [Entry, number])[]): string {
  const sorted = read.toSorted(([, one], [, other]) => one - other)
  return sorted.map(([{ text }, step]) => `${text.slice(0, 30)} = ${step}`).join(', ')
}

export function blankValues({ texts }: Column): [string, Scalar][] {
  return texts.filter(({ text }) => isBlankWord(text)).map(({ text }) => [text, ''])
}

/** Values by the folded text by which a map looks them up. */
export function byFoldedText(values: Iterable<readonly [string, Scalar]>): Map<string, Scalar> {
  return new Map(Array.from(values, ([text, becomes]) => [folded(text), becomes]))
}
