import type { Fields } from '../fields.js'
import type { SheetNoun } from '../sheets/nouns.js'
import type { Write } from '../store/store.js'
import { GROUP_COLUMNS, receiveGroups } from './groups.js'
import { type Incoming, Intake, type IntakeOptions, type IntakeResult, type Receiver, receiveAll } from './intake.js'
import { ISSUE_COLUMNS, receiveIssues } from './issues.js'
import { PEOPLE_COLUMNS, receivePeople } from './people.js'
import { PROJECT_COLUMNS, receiveProjects } from './projects.js'
import { RISK_COLUMNS, receiveRisks } from './risks.js'

/** The columns of a noun in a sheet. */
interface SheetPlan {
  /** The fields that an import accepts. */
  readonly fields: Fields
  readonly receive: (intake: Intake) => Receiver
  /** The columns of an export in this order: fields and computed columns. */
  readonly columns: readonly string[]
}

/** The columns of `import`, of `export` and of `Accept: text/csv`. */
export const SHEETS: Readonly<Record<SheetNoun, SheetPlan>> = {
  people: {
    fields: PEOPLE_COLUMNS,
    receive: receivePeople,
    columns: words('id name email externalId title department status groups createdAt updatedAt'),
  },
  groups: {
    fields: GROUP_COLUMNS,
    receive: receiveGroups,
    columns: words('id name externalId description memberCount createdAt updatedAt'),
  },
  projects: {
    fields: PROJECT_COLUMNS,
    receive: receiveProjects,
    columns: words(
      'id key name description url status openRiskCount openIssueCount topRiskScore syncedAt createdAt updatedAt',
    ),
  },
  risks: {
    fields: RISK_COLUMNS,
    receive: receiveRisks,
    columns: words(
      'id project reference title description category likelihood impact score level rank status response',
      'ownerId ownerName url raisedOn reviewOn createdAt updatedAt',
    ),
  },
  issues: {
    fields: ISSUE_COLUMNS,
    receive: receiveIssues,
    columns: words(
      'id project reference title description severity status assigneeId assigneeName riskId',
      'url raisedOn dueOn createdAt updatedAt',
    ),
  },
}

/** Imports records of a noun. If there are flaws, the caller must roll the transaction back. */
export function bringIn(
  write: Write,
  noun: SheetNoun,
  records: readonly Incoming[],
  options: IntakeOptions,
): Promise<IntakeResult> {
  const intake = new Intake(write, options, records.length)
  return receiveAll(intake, SHEETS[noun].receive(intake), records)
}

/** The columns of an export that an import ignores, because they are computed. */
export function derivedColumns({ fields, columns }: SheetPlan): string[] {
  return columns.filter((column) => !Object.hasOwn(fields, column))
}

function words(...lines: string[]): string[] {
  return lines.join(' ').split(' ')
}
