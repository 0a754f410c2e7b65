import { type Flaw, flawed, united } from '../errors.js'
import { LIMITS } from '../limits.js'
import type { Optional } from '../store/query/conditions.js'
import type { Write } from '../store/store.js'
import { type InputCheck, tooManyItems } from '../text.js'
import type { SheetNoun } from './files/nouns.js'
import { importRecords } from './importers.js'
import { checkRecords, flawsBy, type Members, noteFlaws, numberIn, readProject, recordsOf } from './recordFlaws.js'
import type { Counts, Diagnostic, ImportOptions, ImportResult, Wording } from './run.js'

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
  readonly warnings: readonly Flaw[]
}

const OF_PROJECT: Omit<Wording, 'place'> = {
  createProjects: 'syncProject',
  createGroups: 'addGroup',
  closeLimit: 'closeLimit:',
}

/** Updates a project to the state of its own system, by the rules of the import. */
export async function syncProject(write: Write, state: ProjectState, matchPeople: boolean): Promise<SyncReport> {
  const { mode, risks, issues, closeLimit, ...project } = state
  const closeMissing = mode !== 'PARTIAL'
  const options = { project: project.key, closeMissing, closeLimit: closeLimit ?? undefined, matchPeople }
  const bounds = boundFlaws(state)
  const ofProject = await part(write, 'projects', bounds.length > 0 ? null : [project], '', { wording: OF_PROJECT })
  // Without the project its entries cannot be matched with the stored ones.
  const first = [...bounds, ...ofProject.flaws]
  if (first.length > 0) refuse(PROJECT, united(first, await flawsBy(checkProjectState, state)))
  const ofRisks = await part(write, 'risks', risks, '/risks', { ...options, wording: OF_PROJECT })
  const ofIssues = await part(write, 'issues', issues, '/issues', { ...options, wording: OF_PROJECT })
  // Risks that are not stored cannot be found by their issues: drop those follow-up flaws.
  const isOwn = ({ pointer = '' }: Flaw) => ofRisks.flaws.length === 0 || !/^\/issues\/\d+\/risk$/.test(pointer)
  refuse(PROJECT, [...ofRisks.flaws, ...ofIssues.flaws.filter(isOwn)])
  return {
    key: project.key,
    risks: ofRisks.counts,
    issues: ofIssues.counts,
    warnings: [...ofRisks.warnings, ...ofIssues.warnings],
  }
}

const PROJECT = 'The project'

function boundFlaws({ risks, issues, closeLimit }: Pick<ProjectState, 'risks' | 'issues' | 'closeLimit'>): Flaw[] {
  return [...tooMany('/risks', risks), ...tooMany('/issues', issues), ...limitFlaws('/closeLimit', closeLimit)]
}

/** Adds the flaws of a project, its risks and its issues that can be known without the store. */
export async function checkProjectState(raw: Members, check: InputCheck): Promise<void> {
  const [risks, issues] = [recordsOf(raw['risks']), recordsOf(raw['issues'])]
  noteFlaws(boundFlaws({ risks, issues, closeLimit: numberIn(raw['closeLimit']) }), check)
  readProject(raw, check)
  await checkRecords('risks', risks, check)
  await checkRecords('issues', issues, check)
}

/** What to do with more records than the limit. */
export const FOR_MORE = 'Send more in parts, with the mode PARTIAL, or use `operations import`.'

/** Other writes wait during a sync, so it must not take too long. */
export function tooMany(pointer: string, records: Optional<readonly Members[]>, forMore = FOR_MORE): Flaw[] {
  const most = LIMITS.syncRecordsMax
  if (!records || records.length <= most) return []
  return [{ pointer, detail: tooManyItems(records.length, most, forMore) }]
}

export function limitFlaws(pointer: string, limit: Optional<number>): Flaw[] {
  return limit != null && limit < 0 ? [{ pointer, detail: 'Must not be below 0.' }] : []
}

/** Throws if there is any flaw, so that nothing is stored. */
export function refuse(what: string, flaws: readonly Flaw[]): void {
  if (flaws.length === 0) return
  const more = flaws.length > LIMITS.syncFlawsMax ? ` These are the first ${LIMITS.syncFlawsMax} flaws.` : ''
  const sentence = `${what} cannot be synced as given; nothing was changed.${more}`
  throw flawed('VALIDATION_FAILED', sentence, flaws.slice(0, LIMITS.syncFlawsMax))
}

/** The result of one list of a sync. */
interface Part {
  readonly counts: Readonly<Counts>
  readonly flaws: readonly Flaw[]
  readonly warnings: readonly Flaw[]
}

const NONE: Counts = { created: 0, updated: 0, unchanged: 0, closed: 0 }

/** Imports one list of a sync. Refused closings are flaws: a sync is stored completely or not at all. */
export async function part(
  write: Write,
  noun: SheetNoun,
  records: Optional<readonly Members[]>,
  pointer: string,
  options: Omit<ImportOptions, 'wording'> & { readonly wording: Omit<Wording, 'place'> },
): Promise<Part> {
  if (!records) return { counts: NONE, flaws: [], warnings: [] }
  const place = (index: number) => (noun === 'projects' ? pointer : `${pointer}/${index}`)
  const flawOf = ({ index, field, detail }: Diagnostic): Flaw => ({
    pointer: index === undefined ? pointer : `${place(index)}/${field}`,
    detail,
  })
  const sourceRecords = records.map((values, index) => ({ index, values }))
  const result: ImportResult = await importRecords(write, noun, sourceRecords, {
    ...options,
    wording: { ...options.wording, place },
  })
  const flaws = [...result.flaws, ...result.unclosed]
  return { counts: result.counts, flaws: flaws.map(flawOf), warnings: result.warnings.map(flawOf) }
}
