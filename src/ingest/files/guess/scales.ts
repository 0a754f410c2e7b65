import { plain } from '../../../text.js'
import { ASSESSMENT_MAX } from '../../../vocabulary.js'
import { HEADING_CHARACTERS_MAX } from '../header.js'
import { folded, type Scalar } from '../mapping.js'
import { type Column, countOf, isBlankWord, type Occurrence, type Reading, Words } from './column.js'
import { type NamedScale, rangeIn } from './headings.js'
import { BELOW_OTHERS, LIKELIHOOD_STEPS, STEPS } from './words.js'

type Factor = 'likelihood' | 'impact'

const WORDS: Readonly<Record<Factor, Words<string>>> = {
  likelihood: new Words(LIKELIHOOD_STEPS, STEPS),
  impact: new Words(STEPS),
}

/** A text of a scale in its parts: a number or a percentage, a word, or a number and a word. */
type Parts = Readonly<{ number?: number; percent?: number; word?: string }>

/** 4, 2/5 or P3. */
const NUMBER = /^(?:[lpicse]\s?-?)?(\d+(?:[.,]\d+)?)(?:\s*(?:\/|of|von|sur|de)\s*\d+)?$/i
const PERCENT = /^[<>≤≥~≈]?\s*(\d+(?:[.,]\d+)?)\s*(?:(?:%\s*)?(?:[-–—]|to|bis|à|a)\s*(\d+(?:[.,]\d+)?)\s*)?%$/i
const NUMBER_WORD = /^\(?(\d+)[)\s:.=/|–—-]+\(?(\p{L}.*)$/su
const WORD_NUMBER = /^(\D*\p{L})[\s(:=/–—-]+(\d+)\)?$/u
const LETTER_WORD = /^[a-e]\s*[-–—:.)=(]\s*(.+)$/is

function stepParts(text: string): Parts {
  const number = (digits = '') => Number(digits.replace(',', '.'))
  const only = NUMBER.exec(text)?.[1]
  if (only !== undefined) return { number: number(only) }
  const [, from, to = from] = PERCENT.exec(text) ?? []
  if (from !== undefined) return { percent: (number(from) + number(to)) / 2 }
  const [, before, after] = NUMBER_WORD.exec(text) ?? []
  if (after !== undefined) return { number: number(before), word: withoutBracket(after) }
  const [, word, last] = WORD_NUMBER.exec(text) ?? []
  if (word !== undefined) return { number: number(last), word }
  return { word: withoutBracket(LETTER_WORD.exec(text)?.[1] ?? text) }
}

function withoutBracket(word: string): string {
  return word.endsWith(')') && !word.includes('(') ? word.slice(0, -1) : word
}

type Entry = Occurrence & { readonly parts: Parts }
type Steps = readonly (readonly [Entry, number])[]

/** The texts of a column in their parts, without those that stand for a blank. */
function entriesOf({ texts }: Column): Entry[] {
  return texts.filter(({ text }) => !isBlankWord(text)).map((one) => ({ ...one, parts: stepParts(one.text) }))
}

function isNumeric({ parts: { number, percent } }: Entry): boolean {
  return (number ?? percent) !== undefined
}

/** The highest number; percentages do not count. */
function highestOf(entries: readonly Entry[]): number {
  return Math.max(0, ...entries.map(({ parts }) => parts.number ?? 0))
}

/** Longer texts are sentences, of which only a word at the beginning is a step: Medium: the crane is old, and so on. */
const STEP_CHARACTERS_MAX = 60
const EXPLAINED_STEP = /^\p{L}[\p{L} ]{0,20}\s*[:–—]/u

const FACTOR_STEPS = Array.from({ length: ASSESSMENT_MAX }, (_, index) => String(index + 1))

/** The other factor, the scale before measures, whether the heading is the very name of the factor, and what was given. */
type Beside = Partial<Record<'partner' | 'inherent', Column | undefined>> & {
  readonly isNamed?: boolean
  readonly given?: ReadonlyMap<string, string> | undefined
}

/** How a column gives the steps 1 to 5 of a factor; undefined if it is no scale. */
export function readFactor(part: Column, factor: Factor, beside: Beside = {}): Reading | undefined {
  const { partner, inherent, isNamed, given } = beside
  const column = part.whole()
  if (column.filled === 0) return undefined
  const entries = entriesOf(column)
  const others = partner ? entriesOf(partner) : []
  const named = scaleIn(column.heading) ?? (partner && scaleIn(partner.heading)) ?? (inherent && scaleOf(inherent))
  const scale = numericScale(column, entries, factor, named, highestOf(others))
  if (!scale && entries.every(isNumeric)) return undefined
  const stepOf = stepReader(entries, factor, scale)
  const stepGiven = ({ text }: Entry) => FACTOR_STEPS.indexOf(given?.get(folded(text)) ?? '') + 1
  const steps = entries.map((entry) => [entry, stepGiven(entry) || stepOf(entry)] as const)
  const known = steps.flatMap(([entry, step]) => (step === undefined ? [] : [[entry, step] as const]))
  const unknown = entries.filter((_, at) => steps[at]?.[1] === undefined)
  // A column that is called so is one as soon as one of its texts is a step, and any one in which a step was given.
  const isScale = isNamed ? known.length > 0 : countOf(unknown) * 2 <= countOf(entries)
  if (!isScale && !entries.some(stepGiven)) return undefined
  const question = unclearTurn(column, entries) ?? (named ? undefined : lonelyAboveFive(column, entries, others))
  return { ...readingOf(column, known, scale, highestOf(others)), unknown, choices: FACTOR_STEPS, question }
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

/** The scale of whole numbers that a column names, or shows by a number above 5. */
function scaleOf(column: Column): NamedScale | undefined {
  const most = highestOf(entriesOf(column))
  return scaleIn(column.heading) ?? (most > ASSESSMENT_MAX && most <= 10 ? ONE_TO_TEN : undefined)
}

/** One number above 5 may be a slip, or the only sign of a scale from 1 to 10, which changes all the others. */
function lonelyAboveFive({ heading }: Column, entries: readonly Entry[], others: readonly Entry[]): string | undefined {
  const [lone, another] = entries.filter(({ parts }) => (parts.number ?? 0) > ASSESSMENT_MAX)
  const isAlone = lone?.count === 1 && !another && highestOf(others) <= ASSESSMENT_MAX
  const hasFives = [...entries, ...others].some(({ parts }) => parts.number === ASSESSMENT_MAX)
  if (!isAlone || !hasFives || highestOf(entries) > 10) return undefined
  const only = `only ${JSON.stringify(lone.text)} (row ${lone.lines[0]}) is above 5`
  const advice = `Correct the cell, or say it in the heading: "${heading} (1-10)".`
  return `${heading}: ${only}, so that the scale may be 1 to 5 or 1 to 10. ${advice}`
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

/** The scale of the numbers of a column, or undefined; `others` is the highest number of its partner. */
function numericScale(
  { heading }: Column,
  entries: readonly Entry[],
  factor: Factor,
  named: NamedScale | undefined,
  others: number,
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
  const both = Math.max(most, others)
  // A partner above 10 is no scale that this one could share.
  if (most <= ASSESSMENT_MAX && (both <= ASSESSMENT_MAX || both > 10)) return spread(ONE_TO_FIVE)
  if (most <= 10) return spread(ONE_TO_TEN)
  return most <= 100 && factor === 'likelihood' && isPercent(heading, values) ? PERCENTAGES : undefined
}

/** Without a sign, numbers are percentages only if the heading says so, or if they are too high and too round for products. */
function isPercent(heading: string, values: readonly number[]): boolean {
  const areRound = Math.max(...values) > 25 && values.every((value) => value % 5 === 0)
  return areRound || /%|per ?cent|prozent|pour ?cent|por ?cent|procent/i.test(heading)
}

function stepReader(entries: readonly Entry[], factor: Factor, scale: NumericScale | undefined) {
  const isAboveThree = entries.some(({ parts }) => (parts.number ?? 0) > 3)
  const { words, others } = BELOW_OTHERS
  const isBelowOthers = entries.some(({ parts }) => others.includes(plain(parts.word ?? '')))
  return ({ text, parts: { number, percent, word } }: Entry): number | undefined => {
    if (text.length > STEP_CHARACTERS_MAX && !EXPLAINED_STEP.test(text)) return undefined
    if (percent !== undefined) return fifth(percent)
    // Numbers up to 3 beside words may be steps of 3 or of 5: then the words say what is meant.
    if (word === undefined || (number !== undefined && isAboveThree)) return scale?.step(number ?? 0)
    const step = WORDS[factor].get(word) ?? beginningStep(word, factor)
    return step === undefined ? undefined : Number(step) - (isBelowOthers && words.includes(plain(word)) ? 1 : 0)
  }
}

/** Medium at the beginning, gets higher: the first words count, if no other word is a step. */
function beginningStep(text: string, factor: Factor): string | undefined {
  const words = text.split(/[\s,;]+/)
  const stepOfFirst = (count: number) => WORDS[factor].get(words.slice(0, count).join(' '))
  const count = stepOfFirst(2) === undefined ? 1 : 2
  const isOnly = words.slice(count).every((word) => word.length < 2 || WORDS[factor].get(word) === undefined)
  return words.length > count && isOnly ? stepOfFirst(count) : undefined
}

/** How the texts with a step are read; `highest` is the highest number of the other factor. */
function readingOf(column: Column, read: Steps, scale: NumericScale | undefined, highest: number): Reading {
  const form = scale?.isWhole ? /^\d+$/ : /^[\d.,]+\s*%?$/
  const bands = read.every(([{ text }]) => form.test(text)) ? scale?.bands : undefined
  const foreign = read.flatMap(([{ text }, step]) => (bands || text === String(step) ? [] : [[text, step] as const]))
  // A map says what each number of its scale means, also those that no row has yet.
  const whole = !bands && scale?.isWhole ? (scale.bands ?? []) : []
  const others = whole.map(([number, step]) => [String(number), step] as const)
  const values = byFoldedText([...blankValues(column), ...others, ...foreign])
  const words = read.filter(([{ parts }]) => parts.word !== undefined)
  const steps = read.map(([, step]) => step)
  // Numbers up to 3 alone do not show whether 3 or 5 is the most.
  const most = Math.max(0, ...steps)
  const isOpen = Math.max(most, highest) <= 3 && !rangeIn(column.heading)
  const asIs = isOpen ? `steps from 1 to 5, though none is above ${most}` : undefined
  const how = words.length > 0 ? stepsInWords(words) : scale?.name
  return {
    rule: { ...(values.size > 0 && { values }), ...(bands && { bands }) },
    how: !bands && foreign.length === 0 ? asIs : how,
    isLossy: new Set(steps).size < read.length,
  }
}

function stepsInWords(read: Steps): string {
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
