import { setImmediate } from 'node:timers/promises'
import { or } from 'drizzle-orm'
import { recordReader, requireFields, type Values } from '../../fields.js'
import { type GroupRow, groupsLedger, groupsOfPeople, groupWith } from '../../personnel/groups.js'
import { regroup } from '../../personnel/people.js'
import type { Write } from '../../store/store.js'
import { fold, InputCheck } from '../../text.js'
import { GROUP_COLUMNS } from '../columns.js'
import { PersonMatcher, strangerInWords } from '../matching/people.js'
import { RecordMatcher } from '../matching/recordMatcher.js'
import { batchesOf, type Importer, type ImportRun, type SourceRecord } from '../run.js'

const readColumns = recordReader(GROUP_COLUMNS)

/** Imports groups, matched by id, else by externalId, else by name. */
export function groupsImporter(run: ImportRun): Importer {
  const { write } = run
  const ledger = groupsLedger(write)
  const people = new PersonMatcher(write)
  const rows = memberRows(run)
  return {
    gather: rows.gather,
    async take(batch) {
      const records = run.read(batch, readColumns)
      const groups = await storedGroups(run, records)
      await people.find(records.flatMap(({ values }) => values.members ?? []))
      const sound = records.flatMap((record) => {
        const { index, values, check } = record
        const before = groups.match(record)
        if (!before) requireFields(GROUP_COLUMNS, values, check)
        const refuse = (...about: [string, string, boolean?]) => rows.missing(record, ...about)
        const memberIds = values.members === undefined ? undefined : idsOf(run, people, values.members ?? [], refuse)
        if (!run.accept(index, check)) return []
        return [{ before, draft: groupWith(write, before, values, values.id ?? undefined), memberIds }]
      })
      if (!run.isSound) return

      const rosters = new Map(sound.flatMap(({ draft, memberIds }) => (memberIds ? [[draft.id, memberIds]] : [])))
      const changes = await changesTo(write, rosters)
      for (const { before, draft } of sound) {
        const { outcome } = ledger.enter(before, draft)
        run.count(outcome === 'unchanged' && changes.groupIds.has(draft.id) ? 'updated' : outcome)
      }
      await ledger.store()
      await applyChanges(write, changes.byPerson)
    },
  }
}

function idsOf(
  { options }: ImportRun,
  people: PersonMatcher,
  texts: readonly string[],
  refuse: (member: string, detail: string, isRefused?: boolean) => void,
): Set<string> {
  return new Set(
    texts.flatMap((one) => {
      const found = people.match(one)
      if (!found.person) refuse(one, `${strangerInWords(one, found)} ${options.wording.addMembers ?? ''}`)
      else if (found.person.erasedAt) refuse(one, `${one} was erased at ${found.person.erasedAt}.`, true)
      else return found.person.id
      return []
    }),
  )
}

type GroupsChange = Readonly<Record<'joined' | 'left', string[]>>

/** The change of each person after which each group has exactly these members. */
async function changesTo(write: Write, rosters: ReadonlyMap<string, ReadonlySet<string>>) {
  const { db, t, among } = write
  const groupIds = new Set<string>()
  const byPerson = new Map<string, GroupsChange>()
  const changeOf = (personId: string, groupId: string) => {
    const change = byPerson.get(personId) ?? { joined: [], left: [] }
    byPerson.set(personId, change)
    groupIds.add(groupId)
    return change
  }
  const { groupId: of, personId: member } = t.membership
  const ids = [...rosters.keys()]
  const rows = await db.select({ of, member }).from(t.membership).where(among(of, ids)).orderBy(member)
  const current = new Map(ids.map((groupId) => [groupId, new Set<string>()]))
  for (const row of rows) current.get(row.of)?.add(row.member)
  for (const [groupId, wanted] of rosters) {
    const members = current.get(groupId) ?? new Set()
    for (const personId of members) if (!wanted.has(personId)) changeOf(personId, groupId).left.push(groupId)
    for (const personId of wanted) if (!members.has(personId)) changeOf(personId, groupId).joined.push(groupId)
    await setImmediate()
  }
  return { byPerson, groupIds }
}

/** In batches, because a single group can have everyone in it. */
async function applyChanges(write: Write, byPerson: ReadonlyMap<string, GroupsChange>): Promise<void> {
  for await (const batch of batchesOf([...byPerson.keys()])) {
    const groupsOf = await groupsOfPeople(write, batch)
    // In the order of the file: the database returns people in any.
    const wanted = batch.map((personId) => {
      const { joined = [], left = [] } = byPerson.get(personId) ?? {}
      const gone = new Set(left)
      const kept = (groupsOf.get(personId) ?? []).map(({ id }) => id).filter((id) => !gone.has(id))
      return [personId, new Set([...kept, ...joined])] as const
    })
    await regroup(write, new Map(wanted))
  }
}

async function storedGroups(
  run: ImportRun,
  records: readonly { values: Values<typeof GROUP_COLUMNS> }[],
): Promise<RecordMatcher<GroupRow>> {
  const { db, t, among } = run.write
  const { id, externalId, nameFolded } = t.group
  const given = (of: 'id' | 'externalId' | 'name') => records.flatMap(({ values }) => values[of] ?? [])
  const isNamed = or(
    among(id, given('id')),
    among(externalId, given('externalId')),
    among(nameFolded, given('name').map(fold)),
  )
  const rows = await db.select().from(t.group).where(isNamed)
  return new RecordMatcher(run, { kind: 'group', alias: 'name', aliasOf: ({ nameFolded }) => nameFolded }, rows)
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
        const key = record.values['member'] === undefined ? undefined : keyOf(record)
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
    missing(record: { index: number; check: InputCheck }, member: string, detail: string, isRefused?: boolean): void {
      const row = byFirst.get(record.index)?.members.get(member)
      const check = row === undefined ? record.check : new InputCheck()
      run.missing({ index: row ?? record.index, check }, row === undefined ? 'members' : 'member', detail, isRefused)
      if (row !== undefined) run.accept(row, check)
    },
  }
}

function keyOf({ values }: SourceRecord): string | undefined {
  const field = ['id', 'externalId', 'name'].find((one) => textOf(values[one]) !== '')
  return field && `${field} ${fold(textOf(values[field]))}`
}

function textOf(value: unknown): string {
  return value == null ? '' : String(value).trim()
}
