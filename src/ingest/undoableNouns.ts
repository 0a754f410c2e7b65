import { DETAILS, detailsIn, storedDetails } from '../details.js'
import { Fault } from '../errors.js'
import { recordReader } from '../fields.js'
import type { FieldChanges, Recorded } from '../history/changes.js'
import type { Entity, Ledger, Stored } from '../history/ledger.js'
import { GROUP_FIELDS, groups, groupsLedger, groupsOfPeople, groupWith } from '../personnel/groups.js'
import { applyMembershipChanges, type MembershipChange, membershipChangesTo } from '../personnel/memberships.js'
import {
  checkPerson,
  PERSON_FIELDS,
  type PersonRow,
  peopleLedger,
  personnel,
  personWith,
  refuseTakenPerson,
} from '../personnel/people.js'
import { refuseDuplicate } from '../personnel/uniqueness.js'
import { checkIssue, ISSUE_FIELDS, type IssueRow, issues, issuesLedger, issueWith } from '../projects/issues.js'
import { checkProject, PROJECT_FIELDS, projects, projectsLedger, projectWith } from '../projects/projects.js'
import { checkRisk, RISK_FIELDS, type RiskRow, risks, risksLedger, riskWith, Tally } from '../projects/risks.js'
import { byIds } from '../store/query/page.js'
import type { Write } from '../store/store.js'
import { fold, InputCheck } from '../text.js'
import type { EntityKind } from '../vocabulary.js'

export type UndoableRow = Readonly<Record<string, unknown>>

/** Values by the names that the history has for them. */
type Values = Readonly<Record<string, Recorded>>

/** How the entities of a kind get former values back. */
export interface UndoableNoun {
  /** What one becomes that was created; undefined if it stays. */
  readonly closing?: Values
  find(ids: readonly string[]): Promise<ReadonlyMap<string, UndoableRow>>
  /** Returns why it cannot be, if so. */
  restore(id: string, values: Values): Promise<string | undefined>
  store(): Promise<void>
}

interface Plan<Row extends Entity> {
  readonly ledger: Ledger<Row>
  readonly closing?: Values
  rows(ids: readonly string[]): Promise<Map<string, Row>>
  /** Fields that no two entities have in common. */
  readonly unique: readonly string[]
  refuseTaken(draft: Row): Promise<void>
  draft(before: Row, values: Values, check: InputCheck): Row
  /** Changes that no column of the row holds. */
  beside?(row: Row, values: Values): Promise<FieldChanges>
  onStored?(stored: readonly Stored<Row>[]): Promise<void>
}

export function undoableNouns(write: Write) {
  const tally = new Tally()
  const nouns: Readonly<Record<EntityKind, UndoableNoun>> = {
    PERSON: peopleNoun(write),
    GROUP: nounOf({
      ledger: groupsLedger(write),
      rows: (ids) => byIds(write, groups, ids),
      unique: ['name', 'externalId'],
      refuseTaken: (draft) =>
        refuseDuplicate(write, 'group', write.t.group, draft, { name: 'nameFolded', externalId: 'externalId' }),
      draft: (before, values, check) => groupWith(write, before, readGroup(values, check)),
    }),
    PROJECT: nounOf({
      ledger: projectsLedger(write),
      closing: { status: 'CLOSED' },
      rows: (ids) => byIds(write, projects, ids),
      unique: ['key'],
      refuseTaken: (draft) => refuseDuplicate(write, 'project', write.t.project, draft, { key: 'key' }),
      draft: (before, values, check) => {
        const given = readProject(values, check)
        checkProject(before, given, check)
        return { ...projectWith(write, before, given), syncedAt: before.syncedAt }
      },
    }),
    RISK: nounOf<RiskRow>({
      ...entryPlan(write, 'risk'),
      ledger: risksLedger(write),
      rows: (ids) => byIds(write, risks, ids),
      draft: (before, values, check) => {
        const given = readRisk(values, check)
        checkRisk(before, given, check)
        const owner = { id: textIn(values, 'ownerId'), name: textIn(values, 'ownerName') }
        return riskWith(write, before, { ...given, projectId: before.projectId, owner })
      },
      onStored: async (stored) => {
        for (const one of stored) tally.count(one)
      },
    }),
    ISSUE: nounOf<IssueRow>({
      ...entryPlan(write, 'issue'),
      ledger: issuesLedger(write),
      rows: (ids) => byIds(write, issues, ids),
      draft: (before, values, check) => {
        const given = readIssue(values, check)
        checkIssue(before, given, check)
        const assignee = { id: textIn(values, 'assigneeId'), name: textIn(values, 'assigneeName') }
        const { projectId } = before
        return issueWith(write, before, { ...given, projectId, assignee, riskId: textIn(values, 'riskId') })
      },
    }),
  }
  return { nouns, finish: () => tally.store(write) }
}

const readPerson = recordReader(PERSON_FIELDS)
const readGroup = recordReader(GROUP_FIELDS)
const readProject = recordReader(PROJECT_FIELDS)
const readRisk = recordReader(RISK_FIELDS)
const readIssue = recordReader(ISSUE_FIELDS)

/** Absent keeps what is stored, null clears it. */
function textIn(values: Values, field: string): string | null | undefined {
  const value = values[field]
  return value == null ? value : String(value)
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

/** People, with their groups by name as in their history. */
function peopleNoun(write: Write): UndoableNoun {
  let joined: MembershipChange[] = []
  const noun = nounOf<PersonRow>({
    ledger: peopleLedger(write),
    closing: { status: 'INACTIVE', groups: [] },
    rows: (ids) => byIds(write, personnel, ids),
    unique: ['email', 'externalId'],
    refuseTaken: (draft) => refuseTakenPerson(write, draft),
    draft: (before, values, check) => {
      const given = readPerson(values, check)
      checkPerson(before, given, check)
      const mergedInto = textIn(values, 'mergedInto')
      return personWith(write, mergedInto === undefined ? before : { ...before, mergedInto }, given)
    },
    beside: async ({ id }, { groups: names }) => {
      if (!Array.isArray(names)) return {}
      const changes = await membershipChangesTo(write, new Map([[id, await groupIdsOf(write, names)]]))
      joined.push(...changes.values())
      return changes.get(id)?.changes ?? {}
    },
    onStored: async () => {
      const changes = joined
      joined = []
      await applyMembershipChanges(write, changes)
    },
  })
  const find = async (ids: readonly string[]) => {
    const rows = await noun.find(ids)
    const groupsOf = await groupsOfPeople(write, ids)
    const named = (id: string) => (groupsOf.get(id) ?? []).map(({ name }) => name)
    return new Map([...rows].map(([id, row]) => [id, { ...row, groups: named(id) }]))
  }
  return { ...noun, find }
}

async function groupIdsOf({ db, t, among }: Write, names: readonly string[]): Promise<Set<string>> {
  const { id, nameFolded } = t.group
  const rows = await db
    .select({ id, nameFolded })
    .from(t.group)
    .where(among(nameFolded, names.map(fold)))
  const lost = names.find((name) => rows.every((row) => row.nameFolded !== fold(name)))
  if (lost !== undefined) throw new Fault('NOT_FOUND', `There is no longer a group ${lost}.`)
  return new Set(rows.map((row) => row.id))
}

function nounOf<Row extends Entity>(plan: Plan<Row>): UndoableNoun {
  const { ledger, closing, unique } = plan
  let rows = new Map<string, Row>()
  const store = async (): Promise<void> => {
    const stored = await ledger.store()
    await plan.onStored?.(stored)
  }
  const enter = async (row: Row, values: Values): Promise<void> => {
    const check = new InputCheck()
    const { [DETAILS]: order, ...others } = values
    const draft = inOrder(plan.draft(row, others, check), order)
    const [violation] = check.found
    if (violation) throw new Fault('VALIDATION_FAILED', `${violation.member}: ${violation.detail}`)
    const isClaiming = unique.some((field) => field in values)
    // What is restored before it may hold the same value until it is stored.
    if (isClaiming) await store()
    if (isClaiming) await plan.refuseTaken(draft)
    ledger.enter(row, draft, { beside: (await plan.beside?.(row, values)) ?? {} })
    if (isClaiming) await store()
  }
  return {
    ...(closing && { closing }),
    async find(ids) {
      rows = await plan.rows(ids)
      return rows
    },
    async restore(id, values) {
      const row = rows.get(id)
      if (!row) return 'It is no longer there.'
      try {
        await enter(row, values)
        return undefined
      } catch (error) {
        if (error instanceof Fault && error.code !== 'UNAVAILABLE') return error.message
        throw error
      }
    },
    store,
  }
}

/** A row with its details in the order of these names; details that none of them names stay last. */
function inOrder<Row extends Entity>(row: Row, names: Recorded | undefined): Row {
  if (!Array.isArray(names)) return row
  const place = (name: string) => (names.indexOf(name) + names.length + 1) % (names.length + 1)
  const details = detailsIn(row['details'] as string | null)
  return { ...row, details: storedDetails(details.toSorted((one, other) => place(one.name) - place(other.name))) }
}
