import { writeFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Command, Option } from 'commander'
import { csvLine, SEPARATOR_NAMES, type SeparatorName, sheetLayout, sheetValue } from '../csv.js'
import { detailNames, type ExportRecord, exportRecords } from '../ingest/export.js'
import { SHEETS } from '../nouns.js'
import { escaped } from '../text.js'
import { NOUN_PLURALS, type NounPlural, pluralNamed } from '../vocabulary.js'
import { CommandFailed, cannotPrint, commandWith, say, untilInterrupted, WrongUsage, withStore } from './command.js'
import { writeOutput } from './outputFile.js'

const EXPORT_FORMATS = ['csv', 'ndjson'] as const

export function exportCommand(): Command {
  return commandWith('export', 'write people, groups, projects, risks or issues to a file', ['database'])
    .argument('<noun>', `what to write: ${NOUN_PLURALS.join(', ')}`)
    .addOption(new Option('--format <format>', 'of the file').choices(EXPORT_FORMATS).default('csv'))
    .addOption(new Option('--separator <name>', 'of CSV').choices(Object.keys(SEPARATOR_NAMES)).default('comma'))
    .option('--output <file>', 'the file; without it, standard output')
    .option('--live', 'only live entries: no inactive people, no closed risks and issues')
    .option('--bom', 'begin with a byte order mark, so that Excel detects UTF-8')
    .addHelpText(
      'after',
      '\nAn export can be imported again without changing anything.\n\n' +
        'Examples:\n  operations export risks --live --output risks.csv\n  operations export people --format ndjson',
    )
    .action(async (named: string, flags: ExportFlags) => {
      const noun = pluralNamed(named)
      if (!noun) throw new WrongUsage(`Cannot export ${named}. Use one of ${NOUN_PLURALS.join(', ')}.`)
      await exportTo(noun, flags)
    })
}

export interface ExportFlags {
  readonly format: 'csv' | 'ndjson'
  readonly output?: string
  readonly live?: true
  readonly bom?: true
  readonly separator?: SeparatorName
  readonly database?: string
}

/** Writes all rows of a noun as of the start of the export, regardless of concurrent writes. */
export async function exportTo(noun: NounPlural, flags: ExportFlags): Promise<void> {
  let rows = 0
  await untilInterrupted((signal) =>
    withStore(flags, { create: false }, (store) =>
      store.snapshot(async (read) => {
        const isLive = flags.live ?? false
        const { header, lineOf } =
          flags.format === 'csv' ? csvLayout(noun, await detailNames(read, noun, isLive), flags) : jsonLayout(noun)
        async function* lines() {
          yield header
          for await (const page of exportRecords(read, noun, isLive)) {
            rows += page.length
            yield page.map(lineOf).join('')
          }
        }
        if (flags.output === undefined) await toStandardOutput(Readable.from(lines()), signal)
        else await toFile(Readable.from(lines()), flags.output, signal)
      }),
    ),
  )
  if (flags.output !== undefined) say(`Wrote ${rows.toLocaleString('en')} ${noun} to ${flags.output}.`)
}

interface Layout {
  readonly header: string
  readonly lineOf: (row: ExportRecord) => string
}

function csvLayout(noun: NounPlural, details: readonly string[], { bom, separator }: ExportFlags): Layout {
  const character = SEPARATOR_NAMES[separator ?? 'comma']
  const { header, cells } = sheetLayout(SHEETS[noun].columns, details)
  return {
    header: `${bom ? '\ufeff' : ''}${csvLine(header, character)}`,
    lineOf: (row) => csvLine(cells(row), character),
  }
}

function jsonLayout(noun: NounPlural): Layout {
  const { columns } = SHEETS[noun]
  const valuesOf = (row: ExportRecord) => columns.map((column) => [column, sheetValue(row[column])])
  return { header: '', lineOf: (row) => `${JSON.stringify(Object.fromEntries(valuesOf(row)))}\n` }
}

async function toStandardOutput(text: Readable, signal: AbortSignal): Promise<void> {
  try {
    // On a terminal control characters are escaped; a pipe or a file gets the text as it is.
    const shown = process.stdout.isTTY ? text.map((chunk: string) => escaped(chunk)) : text
    await pipeline(shown, process.stdout, { signal, end: false })
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw cannotPrint(error)
  }
}

async function toFile(text: Readable, file: string, signal: AbortSignal): Promise<void> {
  const otherwise = 'Leave out --output and redirect standard output to it.'
  try {
    await writeOutput(file, otherwise, async (output) => {
      await writeFile(output, text, { signal })
      await output.sync()
    })
  } catch (error) {
    if (signal.aborted) throw signal.reason
    // ENOSPC does not name the file.
    const isOfDisk = error instanceof Error && 'syscall' in error && error.syscall === 'write'
    throw isOfDisk ? new CommandFailed(`${file} cannot be written: ${error.message}`) : error
  }
}
