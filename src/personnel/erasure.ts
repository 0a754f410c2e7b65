import { and, desc, eq, getTableColumns, gt, inArray, isNull, min, not, or, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import { type Detail, detailsIn, detailsWith, storedDetails } from '../details.js'
import { Fault } from '../errors.js'
import { namesOf } from '../fields.js'
import { BATCH_ROWS, backwards, ERASED, fieldChangesOf } from '../history/changes.js'
import { type Entity, Ledger, originOf } from '../history/ledger.js'
import { byIds } from '../store/query/page.js'
import { type Access, inOneWrite, paged } from '../store/shortWrites.js'
import type { Read, Write } from '../store/store.js'
import { personalColumns } from '../store/tables/personal.js'
import { isHeldNoun, kindOf, NOUN_NAMES, NOUNS, type NounName } from '../vocabulary.js'
import { blankHistory, blankMentions, type Erased } from './erasedHistory.js'
import { foldedPerson, type PersonRow, type PersonValues, personnel } from './people.js'
import { PersonNames } from './personNames.js'

const ERASED_NAME = 'Erased person'

/** A text that may mean the person, and was left. */
interface Unsure {
  /** The kind of an entity, or a table. */
  readonly entity: string
  readonly id: string
  readonly field: string
  readonly text: string
}

const UNSURE_MAX = 100
/** Rows of long texts that are read at once. */
const LONG_ROWS = 20

/**
 * Blanks a person: their row, their history, and whatever names them elsewhere. Sweeps until little is written meanwhile;
 * the last sweep is in the write that also blanks where the names are. If it is interrupted, it can be repeated.
 */
export async function erasePerson(access: Access, id: string) {
  const person = (await byIds(access.read, personnel, [id])).get(id)
  if (!person) throw new Fault('NOT_FOUND', `There is no person with the id ${JSON.stringify(id)}.`)
  if (person.erasedAt) throw new Fault('CONFLICT', `This person was already erased at ${person.erasedAt}.`)
  const records = await recordsOf(access.read, id)
  const names = new PersonNames(await textsOf(access.read, records))
  const erased = { id, ids: records.map((record) => record.id), names }
  const report = { history: 0, entries: new Set<string>(), unsure: new Map<string, Unsure>() }
  const sweep = async (own: Access, since: number) => {
    for (const noun of NOUN_NAMES) await eraseRows(own, noun, erased, since, report)
    report.history += await blankMentions(own, erased, since)
    await eraseAuthors(own, erased, since, report)
  }
  await forget(access, erased)
  let [from, to] = [0, await lastChange(access.read)]
  do {
    await sweep(access, from)
    ;[from, to] = [to, await lastChange(access.read)]
  } while (to - from > BATCH_ROWS)
  const erasedAt = await access.write(async (write) => {
    if (JSON.stringify(await recordsOf(write, id)) !== JSON.stringify(records))
      throw new Fault('CONFLICT', 'This person was changed meanwhile. Erase them again.')
    await sweep(inOneWrite(write), from)
    report.history += await blankHistory(write, erased)
    await blankRows(write, erased)
    return write.at
  })
  // What was kept meanwhile.
  await forget(access, erased)
  const unsure = [...report.unsure.values()].slice(0, UNSURE_MAX)
  return { id, erasedAt, ...report, entries: report.entries.size, unsure, unsureCount: report.unsure.size }
}

interface Report {
  /** Risks and issues of which the name, or details that name the person, were blanked. */
  readonly entries: Set<string>
  /** By place, since a row may be read again. */
  readonly unsure: Map<string, Unsure>
}

function recordsOf({ db, t: { person } }: Read, id: string): PromiseLike<PersonRow[]> {
  const isSame = and(eq(person.mergedInto, id), isNull(person.erasedAt))
  const found = db
    .select()
    .from(person)
    .where(or(eq(person.id, id), isSame))
  return found.orderBy(person.id)
}

async function lastChange({ db, t: { change } }: Read): Promise<number> {
  const [last] = await db.select({ id: change.id }).from(change).orderBy(desc(change.id)).limit(1)
  return last?.id ?? 0
}

/** Whether a record has only what is left of an erased person. */
export function isErasure({ name, email, externalId, title, department, status, details }: PersonValues): boolean {
  const isBlank = [email, externalId, title, department].every((text) => text == null)
  const hasDetails = details && detailsWith(details, null)
  return isBlank && !hasDetails && name === ERASED_NAME && status === 'INACTIVE'
}

/** Every name, e-mail and externalId that the person ever had. */
async function textsOf(read: Read, records: readonly PersonRow[]): Promise<readonly string[]> {
  const texts = new Set(records.flatMap(({ name, email, externalId }) => [name, email ?? [], externalId ?? []].flat()))
  const ids = records.map(({ id }) => id)
  for await (const rows of backwards(read, read.among(read.t.change.entityId, ids))) {
    for (const fields of rows.map(fieldChangesOf)) {
      for (const field of ['name', 'email', 'externalId']) {
        for (const text of fields[field] ?? []) if (typeof text === 'string') texts.add(text)
      }
    }
  }
  return [...texts]
}

async function blankRows(write: Write, { ids }: Erased): Promise<void> {
  const { db, t, at, among, insertAll } = write
  await db.delete(t.membership).where(among(t.membership.personId, ids))
  const blank = { name: ERASED_NAME, email: null, externalId: null, title: null, department: null, details: null }
  const erased = { ...blank, ...foldedPerson(blank), status: 'INACTIVE', erasedAt: at, updatedAt: at } as const
  await db.update(t.person).set(erased).where(among(t.person.id, ids))
  const change = { ...originOf(write), action: 'ERASED', entity: 'PERSON', fields: '{}' } as const
  const changes = ids.map((entityId) => ({ ...change, entityId }))
  await insertAll(t.change, changes)
}

/** Takes the person out of other entities that were changed since then. */
async function eraseRows(
  { read, write }: Access,
  noun: NounName,
  erased: Erased,
  since: number,
  { entries, unsure }: Report,
) {
  const { change, [noun]: table } = read.t
  const changed = read.db.select({ id: change.entityId }).from(change).where(gt(change.id, since))
  const isOther = and(not(read.among(table.id, erased.ids)), since === 0 ? undefined : inArray(table.id, changed))
  const after = (last: Entity | undefined): PromiseLike<Entity[]> => {
    const found = read.db
      .select()
      .from(table)
      .where(and(isOther, gt(table.id, last?.id ?? '')))
    return found.orderBy(table.id).limit(BATCH_ROWS)
  }
  for await (const rows of paged(BATCH_ROWS, after)) {
    const theirs = rows.flatMap((row) => (without(erased, noun, row) ? row.id : []))
    if (theirs.length > 0) await write((own) => rewrite(own, noun, erased, theirs))
    if (isHeldNoun(noun)) for (const id of theirs) entries.add(id)
    for (const row of rows) {
      const rest = without(erased, noun, row)?.rest ?? row
      const note = noteUnsure(unsure, erased, kindOf(noun), row.id)
      for (const field of personalColumns(noun, 'mayName', 'assignee')) note(field, rest[field])
      for (const { name, text } of detailsOf(rest)) for (const one of [name, text]) note(`details.${name}`, one)
    }
  }
}

function noteUnsure(unsure: Report['unsure'], { names }: Erased, entity: string, id: string) {
  return (field: string, text: unknown) => {
    if (typeof text === 'string' && names.mayMean(text))
      unsure.set(JSON.stringify([id, field, text]), { entity, id, field, text })
  }
}

/** Reads the rows again, because others may have changed them. */
async function rewrite(write: Write, noun: NounName, erased: Erased, ids: readonly string[]): Promise<void> {
  const { db, t, among } = write
  const ledger = new Ledger<Entity>(write, {
    kind: kindOf(noun),
    table: (t) => t[noun],
    tracked: personalColumns(noun, 'details', 'assignee'),
    ...(noun !== 'person' && { projectOf: (row) => String(row['projectId'] ?? row.id) }),
  })
  // Followers delete their copy of a person who was erased, and here it is someone else.
  const action = noun === 'person' ? 'UPDATED' : 'ERASED'
  const rows: Entity[] = await db.select().from(t[noun]).where(among(t[noun].id, ids))
  for (const row of rows) {
    const { blank, rest } = without(erased, noun, row) ?? {}
    if (blank && rest) ledger.enter(blank, rest, { action })
  }
  await ledger.store()
}

/** A row with what names them blanked, as the history shows it, and without it; undefined if nothing does. */
function without({ ids, names }: Erased, noun: NounName, row: Entity): { blank: Entity; rest: Entity } | undefined {
  const blank: Record<string, string | null> = {}
  const rest: Record<string, string | null> = {}
  for (const field of personalColumns(noun, 'assignee')) {
    const [name, holder] = [row[field], isHeldNoun(noun) ? row[`${NOUNS[noun].holder}Id`] : undefined]
    if (typeof name !== 'string' || (typeof holder === 'string' && !ids.includes(holder))) continue
    const left = holder === null ? names.without(name) : ''
    if (left !== undefined) [blank[field], rest[field]] = [ERASED, left || null]
  }
  const details = detailsOf(row).map((detail) => {
    const isNamed = names.without(detail.name) !== undefined
    const left = isNamed ? '' : names.without(detail.text)
    return left === undefined
      ? { blank: detail, rest: detail }
      : { blank: { name: isNamed ? ERASED : detail.name, text: ERASED }, rest: { ...detail, text: left } }
  })
  if (details.some((one) => one.blank !== one.rest)) {
    blank['details'] = storedDetails(details.map((one) => one.blank))
    rest['details'] = storedDetails(details.map((one) => one.rest).filter(({ text }) => text !== ''))
  }
  return Object.keys(rest).length === 0 ? undefined : { blank: { ...row, ...blank }, rest: { ...row, ...rest } }
}

function detailsOf({ details }: Entity): readonly Detail[] {
  return typeof details === 'string' ? detailsIn(details) : []
}

/** Gives authors, and what runs came from, one pseudonym. */
async function eraseAuthors({ read, write }: Access, erased: Erased, since: number, { unsure }: Report): Promise<void> {
  for (const name of namesOf(read.t))
    for (const member of personalColumns(name, 'author')) {
      const table: PgTable = read.t[name]
      const { id, [member]: column } = getTableColumns(table)
      if (!id || !column) continue
      const isNew = name === 'change' ? gt(id, since) : undefined
      const found = read.db
        .select({ text: column, least: min(id) })
        .from(table)
        .where(isNew)
      const theirs: string[] = []
      for (const { text, least } of await found.groupBy(column)) {
        if (typeof text === 'string' && erased.names.isAuthor(text)) theirs.push(text)
        else noteUnsure(unsure, erased, name, String(least))(member, text)
      }
      if (theirs.length === 0) continue
      const after = (last: { id: unknown } | undefined) => {
        const isNext = and(read.among(column, theirs), last ? gt(id, last.id) : isNew)
        return read.db.select({ id }).from(table).where(isNext).orderBy(id).limit(BATCH_ROWS)
      }
      for await (const rows of paged(BATCH_ROWS, after)) {
        const ids = rows.map((row) => (typeof row.id === 'number' ? row.id : String(row.id)))
        const set = { [member]: `erased:${erased.id}` }
        await write((own) => own.db.update(table).set(set).where(own.among(id, ids)))
      }
    }
}

/** Deletes accepted maps, and responses kept for repeated requests, in which they are named. */
async function forget({ read, write }: Access, { ids, names }: Erased): Promise<void> {
  const { sourceMap, idempotencyRecord } = read.t
  for (const [name, one, other] of [
    ['sourceMap', sourceMap.source, sourceMap.noun],
    ['idempotencyRecord', idempotencyRecord.keyId, idempotencyRecord.token],
  ] as const) {
    const columns: Readonly<Record<string, PgColumn>> = getTableColumns<PgTable>(read.t[name])
    const texts = personalColumns(name, 'forgotten').map((member) => sql`${columns[member]}`)
    const text = sql<string>`${sql.join(texts, sql` || ' ' || `)}`
    const after = (last: { one: string; other: string } | undefined) => {
      const isNext = last && sql`(${one}, ${other}) > (${last.one}, ${last.other})`
      return read.db.select({ one, other, text }).from(read.t[name]).where(isNext).orderBy(one, other).limit(LONG_ROWS)
    }
    for await (const rows of paged(LONG_ROWS, after)) {
      const named = rows.filter((row) => ids.some((id) => row.text.includes(id)) || names.isInJson(row.text))
      const isTheirs = or(...named.map((row) => and(eq(one, row.one), eq(other, row.other))))
      if (isTheirs) await write(({ db, t }) => db.delete(t[name]).where(isTheirs))
    }
  }
}
