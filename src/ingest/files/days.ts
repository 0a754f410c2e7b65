import { oncePer, oncePerPair } from '../../caches.js'
import { isDay } from '../../fields.js'
import { plain } from '../../text.js'
import { attempt } from './table.js'

/** The date formats of another program, such as dd/MMM/yy, and the languages of its month names besides English. */
export type DayPattern = Readonly<Record<'texts' | 'languages', readonly string[]>>

const PARTS = new Map([
  ['yyyy', '(?<year>\\d{4})'],
  ['yy', '(?<year>\\d\\d)'],
  ['MMM', '(?<month>[\\p{L}\\p{M}]+\\.?)'],
  ['MM', '(?<month>\\d\\d)'],
  ['M', '(?<month>\\d\\d?)'],
  ['dd', '(?<day>\\d\\d)'],
  ['d', '(?<day>\\d\\d?)'],
])
const PART = /(yyyy|yy|MMM|MM|M|dd|d)/

/** What is wrong with a date pattern, if anything is. */
export function patternViolation(text: string): string | undefined {
  const pieces = text.split(PART)
  const kinds = pieces.filter((piece) => PARTS.has(piece)).map((part) => part.charAt(0))
  if (kinds.toSorted().join('') !== 'Mdy')
    return 'must have one day, one month and one year: dd or d; MMM, MM or M; yyyy or yy'
  // T precedes the time in ISO 8601; h, m and s are parts of a time in other programs' patterns.
  const stray = pieces.find((piece) => !PARTS.has(piece) && /[a-su-z]/i.test(piece))
  return stray && `must not have "${stray.trim()}" in it: text after the day is ignored anyway`
}

const ISO_DAY = /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)$/

/** The regular expressions of a pattern, by which a whole column is read. */
const regexpsOf = oncePer(({ texts }: DayPattern) => [
  ...texts.map(regexpOf),
  // The days of a workbook are written so, whatever the texts beside them are.
  ISO_DAY,
])

function regexpOf(text: string): RegExp {
  const pieces = text.split(PART)
  const source = pieces.map((piece) => PARTS.get(piece) ?? piece.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('')
  // Otherwise `yy` would read 2026 as the year 2020.
  const end = pieces.findLast((piece) => PARTS.has(piece)) === 'yy' ? '(?!\\d)' : ''
  return new RegExp(`^${source}${end}`, 'iu')
}

/** The day at the start of a text, as YYYY-MM-DD, or why there is none. One that is so written is always read. */
export function dayIn(text: string, pattern: DayPattern): { day: string } | { violation: string } {
  // 3 de febrero de 2026
  const bare = withoutWeekday(text.trim()).replaceAll(/ de /gi, ' ')
  let wrong: string | undefined
  for (const regexp of regexpsOf(pattern)) {
    const { year = '', month = '', day = '' } = regexp.exec(bare)?.groups ?? {}
    if (year === '') continue
    const number = /^\d/.test(month) ? Number(month) : monthNumber(pattern.languages, month)
    if (number === undefined) continue
    const iso = `${year.padStart(4, '20')}-${String(number).padStart(2, '0')}-${day.padStart(2, '0')}`
    if (isDay(iso)) return { day: iso }
    wrong = iso
  }
  const format = `the format of the map, ${pattern.texts.join(' or ')}`
  return { violation: wrong ? `There is no day ${wrong} (read in ${format}).` : `Must begin with a day in ${format}.` }
}

const WEEKDAY = /^(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,? /i

/** Mon Apr 21 2025 is how programs write a date and its time. */
export function withoutWeekday(text: string): string {
  return text.replace(WEEKDAY, '')
}

/** Fewer letters are no abbreviation that people use. */
const LETTERS_MIN = 3

/**
 * The number of a month by its name or the beginning of it, in English or one of these languages. Found once: a column
 * has the same twelve names over and over.
 */
export const monthNumber = oncePerPair((languages: readonly string[], text: string) => {
  const names = ['en', ...languages].flatMap(namesOf)
  const wanted = withoutDots(text)
  const exact = names.find(([name]) => name === wanted)
  if (exact) return exact[1]
  // No beginning of März.
  if (wanted === 'mrz' && languages.includes('de')) return 3
  if (wanted.length < LETTERS_MIN) return undefined
  const months = new Set(names.filter(([name]) => name.startsWith(wanted)).map(([, month]) => month))
  // `jui` may be juin or juillet.
  return months.size === 1 ? [...months][0] : undefined
})

function withoutDots(name: string): string {
  return plain(name).replaceAll('.', '')
}

export function isMonthLanguage(language: string): boolean {
  return attempt(() => Intl.DateTimeFormat.supportedLocalesOf(language))?.length === 1
}

const namesByLanguage = new Map<string, readonly (readonly [name: string, month: number])[]>()

function namesOf(language: string) {
  const before = namesByLanguage.get(language)
  if (before) return before
  // Beside a day, some languages inflect the name: styczeń, 3 stycznia.
  const forms = [{ month: 'long' }, { month: 'short' }, { day: 'numeric', month: 'long' }] as const
  const names = forms.flatMap((form) => {
    const format = new Intl.DateTimeFormat(language, { ...form, timeZone: 'UTC' })
    return Array.from({ length: 12 }, (_, index) => {
      const part = format.formatToParts(Date.UTC(2026, index, 1)).find(({ type }) => type === 'month')
      return [withoutDots(part?.value ?? ''), index + 1] as const
    })
  })
  namesByLanguage.set(language, names)
  return names
}
