import { setImmediate } from 'node:timers/promises'
import { or } from 'drizzle-orm'
import { recordReader, requireFields, type Values } from '../../fields.js'
import { GROUP, groupsLedger, groupsOfPeople, groupWith } from '../../personnel/groups.js'
import { regroup } from '../../personnel/people.js'
import type { Write } from '../../store/store.js'
import { fold, InputCheck } from '../../text.js'
import { personMatcher, strangerInWords } from '../matching/people.js'
import { recordMatcher } from '../matching/recordMatcher.js'
import { batchesOf, type Checked, type Importer, type ImportRun, type SourceRecord, textOf } from '../run.js'

const readColumns = recordReader(GROUP.inputs)

/** Imports groups, matched by id, else by externalId, else by name. */
export function groupsImporter(run: ImportRun): Importer {
  const { write } = run
  const ledger = groupsLedger(write)
  const people = personMatcher(write)
  const rows = memberRows(run)
  const idOf = (record: Checked, member: string): string | undefined => {
    const found = people.match(member)
    const { addMembers = '' } = run.options.wording
    if (!found.person) rows.missing(record, member, `${strangerInWords(member, found)} ${addMembers}`)
    else if (!found.person.erasedAt) return found.person.id
    else rows.missing(record, member, `${member} was erased at ${found.person.erasedAt}.`, true)
    return undefined
  }
  return {
    gather: rows.gather,
    async take(batch) {
      const records = run.read(batch, readColumns)
      const matchOf = await storedGroups(run, records)
      await people.find(records.flatMap(({ values }) => values.members ?? []))
      const sound = records.flatMap((record) => {
        const { values, check } = record
        const before = matchOf(record)
        if (!before) requireFields(GROUP.inputs, values, check)
        const memberIds = values.members?.flatMap((member) => idOf(record, member) ?? [])
        if (!run.accept(record)) return []
        const draft = groupWith(write, before, values, values.id ?? undefined)
        return [{ before, draft, memberIds: values.members === undefined ? undefined : new Set(memberIds) }]
      })
      if (!run.isSound()) return

      const rosters = new Map(sound.flatMap(({ draft, memberIds }) => (memberIds ? [[draft.id, memberIds]] : [])))
      const moves = await movesTo(write, rosters)
      const moved = new Set([...moves.values()].flatMap((groupIds) => [...groupIds]))
      for (const { before, draft } of sound) {
        const { outcome } = ledger.enter(before, draft)
        run.count(outcome === 'unchanged' && moved.has(draft.id) ? 'updated' : outcome)
      }
      await ledger.store()
      await applyMoves(write, moves)
    },
  }
}

/** The groups that each person joins or leaves, after which each group has exactly these members. */
async function movesTo({ db, t, among }: Write, rosters: ReadonlyMap<string, ReadonlySet<string>>) {
  const { groupId: of, personId: member } = t.membership
  const ids = [...rosters.keys()]
  const rows = await db.select({ of, member }).from(t.membership).where(among(of, ids)).orderBy(member)
  const current = new Map(ids.map((groupId) => [groupId, new Set<string>()]))
  for (const row of rows) current.get(row.of)?.add(row.member)
  const moves = new Map<string, Set<string>>()
  for (const [groupId, wanted] of rosters) {
    const members = current.get(groupId) ?? new Set()
    const [left, joined] = [[...members].filter((id) => !wanted.has(id)), [...wanted].filter((id) => !members.has(id))]
    for (const personId of [...left, ...joined]) {
      const groupIds = moves.get(personId) ?? new Set()
      moves.set(personId, groupIds.add(groupId))
    }
    await setImmediate()
  }
  return moves
}

/** In batches, because a single group can have everyone in it. */
async function applyMoves(write: Write, moves: ReadonlyMap<string, ReadonlySet<string>>): Promise<void> {
  for await (const batch of batchesOf([...moves.keys()])) {
    const groupsOf = await groupsOfPeople(write, batch)
    // In the order of the file: the database returns people in any.
    const wanted = batch.map((personId) => {
      const groupIds = new Set((groupsOf.get(personId) ?? []).map(({ id }) => id))
      for (const id of moves.get(personId) ?? []) if (!groupIds.delete(id)) groupIds.add(id)
      return [personId, groupIds] as const
    })
    await regroup(write, new Map(wanted))
  }
}

async function storedGroups(run: ImportRun, records: readonly { values: Values<typeof GROUP.inputs> }[]) {
  const { db, t, among } = run.write
  const { id, externalId, nameFolded } = t.group
  const given = (of: 'id' | 'externalId' | 'name') => records.flatMap(({ values }) => values[of] ?? [])
  const isNamed = or(
    among(id, given('id')),
    among(externalId, given('externalId')),
    among(nameFolded, given('name').map(fold)),
  )
  const rows = await db.select().from(t.group).where(isNamed)
  return recordMatcher(run, { kind: 'group', alias: 'name', aliasOf: ({ nameFolded }) => nameFolded }, rows)
}

interface Gathered {
  readonly first: number
  readonly values: Record<string, unknown>
  /** The members, each with the index of its row. */
  readonly members: Map<string, number>
}

/** Gathers the rows of a list that has one row for each membership, with the column `member`, into one record a group. */
function memberRows(run: ImportRun) {
  const byKey = new Map<string, Gathered>()
  const byFirst = new Map<number, Gathered>()
  const violation = (index: number, field: string, detail: string) => run.violations.push({ index, field, detail })

  const merge = ({ first, values, members }: Gathered, { index, values: given }: SourceRecord) => {
    const { member, members: list, ...others } = given
    const name = textOf(member)
    if (textOf(list) !== '') violation(index, 'member', 'Give either member or members, not both.')
    if (name !== '' && !members.has(name)) members.set(name, index)
    for (const [field, value] of Object.entries(others)) {
      if (textOf(values[field]) === '') values[field] = value
      else if (textOf(value) !== '' && fold(textOf(value)) !== fold(textOf(values[field])))
        violation(index, field, `Must be as in ${run.options.wording.place(first)}, which has the same group.`)
    }
  }

  return {
    gather(records: readonly SourceRecord[]): readonly SourceRecord[] {
      const gathered = records.flatMap((record) => {
        const key = record.values['member'] === undefined ? undefined : nameOfMemberRow(record)
        if (key === undefined) return [record]
        const before = byKey.get(key)
        const { member: _, ...values } = record.values
        const group = before ?? { first: record.index, values, members: new Map<string, number>() }
        byKey.set(key, group)
        byFirst.set(group.first, group)
        merge(group, record)
        return before ? [] : [{ index: record.index, values }]
      })
      for (const { values, members } of byKey.values()) values['members'] = [...members.keys()]
      return gathered
    },

    /** Reports a member who is not there, at their own row if they have one. */
    missing(record: Checked, member: string, detail: string, isRefused?: boolean): void {
      const row = byFirst.get(record.index)?.members.get(member)
      const own = row === undefined ? record : { index: row, check: new InputCheck() }
      run.missing(own, row === undefined ? 'members' : 'member', detail, isRefused)
      if (own !== record) run.accept(own)
    },
  }
}

function nameOfMemberRow({ values }: SourceRecord): string | undefined {
  const field = ['id', 'externalId', 'name'].find((one) => textOf(values[one]) !== '')
  return field && `${field} ${fold(textOf(values[field]))}`
}
