import { recordReader, requireFields, type Values } from '../fields.js'
import { ISSUE_FIELDS, type IssueRow, issuesLedger, issueWith } from '../projects/issues.js'
import { ISSUE_COLUMNS } from './columns.js'
import { receiveEntries } from './entries.js'
import type { EntryPlan } from './entryPlan.js'
import { RiskFinder } from './matching/risks.js'
import type { Intake, Receiver } from './run.js'

const readColumns = recordReader(ISSUE_COLUMNS)

export function receiveIssues(intake: Intake): Receiver {
  const { write, options } = intake
  const risks = new RiskFinder(write)
  const plan: EntryPlan<IssueRow, Values<typeof ISSUE_COLUMNS>> = {
    noun: 'issues',
    kind: 'issue',
    handler: 'assignee',
    ledger: issuesLedger(write),
    rows: ({ db, t }, where) => db.select().from(t.issue).where(where(t.issue)),
    read: readColumns,
    attributionOf: ({ assignee, assigneeId, assigneeName }) => ({ who: assignee, id: assigneeId, name: assigneeName }),
    handlerOf: ({ assigneeId, assigneeName }) => ({ id: assigneeId, name: assigneeName }),
    prepare: (placed) => risks.find(placed),
    check: (before, record) => {
      if (!before) requireFields(ISSUE_FIELDS, record.values, record.check)
      risks.check(record, before?.riskId)
    },
    draft: (before, record, assignee) => {
      const { id, project: _, status, risk: __, riskId: ___, ...facts } = record.values
      const said = status ?? (options.closeMissing && before?.live === 0 ? 'OPEN' : undefined)
      const riskId = risks.idOf(record)
      return issueWith(write, before, {
        ...facts,
        ...(said && { status: said }),
        ...(id && { id }),
        ...(riskId !== undefined && { riskId }),
        projectId: record.project.id,
        assignee,
      })
    },
    closed: (row) => ({ ...row, status: 'CLOSED', live: 0 }),
  }
  return receiveEntries(intake, plan)
}
