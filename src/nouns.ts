import { GROUP } from './personnel/groups.js'
import { PERSON } from './personnel/people.js'
import { ISSUE } from './projects/issues.js'
import { PROJECT } from './projects/projects.js'
import { RISK } from './projects/risks.js'
import type { AnyNoun } from './store/query/nouns.js'
import type { NounPlural } from './vocabulary.js'

/** What `import`, `export` and `Accept: text/csv` know. */
export const SHEETS: Readonly<Record<NounPlural, AnyNoun>> = {
  people: PERSON,
  groups: GROUP,
  projects: PROJECT,
  risks: RISK,
  issues: ISSUE,
}

/** The columns of an export that an import ignores, because they are computed. */
export function derivedColumns({ inputs, columns }: AnyNoun): string[] {
  return columns.filter((column) => !Object.hasOwn(inputs, column))
}
