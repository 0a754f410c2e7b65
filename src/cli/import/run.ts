import { readFileSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { DETAILS, detailsIn } from '../../details.js'
import { SHEETS } from '../../ingest/columns.js'
import { DetailNames, sheetLayout } from '../../ingest/files/cells.js'
import { csvLine } from '../../ingest/files/csv.js'
import type { Guess } from '../../ingest/files/guess/guess.js'
import { type Mapping, printMapping } from '../../ingest/files/mapping.js'
import { BadMapping, readMapping } from '../../ingest/files/maps/reader.js'
import { type SheetFormat, UnreadableSheet } from '../../ingest/files/sheet.js'
import type { SheetNoun } from '../../ingest/files/table.js'
import type { ShippedMap } from '../../ingest/shipped/rules.js'
import { SHIPPED_MAPS, shippedMapping } from '../../ingest/shipped/shipped.js'
import { escapedLine } from '../../text.js'
import { IMPORT_CACHE_BYTES, ImportFailed, print, say, untilInterrupted, WrongUsage, withStore } from '../command.js'
import { writeOutput } from '../outputFile.js'
import { type FileFlags, importFile, sheetOf } from './file.js'
import { type FileOutcome, guessInWords, inWords, reportOf } from './report.js'

export interface ImportFlags extends FileFlags {
  readonly map?: string
  readonly maps?: string | true
  readonly report?: string
  readonly template?: true
  readonly suggestMap?: true
  readonly json?: true
  readonly database?: string
}

export function printTemplate(noun: SheetNoun, format: SheetFormat = 'csv'): Promise<void> {
  return print(templateOf(noun, format))
}

/** Prints what would be guessed about a file as a map to edit. */
export async function suggestMap(noun: SheetNoun, file: string, flags: ImportFlags): Promise<void> {
  const { signal } = new AbortController()
  try {
    const sheet = await sheetOf(noun, file, { ...flags, mapping: undefined, signal, isForced: true })
    const { guess, notes } = sheet
    const mapping = guess?.mapping ?? sheet.recognised
    if (!mapping) throw new WrongUsage('No map is needed: the file has our own names.')
    for (const note of notes) say(escapedLine(`${file}: ${note}`))
    if (guess) say(guessInWords(file, guess))
    for (const question of guess?.questions ?? []) say(escapedLine(`  ${question}`))
    await print(printMapping(mapping).trimEnd())
  } catch (error) {
    throw error instanceof UnreadableSheet ? new ImportFailed(error.message) : error
  }
}

/** Imports each file, and reports its result. */
export async function importAll(
  noun: SheetNoun,
  files: string[],
  flags: ImportFlags,
  clock: () => Date,
): Promise<void> {
  const mapping = flags.map === undefined ? undefined : mappingOf(flags.map, noun)
  const onGuess = (file: string, guess: Guess) => {
    if (!flags.json) say(guessInWords(file, guess))
  }
  const work = async (report?: FileHandle) => {
    const outcomes = await untilInterrupted((signal) =>
      withStore(flags, { create: true, cacheBytes: IMPORT_CACHE_BYTES }, async (store) => {
        const all: FileOutcome[] = []
        const listed = { projects: new Map<string, string>(), people: new Map<string, boolean>() }
        for (const [index, file] of files.entries()) {
          // After a file that could not be used, it is not known who is missing.
          const isLast = index === files.length - 1 && all.every(({ isSound }) => isSound)
          const others = { ...listed, isLast }
          const outcome = await importFile(store, noun, file, { ...flags, mapping, others, onGuess, signal, clock })
          if (!flags.json) say(inWords(outcome, noun, flags))
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
  if (failed > 0) throw new ImportFailed(`${failed} of ${outcomes.length} files could not be used.`)
  if (outcomes.some(({ notClosed }) => notClosed.length > 0))
    throw new ImportFailed('Not everything that is missing was closed.')
}

/** The map that `--map` names: one that comes with the command, or a file. */
export function mappingOf(named: string, noun: SheetNoun): Mapping {
  const shipped = SHIPPED_MAPS.find(({ name }) => name === named)
  if (shipped && shipped.noun !== noun)
    throw new WrongUsage(`The map ${named} is for ${shipped.noun}, not for ${noun}. ${MAPS_HINT}`)
  if (shipped) return shippedMapping(shipped)
  try {
    return readMapping(textOf(named), named, Object.keys(SHEETS[noun].fields))
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
  if (named === true)
    return print(
      isJson
        ? JSON.stringify(
            SHIPPED_MAPS.map(({ name, noun, reads }) => ({ name, noun, reads })),
            null,
            2,
          )
        : table(SHIPPED_MAPS),
    )
  const map = SHIPPED_MAPS.find(({ name }) => name === named)
  if (!map) throw new WrongUsage(`There is no map ${JSON.stringify(named)}. ${MAPS_HINT}`)
  return print(printMapping(shippedMapping(map)).trimEnd())
}

function table(maps: readonly ShippedMap[]): string {
  const width = (of: (map: ShippedMap) => string) => Math.max(...maps.map((map) => of(map).length))
  const [names, nouns] = [width(({ name }) => name), width(({ noun }) => noun)]
  return maps.map(({ name, noun, reads }) => `${name.padEnd(names)}  ${noun.padEnd(nouns)}  ${reads}`).join('\n')
}

/** An empty sheet of a noun with a commented example, without the columns that only an export writes. */
export function templateOf(noun: SheetNoun, format: SheetFormat): string {
  const columns = Object.entries(SHEETS[noun].fields).filter(([, { example }]) => example !== '')
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
