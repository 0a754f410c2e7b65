import { setImmediate } from 'node:timers/promises'
import { and, eq, gt } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import { detailsWith } from '../../details.js'
import { recordReader, type Values } from '../../fields.js'
import type { Ledger } from '../../history/ledger.js'
import { isErasure } from '../../personnel/erasure.js'
import { applyMembershipChanges, membershipChangesTo } from '../../personnel/membershipChanges.js'
import { checkPerson, type PersonRow, peopleLedger, personWith } from '../../personnel/people.js'
import { fold, type InputCheck } from '../../text.js'
import { PEOPLE_COLUMNS } from '../columns.js'
import { RecordMatcher } from '../matching/records.js'
import { GroupMatcher } from '../matching/references.js'
import {
  BATCH_RECORDS,
  batchesOf,
  closableOf,
  type Importer,
  type ImportRun,
  isFirstLoad,
  writersOfSource,
} from '../run.js'

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
      const roster = await rosterOf(run, (await isFirst()) ? [] : records)
      await groups.find(records.flatMap(({ values }) => values.groups ?? []))
      const sound = records.flatMap((record) => {
        const { index, values, check } = record
        const before = roster.match(record)
        // An erased person from another store's export stays erased.
        const erasedAt = !before && values.id != null && isErasure(values) ? write.at : null
        if (before?.erasedAt) requireErased(before, values, check)
        else if (!erasedAt) checkPerson(before, values, check)
        const groupIds = values.groups === undefined ? undefined : groups.idsOf(values.groups ?? [], check)
        if (!run.accept(index, check)) return []
        // In a complete list, naming an inactive person without a status brings them back.
        const isBack = missing && before?.status === 'INACTIVE' && !before.erasedAt && values.status == null
        const given = isBack ? { ...values, status: 'ACTIVE' as const } : values
        const draft = personWith(write, before, given, values.id ?? undefined)
        missing?.add(draft.id, { isNew: !before, hasExternalId: values.externalId != null })
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
async function rosterOf(run: ImportRun, records: readonly { values: Columns }[]): Promise<RecordMatcher<PersonRow>> {
  const { db, t, among } = run.write
  const { id, externalId, emailFolded } = t.person
  const rows: PersonRow[] = []
  const add = async (column: AnyPgColumn, of: (values: Columns) => string | null | undefined) => {
    const texts = records.map(({ values }) => of(values)).filter((one) => one != null)
    if (texts.length > 0) rows.push(...(await db.select().from(t.person).where(among(column, texts))))
  }
  await add(id, (values) => values.id)
  await add(externalId, (values) => values.externalId)
  await add(emailFolded, (values) => values.email && fold(values.email))
  return new RecordMatcher(run, { kind: 'person', alias: 'email', aliasOf: (row) => row.emailFolded }, rows)
}

/**
 * Tracks the people of a complete list, to find those who are missing. Someone is missing only if they came from the
 * same source: it has written them before, and they have an externalId if the list gives externalIds, or none if not.
 */
class MissingPeople {
  readonly #run: ImportRun
  /** The people of the list, and whether it gives their externalId. */
  readonly #listed: Map<string, boolean>
  readonly #added = new Set<string>()

  constructor(run: ImportRun) {
    this.#run = run
    this.#listed = run.options.others?.people ?? new Map()
  }

  add(personId: string, { isNew, hasExternalId }: { isNew: boolean; hasExternalId: boolean }): void {
    this.#listed.set(personId, hasExternalId)
    if (isNew) this.#added.add(personId)
  }

  /** Sets those who are missing INACTIVE, unless there are too many. */
  async deactivate(ledger: Ledger<PersonRow>): Promise<void> {
    const run = this.#run
    if (!run.isSound || run.options.others?.isLast === false) return
    if (this.#listed.size === 0) return this.#refuse('The list is empty, so nobody was set INACTIVE.')
    const { missing, live } = await this.#compare()
    const most = closableOf(live, run.options.closeLimit)
    if (missing.length > most) {
      const found = `${missing.length} of ${live} active people are missing; at most ${most} are set INACTIVE at once.`
      const advice = `Is the list complete? If so, allow it with ${run.options.wording.closeLimit} ${missing.length}.`
      return this.#refuse(`${found} ${advice}`)
    }
    for await (const batch of batchesOf(missing)) {
      for (const row of batch) {
        ledger.enter(row, { ...row, status: 'INACTIVE' })
        run.count('closed')
      }
      await ledger.store()
    }
  }

  #refuse(detail: string): void {
    this.#run.unclosed.push({ index: undefined, field: '', detail })
  }

  /** Compares the list with the active people of its source. */
  async #compare(): Promise<{ missing: PersonRow[]; live: number }> {
    const { db, t } = this.#run.write
    const kinds = new Set(this.#listed.values())
    const writers = await writersOfSource(this.#run.write)
    const missing: PersonRow[] = []
    const counts = { listed: 0, foreign: 0 }
    let last = ''
    for (;;) {
      const isNext = and(gt(t.person.id, last), eq(t.person.status, 'ACTIVE'))
      const page = await db.select().from(t.person).where(isNext).orderBy(t.person.id).limit(BATCH_RECORDS)
      const absent = page.filter(({ id }) => !this.#listed.has(id))
      const ofKind = absent.filter(({ externalId }) => kinds.has(externalId !== null))
      const written = await this.#writtenBy(writers, ofKind)
      missing.push(...ofKind.filter(({ id }) => written.has(id)))
      counts.listed += page.filter(({ id }) => this.#listed.has(id) && !this.#added.has(id)).length
      counts.foreign += absent.length - written.size
      last = page.at(-1)?.id ?? ''
      if (page.length < BATCH_RECORDS) break
      await setImmediate()
    }
    if (counts.foreign > 0) {
      const who = counts.foreign === 1 ? 'One active person is' : `${counts.foreign} active people are`
      const detail = `${who} not in the list, and left as they are: this source has never written them.`
      this.#run.warnings.push({ index: undefined, field: '', detail })
    }
    return { missing, live: counts.listed + missing.length }
  }

  /** The ids of those whose own fields these writers have written; lists of groups write `groups` only. */
  async #writtenBy(writers: readonly string[], people: readonly PersonRow[]): Promise<Set<string>> {
    if (people.length === 0) return new Set()
    const { among, db, t } = this.#run.write
    const { by, entityId, fields } = t.change
    const ids = people.map(({ id }) => id)
    const rows = await db
      .select({ id: entityId, fields })
      .from(t.change)
      .where(and(among(entityId, ids), among(by, writers)))
    const own = rows.filter((row) => Object.keys(JSON.parse(row.fields)).some((name) => name !== 'groups'))
    return new Set(own.map(({ id }) => id))
  }
}
