import type { SheetNoun } from '../../ingest/files/nouns.js'
import type { Sheet } from '../../ingest/files/sheet.js'
import type { Diagnostic } from '../../ingest/run.js'

/** A flaw or warning about one place in a file. */
export interface Finding {
  /** Absent if it is about the file as a whole. */
  readonly line?: number
  readonly column?: string
  readonly value?: string
  readonly detail: string
}

const MAP_HINT = 'Or say in a map which column it is: --suggest-map prints one to start with, --map takes it.'
const SHOWN_MAX = 10

/** The flaws of an import by their places; a column that is missing altogether is named once. */
export function flawsOf(noun: SheetNoun, sheet: Sheet, diagnostics: readonly Diagnostic[]): Finding[] {
  const present = sheet.records[0]?.values ?? {}
  const isMissing = ({ index, field }: Diagnostic) => index !== undefined && !Object.hasOwn(present, field)
  const missing = grouped(diagnostics.filter(isMissing), ({ field, detail }) => `${field}\n${detail}`)
  const once = Array.from(missing.values(), (all) => missingInWords(noun, all))
  const ofSheet = sheet.records.flatMap(({ line, flaws }) => flaws.map((flaw): Finding => ({ line, ...flaw })))
  const placed = diagnostics.filter((one) => !isMissing(one)).map((one) => findingOf(sheet, one))
  return [...once, ...ofSheet, ...placed].sort((one, other) => (one.line ?? 0) - (other.line ?? 0))
}

function missingInWords(noun: SheetNoun, all: readonly Diagnostic[]): Finding {
  const [{ field, detail } = { field: '', detail: '' }] = all
  const why = detail === 'Is needed.' ? `which ${all.length} new ${noun} need.` : `for ${all.length} ${noun}: ${detail}`
  return { detail: `There is no column ${field}, ${why} Name one ${field}. ${MAP_HINT}` }
}

/** The warnings of an import: one for all who are not on the roster, and one for each other sentence. */
export function warningsOf(sheet: Sheet, diagnostics: readonly Diagnostic[]): Finding[] {
  const strangers = diagnostics.filter(({ stranger }) => stranger !== undefined)
  const others = diagnostics.filter(({ stranger }) => stranger === undefined)
  const byField = grouped(strangers, ({ field }) => field)
  const bySentence = grouped(others, ({ field, detail }) => `${field}\n${detail}`)
  return [
    ...sheet.warnings.map((detail) => ({ detail })),
    ...Array.from(byField, ([field, all]) => strangersInWords(field, all)),
    ...Array.from(bySentence.values(), (all) => repeated(sheet, all)),
  ]
}

function strangersInWords(field: string, all: readonly Diagnostic[]): Finding {
  const names = [...new Set(all.map(({ stranger }) => stranger))]
  const rows = all.length === 1 ? '1 row names' : `${all.length} rows name`
  const people = names.length === 1 ? `1 ${field} who is` : `${names.length} ${field}s who are`
  const more = names.length > SHOWN_MAX ? ` and ${names.length - SHOWN_MAX} more` : ''
  const shown = `${names.slice(0, SHOWN_MAX).join('; ')}${more}`
  return { column: field, detail: `${rows} ${people} not on the roster: ${shown}. Kept as ${field}Name.` }
}

function repeated(sheet: Sheet, all: readonly Diagnostic[]): Finding {
  const [first] = all.map((one) => findingOf(sheet, one))
  if (!first) throw new Error('A group has at least one.')
  return all.length === 1 ? first : { ...first, detail: `${first.detail} (The same in ${all.length - 1} more.)` }
}

export function findingOf(sheet: Sheet, { index, field, detail }: Diagnostic): Finding {
  const record = index === undefined ? undefined : sheet.records[index]
  if (!record) return { detail }
  const value = record.values[field]
  return { line: record.line, column: sheet.columnOf(field), value: value == null ? '' : shown(value), detail }
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function grouped<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const one of all) {
    const group = groups.get(keyOf(one))
    if (group) group.push(one)
    else groups.set(keyOf(one), [one])
  }
  return groups
}
