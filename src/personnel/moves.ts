import type { FieldChanges } from '../history/changes.js'
import { byIds } from '../store/page.js'
import type { Read, Write } from '../store/store.js'
import { type GroupRow, groups, groupsOfPeople } from './groups.js'

/** A change of someone's groups, recorded in the person's history. */
export interface Move {
  readonly personId: string
  readonly groupIds: readonly string[]
  readonly changes: FieldChanges
}

/** The changes after which each of these people has exactly these groups; unaffected people are left out. */
export async function movesTo(
  read: Read,
  wanted: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<Map<string, Move>> {
  if (wanted.size === 0) return new Map()
  const current = await groupsOfPeople(read, [...wanted.keys()])
  const known = await byIds(read, groups, [...new Set([...wanted.values()].flatMap((ids) => [...ids]))])
  const moves = new Map<string, Move>()
  for (const [personId, ids] of wanted) {
    const from = current.get(personId) ?? []
    if (from.length === ids.size && from.every(({ id }) => ids.has(id))) continue
    const to = [...ids].flatMap((id) => known.get(id) ?? [])
    moves.set(personId, { personId, groupIds: [...ids], changes: { groups: [namesOf(from), namesOf(to)] } })
  }
  return moves
}

/** The memberships of a new person. */
export function firstMoves(personId: string, into: readonly GroupRow[]): Move[] {
  if (into.length === 0) return []
  return [{ personId, groupIds: into.map(({ id }) => id), changes: { groups: [[], namesOf(into)] } }]
}

/** Applies the changes; the people must be stored by then. */
export async function moveAll({ db, t, among, insertAll }: Write, moves: Iterable<Move>): Promise<void> {
  const all = [...moves]
  if (all.length === 0) return
  const personIds = all.map(({ personId }) => personId)
  await db.delete(t.membership).where(among(t.membership.personId, personIds))
  const rows = all.flatMap(({ personId, groupIds }) => groupIds.map((groupId) => ({ groupId, personId })))
  await insertAll(t.membership, rows)
}

function namesOf(rows: readonly GroupRow[]): string[] {
  return [...rows].sort((one, other) => (one.nameFolded < other.nameFolded ? -1 : 1)).map(({ name }) => name)
}
