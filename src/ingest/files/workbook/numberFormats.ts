import { excerpt } from '../table.js'
import type { XmlReader } from './xml.js'
import { BadZip } from './zip.js'

export type NumberFormat = (value: number) => string

const DAY_MS = 86_400_000
const LAST_DAY = Date.UTC(9999, 11, 31)
// Excel's first calendar has a February 29th in 1900, as Lotus 1-2-3 had.
const FALSE_LEAP_DAY = 60
/** The serial of the day from which the other calendar counts, 1904-01-01. */
const SERIAL_1904 = 1_462

/** The formats that have a number and no code in a file; Excel has others for East Asian days. */
const BUILT_IN: ReadonlyMap<number, string> = new Map([
  [9, '0%'],
  [10, '0.00%'],
  ...[14, 15, 16, 17, 22, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58].map((id) => [id, 'yyyy-mm-dd'] as const),
  ...[18, 19, 20, 21, 32, 33, 34, 35, 45, 47, 55, 56].map((id) => [id, 'hh:mm'] as const),
])

export function formatsOf(xml: XmlReader, is1904: boolean): NumberFormat[] {
  const codes = new Map<number, string>()
  const styles: number[] = []
  let isCells = false
  for (let event = xml.next(); event; event = xml.next()) {
    if (xml.name === 'cellXfs' && event !== 'text') isCells = event === 'open'
    if (event !== 'open') continue
    const id = Number(xml.attribute('numFmtId') ?? 0)
    if (xml.name === 'numFmt') codes.set(id, formatCode(xml))
    if (xml.name === 'xf' && isCells) styles.push(id)
  }
  const first = is1904 ? SERIAL_1904 : 0
  const formatFor = (id: number) => formatOf(codes.get(id) ?? BUILT_IN.get(id) ?? 'General', first)
  const formats = new Map(Array.from(new Set(styles), (id) => [id, formatFor(id)]))
  return styles.flatMap((id) => formats.get(id) ?? [])
}

function formatCode(xml: XmlReader): string {
  const code = xml.attribute('formatCode') ?? ''
  if (code.length <= FORMAT_CHARACTERS_MAX) return code
  const most = FORMAT_CHARACTERS_MAX.toLocaleString('en')
  throw new BadZip(`The number format ${JSON.stringify(excerpt(code))} has more than ${most} characters. Shorten it.`)
}

/** Excel takes 255. */
const FORMAT_CHARACTERS_MAX = 1_000
const LITERALS = /"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\][]*\]|am\/pm|a\/p/gi

function formatOf(code: string, first: number): NumberFormat {
  const bare = code.replaceAll(LITERALS, '').split(';')[0] ?? ''
  if (/general|@/i.test(bare)) return plain
  if (bare.includes('%')) return percentage(/\.([0#?]+)/.exec(bare)?.[1]?.length ?? 0)
  // Hours that go on beyond a day are a duration.
  if (bare.includes('[')) return plain
  const hasTime = /[hs]/i.test(bare)
  if (/[dy]/i.test(bare) || (!hasTime && /m/i.test(bare))) return (value) => dayOf(value, first) ?? plain(value)
  if (hasTime) return timeOf
  return numbered(code) ?? plain
}

/** A number without the noise of binary fractions: a spreadsheet has 15 digits. */
export function plain(value: number): string {
  return Number.isSafeInteger(value) ? String(value) : String(Number(value.toPrecision(15)))
}

function percentage(decimals: number): NumberFormat {
  return (value) => `${Number((value * 100).toPrecision(15)).toFixed(Math.min(decimals, 15))}%`
}

/** A running number such as R-007, by a format such as "R-"000. */
function numbered(code: string): NumberFormat | undefined {
  const [, quoted, escaped, zeros = ''] = /^(?:"([^"]*)"|((?:\\.|[-/ ])*))(0+)$/.exec(code) ?? []
  const prefix = quoted ?? escaped?.replaceAll('\\', '') ?? ''
  const isNumbering = zeros.length > 1 || /\p{L}/u.test(prefix)
  if (zeros === '' || !isNumbering) return undefined
  const isNumber = (value: number) => Number.isSafeInteger(value) && value >= 0
  return (value) => (isNumber(value) ? `${prefix}${String(value).padStart(zeros.length, '0')}` : plain(value))
}

/** The day of a serial, whatever its time; undefined if the calendar does not have it. */
function dayOf(value: number, first: number): string | undefined {
  const serial = Math.floor(value) + first
  if (serial === FALSE_LEAP_DAY) return '1900-02-29'
  const day = Date.UTC(1899, 11, serial < FALSE_LEAP_DAY ? 31 : 30) + serial * DAY_MS
  return value >= 0 && serial >= 1 && day <= LAST_DAY ? new Date(day).toISOString().slice(0, 10) : undefined
}

function timeOf(value: number): string {
  const seconds = Math.round((value - Math.floor(value)) * 86_400) % 86_400
  const time = new Date(seconds * 1_000).toISOString().slice(11, 19)
  return time.endsWith(':00') ? time.slice(0, 5) : time
}
