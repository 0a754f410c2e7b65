import { type Flaw, flawed } from '../errors.js'
import { LIMITS } from '../limits.js'
import type { Optional } from '../store/query/conditions.js'
import type { Write } from '../store/store.js'
import { tooManyItems } from '../text.js'
import { importRecords } from './importers.js'
import type { Counts, Diagnostic, ImportOptions, ImportResult, Wording } from './run.js'

type Members = Readonly<Record<string, unknown>>

/** A project as its own system has it, with all of its risks and issues. */
export interface ProjectState extends Members {
  readonly key: string
  /** Absent or null leaves the risks as they are; a list is the complete one. */
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

const WORDING: Omit<Wording, 'place'> = {
  createProjects: 'syncProject',
  createGroups: 'addGroup',
  closeLimit: 'closeLimit:',
}

/** Updates a project to the state of its own system, by the rules of the import. */
export async function syncProject(write: Write, state: ProjectState, matchPeople: boolean): Promise<SyncReport> {
  const { risks, issues, closeLimit, ...project } = state
  refuse([...tooMany('/risks', risks), ...tooMany('/issues', issues)])
  if (closeLimit != null && closeLimit < 0) refuse([{ pointer: '/closeLimit', detail: 'Must not be below 0.' }])
  const options = { project: project.key, closeMissing: true, closeLimit: closeLimit ?? undefined, matchPeople }
  const ofProject = await part(write, 'projects', [project], '')
  // Without the project its entries cannot be checked.
  refuse(ofProject.flaws)
  const ofRisks = await part(write, 'risks', risks, '/risks', options)
  const ofIssues = await part(write, 'issues', issues, '/issues', options)
  // Risks that are not stored cannot be found by their issues: drop those follow-up flaws.
  const isOwn = ({ pointer = '' }: Flaw) => ofRisks.flaws.length === 0 || !/^\/issues\/\d+\/risk$/.test(pointer)
  refuse([...ofRisks.flaws, ...ofIssues.flaws.filter(isOwn)])
  return {
    key: project.key,
    risks: ofRisks.counts,
    issues: ofIssues.counts,
    warnings: [...ofRisks.warnings, ...ofIssues.warnings],
  }
}

/** What to do with more records than the limit. */
export const FOR_MORE = 'Use `operations import` for more.'

/** Other writes wait during a sync, so it must not take too long. */
function tooMany(pointer: string, records: Optional<readonly Members[]>): Flaw[] {
  const most = LIMITS.syncRecordsMax
  if (!records || records.length <= most) return []
  return [{ pointer, detail: tooManyItems(records.length, most, FOR_MORE) }]
}

/** Throws if there is any flaw, so that nothing is stored. */
function refuse(flaws: readonly Flaw[]): void {
  if (flaws.length === 0) return
  const more = flaws.length > LIMITS.syncFlawsMax ? ` These are the first ${LIMITS.syncFlawsMax} flaws.` : ''
  const sentence = `The project cannot be synced as given; nothing was changed.${more}`
  throw flawed('VALIDATION_FAILED', sentence, flaws.slice(0, LIMITS.syncFlawsMax))
}

const NONE: Counts = { created: 0, updated: 0, unchanged: 0, closed: 0 }

async function part(
  write: Write,
  noun: 'projects' | 'risks' | 'issues',
  records: Optional<readonly Members[]>,
  pointer: string,
  options: Omit<ImportOptions, 'wording'> = {},
) {
  if (!records) return { counts: NONE, flaws: [], warnings: [] }
  const place = (index: number) => (noun === 'projects' ? pointer : `${pointer}/${index}`)
  const flawOf = ({ index, field, detail }: Diagnostic): Flaw => ({
    pointer: index === undefined ? pointer : `${place(index)}/${field}`,
    detail,
  })
  const sourceRecords = records.map((values, index) => ({ index, values }))
  const result: ImportResult = await importRecords(write, noun, sourceRecords, {
    ...options,
    wording: { ...WORDING, place },
  })
  return { counts: result.counts, flaws: result.flaws.map(flawOf), warnings: result.warnings.map(flawOf) }
}
