import { readFileSync } from 'node:fs'
import { addAbortSignal } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { derivedColumns, SHEETS } from '../../ingest/columns.js'
import type { DateOrder } from '../../ingest/files/guess/dates.js'
import type { Guess } from '../../ingest/files/guess/guess.js'
import type { Mapping } from '../../ingest/files/mapping.js'
import {
  formatOf,
  type GuessPlan,
  readSheet,
  type Sheet,
  type SheetFormat,
  UnreadableSheet,
} from '../../ingest/files/sheet.js'
import { listed, type SheetNoun } from '../../ingest/files/table.js'
import { importRecords } from '../../ingest/importers.js'
import type { ImportResult, OtherFiles, Wording } from '../../ingest/run.js'
import { SHIPPED_MAPS } from '../../ingest/shippedMaps.js'
import type { Store } from '../../store/store.js'
import { fold } from '../../text.js'
import { progressBar } from '../command.js'
import { type FileOutcome, findingOf, flawsOf, warningsOf } from './report.js'

export interface FileFlags {
  readonly format?: SheetFormat
  readonly encoding?: string
  readonly sheet?: string
  readonly project?: string
  readonly createProjects?: true
  readonly createGroups?: true
  readonly strictPeople?: true
  readonly closeMissing?: true
  readonly missing?: 'inactive'
  readonly closeLimit?: string
  readonly ignoreUnknown?: true
  readonly strict?: true
  readonly referenceFrom?: string
  readonly dateOrder?: DateOrder
  readonly dryRun?: true
}

interface Run extends FileFlags {
  readonly mapping: Mapping | undefined
  readonly others: OtherFiles
  /** Called with what was guessed, before anything is stored. */
  readonly onGuess: (file: string, guess: Guess) => void
  readonly signal: AbortSignal
  readonly clock: () => Date
}

/** The flags that messages refer to. */
export const WORDING: Omit<Wording, 'place'> = {
  createProjects: '--create-projects',
  createGroups: '--create-groups',
  addMembers: 'Import people first; separate several by ;.',
  closeLimit: '--close-limit',
}

/** Rolls the transaction back: there are flaws, nothing to store, or it is a dry run. */
class NotStored extends Error {}

const NOTHING = { created: 0, updated: 0, unchanged: 0, closed: 0 }

/** Imports one file, completely or not at all. */
export async function importFile(store: Store, noun: SheetNoun, file: string, run: Run): Promise<FileOutcome> {
  let sheet: Sheet
  try {
    sheet = await sheetOf(noun, file, run)
  } catch (error) {
    if (error instanceof UnreadableSheet) return unreadable(file, error.message)
    throw error
  }
  if (sheet.guess) run.onGuess(file, sheet.guess)
  const open = questionsOf(noun, sheet, run)
  if (open.length > 0) return { ...unreadable(file, ...open), guess: sheet.guess, notes: sheet.notes }
  const result = await importSheet(store, noun, file, sheet, run)
  return outcomeOf(noun, file, sheet, result.result, result.isStored)
}

const NO_PROJECT =
  'The file names no project. Give --project KEY for the whole file, with --create-projects if it is new; ' +
  'or a column project that has the key of each row.'

/** What the caller must decide before the records can be imported. */
function questionsOf(noun: SheetNoun, sheet: Sheet, { project }: Run): readonly string[] {
  const { guess, records } = sheet
  const isOfProjects = noun === 'risks' || noun === 'issues'
  const first = guess?.mapping.rules.has('project') ?? (records[0] && 'project' in records[0].values)
  const lacks = isOfProjects && project === undefined && first === false
  const others = isOfProjects && project !== undefined ? otherProjects(sheet, project) : []
  return [...(lacks ? [NO_PROJECT] : []), ...others, ...(guess?.questions ?? [])]
}

/** One flaw if no row of a file is of the given project, as in the export of a tracker. */
function otherProjects({ records, columnOf }: Sheet, project: string): string[] {
  const keys = new Set(records.map(({ values }) => String(values['project'] ?? '').trim()))
  const isOther = records.length > 1 && !keys.has('') && [...keys].every((key) => fold(key) !== fold(project))
  const column = columnOf('project')
  return isOther
    ? [`${column} says ${listed(keys)}, and --project says ${project}. Leave out --project: each row has its own.`]
    : []
}

/** What is needed to read a file; with `isForced` also our own names are looked at as a guess. */
type Reading = Pick<Run, keyof FileFlags | 'mapping' | 'signal'> & { readonly isForced?: boolean }

export async function sheetOf(noun: SheetNoun, file: string, run: Reading): Promise<Sheet> {
  const format = run.format ?? formatOf(file) ?? 'csv'
  const bytes = await bytesOf(file, run.signal)
  const plan = SHEETS[noun]
  return readSheet(bytes, {
    name: file === '-' ? 'standard input' : file,
    format,
    encoding: run.encoding,
    sheet: run.sheet,
    fields: Object.keys(plan.fields),
    derived: derivedColumns(plan),
    ignoreUnknown: run.ignoreUnknown ?? false,
    mapping: run.mapping,
    recognisable: run.strict ? [] : SHIPPED_MAPS.filter((map) => map.noun === noun),
    guess: run.strict && !run.mapping ? undefined : guessPlan(noun, run),
  })
}

function guessPlan(noun: SheetNoun, { project, referenceFrom, dateOrder, isForced }: Reading): GuessPlan {
  return { noun, hasProject: project !== undefined, referenceFrom, dateOrder, isForced }
}

async function bytesOf(file: string, signal: AbortSignal): Promise<Uint8Array> {
  try {
    return file === '-' ? await buffer(addAbortSignal(signal, process.stdin)) : readFileSync(file)
  } catch (error) {
    signal.throwIfAborted()
    const { code, message } = error as NodeJS.ErrnoException
    throw new UnreadableSheet(file, UNREADABLE[code ?? ''] ?? `It cannot be read: ${message}.`)
  }
}

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'File not found.',
  EISDIR: 'This is a folder. Name the files in it.',
  EACCES: 'Permission denied.',
}

async function importSheet(store: Store, noun: SheetNoun, file: string, { records, unit }: Sheet, run: Run) {
  const sourceRecords = records.filter(({ flaws }) => flaws.length === 0)
  const bar = progressBar(file, sourceRecords.length)
  const { closeLimit, project, signal, clock, missing, ...flags } = run
  const closeMissing = flags.closeMissing ?? missing !== undefined
  let result: ImportResult | undefined
  let isStored = false
  const as = { by: 'cli', at: clock, onStatement: () => signal.throwIfAborted() }
  try {
    await store.write(as, async (write) => {
      isStored = false
      result = await importRecords(write, noun, sourceRecords, {
        ...flags,
        createProjects: flags.createProjects ?? noun === 'projects',
        closeMissing,
        // A user of the CLI has access to the whole store.
        matchPeople: true,
        project: project?.trim().toUpperCase(),
        closeLimit: closeLimit === undefined ? undefined : Number(closeLimit),
        wording: { ...WORDING, place: (index) => `${unit} ${records[index]?.line}` },
        onProgress: (done) => {
          signal.throwIfAborted()
          bar.show(done)
        },
      })
      const { counts, flaws, projects } = result
      const isSound = flaws.length === 0 && sourceRecords.length === records.length
      const isMoved = counts.created + counts.updated + counts.closed + projects.size > 0
      if (!isSound || !isMoved || flags.dryRun) throw new NotStored()
      isStored = true
    })
  } catch (error) {
    if (!(error instanceof NotStored)) throw error
  } finally {
    bar.clear()
  }
  if (!result) throw new Error('The records were not imported.')
  return { result, isStored }
}

function outcomeOf(noun: SheetNoun, file: string, sheet: Sheet, result: ImportResult, isStored: boolean): FileOutcome {
  const { records, guess, unit, notes, ignored, derived } = sheet
  const flaws = flawsOf(noun, sheet, result.flaws)
  const isSound = flaws.length === 0
  return {
    ...{ file, guess, unit, notes, ignored, derived, isSound, isStored, flaws },
    records: records.length,
    counts: isSound ? result.counts : NOTHING,
    rejected: new Set(flaws.flatMap(({ line }) => line ?? [])).size,
    warnings: warningsOf(sheet, result.warnings),
    notClosed: isSound ? result.unclosed.map((one) => findingOf(sheet, one)) : [],
    made: isSound ? result.made : [],
    projectKeys: [...result.projects.values()],
  }
}

/** A file that could not be used. */
function unreadable(file: string, ...details: string[]): FileOutcome {
  const nothing = { notes: [], warnings: [], notClosed: [], ignored: [], derived: [], made: [], projectKeys: [] }
  const flaws = details.map((detail) => ({ detail }))
  return {
    file,
    unit: 'line',
    isSound: false,
    isStored: false,
    records: 0,
    counts: NOTHING,
    rejected: 0,
    flaws,
    ...nothing,
  }
}
