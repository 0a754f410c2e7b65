import { eq, isNotNull, or } from 'drizzle-orm'
import { Fault } from '../errors.js'
import { BATCH_ROWS } from '../history/changes.js'
import { asRun, recordRun } from '../history/importRuns.js'
import { ENTRIES } from '../nouns.js'
import type { EntryRow } from '../projects/projectEntries.js'
import { memberColumn } from '../store/query/page.js'
import type { Write } from '../store/store.js'
import { HELD_NOUNS, type HeldNoun, NOUNS } from '../vocabulary.js'
import { groupsOfPeople } from './groups.js'
import { applyMembershipChanges, membershipChangesTo } from './memberships.js'
import { type PersonRow, peopleLedger } from './people.js'

interface Merge {
  readonly id: string
  readonly mergedInto: string
  readonly importId: string | undefined
  /** How many risks, issues and others have moved, by their plurals. */
  readonly entries: Readonly<Record<string, number>>
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
  const entries: Record<string, number> = {}
  for (const noun of HELD_NOUNS) entries[NOUNS[noun].plural] = await moveEntries(write, noun, old, into)
  const people = await moveMemberships(write, old, into)
  const updated = Object.values(entries).reduce((sum, moved) => sum + moved, people)
  const counts = { created: 0, updated, unchanged: 0, closed: 1 }
  const importId = await recordRun(write, { kind: 'MERGE', noun: 'people', source: old.id, operator }, counts)
  return { id: old.id, mergedInto: into.id, importId, entries }
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
async function moveEntries(write: Write, noun: HeldNoun, old: PersonRow, into: PersonRow): Promise<number> {
  const [table, holder] = [write.t[noun], `${NOUNS[noun].holder}Id`]
  const isTheirs = eq(memberColumn(table, holder), old.id)
  const ledger = ENTRIES[noun].ledger(write)
  for (let moved = 0; ; ) {
    const rows: EntryRow[] = await write.db.select().from(table).where(isTheirs).limit(BATCH_ROWS)
    for (const row of rows) ledger.enter(row, { ...row, [holder]: into.id })
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
