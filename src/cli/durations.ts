import { isDay } from '../fields.js'
import { WrongUsage } from './command.js'

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A duration such as 30m, 24h or 90d, in milliseconds. */
export function readDuration(flag: string, text: string, or = ''): number {
  const [, amount, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  const unitMs = UNIT_MS[unit]
  if (amount === undefined || unitMs === undefined) {
    throw new WrongUsage(`${flag} is ${JSON.stringify(text)}; it must be a duration such as 30m, 24h or 90d${or}.`)
  }
  return Number(amount) * unitMs
}

/** The end of a validity: after a duration, or at the end of a day (UTC). */
export function readEnd(flag: string, text: string, now: Date): Date {
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(text)
  if (isDate && !isDay(text))
    throw new WrongUsage(`${flag} is ${JSON.stringify(text)}, which is not a date. A date looks like 2027-01-31.`)
  const end = isDate
    ? new Date(`${text}T23:59:59.999Z`)
    : new Date(now.getTime() + readDuration(flag, text, ', or a day such as 2027-01-31'))
  if (end <= now) throw new WrongUsage(`${flag} is ${text}, which is in the past. Give a time in the future.`)
  return end
}

/** The start of a period: a duration ago, an instant, or the start of a day (UTC). */
export function readPast(flag: string, text: string, now: Date): Date {
  if (/^\d+[mhd]$/.test(text)) return new Date(now.getTime() - readDuration(flag, text))
  const isInstant = /^\d{4}-\d{2}-\d{2}T.*(Z|[+-]\d{2}:\d{2})$/.test(text)
  const begin = new Date(isInstant ? text : isDay(text) ? `${text}T00:00:00.000Z` : Number.NaN)
  if (!Number.isNaN(begin.getTime())) return begin
  throw new WrongUsage(
    `${flag} is ${JSON.stringify(text)}; it must be 24h or 7d, a day such as 2027-01-31, or an instant.`,
  )
}
