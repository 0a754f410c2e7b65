import { dayIn, monthNumber, withoutWeekday } from '../days.js'
import { type Column, isBlankWord, type Occurrence, occurrencesInWords, type Reading } from './column.js'
import { byFoldedText } from './scales.js'

/** Whether the day or the month comes first in dates such as 03/04/2026. */
export const DATE_ORDERS = ['dmy', 'mdy'] as const
export type DateOrder = (typeof DATE_ORDERS)[number]

const LANGUAGES = ['de', 'fr', 'es', 'pt', 'pl', 'zh']

const ISO_DAY = /^\d{4}-\d{2}-\d{2}$/
const YEAR_FIRST = /^\d{4}([-/.])\d{1,2}\1\d{1,2}(?!\d)/
const CHINESE = /^\d{4}年\d{1,2}月\d{1,2}日/u
const NUMERIC = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?!\d)/
const DAY_MONTH_NAME = /^\d{1,2}(\.?[ /-])(\p{L}+)(\.?)(,?[ /-])(\d{4}|\d{2})(?!\d)/u
const MONTH_NAME_DAY = /^(\p{L}+)(\.?) \d{1,2}(,? )\d{4}(?!\d)/u

/** A text as a date: its pattern, by the order where that matters. */
interface DayForm extends Occurrence {
  readonly pattern: (order: DateOrder) => string
  /** The two numbers whose order is open. */
  readonly pair?: readonly [number, number]
  readonly separator?: string
  readonly month?: string
}

function formOf(one: Occurrence): DayForm | undefined {
  const text = withoutWeekday(one.text)
  const fixed = (pattern: string, month?: string) => ({ ...one, pattern: () => pattern, ...(month && { month }) })
  const yearFirst = YEAR_FIRST.exec(text)?.[1]
  if (yearFirst !== undefined) return fixed(`yyyy${yearFirst}M${yearFirst}d`)
  if (CHINESE.test(text)) return fixed('yyyy年M月d日')
  const named = DAY_MONTH_NAME.exec(text)
  if (named) return fixed(`d${named[1]}MMM${named[4]}${yearOf(named[5])}`, named[2])
  const monthFirst = MONTH_NAME_DAY.exec(text)
  if (monthFirst) return fixed(`MMM d${monthFirst[3]}yyyy`, monthFirst[1])
  const numeric = NUMERIC.exec(text)
  if (!numeric) return undefined
  const [, first, separator = '', second, year] = numeric
  const pattern = (order: DateOrder) => [...(order === 'dmy' ? ['d', 'M'] : ['M', 'd']), yearOf(year)].join(separator)
  return { ...one, pattern, separator, pair: [Number(first), Number(second)] }
}

export function hasDays({ texts }: Column): boolean {
  return texts.some((one) => formOf(one) !== undefined)
}

function yearOf(digits = ''): string {
  return digits.length === 4 ? 'yyyy' : 'yy'
}

export function ordersIn(column: Column): Set<DateOrder> {
  return ordersOf(column.whole().texts.flatMap((one) => formOf(one) ?? []))
}

function ordersOf(forms: readonly DayForm[]): Set<DateOrder> {
  const orders = new Set<DateOrder>()
  for (const { pair, separator } of forms) {
    if (!pair) continue
    // Only the day comes first in dates with dots.
    if (pair[0] > 12 || separator === '.') orders.add('dmy')
    else if (pair[1] > 12) orders.add('mdy')
  }
  return orders
}

/** How a column gives days; undefined if it does not. `given` decides what the column leaves open. */
export function readDays(part: Column, field: string, given: DateOrder | undefined): Reading | undefined {
  const column = part.whole()
  const texts = column.texts.filter(({ text }) => !isBlankWord(text))
  if (texts.length === 0 || column.longest > 100) return undefined
  const forms = texts.flatMap((one) => formOf(one) ?? [])
  if (forms.length * 2 < texts.length) return undefined
  const orders = ordersOf(forms)
  const isOpen = forms.some(({ pair }) => pair && pair[0] !== pair[1])
  const order = orders.size === 1 ? [...orders][0] : given
  if (orders.size === 2) return { rule: {}, question: mixed(column, forms) }
  if (isOpen && order === undefined) return { rule: {}, question: open(column, field, forms) }
  const reading = readingOf(column, texts, forms, order ?? 'dmy')
  const mixture = mixtureOf(column, forms)
  const warnings = [reading.warning, mixture?.warning].filter((one) => one !== undefined)
  return { ...reading, ...mixture, warning: warnings.join(' ') || undefined }
}

/** Where a spreadsheet read 10/05 as 5 October and left 14/05 a text, the dates are wrong and look right. */
function mixtureOf({ heading }: Column, forms: readonly DayForm[]): Pick<Reading, 'question' | 'warning'> | undefined {
  const dates = forms.filter(({ text }) => ISO_DAY.test(text))
  const texts = forms.filter(({ pair, separator }) => pair && separator !== '.')
  if (dates.length === 0 || texts.length === 0) return undefined
  const both = `${heading}: ${occurrencesInWords(dates)} are dates, and ${occurrencesInWords(texts)} are texts.`
  const isSwappable = dates.every(({ text }) => Number(text.slice(8)) <= 12)
  const isSame = dates.every(({ text }) => text.slice(5, 7) === text.slice(8))
  if (!isSwappable || isSame) return { warning: `${both} Are the dates right?` }
  const why = 'The program may have swapped day and month of the dates, as none has a day above 12.'
  return { question: `${both} ${why} Correct the column; or, if they are right, import with the map of --suggest-map.` }
}

function readingOf(column: Column, texts: readonly Occurrence[], forms: readonly DayForm[], order: DateOrder): Reading {
  const patterns = [...new Set(forms.map(({ pattern }) => pattern(order)))]
  const date = { texts: patterns, languages: languagesOf(forms) }
  const strange = texts.filter(({ text }) => !('day' in dayIn(text, date)))
  const blank = column.texts.filter(({ text }) => isBlankWord(text))
  const values = byFoldedText([...blank, ...strange].map(({ text }) => [text, '']))
  const isOwn = strange.length === 0 && texts.every(({ text }) => ISO_DAY.test(text))
  return {
    rule: { ...(values.size > 0 && { values }), ...(!isOwn && { date }) },
    how: isOwn ? undefined : patterns.join(' or '),
    ...(strange.length > 0 && {
      isLossy: true,
      warning: `${column.heading}: no day in ${occurrencesInWords(strange)}; left blank there, and kept in details.`,
    }),
  }
}

/** The languages, besides English, that the month names of a column need. */
function languagesOf(forms: readonly DayForm[]): string[] {
  const names = [...new Set(forms.flatMap(({ month }) => month ?? []))]
  const foreign = names.filter((name) => monthNumber([], name) === undefined)
  if (foreign.length === 0) return []
  const reads = (language: string) => foreign.filter((name) => monthNumber([language], name) !== undefined).length
  return LANGUAGES.toSorted((one, other) => reads(other) - reads(one)).slice(0, 1)
}

function open({ heading }: Column, field: string, forms: readonly DayForm[]): string {
  const text = forms.find(({ pair }) => pair && pair[0] !== pair[1])
  const line = (order: DateOrder) => `"date": ${JSON.stringify(text?.pattern(order))}`
  const open = `${heading}: dates such as ${text?.text} may have the day or the month first, and no row shows which.`
  const map = `"${field}": { "from": ${JSON.stringify(heading)}, ${line('dmy')} } or ${line('mdy')}`
  return `${open} Say it with --date-order dmy or --date-order mdy, or in a map: ${map}.`
}

function mixed({ heading }: Column, forms: readonly DayForm[]): string {
  const shown = [0, 1].flatMap((at) => forms.find(({ pair }) => (pair?.[at] ?? 0) > 12) ?? [])
  return `${heading}: some dates have the day first and some the month, as in ${occurrencesInWords(shown)}. Correct the column.`
}
