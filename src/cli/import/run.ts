import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { basename } from 'node:path'
import { addAbortSignal } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { csvLine, DetailNames, sheetLayout } from '../../csv.js'
import { DETAILS, detailsIn } from '../../details.js'
import { asRun, recordRun } from '../../history/importRuns.js'
import type { DateOrder } from '../../ingest/files/guess/dates.js'
import { BadMapping, folded, type Mapping, printMapping, readMapping } from '../../ingest/files/mapping.js'
import { ofEntries } from '../../ingest/files/outline.js'
import { formatOf, readSheet, type Sheet, type SheetFormat } from '../../ingest/files/sheet.js'
import { listed, UnreadableSheet } from '../../ingest/files/table.js'
import { importRecords } from '../../ingest/importers.js'
import { sourceOf } from '../../ingest/imports.js'
import type { ImportResult, OtherFiles, Wording } from '../../ingest/run.js'
import { SHIPPED_MAPS } from '../../ingest/shippedMaps.js'
import { acceptMap, isOtherMap, requireMap, type SourceMap, sourceMap } from '../../ingest/sourceMaps.js'
import { derivedColumns, SHEETS } from '../../nouns.js'
import type { Store, Write } from '../../store/store.js'
import { escapedLine, fold } from '../../text.js'
import { isEntryPlural, type NounPlural } from '../../vocabulary.js'
import {
  CommandFailed,
  IMPORT_CACHE_BYTES,
  type JsonFlags,
  operatorOf,
  print,
  progressBar,
  say,
  tableOf,
  untilInterrupted,
  WrongUsage,
  withStore,
} from '../command.js'
import { writeOutput } from '../outputFile.js'
import {
  type FileOutcome,
  findingOf,
  guessInWords,
  outcomeInWords,
  reportOf,
  violationsOf,
  warningsOf,
} from './report.js'

export interface ImportFlags extends JsonFlags {
  readonly map?: string
  readonly source?: string
  readonly accept?: true
  readonly value?: readonly string[]
  readonly maps?: string | true
  readonly format?: SheetFormat
  readonly encoding?: string
  readonly sheet?: string
  readonly project?: string
  readonly createProjects?: true
  readonly createGroups?: true
  readonly strictPeople?: true
  readonly strictReferences?: true
  readonly closeMissing?: true
  readonly missing?: 'inactive'
  readonly closeLimit?: string
  readonly ignoreUnknown?: true
  readonly strict?: true
  readonly referenceFrom?: string
  readonly dateOrder?: DateOrder
  readonly keep?: 'score'
  readonly suggestMap?: true
  readonly as?: string
  readonly dryRun?: true
  readonly report?: string
  readonly template?: true
}

/** Prints what would be guessed about a file as a map to edit. */
export async function suggestMap(noun: NounPlural, file: string, flags: ImportFlags): Promise<void> {
  const { signal } = new AbortController()
  try {
    const bytes = await bytesOf(file, signal)
    const sheet = await sheetOf(noun, file, bytes, { ...flags, mapping: undefined, isForced: true })
    const { guess, notes, mapping } = sheet
    if (!mapping) throw new WrongUsage('No map is needed: the file has our own names.')
    for (const text of notes) say(escapedLine(`${file}: ${text}`))
    if (guess) say(guessInWords(file, guess))
    for (const question of guess?.questions ?? []) say(escapedLine(`  ${question}`))
    await print(printMapping(mapping).trimEnd())
  } catch (error) {
    throw error instanceof UnreadableSheet ? new CommandFailed(error.message) : error
  }
}

export async function importAll(
  noun: NounPlural,
  files: string[],
  flags: ImportFlags,
  clock: () => Date,
): Promise<void> {
  const mapping = flags.map === undefined ? undefined : mappingOf(flags.map, noun)
  const work = async (report?: FileHandle) => {
    const outcomes = await untilInterrupted((signal) =>
      withStore(flags, { create: true, cacheBytes: IMPORT_CACHE_BYTES }, async (store) => {
        const all: FileOutcome[] = []
        const listed = { projects: new Map<string, string>(), people: new Map<string, boolean>() }
        for (const [index, file] of files.entries()) {
          // After a file that could not be used, it is not known who is missing.
          const isLast = index === files.length - 1 && all.every(({ isSound }) => isSound)
          const others = { ...listed, isLast }
          const outcome = await importFile(store, noun, file, { ...flags, mapping, others, signal, clock })
          if (!flags.json) say(outcomeInWords(outcome, noun, flags))
          for (const key of outcome.projectKeys) listed.projects.set(key, file)
          all.push(outcome)
        }
        return all
      }),
    )
    const document = JSON.stringify(reportOf(noun, outcomes, flags), null, 2)
    await report?.writeFile(`${document}\n`)
    return { outcomes, document }
  }
  // Opened before anything is stored, so that a report that cannot be written fails in time.
  const { outcomes, document } =
    flags.report === undefined ? await work() : await writeOutput(flags.report, '--json prints the report.', work)
  if (flags.json) await print(document)
  const failed = outcomes.filter(({ isSound }) => !isSound).length
  if (failed > 0) throw new CommandFailed(`${failed} of ${outcomes.length} files could not be used.`)
  if (outcomes.some(({ notClosed }) => notClosed.length > 0))
    throw new CommandFailed('Not everything that is missing was closed.')
}

/** The map that `--map` names: one that comes with the command, or a file. */
export function mappingOf(named: string, noun: NounPlural): Mapping {
  const shipped = SHIPPED_MAPS.find(({ name }) => name === named)
  if (shipped && shipped.noun !== noun)
    throw new WrongUsage(`The map ${named} is for ${shipped.noun}, not for ${noun}. ${MAPS_HINT}`)
  if (shipped) return shipped.mapping()
  try {
    return readMapping(textOf(named), named, Object.keys(SHEETS[noun].inputs))
  } catch (error) {
    throw error instanceof BadMapping ? new WrongUsage(error.message) : error
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT') throw error
    throw new WrongUsage(`There is neither a file nor a map ${JSON.stringify(file)}. ${MAPS_HINT}`)
  }
}

const MAPS_HINT = '`operations import --maps` lists the maps.'

/** Lists the maps that come with the command, or prints one of them as a file to edit. */
export function printMaps(named: string | true, isJson: boolean): Promise<void> {
  const summaries = SHIPPED_MAPS.map(({ name, noun, reads }) => ({ name, noun, reads }))
  if (named === true) return print(isJson ? JSON.stringify(summaries, null, 2) : tableOf(summaries.map(Object.values)))
  const map = SHIPPED_MAPS.find(({ name }) => name === named)
  if (!map) throw new WrongUsage(`There is no map ${JSON.stringify(named)}. ${MAPS_HINT}`)
  return print(printMapping(map.mapping()).trimEnd())
}

/** An empty sheet of a noun with a commented example, without the columns that only an export writes. */
export function templateOf(noun: NounPlural, format: SheetFormat = 'csv'): string {
  const columns = Object.entries(SHEETS[noun].inputs).filter(([, { example }]) => example !== '')
  const record = Object.fromEntries(
    columns.map(([name, { example }]) => [name, name === DETAILS ? detailsIn(example) : example]),
  )
  if (format === 'csv') {
    const names = new DetailNames()
    names.add(record)
    const { header, cells } = sheetLayout(Object.keys(record), names.all)
    return `${csvLine(header)}# ${csvLine(cells(record))}`.trimEnd()
  }
  return JSON.stringify(format === 'json' ? [record] : record)
}

interface Run extends ImportFlags {
  readonly mapping: Mapping | undefined
  readonly others: OtherFiles
  readonly signal: AbortSignal
  readonly clock: () => Date
}

/** The flags that messages refer to. */
export const WORDING: Omit<Wording, 'place'> = {
  createProjects: '--create-projects',
  createGroups: '--create-groups',
  addMembers: 'Import people first; separate several by ;.',
  closeLimit: '--close-limit',
  accept: '--accept',
}

/** Rolls the transaction back: there are violations, nothing to store, or it is a dry run. */
class NotStored extends Error {}

const NOTHING = { created: 0, updated: 0, unchanged: 0, closed: 0 }

/** Imports one file, completely or not at all. */
async function importFile(store: Store, noun: NounPlural, file: string, run: Run): Promise<FileOutcome> {
  const named = run.source?.trim() ?? sourceOf(file)
  // No map is kept for exact names, nor for standard input that is not said to be a source.
  const source = run.strict || (file === '-' && run.source === undefined) ? undefined : named
  const before = source === undefined ? undefined : await sourceMap(store.read, source, noun)
  const accepted = run.accept || run.mapping ? undefined : before
  let sheet: Sheet
  let sha256: string
  try {
    const bytes = await bytesOf(file, run.signal)
    sha256 = createHash('sha256').update(bytes).digest('hex')
    sheet = await sheetOf(noun, file, bytes, { ...run, accepted })
  } catch (error) {
    if (error instanceof UnreadableSheet) return unreadable(file, error.message)
    throw error
  }
  if (sheet.guess && !run.json) say(guessInWords(file, sheet.guess))
  const open = [...questionsOf(noun, sheet, run), ...misfitsInWords(sheet, source, accepted)]
  if (open.length > 0) return { ...unreadable(file, ...open), guess: sheet.guess, notes: sheet.notes }
  const { headings } = sheet
  // What the guess left out tonight is left out tomorrow.
  const mapping = sheet.guess && sheet.mapping ? ofEntries(sheet.mapping) : sheet.mapping
  const isOther = source !== undefined && mapping !== undefined && isOtherMap(before, { mapping, headings })
  const onStored = isOther ? (write: Write) => acceptMap(write, source, noun, { mapping, headings }) : undefined
  const onBegun = async (write: Write) => source !== undefined && requireMap(write, source, noun, before)
  const storing = { ...run, source: named, sha256, onBegun, onStored }
  const { result, ...stored } = await importSheet(store, noun, file, sheet, storing)
  const kept = onStored && stored.isStored ? [keptInWords(source, accepted ? undefined : before)] : []
  const notes = [...(accepted && mapping ? [readBy(source, accepted)] : []), ...sheet.notes, ...kept]
  return { ...outcomeOf(noun, file, { ...sheet, notes }, result), ...stored }
}

/** Why a sheet cannot be read by the map of its source, or by one that was recognised, and the way on. */
function misfitsInWords(
  { misfits = [] }: Sheet,
  source: string | undefined,
  accepted: SourceMap | undefined,
): string[] {
  if (misfits.length === 0 || !accepted) return [...misfits]
  return [
    `It no longer fits what was accepted for the source ${source} on ${accepted.acceptedAt.slice(0, 10)}.`,
    ...misfits,
    `--accept takes a new guess, --map a map of yours; \`operations maps show ${JSON.stringify(source)}\` prints the accepted one. If the file comes from elsewhere, give it a name with --source.`,
  ]
}

/** `before` is another map that is replaced. */
function keptInWords(source: string | undefined, before: SourceMap | undefined): string {
  if (!before) return `Kept for the source ${source}: the next import from it is read the same way.`
  const place = `in the place of the map of ${before.acceptedAt.slice(0, 10)}`
  return `Kept for the source ${source}, ${place}. If this file comes from elsewhere, give it a name with --source.`
}

function readBy(source: string | undefined, { acceptedAt }: SourceMap): string {
  return `Read by the map of the source ${source}, accepted on ${acceptedAt.slice(0, 10)}.`
}

const NO_PROJECT =
  'The file names no project. Give --project KEY for the whole file, with --create-projects if it is new; ' +
  'or a column project that has the key of each row.'

/** What the caller must decide before the records can be imported. */
function questionsOf(noun: NounPlural, sheet: Sheet, { project }: Run): readonly string[] {
  const { guess, records } = sheet
  const isOfProjects = isEntryPlural(noun)
  const first = guess?.mapping.rules.has('project') ?? (records[0] && 'project' in records[0].values)
  const lacks = isOfProjects && project === undefined && first === false
  const others = isOfProjects && project !== undefined ? otherProjects(sheet, project) : []
  return [...(lacks ? [NO_PROJECT] : []), ...others, ...(guess?.questions ?? [])]
}

/** One violation if no row of a file is of the given project, as in the export of a tracker. */
function otherProjects({ records, columnOf }: Sheet, project: string): string[] {
  const keys = new Set(records.map(({ values }) => String(values['project'] ?? '').trim()))
  const isOther = records.length > 1 && !keys.has('') && [...keys].every((key) => fold(key) !== fold(project))
  const column = columnOf('project')
  return isOther
    ? [`${column} says ${listed(keys)}, and --project says ${project}. Leave out --project: each row has its own.`]
    : []
}

/** What is needed to read a file; with `isForced` also our own names are looked at as a guess. */
type Reading = Pick<Run, keyof ImportFlags | 'mapping'> & {
  readonly isForced?: boolean
  readonly accepted?: SourceMap | undefined
}

async function sheetOf(noun: NounPlural, file: string, bytes: Uint8Array, run: Reading): Promise<Sheet> {
  const { encoding, sheet, mapping, accepted, strict, project, referenceFrom, dateOrder, keep, isForced } = run
  const values = new Map(run.value?.map(wordAndValue))
  const plan = { noun, hasProject: project !== undefined, referenceFrom, dateOrder, keep, isForced, values }
  return readSheet(bytes, {
    ...{ encoding, sheet, mapping, accepted },
    name: file === '-' ? 'standard input' : file,
    format: run.format ?? formatOf(file) ?? 'csv',
    fields: Object.keys(SHEETS[noun].inputs),
    derived: derivedColumns(SHEETS[noun]),
    ignoreUnknown: run.ignoreUnknown ?? false,
    recognisable: strict ? [] : SHIPPED_MAPS.filter((map) => map.noun === noun),
    guess: strict && !mapping ? undefined : plan,
  })
}

function wordAndValue(text: string): [word: string, value: string] {
  const at = text.lastIndexOf('=')
  const value = text
    .slice(at + 1)
    .trim()
    .toUpperCase()
  return [folded(text.slice(0, at)), value.replaceAll(/[ -]/g, '_')]
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

/** `onBegun` and `onStored` are called in the same transaction. */
type Storing = Run & {
  readonly source: string
  readonly sha256: string
  readonly onBegun: (write: Write) => Promise<unknown>
  readonly onStored: ((write: Write) => Promise<void>) | undefined
}

async function importSheet(store: Store, noun: NounPlural, file: string, { records, unit }: Sheet, run: Storing) {
  const sourceRecords = records.filter(({ violations }) => violations.length === 0)
  const bar = progressBar(file, sourceRecords.length)
  const { closeLimit, project, signal, clock, missing, sha256, onBegun, onStored, ...flags } = run
  const closeMissing = flags.closeMissing ?? missing !== undefined
  let result: ImportResult | undefined
  let isStored = false
  let importId: string | undefined
  const origin = { source: run.source, file: file === '-' ? null : basename(file), sha256 }
  const as = { by: 'cli', at: clock, onStatement: () => signal.throwIfAborted() }
  try {
    await store.write(as, async (single) => {
      isStored = false
      const write = asRun(single)
      await onBegun(write)
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
      const { counts, violations, projects } = result
      const isSound = violations.length === 0 && sourceRecords.length === records.length
      const isMoved = counts.created + counts.updated + counts.closed + projects.size > 0 || onStored !== undefined
      if (!isSound || !isMoved || flags.dryRun) throw new NotStored()
      await onStored?.(write)
      importId = await recordRun(write, { kind: 'IMPORT', noun, ...origin, operator: operatorOf(run) }, counts)
      isStored = true
    })
  } catch (error) {
    if (!(error instanceof NotStored)) throw error
  } finally {
    bar.clear()
  }
  if (!result) throw new Error('The records were not imported.')
  return { result, isStored, importId }
}

function outcomeOf(noun: NounPlural, file: string, sheet: Sheet, result: ImportResult): Omit<FileOutcome, 'isStored'> {
  const { records, guess, unit, notes, ignored, derived } = sheet
  const violations = violationsOf(noun, sheet, result.violations)
  const isSound = violations.length === 0
  return {
    ...{ file, guess, unit, notes, ignored, derived, isSound, violations },
    records: records.length,
    counts: isSound ? result.counts : NOTHING,
    rejected: new Set(violations.flatMap(({ line }) => line ?? [])).size,
    warnings: warningsOf(sheet, result.warnings),
    notClosed: isSound ? result.unclosed.map((one) => findingOf(sheet, one)) : [],
    made: isSound ? result.made : [],
    projectKeys: [...result.projects.values()],
  }
}

/** A file that could not be used. */
function unreadable(file: string, ...details: string[]): FileOutcome {
  const nothing = { notes: [], warnings: [], notClosed: [], ignored: [], derived: [], made: [], projectKeys: [] }
  const violations = details.map((detail) => ({ detail }))
  const counts = { records: 0, counts: NOTHING, rejected: 0 }
  return { file, unit: 'line', isSound: false, isStored: false, ...counts, violations, ...nothing }
}
