import {
  ISSUE_SEVERITIES,
  ISSUE_STATUSES,
  type IssueSeverity,
  PERSON_STATUSES,
  PROJECT_STATUSES,
  RISK_RESPONSES,
  RISK_STATUSES,
  SCORE_MAX,
} from '../../../vocabulary.js'
import { NUMERIC } from '../header.js'
import type { Band, Scalar } from '../mapping.js'
import type { SheetNoun, SheetRecord } from '../table.js'
import { type Column, countOf, isBlankWord, type Occurrence, type Reading, Words } from './column.js'
import { plain } from './headings.js'
import { blankValues, byFoldedText, isTurned } from './scales.js'
import { RESPONSE_WORDS, SEVERITY_WORDS, STATUS_WORDS, STEPS } from './words.js'

interface Vocabulary {
  readonly values: readonly string[]
  readonly words: Words<string>
}

const STATUSES: Readonly<Partial<Record<SheetNoun, Vocabulary>>> = {
  risks: { values: RISK_STATUSES, words: new Words(STATUS_WORDS.risks) },
  issues: { values: ISSUE_STATUSES, words: new Words(STATUS_WORDS.issues) },
  people: { values: PERSON_STATUSES, words: new Words(STATUS_WORDS.people) },
  projects: { values: PROJECT_STATUSES, words: new Words(STATUS_WORDS.projects) },
}
const RESPONSES: Vocabulary = { values: RISK_RESPONSES, words: new Words(RESPONSE_WORDS) }
const SEVERITIES: Vocabulary = { values: ISSUE_SEVERITIES, words: new Words(SEVERITY_WORDS) }

const STEP = /^[1-5]?$/
const DAY = /^(?:\d{4}-\d\d-\d\d)?$/
/** A trimmed id as an export writes it, or a blank. */
export const OWN_ID = /^(?:[a-z]{3}_[0-9a-z]{26})?$/

/** The form in which each field is taken as it is, once it is trimmed; other fields take any text. */
const FORMS: Readonly<Record<string, RegExp | readonly string[]>> = {
  ...{ likelihood: STEP, impact: STEP, residualLikelihood: STEP, residualImpact: STEP },
  ...{ raisedOn: DAY, dueOn: DAY, reviewOn: DAY },
  scoreGiven: /^\d{0,2}$/,
  response: RISK_RESPONSES,
  severity: ISSUE_SEVERITIES,
}

/** Whether a value is taken for a field as it is; undefined for a field that takes any text. */
export function isOwnValue(noun: SheetNoun, field: string, value: string): boolean | undefined {
  const form = field === 'status' ? STATUSES[noun]?.values : FORMS[field]
  return form && isOfForm(form, value.trim())
}

/** Whether every value of the fields that are there has our own form, so that nothing is left to guess. */
export function isOwnForm(noun: SheetNoun, present: readonly string[], records: readonly SheetRecord[]): boolean {
  // Without a reference, ids of another form are references themselves.
  const isNamed = ['reference', 'externalId', 'key', 'email', 'name'].some((field) => present.includes(field))
  const forms: Partial<typeof FORMS> = { ...FORMS, status: STATUSES[noun]?.values, id: isNamed ? undefined : OWN_ID }
  return present.every((field) => {
    const form = forms[field]
    // Each distinct value is tested once: most columns of a large sheet have few.
    const texts = form && new Set(records.map(({ values }) => values[field]))
    return !texts || [...texts].every((value) => isOfForm(form, String(value ?? '').trim()))
  })
}

function isOfForm(form: RegExp | readonly string[], text: string): boolean {
  return form instanceof RegExp ? form.test(text) : text === '' || valueNamed(form, text) !== undefined
}

/** Longer texts are sentences. */
const WORD_CHARACTERS_MAX = 80

export function readStatus(column: Column, noun: SheetNoun, isNamed = false): Reading | undefined {
  const vocabulary = STATUSES[noun]
  return vocabulary && readWords(column, vocabulary, { isNamed })
}

/** A treatment is a response if it is one in most rows; else it is a plan in words. */
export function readResponse(column: Column): Reading | undefined {
  return readWords(column, RESPONSES)
}

function valueNamed(values: readonly string[], text: string): string | undefined {
  const name = text.trim().toUpperCase().replaceAll(/[ -]/g, '_')
  return values.find((one) => one === name)
}

/** Words of a vocabulary; undefined if most rows have something else, unless the column has the very name of the field. */
function readWords(
  part: Column,
  { values, words }: Vocabulary,
  { isNamed = false, read = (text: string) => valueNamed(values, text) ?? words.get(text) } = {},
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
  const isNumbered = texts.length > 0 && texts.every(({ text }) => NUMBERED.test(text))
  const { values, words } = SEVERITIES
  const numbers = texts.map(({ text }) => Number(NUMBERED.exec(text)?.[2] ?? Number.NaN))
  const least = numbers.includes(0) ? 0 : 1
  const severityOf = (number = 0): IssueSeverity => (['CRITICAL', 'HIGH', 'MEDIUM'] as const)[number - least] ?? 'LOW'
  const wordOf = (text: string) => {
    const [, prefix, number] = NUMBERED.exec(text) ?? []
    if (prefix !== undefined) return severityOf(Number(number))
    return valueNamed(values, text) ?? words.get(text.replace(NUMBER_BEFORE, ''))
  }
  if (!isNumbered) return readWords(column, SEVERITIES, { isNamed, read: wordOf })
  const isPrefixed = texts.every(({ text }) => /^\D/.test(text))
  if (!isPrefixed && !(isTurned(column.heading) ?? /prio/i.test(plain(column.heading)))) {
    const line = `{ "from": ${JSON.stringify(column.heading)}, "values": { "1": "CRITICAL", "2": "HIGH", "3": "MEDIUM", "4": "LOW" } }`
    const open = `${column.heading} has numbers, and whether the highest or the lowest is the most severe is open.`
    return { rule: {}, question: `${open} Say it in a map: "severity": ${line}.` }
  }
  const becomes = texts.map(({ text }, at): [string, Scalar] => [text, severityOf(numbers[at])])
  const how = becomes.map(([text, severity]) => `${text} = ${severity}`).join(', ')
  return {
    rule: { values: byFoldedText([...blankValues(column), ...becomes]) },
    how: `the lowest number is the most severe: ${how}`,
  }
}

/** The score in the middle of each level, for a source that gives a level and no factors. */
const LEVEL_SCORES: Readonly<Record<string, number>> = { 1: 1, 2: 3, 3: 6, 4: 12, 5: 20 }
const SEVERITY_SCORES: Readonly<Record<string, number>> = { LOW: 3, MEDIUM: 6, HIGH: 12, CRITICAL: 20 }
const LEVELS = new Words<string>(STEPS, {
  2: 'green, grün, vert, verde, zielony, 绿',
  3: 'amber, yellow, gelb, jaune, orange, amarillo, amarelo, żółty, 黄',
  4: 'red, rot, rouge, rojo, vermelho, czerwony, 红',
})

/** The score of risks whose factors the source does not give: a number up to 25 or 100, or a level in words. */
export function readScore(column: Column): Reading | undefined {
  const texts = column.texts.filter(({ text }) => !isBlankWord(text))
  if (texts.length === 0 || column.longest > WORD_CHARACTERS_MAX) return undefined
  // `Number` ignores the blank before the sign.
  const numbers = texts.map(({ text }) => Number(text.replace(',', '.').replace(/%$/, '')))
  const levels = 'levels, as scores in the middle of each'
  if (numbers.some(Number.isNaN)) return scored(readWords(column, { values: [], words: LEVELS }), LEVEL_SCORES, levels)
  const most = Math.max(...numbers)
  if (column.isOverfull || Math.min(...numbers) < 0 || most > 100) return undefined
  const isFraction = most <= 1 && numbers.some((number) => !Number.isInteger(number))
  if (isFraction) return undefined
  const isShare = most > SCORE_MAX || /%$/.test(texts[0]?.text ?? '')
  const top = isShare ? 100 : SCORE_MAX
  const how = isShare ? 'scores up to 100, as parts of 25' : 'scores from 0 to 25 as they are'
  return parts(column, texts, numbers, top, how)
}

/** The score of risks by a level: in words, as P1 or S1, or in numbers up to 5 or 10, which are no score yet. */
export function readLevel(column: Column): Reading | undefined {
  if (column.longest > WORD_CHARACTERS_MAX) return undefined
  const texts = column.texts.filter(({ text }) => !isBlankWord(text))
  if (texts.length > 0 && texts.every(({ text }) => /^\D/.test(text) && NUMBERED.test(text)))
    return scored(readSeverity(column), SEVERITY_SCORES, 'the lowest number is the most')
  const numbers = texts.map(({ text }) => Number(text.replace(',', '.')))
  const most = Math.max(0, ...numbers)
  if (numbers.some(Number.isNaN) || most > 10) return readScore(column)
  if (numbers.length === 0) return undefined
  const top = most > 5 ? 10 : 5
  return { ...parts(column, texts, numbers, top, `numbers up to ${top}, as parts of ${SCORE_MAX}`), isLossy: true }
}

/** A level in words; numbers under such a heading may be anything, as money or a rank. */
export function readRating(column: Column): Reading | undefined {
  return column.texts.every(({ text }) => NUMERIC.test(text) || isBlankWord(text)) ? undefined : readLevel(column)
}

function parts(column: Column, texts: readonly Occurrence[], numbers: readonly number[], most: number, how: string) {
  const blanks = byFoldedText(blankValues(column))
  const scoreOf = (number: number) => Math.round((number * SCORE_MAX) / most)
  const isForeign = texts.some(({ text }, at) => text !== String(scoreOf(numbers[at] ?? 0)))
  // Of several numbers with one score the highest is the bound.
  const bounds = new Map(Array.from({ length: most + 1 }, (_, number) => [scoreOf(number), number]))
  const bands = Array.from(bounds, ([score, bound]): Band => [bound, score])
  return { rule: { values: blanks, ...(isForeign && { bands }) }, how, isLossy: isForeign }
}

function scored(reading: Reading | undefined, scores: Readonly<Record<string, number>>, how: string) {
  if (!reading) return undefined
  const values = new Map(Array.from(reading.rule.values ?? [], ([text, one]) => [text, scores[String(one)] ?? '']))
  const shown = [...values].flatMap(([text, score]) => (score === '' ? [] : `${text} = ${score}`))
  const choices = Object.values(scores).map(String)
  return { ...reading, rule: { values }, how: `${how}: ${shown.join(', ')}`, isLossy: true, choices }
}
