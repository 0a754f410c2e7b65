import { recordReader, type Values } from '../fields.js'
import { checkIssue, type IssueRow, issuesLedger, issueWith } from '../projects/issues.js'
import { ISSUE_COLUMNS } from './columns.js'
import { entriesImporter } from './entries.js'
import type { EntryPlan } from './entryPlan.js'
import { RiskMatcher } from './matching/risks.js'
import type { Importer, ImportRun } from './run.js'

const readColumns = recordReader(ISSUE_COLUMNS)

export function issuesImporter(run: ImportRun): Importer {
  const { write, options } = run
  const risks = new RiskMatcher(write)
  const plan: EntryPlan<IssueRow, Values<typeof ISSUE_COLUMNS>> = {
    noun: 'issues',
    kind: 'issue',
    assigneeField: 'assignee',
    ledger: issuesLedger(write),
    table: (t) => t.issue,
    rows: ({ db, t }, where) => db.select().from(t.issue).where(where(t.issue)),
    read: readColumns,
    attributionOf: ({ assignee, assigneeId, assigneeName }) => ({ who: assignee, id: assigneeId, name: assigneeName }),
    assigneeOf: ({ assigneeId, assigneeName }) => ({ id: assigneeId, name: assigneeName }),
    prepare: (placed) => risks.find(placed),
    check: (before, record) => {
      checkIssue(before, record.values, record.check)
      risks.check(record, before?.riskId)
    },
    draft: (before, record, assignee) => {
      const { id, project: _, status, risk: __, riskId: ___, ...facts } = record.values
      const newStatus = status ?? (options.closeMissing && before?.live === 0 ? 'OPEN' : undefined)
      const riskId = risks.idOf(record)
      return issueWith(write, before, {
        ...facts,
        ...(newStatus && { status: newStatus }),
        ...(id && { id }),
        ...(riskId !== undefined && { riskId }),
        projectId: record.project.id,
        assignee,
      })
    },
    closed: (row) => ({ ...row, status: 'CLOSED', live: 0 }),
  }
  return entriesImporter(run, plan)
}
