import { closeSync, writeFileSync } from 'node:fs'
import { readConfig } from '../../config.js'
import type { SheetNoun } from '../../ingest/files/nouns.js'
import type { SheetFormat } from '../../ingest/files/sheet.js'
import { LIMITS } from '../../limits.js'
import { ImportFailed, print, say, withStore } from '../command.js'
import { Draft } from '../draft.js'
import { untilInterrupted } from '../interrupt.js'
import { type FileFlags, type FileOutcome, importFile } from './file.js'
import { mappingOf } from './maps.js'
import { inWords, reportOf } from './report.js'
import { templateOf } from './template.js'

export interface ImportFlags extends FileFlags {
  readonly map?: string
  readonly maps?: string | true
  readonly report?: string
  readonly template?: true
  readonly json?: true
  readonly database?: string
}

export function printTemplate(noun: SheetNoun, format: SheetFormat = 'csv'): Promise<void> {
  return print(templateOf(noun, format))
}

/** Imports each file, and reports its result. */
export async function importAll(
  noun: SheetNoun,
  files: string[],
  flags: ImportFlags,
  clock: () => Date,
): Promise<void> {
  const mapping = flags.map === undefined ? undefined : mappingOf(flags.map, noun)
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
          const outcome = await importFile(store, noun, file, { ...flags, mapping, others, signal, clock })
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
