import { recordReader, type Values } from '../../fields.js'
import { checkIssue, ISSUE_FIELDS, type IssueRow, issuesLedger, issueWith } from '../../projects/issues.js'
import { ISSUE_COLUMNS } from '../columns.js'
import { RiskMatcher } from '../matching/risks.js'
import type { Importer, ImportRun } from '../run.js'
import { entriesImporter } from './entries.js'
import type { EntryPlan } from './entryPlan.js'

const fieldNames = Object.keys(ISSUE_FIELDS) as (keyof typeof ISSUE_FIELDS)[]
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
    rowsAt: ({ havingPairs, t }, places) => havingPairs(t.issue, ['projectId', 'reference'], places),
    fields: fieldNames,
    read: readColumns,
    attributionOf: ({ assignee, assigneeId, assigneeName }) => ({ who: assignee, id: assigneeId, name: assigneeName }),
    assigneeOf: ({ assigneeId, assigneeName }) => ({ id: assigneeId, name: assigneeName }),
    prepare: (placed) => risks.find(placed),
    check: (before, record) => {
      checkIssue(before, record.values, record.check)
      risks.check(record, before?.riskId)
    },
    isLinked: (before, record) => {
      const riskId = risks.idOf(record)
      return riskId === undefined || riskId === before.riskId
    },
    draft: (before, record, assignee) => {
      const { values, project } = record
      const status = values.status ?? (options.closeMissing && before?.live === 0 ? 'OPEN' : null)
      const links = { projectId: project.id, riskId: risks.idOf(record), assignee }
      return issueWith(write, before, { ...values, status, id: values.id ?? undefined, ...links })
    },
    closed: (row) => ({ ...row, status: 'CLOSED', live: 0 }),
  }
  return entriesImporter(run, plan)
}
