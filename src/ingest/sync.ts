import { setImmediate } from 'node:timers/promises'
import { eq } from 'drizzle-orm'
import { invalid, mergedViolations, type Violation } from '../errors.js'
import { namesOf, recordReader } from '../fields.js'
import { asRun, recordRun } from '../history/importRuns.js'
import { LIMITS } from '../limits.js'
import { SHEETS } from '../nouns.js'
import type { Optional } from '../store/query/conditions.js'
import type { Write } from '../store/store.js'
import { fold, InputCheck, tooManyItems, trimmed } from '../text.js'
import { ENTRY_PLURALS, type EntryPlural, type NounPlural } from '../vocabulary.js'
import { importRecords } from './importers.js'
import {
  BATCH_CHARACTERS,
  type Counts,
  charactersIn,
  type Diagnostic,
  type ImportOptions,
  sameAs,
  type Wording,
} from './run.js'

type Members = Readonly<Record<string, unknown>>
/** Absent or null leaves what is stored as it is. */
type Records = Optional<readonly Members[]>

/** A project as its own system has it, with its risks, its issues and its other entries. */
interface ProjectState extends Members, Readonly<Partial<Record<EntryPlural, Records>>> {
  readonly key: string
  /** Whether the lists are complete; FULL by default. */
  readonly mode?: Optional<'FULL' | 'PARTIAL'>
  readonly closeLimit?: Optional<number>
}

export type SyncReport = Awaited<ReturnType<typeof syncProject>>

/** What to do with more records than the limit. */
export const FOR_MORE = 'Send more in parts, with the mode PARTIAL, or use `operations import`.'
export const FOR_MORE_PERSONNEL = 'Send more in parts, without leavers, or use `operations import`.'

/** Updates a project to the state of its own system, by the rules of the import. */
export async function syncProject(single: Write, state: ProjectState, matchPeople: boolean) {
  const write = asRun(single)
  const { mode, closeLimit, ...project } = state
  const wording = { createProjects: 'syncProject', createGroups: 'addGroup', closeLimit: 'closeLimit:' }
  const closing = { closeMissing: mode !== 'PARTIAL', closeLimit: closeLimit ?? undefined }
  const options = { project: project.key, ...closing, matchPeople, wording }
  const bounds = new InputCheck()
  checkBounds(state, PROJECT_BOUNDS, bounds)
  const ofProject = await part(write, 'projects', bounds.isSound ? [project] : null, { wording })
  // Without the project its entries cannot be matched with the stored ones.
  const first = [...bounds.violations, ...ofProject.violations]
  if (first.length > 0) refuse('The project', mergedViolations(first, await violationsBy(checkProjectState, state)))
  const ofEntries: Part[] = []
  for (const plural of ENTRY_PLURALS) ofEntries.push(await part(write, plural, state[plural], options))
  refuse('The project', violationsOf(ofEntries))
  await recordSyncRun(write, project.key, [ofProject, ...ofEntries])
  const counts = new Map(ENTRY_PLURALS.map((plural, index) => [plural, ofEntries[index]?.counts]))
  return { key: project.key, counts, warnings: ofEntries.flatMap(({ warnings }) => warnings) }
}

const PROJECT_BOUNDS: Bounds = { lists: ENTRY_PLURALS, limit: 'closeLimit', forMore: FOR_MORE }

/** Adds the violations of a project and its entries that can be known without the store. */
export async function checkProjectState(raw: Members, check: InputCheck): Promise<void> {
  checkBounds(raw, PROJECT_BOUNDS, check)
  recordReader(SHEETS.projects.inputs)(raw, check)
  for (const plural of ENTRY_PLURALS) await checkRecords(plural, raw, check)
}

/** People and groups as an HR system or a directory has them. */
interface PersonnelState {
  readonly people?: Records
  readonly groups?: Records
  /** What becomes of people who are not in the list; KEEP by default. */
  readonly leavers?: Optional<'KEEP' | 'INACTIVE'>
  readonly leaverLimit?: Optional<number>
}

export type PersonnelReport = Awaited<ReturnType<typeof syncPersonnel>>

const OF_PERSONNEL = {
  createProjects: 'syncProject',
  createGroups: 'the list `groups`',
  addMembers: 'Send them in the list `people`.',
  closeLimit: 'leaverLimit:',
}

/** Updates people and groups to the given state, by the rules of the import. */
export async function syncPersonnel(single: Write, state: PersonnelState) {
  const write = asRun(single)
  const { people, groups, leavers, leaverLimit } = state
  const bounds = new InputCheck()
  checkPersonnelBounds({ ...state }, bounds)
  if (!bounds.isSound) refuse('The personnel', await violationsBy(checkPersonnelState, state))
  const closing = { closeMissing: leavers === 'INACTIVE', closeLimit: leaverLimit ?? undefined }
  const ofPeople = () => part(write, 'people', people, { ...closing, wording: OF_PERSONNEL })
  const ofGroups = () => part(write, 'groups', groups, { wording: OF_PERSONNEL })
  const hasMembers = gives({ ...state }, 'groups', 'members')
  // Whatever is referred to is stored first.
  const first = await (hasMembers ? ofPeople() : ofGroups())
  const second = await (hasMembers ? ofGroups() : ofPeople())
  refuse('The personnel', violationsOf([first, second]))
  const [peoplePart, groupsPart] = hasMembers ? [first, second] : [second, first]
  await recordSyncRun(write, 'personnel', [first, second])
  const warnings = [...peoplePart.warnings, ...groupsPart.warnings]
  return { people: peoplePart.counts, groups: groupsPart.counts, warnings }
}

const PERSONNEL_BOUNDS: Bounds = { lists: ['people', 'groups'], limit: 'leaverLimit', forMore: FOR_MORE_PERSONNEL }

/** False if there are so many names that checking them would take too long. */
function checkPersonnelBounds(raw: Members, check: InputCheck): boolean {
  checkBounds(raw, PERSONNEL_BOUNDS, check)
  const areFew = [checkNames('people', raw, 'groups', check), checkNames('groups', raw, 'members', check)]
  if (raw['leavers'] === 'INACTIVE' && raw['people'] == null)
    check.violation('leavers', 'Needs people: the complete list.')
  if (gives(raw, 'groups', 'members') && gives(raw, 'people', 'groups'))
    check.violation('groups', 'Give either groups of people or members of groups, not both.')
  return areFew.every(Boolean)
}

/** Adds the violations of people and groups that can be known without the store. */
export async function checkPersonnelState(raw: Members, check: InputCheck): Promise<void> {
  if (!checkPersonnelBounds(raw, check)) return
  await checkRecords('people', raw, check)
  await checkRecords('groups', raw, check)
}

function gives(raw: Members, list: string, member: string): boolean {
  return recordsOf(raw[list]).some((record) => record[member] !== undefined)
}

/** Each name is looked up and stored while other writes wait, however few records name them. */
function checkNames(list: string, raw: Members, field: string, check: InputCheck): boolean {
  const most = LIMITS.syncMembershipsMax
  const count = recordsOf(raw[list]).reduce((sum, record) => sum + recordsOf(record[field]).length, 0)
  if (count > most) check.violation(list, `They name ${count} ${field}; the most is ${most}. ${FOR_MORE_PERSONNEL}`)
  return count <= most
}

type Bounds = Readonly<{ lists: readonly string[]; limit: string; forMore: string }>

/** Other writes wait during a sync, so it must not take too long. */
function checkBounds(raw: Members, { lists, limit, forMore }: Bounds, check: InputCheck): void {
  for (const list of lists) {
    const [count, most] = [recordsOf(raw[list]).length, LIMITS.syncRecordsMax]
    if (count > most) check.violation(list, tooManyItems(count, most, forMore))
  }
  const given = raw[limit]
  if (typeof given === 'number' && given < 0) check.violation(limit, 'Must not be below 0.')
}

/** The fields that no two records of a list may share, with the form in which they are compared. */
const UNIQUE: Readonly<Record<string, Readonly<Record<string, (text: string) => string>>>> = {
  people: { externalId: trimmed, email: fold },
  groups: { externalId: trimmed, name: fold },
  ...Object.fromEntries(ENTRY_PLURALS.map((plural) => [plural, { reference: trimmed }])),
}

/** What checking a record takes besides its characters. */
const RECORD_CHARACTERS = 100

/** Adds every violation of these records that is known without the store, duplicates among them included. */
async function checkRecords(noun: NounPlural, raw: Members, check: InputCheck): Promise<void> {
  const records = recordsOf(raw[noun])
  if (records.length > LIMITS.syncRecordsMax) return
  const read = recordReader(SHEETS[noun].inputs)
  const first = new Map<string, number>()
  let characters = 0
  for (const [index, record] of records.entries()) {
    characters += RECORD_CHARACTERS + charactersIn(record)
    if (characters > BATCH_CHARACTERS) {
      await setImmediate()
      characters = 0
    }
    if (check.found.length >= LIMITS.syncViolationsMax) return
    const ofRecord = new InputCheck()
    const values: Members = read(record, ofRecord)
    for (const [field, comparable] of Object.entries(UNIQUE[noun] ?? {})) {
      const value = values[field]
      if (typeof value !== 'string') continue
      const key = JSON.stringify([field, comparable(value)])
      const before = first.get(key)
      if (before === undefined) first.set(key, index)
      else ofRecord.violation(field, sameAs(`/${noun}/${before}`))
    }
    for (const { member, detail } of ofRecord.found) check.violation(`${noun}/${index}/${member}`, detail)
  }
}

/** The records of a list that may not be one, or may hold other values. */
function recordsOf(raw: unknown): readonly Members[] {
  return Array.isArray(raw) ? raw.map(Object) : []
}

async function violationsBy(find: typeof checkProjectState, state: object): Promise<readonly Violation[]> {
  const check = new InputCheck()
  await find({ ...state }, check)
  return check.violations
}

function refuse(what: string, violations: readonly Violation[]): void {
  if (violations.length === 0) return
  const most = LIMITS.syncViolationsMax
  const more = violations.length > most ? ` These are the first ${most} errors.` : ''
  const sentence = `${what} cannot be synced as given; nothing was changed.${more}`
  throw invalid('VALIDATION_FAILED', sentence, violations.slice(0, most))
}

type Part = Awaited<ReturnType<typeof part>>

/** The violations of parts, of which later ones refer to earlier: what is not stored cannot be found, which is no error more. */
function violationsOf(parts: readonly Part[]): Violation[] {
  const isFollowUp = ({ pointer = '' }: Violation) => /^\/\w+\/\d+\/(risk|groups|members)$/.test(pointer)
  let found: readonly Violation[] = []
  for (const { violations } of parts)
    found = found.concat(found.length === 0 ? violations : violations.filter((one) => !isFollowUp(one)))
  return [...found]
}

const NONE: Counts = { created: 0, updated: 0, unchanged: 0, closed: 0 }

/** Imports one list of a sync. Refused closings are violations: a sync is stored completely or not at all. */
async function part(
  write: Write,
  noun: NounPlural,
  records: Records,
  options: Omit<ImportOptions, 'wording'> & { readonly wording: Omit<Wording, 'place'> },
) {
  if (!records) return { counts: NONE, violations: [], warnings: [] }
  const pointer = noun === 'projects' ? '' : `/${noun}`
  const place = (index: number) => (noun === 'projects' ? '' : `${pointer}/${index}`)
  const violationOf = ({ index, field, detail }: Diagnostic): Violation => ({
    pointer: index === undefined ? pointer : `${place(index)}/${field}`,
    detail,
  })
  const sourceRecords = records.map((values, index) => ({ index, values }))
  const { counts, violations, unclosed, warnings } = await importRecords(write, noun, sourceRecords, {
    ...options,
    wording: { ...options.wording, place },
    // Nobody reads the warnings of a program: it must send what it refers to.
    strictReferences: true,
  })
  return { counts, violations: [...violations, ...unclosed].map(violationOf), warnings: warnings.map(violationOf) }
}

/** Records a sync, whose source is the name of its key. */
async function recordSyncRun(write: ReturnType<typeof asRun>, noun: string, parts: readonly Part[]): Promise<void> {
  const { by, db, t } = write
  const counts = { ...NONE }
  for (const part of parts) for (const name of namesOf(NONE)) counts[name] += part.counts[name]
  const [key] = await db.select({ name: t.apiKey.name }).from(t.apiKey).where(eq(t.apiKey.id, by))
  await recordRun(write, { kind: 'SYNC', noun, source: key?.name ?? by }, counts)
}
