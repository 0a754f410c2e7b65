import { and, asc, eq, gt, isNotNull, isNull, ne, or, type SQL } from 'drizzle-orm'
import { detailsIn, detailsWith, storedDetails } from '../details.js'
import { Fault } from '../errors.js'
import {
  BATCH_ROWS,
  backwards,
  type ChangeRow,
  type FieldChanges,
  fieldChangesOf,
  type Recorded,
} from '../history/changes.js'
import { Ledger, originOf } from '../history/ledger.js'
import { mentions } from '../store/query/conditions.js'
import { byIds } from '../store/query/page.js'
import type { Write } from '../store/store.js'
import type { Tables } from '../store/tables.js'
import type { EntityKind } from '../vocabulary.js'
import { foldedPerson, type PersonRow, type PersonValues, personnel } from './people.js'
import { PersonNames } from './personNames.js'

/** Replaces erased values, so that the history still shows that there was one. */
export const ERASED = '(erased)'
const ERASED_NAME = 'Erased person'

const KINDS = { person: 'PERSON', group: 'GROUP', project: 'PROJECT', risk: 'RISK', issue: 'ISSUE' } as const

interface Erasure {
  readonly id: string
  readonly erasedAt: string
  readonly history: number
  /** How many risks and issues had the name, or details that name them, blanked. */
  readonly entries: number
  /** Texts that may mean the person, and were left; at most `UNSURE_MAX` of them. */
  readonly unsure: readonly Unsure[]
  readonly unsureCount: number
}

interface Unsure {
  readonly entity: EntityKind
  readonly id: string
  readonly field: string
  readonly text: string
}

const UNSURE_MAX = 100

/** Blanks a person: their row, their history, their name beside risks and issues of theirs, and details that name them. */
export async function erasePerson(write: Write, id: string): Promise<Erasure> {
  const before = (await byIds(write, personnel, [id])).get(id)
  if (!before) throw new Fault('NOT_FOUND', `There is no person with the id ${JSON.stringify(id)}.`)
  if (before.erasedAt) throw new Fault('CONFLICT', `This person was already erased at ${before.erasedAt}.`)
  const isOwn = eq(write.t.change.entityId, id)
  const texts = await textsOf(write, before, isOwn)
  const names = new PersonNames(texts)
  const entries = new Set(await eraseDetails(write, id, names))
  await blankEntries(write, id, names, 'risk', entries)
  await blankEntries(write, id, names, 'issue', entries)
  const history = (await blankOwn(write, isOwn)) + (await blankMentions(write, id, names))
  await blankOperators(write, names)
  await deleteIdempotencyRecords(write, [id, ...texts])
  await blankPerson(write, id)
  const unsure = await unsureTexts(write, id, names)
  const others = await eraseMerged(write, id)
  const sum = (of: (other: Erasure) => number) => others.reduce((total, other) => total + of(other), 0)
  return {
    id,
    erasedAt: write.at,
    history: history + sum((other) => other.history),
    entries: entries.size + sum((other) => other.entries),
    unsure: [...unsure, ...others.flatMap((other) => other.unsure)].slice(0, UNSURE_MAX),
    unsureCount: unsure.length + sum((other) => other.unsureCount),
  }
}

/** Erases those who turned out to be the same person. */
async function eraseMerged(write: Write, id: string): Promise<Erasure[]> {
  const { person } = write.t
  const isSame = and(eq(person.mergedInto, id), isNull(person.erasedAt))
  const erased: Erasure[] = []
  for (const row of await write.db.select({ id: person.id }).from(person).where(isSame))
    erased.push(await erasePerson(write, row.id))
  return erased
}

/** Whether a record has only what is left of an erased person. */
export function isErasure({ name, email, externalId, title, department, status, details }: PersonValues): boolean {
  const isBlank = [email, externalId, title, department].every((text) => text == null)
  const hasDetails = details && detailsWith(details, null)
  return isBlank && !hasDetails && name === ERASED_NAME && status === 'INACTIVE'
}

/** Every name, e-mail and externalId that the person ever had. */
async function textsOf(write: Write, { name, email, externalId }: PersonRow, isOwn: SQL): Promise<Set<string>> {
  const texts = new Set([name, email, externalId].filter((text) => text !== null))
  for await (const rows of backwards(write, isOwn)) {
    for (const fields of rows.map(fieldChangesOf)) {
      for (const field of ['name', 'email', 'externalId']) {
        for (const text of fields[field] ?? []) if (typeof text === 'string') texts.add(text)
      }
    }
  }
  return texts
}

async function blankOwn(write: Write, isOwn: SQL): Promise<number> {
  let blanked = 0
  for await (const rows of backwards(write, isOwn)) blanked += await blankChanges(write, rows, () => () => true)
  return blanked
}

/** Deletes stored idempotent responses that mention the person: warnings of a sync quote names. */
async function deleteIdempotencyRecords(write: Write, texts: readonly string[]): Promise<void> {
  const { db, t } = write
  // SQLite folds the case of ASCII only.
  const spellings = new Set(texts.flatMap((text) => [text, text.toUpperCase(), text.toLowerCase()]))
  // A warning quotes a name, so its quotes and backslashes may be escaped twice.
  const forms = [...spellings].flatMap((text) => [inJson(text), inJson(inJson(text))])
  const { answer } = t.idempotencyRecord
  await db.delete(t.idempotencyRecord).where(or(...forms.map((form) => mentions(write, answer, form))))
}

async function blankPerson(write: Write, id: string): Promise<void> {
  const { db, t, at, insertAll } = write
  await db.delete(t.membership).where(eq(t.membership.personId, id))
  const blank = { name: ERASED_NAME, email: null, externalId: null, title: null, department: null, details: null }
  const erased = { ...blank, ...foldedPerson(blank), status: 'INACTIVE', erasedAt: at, updatedAt: at } as const
  await db.update(t.person).set(erased).where(eq(t.person.id, id))
  await insertAll(t.change, [{ ...originOf(write), action: 'ERASED', entity: 'PERSON', entityId: id, fields: '{}' }])
}

/** Blanks the name in entries of the person, and in unmatched entries that name them. */
async function blankEntries(
  write: Write,
  id: string,
  names: PersonNames,
  noun: 'risk' | 'issue',
  blanked: Set<string>,
): Promise<void> {
  const { db, t, at, among, insertAll } = write
  const table = t[noun]
  const [assignee, name, field] =
    noun === 'risk'
      ? [t.risk.ownerId, t.risk.ownerName, 'ownerName']
      : [t.issue.assigneeId, t.issue.assigneeName, 'assigneeName']
  const mayBeTheirs = and(isNotNull(name), or(eq(assignee, id), isNull(assignee)))
  const change = { ...originOf(write), action: 'ERASED', entity: KINDS[noun] } as const
  for (let last = ''; ; ) {
    const columns = { entityId: table.id, projectId: table.projectId, assignee, name }
    const found = db
      .select(columns)
      .from(table)
      .where(and(mayBeTheirs, gt(table.id, last)))
    const rows = await found.orderBy(table.id).limit(BATCH_ROWS)
    const theirs = rows.flatMap(({ assignee, name, ...row }) => {
      const rest = assignee === id ? '' : names.without(name ?? '')
      return rest === undefined ? [] : [{ ...row, rest: rest || null }]
    })
    // Most are blank then; only a list of names keeps the others.
    for (const rest of new Set(theirs.map((one) => one.rest))) {
      const ids = theirs.flatMap((one) => (one.rest === rest ? one.entityId : []))
      const blank = db.update(table).set({ [field]: rest, updatedAt: at })
      await blank.where(among(table.id, ids))
    }
    const fieldsOf = (rest: string | null) => JSON.stringify({ [field]: [ERASED, rest] })
    const changes = theirs.map(({ rest, ...row }) => ({ ...change, ...row, fields: fieldsOf(rest) }))
    await insertAll(t.change, changes)
    for (const { entityId } of theirs) blanked.add(entityId)
    if (rows.length < BATCH_ROWS) return
    last = rows.at(-1)?.entityId ?? last
  }
}

const ASSIGNEE_FIELDS = ['ownerId', 'ownerName', 'assigneeId', 'assigneeName']

/** Blanks the name in the history of risks and issues while they were the person's, or unmatched and named them, and in details. */
async function blankMentions(write: Write, id: string, names: PersonNames): Promise<number> {
  const { t, among } = write
  const has = (field: string) => mentions(write, t.change.fields, `"${field}`)
  const isNaming = or(...ASSIGNEE_FIELDS.map((field) => has(`${field}"`)))
  const isAbout = or(and(among(t.change.entity, ['RISK', 'ISSUE']), isNaming), has('details.'))
  let blanked = 0
  let unfinished: readonly [entityId: string, assigneeId: Recorded] | undefined
  for await (const rows of backwards(write, isAbout)) {
    const assignees = await assigneesOf(write, [...new Set(rows.map(({ entityId }) => entityId))])
    // The previous batch may have ended within the changes of an entity.
    if (unfinished && unfinished[0] === rows[0]?.entityId) assignees.set(...unfinished)
    blanked += await blankChanges(write, rows, (row) => theirsIn(row, assignees, id, names))
    const entityId = rows.at(-1)?.entityId ?? ''
    unfinished = [entityId, assignees.get(entityId) ?? null]
  }
  return blanked
}

/** Which values of a change are about the person; going backwards, the owner before and after each change is known. */
function theirsIn(row: ChangeRow, assignees: Map<string, Recorded>, id: string, names: PersonNames): IsTheirs {
  const after = assignees.get(row.entityId) ?? null
  const fields = fieldChangesOf(row)
  const [from] = fields['ownerId'] ?? fields['assigneeId'] ?? [after]
  assignees.set(row.entityId, from)
  return (field, value, side) => {
    const isNamed = () => names.without(String(value)) !== undefined
    if (field.startsWith('details.')) return isNamed()
    const assignee = side === 0 ? from : after
    return field.endsWith('Name') && (assignee === id || (assignee === null && isNamed()))
  }
}

async function assigneesOf({ db, t, among }: Write, ids: readonly string[]): Promise<Map<string, Recorded>> {
  const { risk, issue } = t
  const rows = [
    ...(await db.select({ id: risk.id, assignee: risk.ownerId }).from(risk).where(among(risk.id, ids))),
    ...(await db.select({ id: issue.id, assignee: issue.assigneeId }).from(issue).where(among(issue.id, ids))),
  ]
  return new Map(rows.map(({ id, assignee }) => [id, assignee]))
}

type IsTheirs = (field: string, value: Recorded, side: 0 | 1) => boolean

async function blankChanges(
  { updateAll, t }: Write,
  rows: readonly ChangeRow[],
  isTheirsIn: (row: ChangeRow) => IsTheirs,
): Promise<number> {
  const blanked = rows.flatMap((row) => {
    const fields = JSON.stringify(blankedFields(fieldChangesOf(row), isTheirsIn(row)))
    return fields === row.fields ? [] : [{ ...row, fields }]
  })
  await updateAll(t.change, blanked)
  return blanked.length
}

// `status` is kept: whether someone was on the roster is not personal data.
function blankedFields(fields: FieldChanges, isTheirs: IsTheirs): FieldChanges {
  const isNothing = (value: Recorded) => value === null || (Array.isArray(value) && value.length === 0)
  const blank = (field: string, value: Recorded, side: 0 | 1): Recorded =>
    !isNothing(value) && field !== 'status' && isTheirs(field, value, side) ? ERASED : value
  return Object.fromEntries(
    Object.entries(fields).map(([field, [from, to]]) => [field, [blank(field, from, 0), blank(field, to, 1)] as const]),
  )
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** Removes the details of all other entities that name the person; returns the ids of those risks and issues. */
async function eraseDetails(write: Write, id: string, names: PersonNames): Promise<string[]> {
  await eraseIn(write, 'person', id, names)
  await eraseIn(write, 'project', id, names)
  return [...(await eraseIn(write, 'risk', id, names)), ...(await eraseIn(write, 'issue', id, names))]
}

type Detailed = 'person' | 'project' | 'risk' | 'issue'

async function eraseIn(write: Write, noun: Detailed, id: string, names: PersonNames): Promise<string[]> {
  const table = write.t[noun]
  // The history of this change has the text until the history is blanked, in the same transaction.
  const ledger = new Ledger<Tables[Detailed]['$inferSelect']>(write, {
    kind: KINDS[noun],
    table: (t) => t[noun],
    tracked: ['details'],
    ...(noun !== 'person' && { projectOf: (row) => ('projectId' in row ? row.projectId : row.id) }),
  })
  // Followers delete their copy of a person who was erased, and here it is someone else.
  const action = noun === 'person' ? 'UPDATED' : 'ERASED'
  const ids: string[] = []
  for (let last = ''; ; ) {
    const rows = await write.db
      .select()
      .from(table)
      .where(and(gt(table.id, last), ne(table.id, id), isNotNull(table.details)))
      .orderBy(asc(table.id))
      .limit(BATCH_ROWS)
    for (const row of rows) {
      const kept = detailsIn(row.details).flatMap((detail) => {
        const rest = names.without(detail.text) ?? detail.text
        return rest === '' ? [] : { ...detail, text: rest }
      })
      const { outcome } = ledger.enter(row, { ...row, details: storedDetails(kept) }, { action })
      if (outcome === 'updated') ids.push(row.id)
    }
    await ledger.store()
    if (rows.length < BATCH_ROWS) return ids
    last = rows.at(-1)?.id ?? last
  }
}

/** Blanks the person as the operator of imports. */
async function blankOperators({ db, t: { importRun }, among }: Write, names: PersonNames): Promise<void> {
  const { operator } = importRun
  const rows = await db.select({ operator }).from(importRun).where(isNotNull(operator)).groupBy(operator)
  const theirs = rows.flatMap((row) =>
    row.operator !== null && names.without(row.operator) !== undefined ? row.operator : [],
  )
  if (theirs.length > 0) await db.update(importRun).set({ operator: null }).where(among(operator, theirs))
}

/** The texts of each kind that people write. */
const FREE_TEXTS = {
  person: ['name', 'title', 'department'],
  group: ['name', 'description'],
  project: ['name', 'description', 'url'],
  risk: ['title', 'description', 'category', 'mitigation', 'cause', 'url', 'ownerName'],
  issue: ['title', 'description', 'url', 'assigneeName'],
} as const

/** Texts of other entities that may mean the person: nobody but a reader can tell. */
async function unsureTexts({ db, t }: Write, id: string, names: PersonNames): Promise<Unsure[]> {
  const unsure: Unsure[] = []
  for (const noun of ['person', 'group', 'project', 'risk', 'issue'] as const) {
    const table = t[noun]
    for (let last = ''; ; ) {
      const isNext = and(gt(table.id, last), ne(table.id, id))
      const rows = await db.select().from(table).where(isNext).orderBy(asc(table.id)).limit(BATCH_ROWS)
      for (const row of rows) {
        const details = 'details' in row ? detailsIn(row.details) : []
        const texts = [
          ...FREE_TEXTS[noun].map((field) => [field, Reflect.get(row, field)] as const),
          ...details.map(({ name, text }) => [`details.${name}`, text] as const),
        ]
        for (const [field, text] of texts)
          if (typeof text === 'string' && names.mayMean(text))
            unsure.push({ entity: KINDS[noun], id: row.id, field, text })
      }
      if (rows.length < BATCH_ROWS) break
      last = rows.at(-1)?.id ?? last
    }
  }
  return unsure
}
