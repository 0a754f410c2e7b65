import type { Write } from '../store/store.js'
import type { SheetNoun } from './files/table.js'
import { issuesImporter, risksImporter } from './importers/entries.js'
import { groupsImporter } from './importers/groups.js'
import { peopleImporter } from './importers/people.js'
import { projectsImporter } from './importers/projects.js'
import { type Importer, type ImportOptions, type ImportResult, ImportRun, importAll, type SourceRecord } from './run.js'

const IMPORTERS: Readonly<Record<SheetNoun, (run: ImportRun) => Importer>> = {
  people: peopleImporter,
  groups: groupsImporter,
  projects: projectsImporter,
  risks: risksImporter,
  issues: issuesImporter,
}

/** Imports records of a noun. If there are flaws, the caller must roll the transaction back. */
export function importRecords(
  write: Write,
  noun: SheetNoun,
  records: readonly SourceRecord[],
  options: ImportOptions,
): Promise<ImportResult> {
  const run = new ImportRun(write, options, records.length)
  return importAll(run, IMPORTERS[noun](run), records)
}
