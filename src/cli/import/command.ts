import { setFlagsFromString } from 'node:v8'
import { type Command, Option } from 'commander'
import { projectKey } from '../../fields.js'
import { DATE_ORDERS } from '../../ingest/files/guess/dates.js'
import { formatOf, isWorkbook, SHEET_FORMATS } from '../../ingest/files/sheet.js'
import { LIMITS } from '../../limits.js'
import { ENTRY_PLURALS, isEntryPlural, NOUN_PLURALS, type NounPlural, pluralNamed } from '../../vocabulary.js'
import { AS_OPTION, commandWith, print, WrongUsage } from '../command.js'
import type { ImportFlags } from './run.js'

/** Relative to live objects: a large file would otherwise take half as much memory again, for 3% less time. */
const HEAP_GROWING_PERCENT = 50

export function importCommand(clock: () => Date): Command {
  return commandWith('import', 'import people, groups, projects, risks or issues from files', ['database'])
    .argument('[noun]', `what the files contain: ${NOUN_PLURALS.join(', ')}`)
    .argument('[files...]', 'CSV files, workbooks (.xlsx, .ods), NDJSON or JSON files; - is standard input')
    .addOption(
      new Option('--format <format>', 'format of the files, if not clear from their names').choices(SHEET_FORMATS),
    )
    .option('--encoding <name>', 'encoding of the files, if not UTF-8: windows-1252, utf-16le, ...')
    .option('--sheet <name>', 'sheet of the workbooks, if not the one with the most known columns')
    .option('--map <file or name>', 'a map for the columns and values of another system: a JSON file, or one of --maps')
    .option('--source <name>', 'what the files come from, the same each time; by default their name without digits')
    .option('--accept', 'take a new guess, instead of the map that was accepted for the source')
    .option(
      '--value <word=value>',
      'what a word of the source means, such as "P1=CRITICAL"; may be given several times',
      gather,
    )
    .option('--maps [name]', 'list the maps that come with the command, or print one, and exit')
    .option('--project <key>', 'the project of risks or issues whose sheet has no project column')
    .option('--create-projects', 'create unknown projects (risks, issues)')
    .option('--create-groups', 'create unknown groups (people)')
    .option('--strict-people', 'refuse owners and assignees who are not on the roster')
    .option('--strict-references', 'refuse groups, members and risks that are not there')
    .option('--close-missing', 'close risks or issues of the projects in a file that are missing from it')
    .addOption(
      new Option(
        '--missing <status>',
        'the status of people who are missing from the files, which are the complete list',
      ).choices(['inactive']),
    )
    .option(
      '--close-limit <number>',
      `how many may be closed in a project, or set INACTIVE, at once, instead of a fifth or ${LIMITS.closeLeast}`,
    )
    .option('--ignore-unknown', 'ignore unknown columns instead of keeping them in details')
    .option('--strict', 'take exact column names and values only, and guess nothing')
    .option('--reference-from <column>', 'the column to take as the reference')
    .addOption(new Option('--date-order <order>', 'what comes first in 03/04/2026').choices(DATE_ORDERS))
    .addOption(
      new Option('--keep <what>', "store the source's score of risks as given, instead of its factors").choices([
        'score',
      ]),
    )
    .option('--suggest-map', 'print what is guessed about a file as a map to edit, and exit')
    .option(...AS_OPTION)
    .option('--dry-run', 'report what would change, without storing it')
    .option('--report <file>', 'write all findings to this JSON file')
    .option('--template', 'print an empty sheet with an example, and exit')
    .option('--json', 'print one JSON document')
    .addHelpText('after', `\n${HELP}`)
    .action(async (named: string | undefined, files: string[], flags: ImportFlags) => {
      if (flags.maps !== undefined) {
        const { printMaps } = await import('./run.js')
        return printMaps(flags.maps, flags.json ?? false)
      }
      if (named === undefined) throw new WrongUsage(`Say what to import: ${NOUN_PLURALS.join(', ')}.`)
      const noun = pluralNamed(named)
      if (!noun) throw new WrongUsage(`Cannot import ${named}. Use one of ${NOUN_PLURALS.join(', ')}.`)
      if (!flags.template) checkFlags(noun, files, flags)
      else if (isWorkbook(flags.format)) throw new WrongUsage('--template is text: csv, ndjson or json.')
      setFlagsFromString(`--heap-growing-percent=${HEAP_GROWING_PERCENT}`)
      // Imported lazily: the other commands start faster without it.
      const { importAll, suggestMap, templateOf } = await import('./run.js')
      if (flags.template) return print(templateOf(noun, flags.format))
      return flags.suggestMap ? suggestMap(noun, files[0] ?? '', flags) : importAll(noun, files, flags, clock)
    })
}

const HELP = `A file is stored completely or not at all. Importing it again changes nothing.
The columns of each noun: operations import NOUN --template; docs/import.md.

Examples:
  operations import people people.csv
  operations import risks --project APOLLO --create-projects --sheet Register apollo.xlsx
  operations import risks --project APOLLO --create-projects --close-missing apollo-risks.csv
  operations import issues --map jira.map.json jira.csv
  operations import people --dry-run --report report.json people.csv`

const FORMATS = SHEET_FORMATS.join(', ').replace(/, (?=\w+$)/, ' or ')
const OF_GUESSES = ['referenceFrom', 'dateOrder', 'keep', 'suggestMap'] as const

const gather = (one: string, before: readonly string[] = []) => [...before, one]

function checkGuessFlags(files: readonly string[], flags: ImportFlags): void {
  const foreign = OF_GUESSES.find((name) => flags[name] !== undefined)
  const reason = flags.strict ? '--strict' : flags.map === undefined ? undefined : '--map'
  if (foreign && reason) throw new WrongUsage(`--${kebab(foreign)} is for guessing, which ${reason} rules out.`)
  if (flags.accept && reason) throw new WrongUsage(`--accept takes a new guess, which ${reason} rules out.`)
  if (flags.value && reason)
    throw new WrongUsage(`--value adds to a guess or an accepted map, which ${reason} rules out.`)
  const odd = flags.value?.find((one) => one.lastIndexOf('=') < 1)
  if (odd !== undefined)
    throw new WrongUsage(`--value is ${JSON.stringify(odd)}; it must be a word and its value, such as "P1=CRITICAL".`)
  if (flags.source?.trim() === '') throw new WrongUsage('--source is blank; give it a name.')
  if (flags.strict && flags.map !== undefined) throw new WrongUsage('--strict takes exact names, and --map others.')
  if (flags.suggestMap && files.length > 1) throw new WrongUsage('--suggest-map takes one file.')
}

const OF_ENTRIES = ['project', 'createProjects', 'strictPeople', 'closeMissing'] as const

/** Reports wrong flags before any file is opened. */
function checkFlags(noun: NounPlural, files: readonly string[], flags: ImportFlags): void {
  if (files.length === 0) throw new WrongUsage(`Name a file, or - for standard input. ${TEMPLATE_HINT}`)
  if (files.filter((file) => file === '-').length > 1) throw new WrongUsage('Standard input can be read only once.')
  if (files.includes('-') && flags.format === undefined)
    throw new WrongUsage(`Give --format for standard input: ${FORMATS}.`)
  const unknown = files.find((file) => file !== '-' && flags.format === undefined && formatOf(file) === undefined)
  if (unknown !== undefined && /\.(xls|xlsb|fods|numbers)$/i.test(unknown))
    throw new WrongUsage(`${unknown}: A workbook of this kind cannot be read. Save it as .xlsx, and import that.`)
  if (unknown !== undefined)
    throw new WrongUsage(`${unknown}: Give --format ${FORMATS}: the file name does not show it.`)
  if (flags.sheet !== undefined && !files.every((file) => isWorkbook(flags.format ?? formatOf(file))))
    throw new WrongUsage('--sheet is for workbooks (.xlsx, .ods).')
  checkGuessFlags(files, flags)
  const foreign = OF_ENTRIES.find((name) => flags[name] !== undefined)
  if (foreign && !isEntryPlural(noun))
    throw new WrongUsage(`--${kebab(foreign)} is for ${ENTRY_PLURALS.join(' and ')}.`)
  if (flags.keep && noun !== 'risks') throw new WrongUsage('--keep is for risks.')
  if (flags.createGroups && noun !== 'people') throw new WrongUsage('--create-groups is for people.')
  if (flags.missing !== undefined && noun !== 'people') throw new WrongUsage('--missing is for people.')
  if (flags.closeLimit !== undefined && !flags.closeMissing && !flags.missing)
    throw new WrongUsage('--close-limit goes with --close-missing or --missing.')
  if (flags.closeLimit !== undefined && !/^\d{1,9}$/.test(flags.closeLimit))
    throw new WrongUsage(`--close-limit is ${JSON.stringify(flags.closeLimit)}; it must be a whole number.`)
  const key = flags.project === undefined ? undefined : projectKey('', '').read(flags.project)
  if (key && 'violation' in key) throw new WrongUsage(`--project is ${JSON.stringify(flags.project)}. ${key.violation}`)
}

const TEMPLATE_HINT = '`--template` prints an empty sheet to start with.'

function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
