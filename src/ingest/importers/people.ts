import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import { detailsWith } from '../../details.js'
import { recordReader, type Values } from '../../fields.js'
import { isErasure } from '../../personnel/erasure.js'
import { applyMembershipChanges, membershipChangesTo } from '../../personnel/membershipChanges.js'
import { checkPerson, type PersonRow, peopleLedger, personWith } from '../../personnel/people.js'
import type { Write } from '../../store/store.js'
import { fold, type InputCheck } from '../../text.js'
import { PEOPLE_COLUMNS } from '../columns.js'
import { GroupMatcher } from '../matching/groups.js'
import { RecordMatcher } from '../matching/records.js'
import type { Importer, ImportRun } from '../run.js'
import { isFirstLoad } from './firstLoad.js'
import { MissingPeople } from './missingPeople.js'

type Columns = Values<typeof PEOPLE_COLUMNS>

const readColumns = recordReader(PEOPLE_COLUMNS)

/** Imports people, matched by id, else by externalId, else by e-mail. */
export function peopleImporter(run: ImportRun): Importer {
  const { write } = run
  const ledger = peopleLedger(write)
  const groups = new GroupMatcher(run)
  const missing = run.options.closeMissing ? new MissingPeople(run) : undefined
  const isFirst = isFirstLoad(run, (t) => t.person)
  return {
    async take(batch) {
      const records = run.read(batch, readColumns)
      // In an empty store everyone is new, and nobody needs to be looked up.
      const roster = await rosterOf(write, (await isFirst()) ? [] : records)
      await groups.find(records.flatMap(({ values }) => values.groups ?? []))
      const sound = records.flatMap(({ index, values, check }) => {
        const before = roster.match(values, values.email, check)
        // An erased person from another store's export stays erased.
        const erasedAt = !before && values.id != null && isErasure(values) ? write.at : null
        if (before?.erasedAt) requireErased(before, values, check)
        else if (!erasedAt) checkPerson(before, values, check)
        roster.claim(run, index, values, values.email, before, check)
        const groupIds = values.groups === undefined ? undefined : groups.idsOf(values.groups ?? [], check)
        if (!run.accept(index, check)) return []
        // In a complete list, naming an inactive person without a status brings them back.
        const isBack = missing && before?.status === 'INACTIVE' && !before.erasedAt && values.status == null
        const given = isBack ? { ...values, status: 'ACTIVE' as const } : values
        const draft = personWith(write, before, given, values.id ?? undefined)
        missing?.note(draft.id, { isNew: !before, hasExternalId: values.externalId != null })
        return [{ before, draft: erasedAt ? { ...draft, erasedAt } : draft, groupIds }]
      })
      if (!run.isSound) return

      await groups.store()
      const wanted = sound.flatMap(({ draft, groupIds }) => (groupIds ? [[draft.id, groupIds] as const] : []))
      const changes = await membershipChangesTo(write, new Map(wanted), groups.byId)
      for (const { before, draft } of sound) {
        run.count(ledger.enter(before, draft, { beside: changes.get(draft.id)?.changes ?? {} }).verdict)
      }
      await ledger.store()
      const inactive = sound.flatMap(({ draft }) => (draft.status === 'ACTIVE' ? [] : [draft.id]))
      await applyMembershipChanges(write, changes.values(), new Set(inactive))
    },
    finish: async () => missing?.deactivate(ledger),
  }
}

/** An export contains erased people too; importing them unchanged is allowed. */
function requireErased(
  { erasedAt, ...before }: PersonRow,
  { groups, details, ...values }: Columns,
  check: InputCheck,
): void {
  const known: Readonly<Record<string, unknown>> = before
  const isSame = Object.entries(values).every(([name, value]) => value === known[name])
  const hasMore = (groups ?? []).length > 0 || (details && detailsWith(details, null) !== null)
  if (!isSame || hasMore) check.flaw('id', `This person was erased at ${erasedAt} and cannot be changed.`)
}

/** The people who match one of these records by id, externalId or e-mail. */
async function rosterOf(
  { db, t, among }: Write,
  records: readonly { values: Columns }[],
): Promise<RecordMatcher<PersonRow>> {
  const { id, externalId, emailFolded } = t.person
  const rows: PersonRow[] = []
  const add = async (column: AnyPgColumn, of: (values: Columns) => string | null | undefined) => {
    const texts = records.map(({ values }) => of(values)).filter((one) => one != null)
    if (texts.length > 0) rows.push(...(await db.select().from(t.person).where(among(column, texts))))
  }
  await add(id, (values) => values.id)
  await add(externalId, (values) => values.externalId)
  await add(emailFolded, (values) => values.email && fold(values.email))
  return new RecordMatcher({ kind: 'person', alias: 'email', aliasOf: (row) => row.emailFolded }, rows)
}
