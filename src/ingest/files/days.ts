/** A date format of another program, such as dd/MMM/yy. */
export interface DayPattern {
  readonly text: string
  readonly regexp: RegExp
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

const PARTS = new Map([
  ['yyyy', '(?<year>\\d{4})'],
  ['yy', '(?<year>\\d\\d)'],
  ['MMM', '(?<month>[a-z]{3})'],
  ['MM', '(?<month>\\d\\d)'],
  ['M', '(?<month>\\d\\d?)'],
  ['dd', '(?<day>\\d\\d)'],
  ['d', '(?<day>\\d\\d?)'],
])
const PART = /(yyyy|yy|MMM|MM|M|dd|d)/

/** Parses a date pattern, or says what is wrong with it. */
export function dayPattern(text: string): { pattern: DayPattern } | { flaw: string } {
  const pieces = text.split(PART)
  const parts = pieces.filter((piece) => PARTS.has(piece))
  const kinds = parts.map((part) => part.charAt(0))
  if (!['y', 'M', 'd'].every((kind) => kinds.filter((one) => one === kind).length === 1)) {
    return { flaw: 'must have one day, one month and one year: dd or d; MMM, MM or M; yyyy or yy' }
  }
  // T precedes the time in ISO 8601; h, m and s are parts of a time in other programs' patterns.
  const stray = pieces.find((piece) => !PARTS.has(piece) && /[a-su-z]/i.test(piece))
  if (stray) return { flaw: `must not have "${stray.trim()}" in it: text after the day is ignored anyway` }
  const source = pieces.map((piece) => PARTS.get(piece) ?? piece.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('')
  // Otherwise `yy` would read 2026 as the year 2020.
  const end = parts.at(-1) === 'yy' ? '(?!\\d)' : ''
  return { pattern: { text, regexp: new RegExp(`^${source}${end}`, 'i') } }
}

/** The day at the start of a text, as YYYY-MM-DD, or why there is none. */
export function dayIn(text: string, { text: form, regexp }: DayPattern): { day: string } | { flaw: string } {
  const { year = '', month = '', day = '' } = regexp.exec(text.trim())?.groups ?? {}
  const monthNumber = MONTHS.indexOf(month.toLowerCase()) + 1 || Number(month)
  if (year === '' || Number.isNaN(monthNumber))
    return { flaw: `Must begin with a day in the format of the map, ${form}.` }
  const iso = `${year.padStart(4, '20')}-${String(monthNumber).padStart(2, '0')}-${day.padStart(2, '0')}`
  return isDay(iso) ? { day: iso } : { flaw: `There is no day ${iso} (read in the format of the map, ${form}).` }
}

function isDay(iso: string): boolean {
  const instant = new Date(`${iso}T00:00:00Z`)
  // `Date` may parse February 30th as March 2nd.
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(iso)
}
