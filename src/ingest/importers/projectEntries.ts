import { recordReader, type Values } from '../../fields.js'
import { checkIssue, ISSUE_FIELDS, type IssueRow, issuesLedger, issueWith } from '../../projects/issues.js'
import {
  checkRisk,
  RISK_FIELDS,
  type RiskRow,
  risksLedger,
  riskWith,
  scoreInstead,
  Tally,
} from '../../projects/risks.js'
import { ISSUE_COLUMNS, RISK_COLUMNS } from '../columns.js'
import { RiskMatcher } from '../matching/references.js'
import type { Importer, ImportRun } from '../run.js'
import { type EntryPlan, entriesImporter } from './entries.js'

const riskFields = Object.keys(RISK_FIELDS) as (keyof typeof RISK_FIELDS)[]
const readRisk = recordReader(RISK_COLUMNS)

export function risksImporter(run: ImportRun): Importer {
  const { write, options } = run
  const tally = new Tally()
  const plan: EntryPlan<RiskRow, Values<typeof RISK_COLUMNS>> = {
    noun: 'risks',
    kind: 'risk',
    assigneeField: 'owner',
    ledger: risksLedger(write),
    table: (t) => t.risk,
    rows: ({ db, t }, where) => db.select().from(t.risk).where(where(t.risk)),
    rowsAt: ({ havingPairs, t }, places) => havingPairs(t.risk, ['projectId', 'reference'], places),
    fields: riskFields,
    read: readRisk,
    attributionOf: ({ owner, ownerId, ownerName }) => ({ who: owner, id: ownerId, name: ownerName }),
    assigneeOf: ({ ownerId, ownerName }) => ({ id: ownerId, name: ownerName }),
    check: (before, { index, values, check }) => {
      checkRisk(before, values, check)
      const score = scoreInstead(before, values)
      if (score === undefined) return
      const detail = `It is not stored: likelihood and impact are there, and their product is ${score}.`
      run.warnings.push({ index, field: 'scoreGiven', detail })
    },
    draft: (before, { values, project }, owner) => {
      // In a complete list, naming a closed risk without a status reopens it.
      const status = values.status ?? (options.closeMissing && before?.live === 0 ? 'OPEN' : null)
      return riskWith(write, before, { ...values, status, id: values.id ?? undefined, projectId: project.id, owner })
    },
    onStored: (stored) => {
      for (const one of stored) tally.note(one)
    },
    finish: () => tally.store(write),
  }
  return entriesImporter(run, plan)
}

const issueFields = Object.keys(ISSUE_FIELDS) as (keyof typeof ISSUE_FIELDS)[]
const readIssue = recordReader(ISSUE_COLUMNS)

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
    fields: issueFields,
    read: readIssue,
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
  }
  return entriesImporter(run, plan)
}
