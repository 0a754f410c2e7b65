import { setImmediate } from 'node:timers/promises'
import { and } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import { recordReader, type Values } from '../../fields.js'
import type { Ledger } from '../../history/ledger.js'
import { isErasure } from '../../personnel/erasure.js'
import { applyMembershipChanges, membershipChangesTo } from '../../personnel/memberships.js'
import { refusalOfLinks } from '../../personnel/merging.js'
import { checkPerson, PERSON, type PersonRow, peopleLedger, personnel, personWith } from '../../personnel/people.js'
import { pagesOf } from '../../store/query/page.js'
import type { Write } from '../../store/store.js'
import { fold, type InputCheck } from '../../text.js'
import { type AddressMoves, addressMoves } from '../matching/addresses.js'
import { commaParts, groupMatcher } from '../matching/lookups.js'
import { belongsTo, type Naming, recordMatcher } from '../matching/recordMatcher.js'
import { closeAll, closedLately, type Importer, type ImportRun, refusalToClose, writersOfSource } from '../run.js'

type Columns = Values<typeof PERSON.inputs>

const readColumns = recordReader(PERSON.inputs)

/** Imports people, matched by id, else by externalId, else by e-mail. */
export async function peopleImporter(run: ImportRun): Promise<Importer> {
  const { write } = run
  const ledger = peopleLedger(write)
  const groups = groupMatcher(run)
  const { closeMissing, others } = run.options
  const people = closeMissing ? { listed: others?.people ?? new Map(), added: new Set<string>() } : undefined
  // In an empty store everyone is new, and nobody needs to be looked up.
  const isFirst = (await write.db.$count(write.t.person)) === 0
  const moves = addressMoves(run)
  const { undoing } = run.options
  const refusalOf = undoing && (await refusalOfLinks(write, undoing.links))
  return {
    gather(all) {
      moves.read(all)
      for (const { values } of all) groups.note(values['groups'])
      return all
    },
    async take(batch) {
      const records = run.read(batch, readColumns)
      const roster = await rosterOf(run, isFirst ? [] : records, moves)
      const named = records.flatMap(({ values }) => values.groups ?? [])
      await groups.find(named.flatMap((one) => [one, ...commaParts(one)]))
      const sound = records.flatMap((record, at) => {
        const { values, check } = record
        const before = roster.match(record)
        if (before?.mergedInto && !undoing) {
          passOver(run, record, before)
          people?.listed.set(before.mergedInto, values.externalId != null)
          return []
        }
        const link = undoing?.links.get(before?.id ?? '')
        const refusal = link !== undefined && values.status === 'INACTIVE' && before && refusalOf?.(before.id)
        if (link && values.status === 'ACTIVE') check.violation('status', 'This person is ACTIVE again since.')
        else if (refusal) check.violation('status', refusal)
        // An export contains erased people too: in another store they stay erased, and here they must be as they are.
        const isNewlyErased = !before && values.id != null && isErasure(values)
        if (before?.erasedAt) requireErased(before, values, check)
        else if (!isNewlyErased) checkPerson(before, values, check)
        const isCell = typeof batch[at]?.values['groups'] === 'string'
        const texts = values.groups?.flatMap((one) => (isCell ? groups.namedBy(one, check) : [one]))
        const groupIds = values.groups === undefined ? undefined : groups.idsOf(texts ?? [], record)
        if (!run.accept(record)) return []
        // In a complete list, naming an inactive person without a status brings them back.
        const isRehired = before?.externalId && values.externalId && before.externalId !== values.externalId
        const isBack = (closeMissing || isRehired) && isGone(before) && values.status == null
        const given = isBack ? { ...values, status: 'ACTIVE' as const } : values
        const linked = before && link !== undefined ? { ...before, mergedInto: link } : before
        const draft = personWith(write, linked, given, values.id ?? undefined)
        people?.listed.set(draft.id, values.externalId != null)
        if (!before) people?.added.add(draft.id)
        return [{ before, draft: isNewlyErased ? { ...draft, erasedAt: write.at } : draft, groupIds }]
      })
      if (!run.isSound()) return

      await moves.free(roster.leaving)
      for (const holder of roster.recycled) ledger.enter(holder, { ...holder, email: null, emailFolded: null })
      await ledger.store()
      await groups.ledger.store()
      const wanted = sound.flatMap(({ draft, groupIds }) => (groupIds ? [[draft.id, groupIds] as const] : []))
      const changes = await membershipChangesTo(write, new Map(wanted), groups.byId)
      for (const { before, draft } of sound)
        run.count(ledger.enter(before, draft, { beside: changes.get(draft.id)?.changes ?? {} }).outcome)
      await ledger.store()
      const inactive = sound.flatMap(({ draft }) => (draft.status === 'ACTIVE' ? [] : [draft.id]))
      await applyMembershipChanges(write, changes.values(), new Set(inactive))
    },
    finish: async () => people && deactivateMissing(run, people, ledger),
  }
}

/** Leaves out a row of someone who turned out to be somebody else, who is on the list by it. */
function passOver(run: ImportRun, { index, values }: { index: number; values: Columns }, before: PersonRow): void {
  run.count('unchanged')
  // An export has the ids of both.
  if (values.id != null) return
  const field = values.externalId == null ? 'email' : 'externalId'
  const detail = `${before.name} is merged into ${before.mergedInto}: the row is left out.`
  run.warnings.push({ index, field, detail })
}

function requireErased({ erasedAt, name, status }: PersonRow, values: Columns, check: InputCheck): void {
  if (isErasure({ name, status, ...values }) && !values.groups?.length) return
  check.violation('id', `This person was erased at ${erasedAt} and cannot be changed.`)
}

/** The people whom the records of a batch may mean, and those whose addresses others get. */
async function rosterOf(run: ImportRun, records: readonly { values: Columns }[], moves: AddressMoves) {
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
  const [leaving, recycled]: [PersonRow[], PersonRow[]] = [[], []]
  // Whose externalId is missing from a complete list of them is about to leave.
  const isMissing = (person: PersonRow, { values }: Naming) =>
    run.options.closeMissing === true &&
    person.externalId !== null &&
    values.externalId != null &&
    !moves.isListed(person)
  const isGoing = (person: PersonRow, record: Naming) => isGone(person) || isMissing(person, record)
  const objection = (holder: PersonRow, record: Naming, match: PersonRow | undefined) => {
    const isOne = holder.externalId !== null && match !== undefined && holder.mergedInto === match.id
    if (run.options.undoing) return belongsTo(holder)
    // The row of someone who was merged is left out.
    if (moves.isLeaving(holder)) (holder.mergedInto ? recycled : leaving).push(holder)
    else if (isOne) recycled.push(holder)
    else if (!isGoing(holder, record) || moves.isListed(holder)) return belongsTo(holder)
    else if (holder.externalId === null || !run.options.accept) return strangerWith(run, holder, record.values.name)
    else recycled.push(holder)
    return undefined
  }
  // Whoever comes with an address of someone who left has the same name; another name is another person.
  const isSame = (holder: PersonRow, record: Naming, isLikely: boolean) => {
    const { name, status } = record.values
    if (name == null || status === 'INACTIVE' || !isGoing(holder, record)) return isLikely
    return fold(name) === holder.nameFolded
  }
  const match = recordMatcher(
    run,
    { kind: 'person', alias: 'email', aliasOf: (row) => row.emailFolded, objection, isSame },
    rows.map((row) => moves.before(row)),
  )
  return { match, leaving, recycled }
}

function isGone(person: PersonRow | undefined): boolean {
  return person?.status === 'INACTIVE' && !person.erasedAt
}

function strangerWith({ options }: ImportRun, holder: PersonRow, name: string | null | undefined): string {
  const { accept } = options.wording
  const same = `if it is the same person, give the id ${holder.id}`
  const other =
    holder.externalId === null ? 'give them an externalId first' : accept && `give them the address with ${accept}`
  const advice = other === undefined ? same : `${same}; if ${name} is somebody else, ${other}`
  const why = holder.status === 'INACTIVE' ? 'left' : 'is not in the list'
  return `It is the address of ${holder.name}, who ${why}: ${advice}.`
}

/** The people of a complete list, and whether it gives their externalId; `added` are those who are new. */
type ListedPeople = Readonly<{ listed: Map<string, boolean>; added: Set<string> }>

/** Sets people who are missing from a complete list INACTIVE, unless there are too many. */
async function deactivateMissing(run: ImportRun, people: ListedPeople, ledger: Ledger<PersonRow>): Promise<void> {
  const { options, unclosed } = run
  if (!run.isSound() || options.others?.isLast === false) return
  const refuse = (detail: string) => void unclosed.push({ index: undefined, field: '', detail })
  if (people.listed.size === 0) return refuse('The list is empty, so nobody was set INACTIVE.')
  const { missing, live } = await missingFrom(run, people)
  const lately = (await closedLately(run, 'people')).get('')
  const refusal = refusalToClose(options, { missing: missing.length, live, lately }, 'set INACTIVE')
  if (refusal !== undefined) return refuse(`${missing.length} of ${live} active people are missing; ${refusal}`)
  await closeAll<PersonRow>(run, ledger, missing, (row) => ({ ...row, status: 'INACTIVE' }))
}

// Someone is missing only if this source has written them before, and they have an externalId as those of the list do.
async function missingFrom({ write, warnings }: ImportRun, { listed, added }: ListedPeople) {
  const kinds = new Set(listed.values())
  const writers = await writersOfSource(write)
  const missing: PersonRow[] = []
  let [listedBefore, foreign] = [0, 0]
  for await (const page of pagesOf(write, personnel, {})) {
    const absent = page.filter(({ id }) => !listed.has(id))
    const ofKind = absent.filter(({ externalId }) => kinds.has(externalId !== null))
    const written = await writtenBy(write, writers, ofKind)
    missing.push(...ofKind.filter(({ id }) => written.has(id)))
    listedBefore += page.filter(({ id }) => listed.has(id) && !added.has(id)).length
    foreign += absent.length - written.size
    await setImmediate()
  }
  if (foreign > 0) {
    const who = foreign === 1 ? 'One active person is' : `${foreign} active people are`
    const detail = `${who} not in the list, and left as they are: this source has never written them.`
    warnings.push({ index: undefined, field: '', detail })
  }
  return { missing, live: listedBefore + missing.length }
}

/** The ids of those whose own fields these writers have written; lists of groups write `groups` only. */
async function writtenBy({ among, db, t }: Write, writers: readonly string[], people: readonly PersonRow[]) {
  if (people.length === 0) return new Set<string>()
  const { by, entityId, fields } = t.change
  const ids = people.map(({ id }) => id)
  const isWritten = and(among(entityId, ids), among(by, writers))
  const rows = await db.select({ id: entityId, fields }).from(t.change).where(isWritten)
  const personal = rows.filter((row) => Object.keys(JSON.parse(row.fields)).some((name) => name !== 'groups'))
  return new Set(personal.map(({ id }) => id))
}
