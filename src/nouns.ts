import { GROUP, groups } from './personnel/groups.js'
import { PERSON, personnel } from './personnel/people.js'
import { checkIssue, ISSUE, issues, issuesLedger, issueWith } from './projects/issues.js'
import type { EntryNoun } from './projects/projectEntries.js'
import { PROJECT, projects } from './projects/projects.js'
import { checkRisk, RISK, risks, risksLedger, riskWith } from './projects/risks.js'
import type { AnyNoun } from './store/query/nouns.js'
import type { List } from './store/query/page.js'
import type { Tables } from './store/tables.js'
import type { HeldNoun, NounName, NounPlural } from './vocabulary.js'

/** What `import`, `export` and `Accept: text/csv` know. */
export const SHEETS: Readonly<Record<NounPlural, AnyNoun>> = {
  people: PERSON,
  groups: GROUP,
  projects: PROJECT,
  risks: RISK,
  issues: ISSUE,
}

/** The list of each noun: what is live of it. */
export const LISTS: { readonly [N in NounName]: List<Tables[N], object> } = {
  person: personnel,
  group: groups,
  project: projects,
  risk: risks,
  issue: issues,
}

/** The entries of projects: import, export, sync, undo, merging and `check` treat them alike. */
export const ENTRIES: Readonly<Record<HeldNoun, EntryNoun>> = {
  risk: { ledger: risksLedger, check: checkRisk, merged: riskWith },
  issue: { ledger: issuesLedger, check: checkIssue, merged: issueWith },
}

/** The columns of an export that an import ignores, because they are computed. */
export function derivedColumns({ inputs, columns }: AnyNoun): string[] {
  return columns.filter((column) => !Object.hasOwn(inputs, column))
}
