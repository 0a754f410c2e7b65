import type { Write } from '../store/store.js'
import type { SheetNoun } from './files/nouns.js'
import { receiveGroups } from './groups.js'
import { receiveIssues } from './issues.js'
import { receivePeople } from './people.js'
import { receiveProjects } from './projects.js'
import { receiveRisks } from './risks.js'
import { type Incoming, Intake, type IntakeOptions, type IntakeResult, type Receiver, receiveAll } from './run.js'

const RECEIVERS: Readonly<Record<SheetNoun, (intake: Intake) => Receiver>> = {
  people: receivePeople,
  groups: receiveGroups,
  projects: receiveProjects,
  risks: receiveRisks,
  issues: receiveIssues,
}

/** Imports records of a noun. If there are flaws, the caller must roll the transaction back. */
export function bringIn(
  write: Write,
  noun: SheetNoun,
  records: readonly Incoming[],
  options: IntakeOptions,
): Promise<IntakeResult> {
  const intake = new Intake(write, options, records.length)
  return receiveAll(intake, RECEIVERS[noun](intake), records)
}
