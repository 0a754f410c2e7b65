import { recordReader, requireFields } from '../fields.js'
import { type GroupRow, groupsLedger, groupsOfPeople, groupWith } from '../personnel/groups.js'
import { regroup } from '../personnel/memberships.js'
import type { Write } from '../store/store.js'
import type { InputCheck } from '../text.js'
import { GROUP_COLUMNS } from './columns.js'
import { PersonMatcher, strangerInWords } from './matching/people.js'
import { RecordMatcher } from './matching/records.js'
import type { Importer, ImportRun } from './run.js'

const readColumns = recordReader(GROUP_COLUMNS)

/** Imports groups, matched by id, else by externalId, else by name. */
export function groupsImporter(run: ImportRun): Importer {
  const { write } = run
  const ledger = groupsLedger(write)
  const people = new PersonMatcher(write)
  return {
    async take(batch) {
      const records = run.read(batch, readColumns)
      const known = await knownGroups(write)
      await people.find(records.flatMap(({ values }) => values.members ?? []))
      const sound = records.flatMap(({ index, values, check }) => {
        const before = known.match(values, values.name, check)
        if (!before) requireFields(GROUP_COLUMNS, values, check)
        known.claim(run, index, values, values.name, before, check)
        const memberIds = values.members === undefined ? undefined : idsOf(people, values.members ?? [], check)
        if (!run.accept(index, check)) return []
        return [{ before, draft: groupWith(write, before, values, values.id ?? undefined), memberIds }]
      })
      if (!run.isSound) return

      const rosters = new Map(sound.flatMap(({ draft, memberIds }) => (memberIds ? [[draft.id, memberIds]] : [])))
      const moved = await membershipsFor(write, rosters)
      for (const { before, draft } of sound) {
        const { verdict } = ledger.enter(before, draft)
        run.count(verdict === 'unchanged' && moved.groupIds.has(draft.id) ? 'updated' : verdict)
      }
      await ledger.store()
      await regroup(write, moved.wanted)
    },
  }
}

function idsOf(people: PersonMatcher, texts: readonly string[], check: InputCheck): Set<string> {
  return new Set(
    texts.flatMap((one) => {
      const found = people.get(one)
      if (!found.person)
        check.flaw('members', `${strangerInWords(one, found)} Import people first; separate several by ;.`)
      else if (found.person.erasedAt) check.flaw('members', `${one} was erased at ${found.person.erasedAt}.`)
      else return found.person.id
      return []
    }),
  )
}

/** The groups of each person, such that each group has exactly these members. */
async function membershipsFor(write: Write, rosters: ReadonlyMap<string, ReadonlySet<string>>) {
  const { db, t, among } = write
  const groupIds = new Set<string>()
  if (rosters.size === 0) return { wanted: new Map<string, Set<string>>(), groupIds }
  const current = await db
    .select()
    .from(t.membership)
    .where(among(t.membership.groupId, [...rosters.keys()]))
  const affected = new Set([
    ...current.map(({ personId }) => personId),
    ...[...rosters.values()].flatMap((ids) => [...ids]),
  ])
  const groupsOf = await groupsOfPeople(write, [...affected])
  const wanted = new Map([...groupsOf].map(([personId, rows]) => [personId, new Set(rows.map(({ id }) => id))]))
  for (const [groupId, members] of rosters) {
    for (const [personId, ids] of wanted) {
      if (members.has(personId) === ids.has(groupId)) continue
      groupIds.add(groupId)
      if (members.has(personId)) ids.add(groupId)
      else ids.delete(groupId)
    }
  }
  return { wanted, groupIds }
}

async function knownGroups({ db, t }: Write): Promise<RecordMatcher<GroupRow>> {
  // An organisation has far fewer groups than people, so all of them are read.
  const rows = await db.select().from(t.group)
  return new RecordMatcher({ kind: 'group', alias: 'name', aliasOf: ({ nameFolded }) => nameFolded }, rows)
}
