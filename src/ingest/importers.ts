import type { Write } from '../store/store.js'
import { type HeldNoun, isHeldNoun, type NounName, type NounPlural, nounOfPlural } from '../vocabulary.js'
import { entriesImporter } from './importers/entries.js'
import { groupsImporter } from './importers/groups.js'
import { peopleImporter } from './importers/people.js'
import { projectsImporter } from './importers/projects.js'
import { batchesOf, type Importer, type ImportOptions, type ImportResult, importRun, type SourceRecord } from './run.js'

const IMPORTERS = { person: peopleImporter, group: groupsImporter, project: projectsImporter } satisfies Readonly<
  Record<Exclude<NounName, HeldNoun>, unknown>
>

/** Imports records of a noun. If there are violations, the caller must roll the transaction back. */
export async function importRecords(
  write: Write,
  plural: NounPlural,
  given: readonly SourceRecord[],
  options: ImportOptions,
): Promise<ImportResult> {
  const run = importRun(write, options)
  const noun = nounOfPlural(plural)
  const importer: Importer = await (isHeldNoun(noun) ? entriesImporter(run, noun) : IMPORTERS[noun](run))
  const records = importer.gather?.(given) ?? given
  let done = 0
  for await (const batch of options.undoing ? [records] : batchesOf(records)) {
    await importer.take(batch)
    done += batch.length
    options.onProgress?.(done)
  }
  await importer.finish?.()
  return run
}
