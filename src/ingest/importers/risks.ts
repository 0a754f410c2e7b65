import { recordReader, type Values } from '../../fields.js'
import {
  checkRisk,
  RISK_FIELDS,
  type RiskRow,
  risksLedger,
  riskWith,
  scoreInstead,
  Tally,
} from '../../projects/risks.js'
import { RISK_COLUMNS } from '../columns.js'
import type { Importer, ImportRun } from '../run.js'
import { entriesImporter } from './entries.js'
import type { EntryPlan } from './entryPlan.js'

const fieldNames = Object.keys(RISK_FIELDS) as (keyof typeof RISK_FIELDS)[]
const readColumns = recordReader(RISK_COLUMNS)

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
    fields: fieldNames,
    read: readColumns,
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
    closed: (row) => ({ ...row, status: 'CLOSED', live: 0 }),
    note: (stored) => {
      for (const one of stored) tally.note(one)
    },
    finish: () => tally.store(write),
  }
  return entriesImporter(run, plan)
}
