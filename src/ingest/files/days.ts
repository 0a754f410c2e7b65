import { monthNumber } from './maps/months.js'

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
): { pattern: DayPattern } | { flaw: string } {
  const regexps: RegExp[] = []
  for (const text of texts) {
    const parsed = regexpOf(text)
    if ('flaw' in parsed) return parsed
    regexps.push(parsed.regexp)
  }
  return { pattern: { texts, languages, regexps } }
}

function regexpOf(text: string): { regexp: RegExp } | { flaw: string } {
  const pieces = text.split(PART)
  const parts = pieces.filter((piece) => PARTS.has(piece))
  const kinds = parts.map((part) => part.charAt(0))
  if (!['y', 'M', 'd'].every((kind) => kinds.filter((one) => one === kind).length === 1)) {
    return { flaw: 'must have one day, one month and one year: dd or d; MMM, MM or M; yyyy or yy' }
  }
  // T precedes the time in ISO 8601; h, m and s are parts of a time in other programs' patterns.
  const stray = pieces.find((piece) => !PARTS.has(piece) && /[a-su-z]/i.test(piece))
  if (stray) return { flaw: `must not have "${stray.trim()}" in it: text after the day is ignored anyway` }
  const source = pieces.map((piece) => PARTS.get(piece) ?? piece.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('')
  // Otherwise `yy` would read 2026 as the year 2020.
  const end = parts.at(-1) === 'yy' ? '(?!\\d)' : ''
  return { regexp: new RegExp(`^${source}${end}`, 'iu') }
}

/** The day at the start of a text, as YYYY-MM-DD, or why there is none. */
export function dayIn(text: string, { texts, languages, regexps }: DayPattern): { day: string } | { flaw: string } {
  const format = `the format of the map, ${texts.join(' or ')}`
  // 3 de febrero de 2026
  const plain = text.trim().replaceAll(/ de /gi, ' ')
  let flaw = `Must begin with a day in ${format}.`
  for (const regexp of regexps) {
    const { year = '', month = '', day = '' } = regexp.exec(plain)?.groups ?? {}
    const number = /^\d/.test(month) ? Number(month) : monthNumber(month, languages)
    if (year === '' || number === undefined) continue
    const iso = `${year.padStart(4, '20')}-${String(number).padStart(2, '0')}-${day.padStart(2, '0')}`
    if (isDay(iso)) return { day: iso }
    flaw = `There is no day ${iso} (read in ${format}).`
  }
  return { flaw }
}

function isDay(iso: string): boolean {
  const instant = new Date(`${iso}T00:00:00Z`)
  // `Date` may parse February 30th as March 2nd.
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(iso)
}
