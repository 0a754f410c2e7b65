import { type Command, Option } from 'commander'
import { readConfig } from '../../config.js'
import { commandWith, print, WrongUsage, withStore } from '../command.js'
import { readPast } from '../durations.js'

const FORMATS = ['text', 'markdown', 'json'] as const

interface Flags {
  readonly since: string
  readonly until?: string
  readonly project?: string
  readonly format: (typeof FORMATS)[number]
  readonly database?: string
}

export function diffCommand(clock: () => Date): Command {
  return commandWith('diff', 'show which risks and issues have moved since then', ['database'])
    .requiredOption('--since <when>', 'the beginning: a day such as 2027-01-31, an instant, or 24h, 7d ago')
    .option('--until <when>', 'the end; everything recorded so far by default')
    .option('--project <keys>', 'only these projects, by key or id, separated by commas')
    .addOption(
      new Option('--format <format>', 'markdown for minutes, json as GET /v1/movements')
        .choices(FORMATS)
        .default('text'),
    )
    .addHelpText(
      'after',
      '\nThe net movement, not every edit: what went up and came back has not moved.\n\n' +
        'Examples:\n  operations diff --since 7d\n  operations diff --since 2026-10-01 --project APOLLO --format markdown',
    )
    .action(async (flags: Flags) => {
      const instantOf = (flag: string, text: string) => readPast(flag, text, clock()).toISOString()
      const since = instantOf('--since', flags.since)
      const until = flags.until === undefined ? undefined : instantOf('--until', flags.until)
      if (until !== undefined && until < since) throw new WrongUsage('--until must not be before --since.')
      const project = flags.project?.split(',').map((one) => one.trim())
      const config = readConfig({ database: flags.database }, ['database'])
      const { movementsIn, SHOWN } = await import('./run.js')
      const moved = await withStore(config, { create: false }, (store) =>
        movementsIn(store, clock, { since, until, project }),
      )
      await print(SHOWN[flags.format](moved))
    })
}
