import { type Command, Option } from 'commander'
import { SEPARATOR_NAMES } from '../../ingest/files/csv.js'
import { SHEET_NOUNS, sheetNounOf } from '../../ingest/files/nouns.js'
import { commandWith, WrongUsage } from '../command.js'
import type { ExportFlags } from './run.js'

const EXPORT_FORMATS = ['csv', 'ndjson'] as const

export function exportCommand(): Command {
  return commandWith('export', 'write people, groups, projects, risks or issues to a file', ['database'])
    .argument('<noun>', `what to write: ${SHEET_NOUNS.join(', ')}`)
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
      const noun = sheetNounOf(named)
      if (!noun) throw new WrongUsage(`Cannot export ${named}. Use one of ${SHEET_NOUNS.join(', ')}.`)
      const { exportTo } = await import('./run.js')
      await exportTo(noun, flags)
    })
}
