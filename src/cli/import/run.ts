import { closeSync, writeFileSync } from 'node:fs'
import { readConfig } from '../../config.js'
import type { Guess } from '../../ingest/files/guess/guess.js'
import { printMapping } from '../../ingest/files/mapping.js'
import type { SheetNoun } from '../../ingest/files/nouns.js'
import { type SheetFormat, UnreadableSheet } from '../../ingest/files/sheet.js'
import { LIMITS } from '../../limits.js'
import { escapedLine } from '../../text.js'
import { ImportFailed, print, say, WrongUsage, withStore } from '../command.js'
import { Draft } from '../draft.js'
import { untilInterrupted } from '../interrupt.js'
import { type FileFlags, type FileOutcome, importFile, sheetOf } from './file.js'
import { guessInWords } from './guessed.js'
import { mappingOf } from './maps.js'
import { inWords, reportOf } from './report.js'
import { templateOf } from './template.js'

export interface ImportFlags extends FileFlags {
  readonly map?: string
  readonly maps?: string | true
  readonly report?: string
  readonly template?: true
  readonly suggestMap?: true
  readonly json?: true
  readonly database?: string
}

export function printTemplate(noun: SheetNoun, format: SheetFormat = 'csv'): Promise<void> {
  return print(templateOf(noun, format))
}

/** Prints what would be guessed about a file as a map to edit. */
export async function suggestMap(noun: SheetNoun, file: string, flags: ImportFlags): Promise<void> {
  const { signal } = new AbortController()
  try {
    const sheet = await sheetOf(noun, file, { ...flags, mapping: undefined, signal, isForced: true })
    const { guess, notes } = sheet
    const mapping = guess?.mapping ?? sheet.recognised
    if (!mapping) throw new WrongUsage('No map is needed: the file has our own names.')
    for (const note of notes) say(escapedLine(`${file}: ${note}`))
    if (guess) say(guessInWords(file, guess))
    for (const question of guess?.questions ?? []) say(escapedLine(`  ${question}`))
    await print(printMapping(mapping).trimEnd())
  } catch (error) {
    throw error instanceof UnreadableSheet ? new ImportFailed(error.message) : error
  }
}

/** Imports each file, and reports its result. */
export async function importAll(
  noun: SheetNoun,
  files: string[],
  flags: ImportFlags,
  clock: () => Date,
): Promise<void> {
  const mapping = flags.map === undefined ? undefined : mappingOf(flags.map, noun)
  const onGuess = (file: string, guess: Guess) => {
    if (!flags.json) say(guessInWords(file, guess))
  }
  const config = readConfig({ database: flags.database }, ['database'])
  // Opened before anything is stored, so that a report that cannot be written fails in time.
  const report = flags.report === undefined ? undefined : new Draft(flags.report, '--json prints the report.')
  try {
    const outcomes = await untilInterrupted((signal) =>
      withStore(config, { create: true, cacheBytes: LIMITS.importCacheBytes }, async (store) => {
        const all: FileOutcome[] = []
        const listed = { projects: new Map<string, string>(), people: new Map<string, boolean>() }
        for (const [index, file] of files.entries()) {
          // After a file that could not be used, it is not known who is missing.
          const isLast = index === files.length - 1 && all.every(({ isSound }) => isSound)
          const others = { ...listed, isLast }
          const outcome = await importFile(store, noun, file, { ...flags, mapping, others, onGuess, signal, clock })
          if (!flags.json) say(inWords(outcome, noun, flags))
          for (const key of outcome.projectKeys) listed.projects.set(key, file)
          all.push(outcome)
        }
        return all
      }),
    )
    const document = JSON.stringify(reportOf(noun, outcomes, flags), null, 2)
    if (report) writeFileSync(report.descriptor, `${document}\n`)
    report?.publish()
    if (flags.json) await print(document)
    const failed = outcomes.filter(({ isSound }) => !isSound).length
    if (failed > 0) throw new ImportFailed(`${failed} of ${outcomes.length} files could not be used.`)
    if (outcomes.some(({ notClosed }) => notClosed.length > 0))
      throw new ImportFailed('Not everything that is missing was closed.')
  } finally {
    if (report) closeSync(report.descriptor)
    // No effect once the report was published.
    report?.discard()
  }
}
