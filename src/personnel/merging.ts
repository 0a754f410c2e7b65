import { eq, isNotNull, or } from 'drizzle-orm'
import { Fault } from '../errors.js'
import { BATCH_ROWS } from '../history/changes.js'
import { asRun, recordRun } from '../history/importRuns.js'
import type { Ledger } from '../history/ledger.js'
import { type IssueRow, issuesLedger } from '../projects/issues.js'
import { type RiskRow, risksLedger } from '../projects/risks.js'
import type { Write } from '../store/store.js'
import type { HeldNoun } from '../vocabulary.js'
import { groupsOfPeople } from './groups.js'
import { applyMembershipChanges, membershipChangesTo } from './memberships.js'
import { type PersonRow, peopleLedger } from './people.js'

interface Merge {
  readonly id: string
  readonly mergedInto: string
  readonly importId: string | undefined
  /** How many risks and issues have moved. */
  readonly risks: number
  readonly issues: number
}

/** Merges two records of one person: what the old one has moves to the other, and the old id stays, INACTIVE. */
export async function mergePeople(
  single: Write,
  old: PersonRow,
  into: PersonRow,
  operator: string | null,
): Promise<Merge> {
  if (old.id === into.id) throw new Fault('CONFLICT', `Both are the same person, ${old.name} (${old.id}).`)
  for (const { id, name, erasedAt, mergedInto } of [old, into]) {
    if (erasedAt) throw new Fault('CONFLICT', `The person ${id} was erased at ${erasedAt} and cannot be merged.`)
    if (mergedInto) throw new Fault('CONFLICT', `${name} (${id}) was merged into ${mergedInto} already. Name that one.`)
  }
  const write = asRun(single)
  const { db, t } = write
  const moved = {
    risk: await moveAll(risksLedger(write), { ownerId: into.id }, () =>
      db.select().from(t.risk).where(eq(t.risk.ownerId, old.id)).limit(BATCH_ROWS),
    ),
    issue: await moveAll(issuesLedger(write), { assigneeId: into.id }, () =>
      db.select().from(t.issue).where(eq(t.issue.assigneeId, old.id)).limit(BATCH_ROWS),
    ),
  } satisfies Readonly<Record<HeldNoun, number>>
  const people = await moveMemberships(write, old, into)
  const counts = { created: 0, updated: moved.risk + moved.issue + people, unchanged: 0, closed: 1 }
  const importId = await recordRun(write, { kind: 'MERGE', noun: 'people', source: old.id, operator }, counts)
  return { id: old.id, mergedInto: into.id, importId, risks: moved.risk, issues: moved.issue }
}

/** Links of people to those whom they are merged into, null for none, by id. */
export type MergeLinks = ReadonlyMap<string, string | null>

/** Tells why someone cannot be merged, or become INACTIVE, once these links are restored: nobody may be merged twice. */
export async function refusalOfLinks({ db, t, among }: Write, links: MergeLinks) {
  const { id, mergedInto } = t.person
  const into = [...links.values()].flatMap((one) => one ?? [])
  const people = await db
    .select()
    .from(t.person)
    .where(or(isNotNull(mergedInto), among(id, into)))
  const linkOf = (row: PersonRow) => (links.has(row.id) ? links.get(row.id) : row.mergedInto)
  return (of: string): string | undefined => {
    const target = links.get(of)
    const other = people.find((row) => linkOf(row) === of || (row.id === target && (linkOf(row) || row.erasedAt)))
    return other && `${other.name} (${other.id}) was merged or erased since.`
  }
}

/** Moves the entries of a person, batch by batch: what has moved is no longer found. */
async function moveAll<Row extends RiskRow | IssueRow>(
  ledger: Ledger<Row>,
  holder: Partial<Row>,
  nextBatch: () => PromiseLike<Row[]>,
): Promise<number> {
  for (let moved = 0; ; ) {
    const rows = await nextBatch()
    for (const row of rows) ledger.enter(row, { ...row, ...holder })
    await ledger.store()
    moved += rows.length
    if (rows.length < BATCH_ROWS) return moved
  }
}

/** Also moves those who were merged into the old one before; returns how many other people change. */
async function moveMemberships(write: Write, old: PersonRow, into: PersonRow): Promise<number> {
  const { db, t } = write
  const groupsOf = await groupsOfPeople(write, [old.id, into.id])
  const all = [...groupsOf.values()].flat().map(({ id }) => id)
  const wanted = new Map([old.id, into.id].map((id) => [id, new Set(id === old.id ? [] : all)]))
  const changes = await membershipChangesTo(write, wanted)
  const ledger = peopleLedger(write)
  const beside = (id: string) => ({ beside: changes.get(id)?.changes ?? {} })
  ledger.enter(old, { ...old, status: 'INACTIVE', mergedInto: into.id }, beside(old.id))
  const { outcome } = ledger.enter(into, into, beside(into.id))
  const earlier = await db.select().from(t.person).where(eq(t.person.mergedInto, old.id))
  for (const row of earlier) ledger.enter(row, { ...row, mergedInto: into.id })
  await ledger.store()
  await applyMembershipChanges(write, changes.values())
  return earlier.length + (outcome === 'updated' ? 1 : 0)
}
