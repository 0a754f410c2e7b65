import { rowsInWords } from '../../ingest/files/guess/column.js'
import type { Guess } from '../../ingest/files/guess/guess.js'
import type { Sheet } from '../../ingest/files/sheet.js'
import type { Diagnostic, ImportResult } from '../../ingest/run.js'
import { escapedLine } from '../../text.js'
import type { NounPlural } from '../../vocabulary.js'

export interface FileOutcome {
  readonly file: string
  /** What the lines of findings count. */
  readonly unit: Sheet['unit']
  /** What the user should know about how the file was read. */
  readonly notes: readonly string[]
  /** What was guessed about the columns, if anything was. */
  readonly guess?: Guess | undefined
  readonly isSound: boolean
  readonly isStored: boolean
  /** The id of the run; undefined if it changed nothing. */
  readonly importId?: string | undefined
  readonly records: number
  readonly counts: ImportResult['counts']
  readonly rejected: number
  readonly violations: readonly Finding[]
  readonly warnings: readonly Finding[]
  /** Closings of missing records that were refused; everything else is stored. */
  readonly notClosed: readonly Finding[]
  readonly ignored: readonly string[]
  readonly derived: readonly string[]
  /** Projects and groups that were created because they were unknown. */
  readonly made: readonly string[]
  /** The keys of the projects that the file has data of. */
  readonly projectKeys: readonly string[]
}

const SHOWN_MAX = 50

/** The result of a file, for people. */
export function outcomeInWords(
  outcome: FileOutcome,
  noun: NounPlural,
  flags: { dryRun?: true; report?: string },
): string {
  const { file, unit, notes, violations, warnings, notClosed, derived, ignored, made, importId } = outcome
  const more = (all: number) =>
    all > SHOWN_MAX
      ? [`  ... and ${all - SHOWN_MAX} more${flags.report ? `, in ${flags.report}` : ' (--report FILE.json has all)'}`]
      : []
  const lines = [
    ...notes.map((text) => escapedLine(`${file}: ${text}`)),
    ...listing(file, 'Computed, so not taken from the file', derived),
    ...listing(file, 'Unknown, so ignored', ignored),
    ...listing(file, flags.dryRun ? 'Unknown, so it would be created' : 'Unknown, so created', made),
    ...warnings.slice(0, SHOWN_MAX).map((finding) => `  warning: ${placed(finding, unit)}`),
    ...more(warnings.length),
    headline(outcome, noun, flags.dryRun ?? false),
    ...(importId === undefined ? [] : [`  This is ${importId}; to undo it: operations undo ${importId}`]),
    ...notClosed.map((finding) => `  not closed: ${placed(finding, unit)}`),
    ...violations.slice(0, SHOWN_MAX).map((finding) => `  ${placed(finding, unit)}`),
    ...more(violations.length),
  ]
  return lines.join('\n')
}

function headline(outcome: FileOutcome, noun: NounPlural, isDryRun: boolean): string {
  const { file, isSound, records, rejected, counts } = outcome
  const mode = isDryRun ? ' (dry run, nothing is stored)' : ''
  if (!isSound) {
    const hasRows = rejected > 0 && records > 0
    const which = hasRows ? `${amount(rejected)} of ${amount(records)} rows cannot be used` : 'it cannot be used'
    return `${file}${mode}: nothing was stored, because ${which}:`
  }
  const { created, updated, unchanged, closed } = counts
  const gone = noun === 'people' ? 'set INACTIVE' : 'closed'
  const done = [`${amount(created)} created`, `${amount(updated)} updated`, `${amount(closed)} ${gone}`]
  const parts = [...done.filter((text) => !text.startsWith('0 ')), `${amount(unchanged)} unchanged`].join(', ')
  const isSame = created + updated + closed === 0
  return `${file}${mode}: ${isSame ? `nothing has changed, ${parts}` : parts}.`
}

function listing(file: string, words: string, columns: readonly string[]): string[] {
  return columns.length === 0 ? [] : [escapedLine(`${file}: ${words}: ${columns.join(', ')}.`)]
}

function placed({ line, column, value, detail }: Finding, unit: string): string {
  if (line === undefined) return escapedLine(detail)
  const where = [`${unit} ${line}`, column || undefined].filter((part) => part !== undefined).join(', ')
  return escapedLine(`${where}${value ? ` ${JSON.stringify(value.slice(0, 100))}` : ''}: ${detail}`)
}

function amount(count: number): string {
  return count.toLocaleString('en')
}

/** The results of all files, for programs. */
export function reportOf(noun: NounPlural, outcomes: readonly FileOutcome[], flags: { dryRun?: true }) {
  const files = outcomes.map(({ isStored: stored, importId = null, counts, guess, ...outcome }) => {
    const { file, records, rejected, violations, warnings, notClosed, notes, ignored, derived, made } = outcome
    const findings = { violations, warnings, notClosed, notes, ...(guess && { guess: guessOf(guess) }) }
    return { file, stored, importId, records, ...counts, rejected, ...findings, ignored, derived, made }
  })
  const sum = (name: 'created' | 'updated' | 'unchanged' | 'closed' | 'rejected') =>
    files.reduce((total, file) => total + file[name], 0)
  const [created, updated, unchanged, closed] = [sum('created'), sum('updated'), sum('unchanged'), sum('closed')]
  const counts = { created, updated, unchanged, closed, rejected: sum('rejected') }
  return { noun, dryRun: flags.dryRun ?? false, ...counts, files }
}

function guessOf({ columns, kept, ignored, notes }: Guess) {
  return { columns, kept, ignored, notes }
}

const SAMPLE_CHARACTERS = 40

/** The guessed columns of a file, in words; printed before anything is stored. */
export function guessInWords(file: string, { columns, kept, ignored, notes }: Guess): string {
  const taken = columns.map(({ column, field, samples, how }) => {
    const shown = samples.map((sample) => JSON.stringify(shortened(sample))).join(', ')
    return `${oneLine(column)} → ${field}${shown && `: ${shown}`}${how === undefined ? '' : ` (${how})`}`
  })
  const left = ignored.map(({ column, why }) => `${oneLine(column)} (${why})`)
  const lines = [
    ...taken,
    ...(kept.length > 0 ? [`kept in details: ${kept.join('; ')}`] : []),
    ...(left.length > 0 ? [`ignored: ${left.join('; ')}`] : []),
    ...notes,
  ]
  const heading = `${file}: The columns were guessed. --map takes your own map, --suggest-map prints this one, --strict takes exact names only.`
  return [heading, ...lines.map((line) => `  ${line}`)].map(escapedLine).join('\n')
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ')
}

function shortened(text: string): string {
  const line = oneLine(text)
  return line.length > SAMPLE_CHARACTERS ? `${line.slice(0, SAMPLE_CHARACTERS)}…` : line
}

/** A violation or warning about one place in a file. */
export interface Finding {
  /** Absent if it is about the file as a whole. */
  readonly line?: number
  readonly column?: string
  readonly value?: string
  readonly detail: string
}

const MAP_HINT = 'Or say in a map which column it is: --suggest-map prints one to start with, --map takes it.'
const STRANGERS_MAX = 10

/** The violations of an import by their places; a column that is missing altogether is named once. */
export function violationsOf(noun: NounPlural, sheet: Sheet, diagnostics: readonly Diagnostic[]): Finding[] {
  const present = sheet.records[0]?.values ?? {}
  const isMissing = ({ index, field }: Diagnostic) => index !== undefined && !Object.hasOwn(present, field)
  const missing = grouped(diagnostics.filter(isMissing), ({ field, detail }) => `${field}\n${detail}`)
  const once = Array.from(missing.values(), (all) => missingInWords(noun, all))
  const ofSheet = sheet.records.flatMap(({ line, violations }) =>
    violations.map((violation): Finding => ({ line, ...violation })),
  )
  const placed = diagnostics.filter((one) => !isMissing(one)).map((one) => findingOf(sheet, one))
  return [...once, ...ofSheet, ...placed].sort((one, other) => (one.line ?? 0) - (other.line ?? 0))
}

function missingInWords(noun: NounPlural, all: readonly Diagnostic[]): Finding {
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
  const more = names.length > STRANGERS_MAX ? ` and ${names.length - STRANGERS_MAX} more` : ''
  const shown = `${names.slice(0, STRANGERS_MAX).join('; ')}${more}`
  return { column: field, detail: `${rows} ${people} not on the roster: ${shown}. Kept as ${field}Name.` }
}

function repeated(sheet: Sheet, all: readonly Diagnostic[]): Finding {
  const [first] = all.map((one) => findingOf(sheet, one))
  if (!first) throw new Error('A group has at least one.')
  const lines = all.slice(1).flatMap((one) => findingOf(sheet, one).line ?? [])
  return all.length === 1
    ? first
    : { ...first, detail: `${first.detail} (The same in ${rowsInWords(lines, all.length - 1)}.)` }
}

export function findingOf(sheet: Sheet, { index, field, detail }: Diagnostic): Finding {
  const record = index === undefined ? undefined : sheet.records[index]
  if (!record) return { detail }
  const given = record.values[field] ?? ''
  const value = typeof given === 'string' ? given : JSON.stringify(given)
  return { line: record.line, column: sheet.columnOf(field), value, detail }
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
