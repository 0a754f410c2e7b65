import { isDay } from '../../fields.js'

/** The date formats of another program, such as dd/MMM/yy, and the languages of its month names besides English. */
export interface DayPattern {
  readonly texts: readonly string[]
  readonly languages: readonly string[]
  readonly regexps: readonly RegExp[]
}

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

/** Parses a date pattern or several, of which the first that fits counts; or says what is wrong with them. */
export function dayPattern(
  texts: readonly string[],
  languages: readonly string[] = [],
): { pattern: DayPattern } | { violation: string } {
  const parsed = texts.map(regexpOf)
  const invalid = parsed.find((one) => 'violation' in one)
  const regexps = parsed.flatMap((one) => ('regexp' in one ? one.regexp : []))
  return invalid ?? { pattern: { texts, languages, regexps } }
}

export function patternAt({ texts, languages, regexps }: DayPattern, text: string): DayPattern {
  const regexp = regexps[texts.indexOf(text)]
  return { texts: [text], languages, regexps: regexp ? [regexp] : [] }
}

function regexpOf(text: string): { regexp: RegExp } | { violation: string } {
  const pieces = text.split(PART)
  const parts = pieces.filter((piece) => PARTS.has(piece))
  const kinds = parts.map((part) => part.charAt(0))
  if (!['y', 'M', 'd'].every((kind) => kinds.filter((one) => one === kind).length === 1)) {
    return { violation: 'must have one day, one month and one year: dd or d; MMM, MM or M; yyyy or yy' }
  }
  // T precedes the time in ISO 8601; h, m and s are parts of a time in other programs' patterns.
  const stray = pieces.find((piece) => !PARTS.has(piece) && /[a-su-z]/i.test(piece))
  if (stray) return { violation: `must not have "${stray.trim()}" in it: text after the day is ignored anyway` }
  const source = pieces.map((piece) => PARTS.get(piece) ?? piece.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('')
  // Otherwise `yy` would read 2026 as the year 2020.
  const end = parts.at(-1) === 'yy' ? '(?!\\d)' : ''
  return { regexp: new RegExp(`^${source}${end}`, 'iu') }
}

const ISO_DAY = /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)$/

/** The day at the start of a text, as YYYY-MM-DD, or why there is none. One that is so written is always read. */
export function dayIn(text: string, pattern: DayPattern): { day: string } | { violation: string } {
  const { texts, languages, regexps } = pattern
  // 3 de febrero de 2026
  const plain = withoutWeekday(text.trim()).replaceAll(/ de /gi, ' ')
  const format = () => `the format of the map, ${texts.join(' or ')}`
  let wrong: string | undefined
  // The days of a workbook are written so, whatever the texts beside them are.
  for (const regexp of [...regexps, ISO_DAY]) {
    const { year = '', month = '', day = '' } = regexp.exec(plain)?.groups ?? {}
    if (year === '') continue
    const number = /^\d/.test(month) ? Number(month) : monthNumber(month, languages)
    if (number === undefined) continue
    const iso = `${year.padStart(4, '20')}-${String(number).padStart(2, '0')}-${day.padStart(2, '0')}`
    if (isDay(iso)) return { day: iso }
    wrong = iso
  }
  return {
    violation: wrong ? `There is no day ${wrong} (read in ${format()}).` : `Must begin with a day in ${format()}.`,
  }
}

const WEEKDAY = /^(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,? /i

/** Mon Apr 21 2025 is how programs write a date and its time. */
export function withoutWeekday(text: string): string {
  return text.replace(WEEKDAY, '')
}

/** Fewer letters are no abbreviation that people use. */
const LETTERS_MIN = 3

const namesByLanguage = new Map<string, readonly (readonly [name: string, month: number])[]>()

/** Months that were found, by languages and text: a column has the same twelve names over and over. */
const found = new Map<string, number>()

/** The number of a month by its name or the beginning of it, in English or one of these languages. */
export function monthNumber(text: string, languages: readonly string[]): number | undefined {
  const key = `${languages.join()} ${text}`
  const month = found.get(key) ?? searched(plain(text), languages)
  if (month !== undefined) found.set(key, month)
  return month
}

function searched(wanted: string, languages: readonly string[]): number | undefined {
  const names = ['en', ...languages].flatMap(namesOf)
  const exact = names.find(([name]) => name === wanted)
  if (exact) return exact[1]
  // No beginning of März.
  if (wanted === 'mrz' && languages.includes('de')) return 3
  if (wanted.length < LETTERS_MIN) return undefined
  const months = new Set(names.filter(([name]) => name.startsWith(wanted)).map(([, month]) => month))
  // `jui` may be juin or juillet.
  return months.size === 1 ? [...months][0] : undefined
}

export function isMonthLanguage(language: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(language).length === 1
  } catch {
    return false
  }
}

function namesOf(language: string): readonly (readonly [string, number])[] {
  const before = namesByLanguage.get(language)
  if (before) return before
  // Beside a day, some languages inflect the name: styczeń, 3 stycznia.
  const forms = [{ month: 'long' }, { month: 'short' }, { day: 'numeric', month: 'long' }] as const
  const names = forms.flatMap((form) => {
    const format = new Intl.DateTimeFormat(language, { ...form, timeZone: 'UTC' })
    return Array.from({ length: 12 }, (_, index) => {
      const part = format.formatToParts(Date.UTC(2026, index, 1)).find(({ type }) => type === 'month')
      return [plain(part?.value ?? ''), index + 1] as const
    })
  })
  namesByLanguage.set(language, names)
  return names
}

function plain(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/[\p{M}.]/gu, '')
    .toLowerCase()
}
