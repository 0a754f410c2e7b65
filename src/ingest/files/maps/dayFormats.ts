import { type DayPattern, dayIn, patternAt } from '../days.js'
import type { DateOrder } from '../guess/dates.js'
import { folded, type Mapping, type Rule } from '../mapping.js'

/** A field whose map names several date formats, and the distinct texts of its column. */
interface DayColumn {
  readonly field: string
  readonly rule: Rule
  readonly date: DayPattern
  readonly texts: Set<string>
}

/** The cells of a row under a name. */
export type Cells = (name: string) => readonly string[]

/**
 * Chooses the date format of each column by all of its texts, where a map names several. What one column leaves open,
 * such as 3/6/2026, another may show, or the user says it; else the flaw asks for it.
 */
export function chooseDayFormats(
  mapping: Mapping,
  rows: () => Iterable<Cells>,
  given: DateOrder | undefined,
): { mapping: Mapping } | { flaw: string } {
  const columns = Array.from(mapping.rules).flatMap(([field, rule]): DayColumn[] =>
    rule.date && rule.date.texts.length > 1 ? [{ field, rule, date: rule.date, texts: new Set() }] : [],
  )
  if (columns.length === 0) return { mapping }
  for (const cells of rows()) for (const column of columns) addText(column, cells)
  const fitting = columns.map((column) => ({ column, formats: formatsFor(column) }))
  const shown = new Set(fitting.flatMap(({ formats }) => (formats.length === 1 ? formats : [])))
  const rules = new Map(mapping.rules)
  for (const { column, formats } of fitting) {
    const { field, rule, date } = column
    const rivals = rivalsAmong(column, formats)
    const isMeant = (format: string) => shown.has(format) || orderOf(format) === given
    const left = rivals.length > 1 ? rivals.filter(isMeant) : rivals
    if (rivals.length > 1 && left.length !== 1) return { flaw: question(column, rivals) }
    const [format] = left
    if (format !== undefined) rules.set(field, { ...rule, date: patternAt(date, format) })
  }
  return { mapping: { ...mapping, rules } }
}

function addText({ rule, texts }: DayColumn, cells: Cells): void {
  const text = rule.from.flatMap(cells).find((one) => one.trim() !== '')
  if (text !== undefined && !rule.values?.has(folded(text))) texts.add(text)
}

/** The formats that fit every text. */
function formatsFor({ date, texts }: DayColumn): string[] {
  const all = [...texts]
  if (all.length === 0) return []
  return date.texts.filter((format) => {
    const pattern = patternAt(date, format)
    return all.every((text) => 'day' in dayIn(text, pattern))
  })
}

/** One format for each reading of the texts. */
function rivalsAmong({ date, texts }: DayColumn, formats: readonly string[]): string[] {
  const [first, ...others] = formats
  if (first === undefined || others.length === 0) return [...formats]
  const dayBy = (format: string) => (text: string) => JSON.stringify(dayIn(text, patternAt(date, format)))
  const isOther = (format: string) => [...texts].some((text) => dayBy(format)(text) !== dayBy(first)(text))
  return [first, ...others.filter(isOther)]
}

function orderOf(format: string): DateOrder {
  return format.indexOf('d') < format.indexOf('M') ? 'dmy' : 'mdy'
}

function question({ field, rule, texts }: DayColumn, formats: readonly string[]): string {
  const [text] = texts
  const line = `"${field}": { "from": ${JSON.stringify(rule.from[0])}, "date": "${formats[0]}" }`
  const open = `${rule.from[0]}: days such as ${text} fit ${formats.join(' and ')}, and no row shows which.`
  return `${open} Say it with --date-order dmy or --date-order mdy, or in a map: ${line}.`
}
