import { closeSync, writeFileSync } from 'node:fs'
import { readConfig } from '../../config.js'
import type { SheetNoun } from '../../ingest/files/nouns.js'
import type { SheetFormat } from '../../ingest/files/sheet.js'
import { LIMITS } from '../../limits.js'
import { ImportFailed, print, say, withStore } from '../command.js'
import { Draft } from '../draft.js'
import { untilInterrupted } from '../interrupt.js'
import { type FileFlags, importFile } from './file.js'
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
        const all = []
        const complete = new Map<string, string>()
        for (const file of files) {
          const outcome = await importFile(store, noun, file, { ...flags, mapping, complete, signal, clock })
          if (!flags.json) say(inWords(outcome, flags))
          for (const key of outcome.projectKeys) complete.set(key, file)
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
  } finally {
    if (report) closeSync(report.descriptor)
    // No effect once the report was published.
    report?.discard()
  }
}
