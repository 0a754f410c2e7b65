import type { Write } from '../store/store.js'
import type { NounPlural } from '../vocabulary.js'
import { groupsImporter } from './importers/groups.js'
import { peopleImporter } from './importers/people.js'
import { projectsImporter } from './importers/projects.js'
import { issuesImporter, risksImporter } from './importers/risksAndIssues.js'
import { batchesOf, type Importer, type ImportOptions, type ImportResult, importRun, type SourceRecord } from './run.js'

const IMPORTERS = {
  people: peopleImporter,
  groups: groupsImporter,
  projects: projectsImporter,
  risks: risksImporter,
  issues: issuesImporter,
} satisfies Readonly<Record<NounPlural, unknown>>

/** Imports records of a noun. If there are violations, the caller must roll the transaction back. */
export async function importRecords(
  write: Write,
  noun: NounPlural,
  given: readonly SourceRecord[],
  options: ImportOptions,
): Promise<ImportResult> {
  const run = importRun(write, options)
  const importer: Importer = await IMPORTERS[noun](run)
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
