import { setImmediate } from 'node:timers/promises'
import { eq } from 'drizzle-orm'
import { invalid, mergedViolations, type Violation } from '../errors.js'
import { recordReader } from '../fields.js'
import { asRun, recordRun } from '../history/importRuns.js'
import { LIMITS } from '../limits.js'
import type { Optional } from '../store/query/conditions.js'
import type { Write } from '../store/store.js'
import { fold, InputCheck, tooManyItems, trimmed } from '../text.js'
import { SHEETS } from './columns.js'
import type { SheetNoun } from './files/table.js'
import { importRecords } from './importers.js'
import { BATCH_RECORDS, type Counts, type Diagnostic, type ImportOptions, sameAs, type Wording } from './run.js'

/** A project as its own system has it, with its risks and issues. */
interface ProjectState extends Members {
  readonly key: string
  /** Whether the lists are complete; FULL by default. */
  readonly mode?: Optional<'FULL' | 'PARTIAL'>
  /** Absent or null leaves the risks as they are. */
  readonly risks?: Optional<readonly Members[]>
  readonly issues?: Optional<readonly Members[]>
  readonly closeLimit?: Optional<number>
}

export interface SyncReport {
  readonly key: string
  readonly risks: Readonly<Counts>
  readonly issues: Readonly<Counts>
  readonly warnings: readonly Violation[]
}

const OF_PROJECT: Omit<Wording, 'place'> = {
  createProjects: 'syncProject',
  createGroups: 'addGroup',
  closeLimit: 'closeLimit:',
}

/** Updates a project to the state of its own system, by the rules of the import. */
export async function syncProject(single: Write, state: ProjectState, matchPeople: boolean): Promise<SyncReport> {
  const write = asRun(single)
  const { mode, risks, issues, closeLimit, ...project } = state
  const closeMissing = mode !== 'PARTIAL'
  const options = { project: project.key, closeMissing, closeLimit: closeLimit ?? undefined, matchPeople }
  const bounds = new InputCheck()
  checkProjectBounds(state, bounds)
  const ofProject = await part(write, 'projects', bounds.isSound ? [project] : null, '', { wording: OF_PROJECT })
  // Without the project its entries cannot be matched with the stored ones.
  const first = [...bounds.violations, ...ofProject.violations]
  if (first.length > 0) refuse('The project', mergedViolations(first, await violationsBy(checkProjectState, state)))
  const ofRisks = await part(write, 'risks', risks, '/risks', { ...options, wording: OF_PROJECT })
  const ofIssues = await part(write, 'issues', issues, '/issues', { ...options, wording: OF_PROJECT })
  // Risks that are not stored cannot be found by their issues: drop those follow-up violations.
  const isOwn = ({ pointer = '' }: Violation) =>
    ofRisks.violations.length === 0 || !/^\/issues\/\d+\/risk$/.test(pointer)
  refuse('The project', [...ofRisks.violations, ...ofIssues.violations.filter(isOwn)])
  const warnings = [...ofRisks.warnings, ...ofIssues.warnings]
  await recordSyncRun(write, project.key, [ofProject, ofRisks, ofIssues])
  return { key: project.key, risks: ofRisks.counts, issues: ofIssues.counts, warnings }
}

type ProjectBounds = Pick<ProjectState, 'risks' | 'issues' | 'closeLimit'>

function checkProjectBounds({ risks, issues, closeLimit }: ProjectBounds, check: InputCheck): void {
  checkCount('risks', risks, FOR_MORE, check)
  checkCount('issues', issues, FOR_MORE, check)
  checkLimit('closeLimit', closeLimit, check)
}

/** Adds the violations of a project, its risks and its issues that can be known without the store. */
export async function checkProjectState(raw: Members, check: InputCheck): Promise<void> {
  const [risks, issues] = [recordsOf(raw['risks']), recordsOf(raw['issues'])]
  checkProjectBounds({ risks, issues, closeLimit: numberIn(raw['closeLimit']) }, check)
  readers.projects(raw, check)
  await checkRecords('risks', risks, check)
  await checkRecords('issues', issues, check)
}

/** What to do with more records than the limit. */
export const FOR_MORE = 'Send more in parts, with the mode PARTIAL, or use `operations import`.'

/** Other writes wait during a sync, so it must not take too long. */
function checkCount(member: string, records: Optional<readonly Members[]>, forMore: string, check: InputCheck): void {
  const most = LIMITS.syncRecordsMax
  if (records && records.length > most) check.violation(member, tooManyItems(records.length, most, forMore))
}

function checkLimit(member: string, limit: Optional<number>, check: InputCheck): void {
  if (limit != null && limit < 0) check.violation(member, 'Must not be below 0.')
}

function refuse(what: string, violations: readonly Violation[]): void {
  if (violations.length === 0) return
  const more =
    violations.length > LIMITS.syncViolationsMax ? ` These are the first ${LIMITS.syncViolationsMax} errors.` : ''
  const sentence = `${what} cannot be synced as given; nothing was changed.${more}`
  throw invalid('VALIDATION_FAILED', sentence, violations.slice(0, LIMITS.syncViolationsMax))
}

const NONE: Counts = { created: 0, updated: 0, unchanged: 0, closed: 0 }

/** Imports one list of a sync. Refused closings are violations: a sync is stored completely or not at all. */
async function part(
  write: Write,
  noun: SheetNoun,
  records: Optional<readonly Members[]>,
  pointer: string,
  options: Omit<ImportOptions, 'wording'> & { readonly wording: Omit<Wording, 'place'> },
) {
  if (!records) return { counts: NONE, violations: [], warnings: [] }
  const place = (index: number) => (noun === 'projects' ? pointer : `${pointer}/${index}`)
  const violationOf = ({ index, field, detail }: Diagnostic): Violation => ({
    pointer: index === undefined ? pointer : `${place(index)}/${field}`,
    detail,
  })
  const sourceRecords = records.map((values, index) => ({ index, values }))
  const wording = { ...options.wording, place }
  const { counts, violations, unclosed, warnings } = await importRecords(write, noun, sourceRecords, {
    ...options,
    wording,
    // Nobody reads the warnings of a program: it must send what it refers to.
    strictReferences: true,
  })
  return { counts, violations: [...violations, ...unclosed].map(violationOf), warnings: warnings.map(violationOf) }
}

/** Records a sync, whose source is the name of its key. */
async function recordSyncRun(
  write: ReturnType<typeof asRun>,
  noun: string,
  parts: readonly { readonly counts: Counts }[],
): Promise<void> {
  const { by, db, t } = write
  const counts = { ...NONE }
  for (const part of parts)
    for (const name of ['created', 'updated', 'unchanged', 'closed'] as const) counts[name] += part.counts[name]
  const [key] = await db.select({ name: t.apiKey.name }).from(t.apiKey).where(eq(t.apiKey.id, by))
  await recordRun(write, { kind: 'SYNC', noun, source: key?.name ?? by }, counts)
}

/** People and groups as an HR system or a directory has them. */
interface PersonnelState {
  readonly people?: Optional<readonly Members[]>
  readonly groups?: Optional<readonly Members[]>
  /** What becomes of people who are not in the list; KEEP by default. */
  readonly leavers?: Optional<'KEEP' | 'INACTIVE'>
  readonly leaverLimit?: Optional<number>
}

export interface PersonnelReport {
  readonly people: Readonly<Counts>
  readonly groups: Readonly<Counts>
  readonly warnings: readonly Violation[]
}

const WORDING: Omit<Wording, 'place'> = {
  createProjects: 'syncProject',
  createGroups: 'the list `groups`',
  addMembers: 'Send them in the list `people`.',
  closeLimit: 'leaverLimit:',
}

export const FOR_MORE_PERSONNEL = 'Send more in parts, without leavers, or use `operations import`.'

/** Updates people and groups to the given state, by the rules of the import. */
export async function syncPersonnel(single: Write, state: PersonnelState): Promise<PersonnelReport> {
  const write = asRun(single)
  const { people, groups, leavers, leaverLimit } = state
  const closeMissing = leavers === 'INACTIVE'
  const bounds = new InputCheck()
  checkPersonnelBounds(state, bounds)
  if (!bounds.isSound) refuse('The personnel', await violationsBy(checkPersonnelState, state))
  const options = { closeMissing, closeLimit: leaverLimit ?? undefined, wording: WORDING }
  const ofPeople = () => part(write, 'people', people, '/people', options)
  const ofGroups = () => part(write, 'groups', groups, '/groups', { wording: WORDING })
  const hasMembers = gives(groups, 'members')
  // Whatever is referred to is stored first.
  const first = await (hasMembers ? ofPeople() : ofGroups())
  const second = await (hasMembers ? ofGroups() : ofPeople())
  // What is not stored cannot be found: drop those follow-up violations.
  const isOwn = ({ pointer = '' }: Violation) =>
    first.violations.length === 0 || !/^\/\w+\/\d+\/(groups|members)$/.test(pointer)
  const [peoplePart, groupsPart] = hasMembers ? [first, second] : [second, first]
  refuse('The personnel', [...first.violations, ...second.violations.filter(isOwn)])
  const warnings = [...peoplePart.warnings, ...groupsPart.warnings]
  await recordSyncRun(write, 'personnel', [peoplePart, groupsPart])
  return { people: peoplePart.counts, groups: groupsPart.counts, warnings }
}

/** False if there are so many names that checking them would take too long. */
function checkPersonnelBounds({ people, groups, leavers, leaverLimit }: PersonnelState, check: InputCheck): boolean {
  checkCount('people', people, FOR_MORE_PERSONNEL, check)
  checkCount('groups', groups, FOR_MORE_PERSONNEL, check)
  const areFew = [checkNames('people', people, 'groups', check), checkNames('groups', groups, 'members', check)]
  checkLimit('leaverLimit', leaverLimit, check)
  if (leavers === 'INACTIVE' && !people) check.violation('leavers', 'Needs people: the complete list.')
  if (gives(groups, 'members') && gives(people, 'groups'))
    check.violation('groups', 'Give either groups of people or members of groups, not both.')
  return areFew.every(Boolean)
}

/** Each name is looked up and stored while other writes wait, however few records name them. */
function checkNames(member: string, records: Optional<readonly Members[]>, field: string, check: InputCheck): boolean {
  const most = LIMITS.syncMembershipsMax
  const lengthOf = (names: unknown) => (Array.isArray(names) ? names.length : 0)
  const count = (records ?? []).reduce((sum, record) => sum + lengthOf(record[field]), 0)
  if (count > most) check.violation(member, `They name ${count} ${field}; the most is ${most}. ${FOR_MORE_PERSONNEL}`)
  return count <= most
}

/** Adds the violations of people and groups that can be known without the store. */
export async function checkPersonnelState(raw: Members, check: InputCheck): Promise<void> {
  const [people, groups] = [recordsOf(raw['people']), recordsOf(raw['groups'])]
  const leavers = raw['leavers'] === 'INACTIVE' ? 'INACTIVE' : 'KEEP'
  const leaverLimit = numberIn(raw['leaverLimit'])
  if (!checkPersonnelBounds({ people, groups, leavers, leaverLimit }, check)) return
  await checkRecords('people', people, check)
  await checkRecords('groups', groups, check)
}

function gives(records: Optional<readonly Members[]>, member: string): boolean {
  return records?.some((record) => record[member] !== undefined) ?? false
}

export type Members = Readonly<Record<string, unknown>>

const readers = {
  projects: recordReader(SHEETS.projects.fields),
  people: recordReader(SHEETS.people.fields),
  groups: recordReader(SHEETS.groups.fields),
  risks: recordReader(SHEETS.risks.fields),
  issues: recordReader(SHEETS.issues.fields),
}

/** The fields that no two records of a list may share, with the form in which they are compared. */
const UNIQUE = {
  people: { externalId: trimmed, email: fold },
  groups: { externalId: trimmed, name: fold },
  risks: { reference: trimmed },
  issues: { reference: trimmed },
}

/** Adds every violation of these records that is known without the store, duplicates among them included. */
async function checkRecords(noun: keyof typeof UNIQUE, records: readonly Members[] = [], check: InputCheck) {
  if (records.length > LIMITS.syncRecordsMax) return
  const first = new Map<string, number>()
  for (const [index, record] of records.entries()) {
    if (index > 0 && index % BATCH_RECORDS === 0) await setImmediate()
    if (check.found.length >= LIMITS.syncViolationsMax) return
    const ofRecord = new InputCheck()
    const values: Members = readers[noun](record, ofRecord)
    for (const [field, comparable] of Object.entries(UNIQUE[noun])) {
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
function recordsOf(raw: unknown): readonly Members[] | undefined {
  if (raw == null) return undefined
  return Array.isArray(raw) ? raw.map(Object) : []
}

function numberIn(raw: unknown): number | undefined {
  return typeof raw === 'number' ? raw : undefined
}

async function violationsBy(find: typeof checkProjectState, state: object): Promise<readonly Violation[]> {
  const check = new InputCheck()
  await find({ ...state }, check)
  return check.violations
}
