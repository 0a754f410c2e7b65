import { DETAILS, detailsIn, storedDetails } from '../details.js'
import { Fault } from '../errors.js'
import { type Fields, recordReader, type Values } from '../fields.js'
import type { FieldChanges, Recorded } from '../history/changes.js'
import type { Entity, Ledger } from '../history/ledger.js'
import { GROUP_FIELDS, groups, groupsLedger, groupsOfPeople, groupWith } from '../personnel/groups.js'
import { applyMembershipChanges, membershipChangesTo } from '../personnel/memberships.js'
import {
  checkPerson,
  PERSON_FIELDS,
  peopleLedger,
  personnel,
  personWith,
  refuseTakenPerson,
} from '../personnel/people.js'
import { refuseDuplicate } from '../personnel/uniqueness.js'
import { checkIssue, ISSUE_FIELDS, type IssueRow, issues, issuesLedger, issueWith } from '../projects/issues.js'
import { checkProject, PROJECT_FIELDS, projects, projectsLedger, projectWith } from '../projects/projects.js'
import { checkRisk, RISK_FIELDS, type RiskRow, risks, risksLedger, riskWith } from '../projects/risks.js'
import { byIds } from '../store/query/page.js'
import type { Write } from '../store/store.js'
import { fold, InputCheck } from '../text.js'
import type { EntityKind } from '../vocabulary.js'

export type UndoableRow = Readonly<Record<string, unknown>>

/** Values by the names that the history has for them. */
type Former = Readonly<Record<string, Recorded>>

/** An entity as it is now, which can get former values back. */
export interface Undoable {
  readonly row: UndoableRow
  /** What it becomes if it was created; undefined if it stays. */
  readonly closing: Former | undefined
  /** Returns why it cannot be, if so. */
  restore(former: Former): Promise<string | undefined>
}

interface UndoableNoun {
  find(ids: readonly string[]): Promise<ReadonlyMap<string, Undoable>>
  store(): Promise<unknown>
}

interface Plan<Row extends Entity, F extends Fields> {
  readonly closing?: Former
  rows(ids: readonly string[]): Promise<Map<string, Row>>
  /** Fields that no two entities have in common. */
  readonly unique: readonly string[]
  refuseTaken(draft: Row): Promise<void>
  check?(before: Row, values: Values<F>, check: InputCheck): void
  /** The row of `before` with these values, and what is derived from them. */
  draft(before: Row, values: Values<F>): Row
  /** Restores what no column of the row holds. */
  beside?(row: Row, former: Former): Promise<FieldChanges>
}

export function undoableNouns(write: Write): Readonly<Record<EntityKind, UndoableNoun>> {
  const { t } = write
  return {
    PERSON: nounOf(peopleLedger(write), PERSON_FIELDS, {
      closing: { status: 'INACTIVE', groups: [] },
      rows: (ids) => peopleWithGroups(write, ids),
      unique: ['email', 'externalId'],
      refuseTaken: (draft) => refuseTakenPerson(write, draft),
      check: checkPerson,
      draft: (before, values) => personWith(write, before, values),
      beside: async ({ id }, { groups: names }) => {
        if (!Array.isArray(names)) return {}
        const changes = await membershipChangesTo(write, new Map([[id, await groupIdsOf(write, names)]]))
        await applyMembershipChanges(write, changes.values())
        return changes.get(id)?.changes ?? {}
      },
    }),
    GROUP: nounOf(groupsLedger(write), GROUP_FIELDS, {
      rows: (ids) => byIds(write, groups, ids),
      unique: ['name', 'externalId'],
      refuseTaken: (draft) =>
        refuseDuplicate(write, 'group', t.group, draft, { name: 'nameFolded', externalId: 'externalId' }),
      draft: (before, values) => groupWith(write, before, values),
    }),
    PROJECT: nounOf(projectsLedger(write), PROJECT_FIELDS, {
      closing: { status: 'CLOSED' },
      rows: (ids) => byIds(write, projects, ids),
      unique: ['key'],
      refuseTaken: (draft) => refuseDuplicate(write, 'project', t.project, draft, { key: 'key' }),
      check: checkProject,
      draft: (before, values) => ({ ...projectWith(write, before, values), syncedAt: before.syncedAt }),
    }),
    RISK: nounOf(risksLedger(write), RISK_FIELDS, {
      ...entryPlan(write, 'risk'),
      rows: (ids) => byIds(write, risks, ids),
      check: checkRisk,
      draft: (before, values) => riskWith(write, before, { ...values, projectId: before.projectId }),
    }),
    ISSUE: nounOf(issuesLedger(write), ISSUE_FIELDS, {
      ...entryPlan(write, 'issue'),
      rows: (ids) => byIds(write, issues, ids),
      check: checkIssue,
      draft: (before, values) => issueWith(write, before, { ...values, projectId: before.projectId }),
    }),
  }
}

function entryPlan(write: Write, noun: 'risk' | 'issue') {
  return {
    closing: { status: 'CLOSED' },
    unique: ['reference'],
    async refuseTaken({ id, projectId, reference }: RiskRow | IssueRow): Promise<void> {
      const found = await write.havingPairs(write.t[noun], ['projectId', 'reference'], [[projectId, reference]])
      const other = found.find((row) => row.id !== id)
      if (other) throw new Fault('CONFLICT', `The reference ${reference} belongs to ${other.title} (${other.id}).`)
    },
  }
}

/** People, with the names of their groups as in their history. */
async function peopleWithGroups(write: Write, ids: readonly string[]) {
  const groupsOf = await groupsOfPeople(write, ids)
  const named = (id: string) => (groupsOf.get(id) ?? []).map(({ name }) => name)
  return new Map([...(await byIds(write, personnel, ids))].map(([id, row]) => [id, { ...row, groups: named(id) }]))
}

async function groupIdsOf({ db, t, among }: Write, names: readonly string[]): Promise<Set<string>> {
  const { id, nameFolded } = t.group
  const isNamed = among(nameFolded, names.map(fold))
  const rows = await db.select({ id, nameFolded }).from(t.group).where(isNamed)
  const lost = names.find((name) => rows.every((row) => row.nameFolded !== fold(name)))
  if (lost !== undefined) throw new Fault('NOT_FOUND', `There is no longer a group ${lost}.`)
  return new Set(rows.map((row) => row.id))
}

function nounOf<Row extends Entity, F extends Fields>(
  ledger: Ledger<Row>,
  fields: F,
  plan: NoInfer<Plan<Row, F>>,
): UndoableNoun {
  const read = recordReader(fields)
  const undoable = (row: Row): Undoable => ({
    row,
    closing: plan.closing,
    async restore(former) {
      try {
        const check = new InputCheck()
        const { [DETAILS]: order, ...others } = former
        const values = read(others, check)
        plan.check?.(row, values, check)
        const [violation] = check.found
        if (violation) return `${violation.member}: ${violation.detail}`
        // Links, such as `ownerId`, are columns but no fields.
        const draft = inOrder(plan.draft({ ...row, ...others }, values), order)
        if (plan.unique.some((field) => field in former)) {
          // What is restored before it may hold the same value until it is stored.
          await ledger.store()
          await plan.refuseTaken(draft)
        }
        ledger.enter(row, draft, { beside: (await plan.beside?.(row, former)) ?? {} })
        return undefined
      } catch (error) {
        if (error instanceof Fault && error.code !== 'UNAVAILABLE') return error.message
        throw error
      }
    },
  })
  return {
    find: async (ids) => new Map([...(await plan.rows(ids))].map(([id, row]) => [id, undoable(row)])),
    store: () => ledger.store(),
  }
}

/** A row with its details in the order of these names; details that none of them names stay last. */
function inOrder<Row extends Entity>(row: Row, names: Recorded | undefined): Row {
  if (!Array.isArray(names)) return row
  const place = (name: string) => (names.indexOf(name) + names.length + 1) % (names.length + 1)
  const details = detailsIn(row['details'] as string | null)
  return { ...row, details: storedDetails(details.toSorted((one, other) => place(one.name) - place(other.name))) }
}
