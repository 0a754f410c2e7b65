import type { Guess } from '../../ingest/files/guess/guess.js'
import type { SheetNoun } from '../../ingest/files/nouns.js'
import { escapedLine } from '../../text.js'
import type { FileOutcome } from './file.js'
import type { Finding } from './findings.js'

/** How many findings are printed on a terminal. */
const SHOWN_MAX = 50

/** The result of a file, for people. */
export function inWords(outcome: FileOutcome, noun: SheetNoun, flags: { dryRun?: true; report?: string }): string {
  const { file, unit, notes: fileNotes, flaws, warnings, notClosed, derived, ignored, made } = outcome
  const more = (all: number) =>
    all > SHOWN_MAX
      ? [`  ... and ${all - SHOWN_MAX} more${flags.report ? `, in ${flags.report}` : ' (--report FILE.json has all)'}`]
      : []
  const lines = [
    ...fileNotes.map((note) => escapedLine(`${file}: ${note}`)),
    ...notes(file, 'Computed, so not taken from the file', derived),
    ...notes(file, 'Unknown, so ignored', ignored),
    ...notes(file, flags.dryRun ? 'Unknown, so it would be created' : 'Unknown, so created', made),
    ...warnings.slice(0, SHOWN_MAX).map((finding) => `  warning: ${placed(finding, unit)}`),
    ...more(warnings.length),
    headline(outcome, noun, flags.dryRun ?? false),
    ...notClosed.map((finding) => `  not closed: ${placed(finding, unit)}`),
    ...flaws.slice(0, SHOWN_MAX).map((finding) => `  ${placed(finding, unit)}`),
    ...more(flaws.length),
  ]
  return lines.join('\n')
}

function headline(outcome: FileOutcome, noun: SheetNoun, isDryRun: boolean): string {
  const { file, isSound, records, rejected, counts } = outcome
  const mode = isDryRun ? ' (dry run, nothing is stored)' : ''
  if (!isSound) {
    const which =
      rejected > 0 && records > 0
        ? `${amount(rejected)} of ${amount(records)} rows cannot be used`
        : 'it cannot be used'
    return `${file}${mode}: nothing was stored, because ${which}:`
  }
  const { created, updated, unchanged, closed } = counts
  const gone = noun === 'people' ? 'set INACTIVE' : 'closed'
  const done = [`${amount(created)} created`, `${amount(updated)} updated`, `${amount(closed)} ${gone}`]
  const parts = [...done.filter((text) => !text.startsWith('0 ')), `${amount(unchanged)} unchanged`].join(', ')
  const isSame = created + updated + closed === 0
  return `${file}${mode}: ${isSame ? `nothing has changed, ${parts}` : parts}.`
}

function notes(file: string, words: string, columns: readonly string[]): string[] {
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
export function reportOf(noun: SheetNoun, outcomes: readonly FileOutcome[], flags: { dryRun?: true }) {
  const files = outcomes.map(({ isSound: _, projectKeys: __, isStored: stored, counts, ...outcome }) => {
    const { file, records, rejected, flaws, warnings, notClosed, notes, ignored, derived, made, guess } = outcome
    const findings = { flaws, warnings, notClosed, notes, ...(guess && { guess: guessOf(guess) }) }
    return { file, stored, records, ...counts, rejected, ...findings, ignored, derived, made }
  })
  const sum = (name: 'created' | 'updated' | 'unchanged' | 'closed' | 'rejected') =>
    files.reduce((total, file) => total + file[name], 0)
  return {
    noun,
    dryRun: flags.dryRun ?? false,
    created: sum('created'),
    updated: sum('updated'),
    unchanged: sum('unchanged'),
    closed: sum('closed'),
    rejected: sum('rejected'),
    files,
  }
}

function guessOf({ columns, kept, ignored, notes }: Guess) {
  return { columns, kept, ignored, notes }
}
