import { plain } from '../../../text.js'
import type { NounPlural } from '../../../vocabulary.js'
import { type IssueSeverity, SCORE_MAX } from '../../../vocabulary.js'
import type { Band } from '../mapping.js'
import type { SheetRecord } from '../table.js'
import { type Column, countOf, isBlankWord, type Occurrence, type Reading, Words } from './column.js'
import { blankValues, byFoldedText, isTurned } from './scales.js'
import { RESPONSE_WORDS, SEVERITY_WORDS, STATUS_WORDS, STEPS } from './words.js'

const STATUSES: Readonly<Partial<Record<NounPlural, Words<string>>>> = {
  risks: new Words(STATUS_WORDS.risks),
  issues: new Words(STATUS_WORDS.issues),
  people: new Words(STATUS_WORDS.people),
  projects: new Words(STATUS_WORDS.projects),
}
export const RESPONSES = new Words<string>(RESPONSE_WORDS)
const SEVERITIES = new Words<string>(SEVERITY_WORDS)

const STEP = /^[1-5]?$/
const DAY = /^(?:\d{4}-\d\d-\d\d)?$/
/** A trimmed id as an export writes it, or a blank. */
export const OWN_ID = /^(?:[a-z]{3}_[0-9a-z]{26})?$/

/** The form in which each field is taken as it is, once it is trimmed; other fields take any text. */
const FORMS: Readonly<Record<string, RegExp | readonly string[]>> = {
  ...{ likelihood: STEP, impact: STEP, residualLikelihood: STEP, residualImpact: STEP },
  ...{ raisedOn: DAY, dueOn: DAY, reviewOn: DAY },
  scoreGiven: /^\d{0,2}$/,
  response: RESPONSES.values,
  severity: SEVERITIES.values,
}

/** The form of a field, or its few values; undefined for a field that takes any text. */
export const formOf = (noun: NounPlural, field: string) => (field === 'status' ? STATUSES[noun]?.values : FORMS[field])

/** Whether a value is taken for a field as it is; undefined for a field that takes any text. */
export function isOwnValue(noun: NounPlural, field: string, value: string): boolean | undefined {
  const form = formOf(noun, field)
  const text = value.trim()
  return form instanceof RegExp ? form.test(text) : form && (text === '' || valueNamed(form, text) !== undefined)
}

/** Whether every value of the fields that are there has our own form, so that nothing is left to guess. */
export function isOwnForm(noun: NounPlural, present: readonly string[], records: readonly SheetRecord[]): boolean {
  // Without a reference, ids of another form are references themselves.
  const isNamed = ['reference', 'externalId', 'key', 'email', 'name'].some((field) => present.includes(field))
  return present.every((field) => {
    const isId = field === 'id' && !isNamed
    if (!isId && isOwnValue(noun, field, '') === undefined) return true
    // Each distinct value is tested once: most columns of a large sheet have few.
    const texts = new Set(records.map(({ values }) => String(values[field] ?? '')))
    return [...texts].every((text) => (isId ? OWN_ID.test(text.trim()) : isOwnValue(noun, field, text)))
  })
}

/** Longer texts are sentences. */
const WORD_CHARACTERS_MAX = 80

export function readStatus(column: Column, noun: NounPlural, isNamed = false): Reading | undefined {
  const words = STATUSES[noun]
  return words && readWords(column, words, { isNamed })
}

function valueNamed(values: readonly string[], text: string): string | undefined {
  const name = text.trim().toUpperCase().replaceAll(/[ -]/g, '_')
  return values.find((one) => one === name)
}

/** Words of a vocabulary; undefined if most rows have something else, unless the column has the very name of the field. */
export function readWords(
  part: Column,
  words: Words<string>,
  { isNamed = false, values = words.values, read = (text: string) => valueNamed(values, text) ?? words.get(text) } = {},
): Reading | undefined {
  const column = part.whole()
  const texts = column.texts.filter(({ text }) => !isBlankWord(text) || words.get(text) !== undefined)
  const known = texts.flatMap((one) => [isWord(one) ? (read(one.text) ?? []) : []].flat().map((to) => ({ ...one, to })))
  const isKnown = new Set(known.map(({ text }) => text))
  const unknown = texts.filter(({ text }) => !isKnown.has(text))
  // A column of sentences says something else, whatever it is called.
  const isOther = isNamed ? countOf(texts.filter(isWord)) * 2 <= countOf(texts) : unknown.length > 0
  if (isOther && countOf(known) < countOf(unknown)) return undefined
  const foreign = known.flatMap(({ text, to }) => (valueNamed(values, text) === to ? [] : [[text, to] as const]))
  const blanks = blankValues(column).filter(([text]) => !isKnown.has(text))
  const becoming = byFoldedText([...blanks, ...foreign])
  return {
    rule: becoming.size > 0 ? { values: becoming } : {},
    how: foreign.length > 0 ? foreign.map(([text, becomes]) => `${text} = ${becomes}`).join(', ') : undefined,
    isLossy: new Set(known.map(({ to }) => to)).size < new Set(known.map(({ text }) => plain(text))).size,
    unknown,
    choices: values,
  }
}

function isWord({ text }: Occurrence): boolean {
  return text.length <= WORD_CHARACTERS_MAX
}

const NUMBERED = /^(p|s|sev|severity|prio|priority)?\s*(?:-\s*)?(\d)$/i
/** A number before a word, as in 1 - Critical (Azure DevOps) or P2-High: the word tells. */
const NUMBER_BEFORE = /^(?:(?:p|s|sev|prio)\s?)?\d\s*[-:.]\s*/i

/** The severity of issues: words, or numbers such as P1, of which the lowest is the most severe. */
export function readSeverity(column: Column, isNamed = false): Reading | undefined {
  const texts = column.texts.filter(({ text }) => !isBlankWord(text))
  const numbers = texts.map(({ text }) => Number(NUMBERED.exec(text)?.[2] ?? Number.NaN))
  const isNumbered = texts.length > 0 && !numbers.some(Number.isNaN)
  const isPrefixed = texts.every(({ text }) => /^\D/.test(text))
  if (isNumbered && !isPrefixed && !(isTurned(column.heading) ?? /prio/i.test(plain(column.heading)))) {
    const line = `{ "from": ${JSON.stringify(column.heading)}, "values": { "1": "CRITICAL", "2": "HIGH", "3": "MEDIUM", "4": "LOW" } }`
    const open = `${column.heading} has numbers, and whether the highest or the lowest is the most severe is open.`
    return { rule: {}, question: `${open} Say it in a map: "severity": ${line}.` }
  }
  const least = numbers.includes(0) ? 0 : 1
  const severityOf = (number: number): IssueSeverity =>
    (['CRITICAL', 'HIGH', 'MEDIUM'] as const)[number - least] ?? 'LOW'
  const read = (text: string) => {
    const [, prefix, number] = NUMBERED.exec(text) ?? []
    if (isNumbered || prefix !== undefined) return severityOf(Number(number))
    return valueNamed(SEVERITIES.values, text) ?? SEVERITIES.get(text.replace(NUMBER_BEFORE, ''))
  }
  const reading = readWords(column, SEVERITIES, { isNamed, read })
  if (!isNumbered || !reading) return reading
  return { ...reading, how: `the lowest number is the most severe: ${reading.how}`, isLossy: false }
}

/** The score in the middle of each level, for a source that gives a level and no factors. */
const LEVEL_SCORES: Readonly<Record<string, number>> = { 1: 1, 2: 3, 3: 6, 4: 12, 5: 20 }
const SEVERITY_SCORES: Readonly<Record<string, number>> = { LOW: 3, MEDIUM: 6, HIGH: 12, CRITICAL: 20 }
const LEVELS = new Words<string>(STEPS, {
  2: 'green, grün, vert, verde, zielony, 绿',
  3: 'amber, yellow, gelb, jaune, orange, amarillo, amarelo, żółty, 黄',
  4: 'red, rot, rouge, rojo, vermelho, czerwony, 红',
})

/**
 * The score of risks whose factors the source does not give: a number up to 25 or 100, or a level in words. A column of
 * levels may also have P1 or S1, or numbers up to 5 or 10; the numbers of a rating may be anything, as money or a rank.
 */
export function readScore(column: Column, kind: 'score' | 'level' | 'rating' = 'score'): Reading | undefined {
  const texts = column.texts.filter(({ text }) => !isBlankWord(text))
  if (texts.length === 0 || column.longest > WORD_CHARACTERS_MAX) return undefined
  if (kind !== 'score' && texts.every(({ text }) => /^\D/.test(text) && NUMBERED.test(text)))
    return scored(readSeverity(column), SEVERITY_SCORES, 'the lowest number is the most')
  // `Number` ignores the blank before the sign.
  const numbers = texts.map(({ text }) => Number(text.replace(',', '.').replace(/%$/, '')))
  const levels = 'levels, as scores in the middle of each'
  if (numbers.some(Number.isNaN)) return scored(readWords(column, LEVELS, { values: [] }), LEVEL_SCORES, levels)
  const most = Math.max(...numbers)
  const isFraction = most <= 1 && numbers.some((number) => !Number.isInteger(number))
  if (kind === 'rating' || column.isOverfull || Math.min(...numbers) < 0 || most > 100 || isFraction) return undefined
  const isShare = most > SCORE_MAX || /%$/.test(texts[0]?.text ?? '')
  const isLevel = kind === 'level' && most <= 10 && !isShare
  const top = isShare ? 100 : !isLevel ? SCORE_MAX : most > 5 ? 10 : 5
  const scoreOf = (number: number) => Math.round((number * SCORE_MAX) / top)
  const isForeign = texts.some(({ text }, at) => text !== String(scoreOf(numbers[at] ?? 0)))
  // Of several numbers with one score the highest is the bound.
  const bounds = new Map(Array.from({ length: top + 1 }, (_, number) => [scoreOf(number), number]))
  const bands = Array.from(bounds, ([score, bound]): Band => [bound, score])
  const how = isLevel
    ? `numbers up to ${top}, as parts of ${SCORE_MAX}`
    : isShare
      ? 'scores up to 100, as parts of 25'
      : 'scores from 0 to 25 as they are'
  const rule = { values: byFoldedText(blankValues(column)), ...(isForeign && { bands }) }
  return { rule, how, isLossy: isForeign || isLevel }
}

function scored(reading: Reading | undefined, scores: Readonly<Record<string, number>>, how: string) {
  if (!reading) return undefined
  const values = new Map(Array.from(reading.rule.values ?? [], ([text, one]) => [text, scores[String(one)] ?? '']))
  const shown = [...values].flatMap(([text, score]) => (score === '' ? [] : `${text} = ${score}`))
  const choices = Object.values(scores).map(String)
  return { ...reading, rule: { values }, how: `${how}: ${shown.join(', ')}`, isLossy: true, choices }
}
