import { Undecided, type Write } from '../store/store.js'
import type { SheetNoun } from './files/nouns.js'
import { groupsImporter } from './importers/groups.js'
import { issuesImporter } from './importers/issues.js'
import { peopleImporter } from './importers/people.js'
import { projectsImporter } from './importers/projects.js'
import { risksImporter } from './importers/risks.js'
import { type Importer, type ImportOptions, type ImportResult, ImportRun, importAll, type SourceRecord } from './run.js'

const IMPORTERS: Readonly<Record<SheetNoun, (run: ImportRun) => Importer>> = {
  people: peopleImporter,
  groups: groupsImporter,
  projects: projectsImporter,
  risks: risksImporter,
  issues: issuesImporter,
}

/** From this many records on, an import would keep other writes waiting for too long. */
const MANY_RECORDS = 10_000

/** Whether to import with `Store.writeLate`: no record of these imports reads what another one has changed. */
export function isLateImport(noun: SheetNoun, records: number, { closeMissing }: Pick<ImportOptions, 'closeMissing'>) {
  const isApart = noun === 'risks' || noun === 'issues' || (noun === 'people' && !closeMissing)
  return isApart && records >= MANY_RECORDS
}

/** Two records that touch one row are a flaw of the draft, though in order if the first gives way to the second. */
export function requireDecided({ flaws }: ImportResult): void {
  if (flaws.length > 0) throw new Undecided()
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
