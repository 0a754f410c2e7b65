import { setFlagsFromString } from 'node:v8'
import { type Command, Help } from 'commander'
import { tokenSettingsOf } from '../auth/tokenSettings.js'
import { assumeProduction, type Flags, readConfig, SETTINGS } from '../config.js'
import { namesOf } from '../fields.js'
import { LIMIT_GROUPS } from '../limits.js'
import { commandWith, print, WrongUsage } from './command.js'

const DEMO_DATABASE = 'file:./data/demo.db'

/** Relative to live objects; by default V8 lets a busy server's heap grow to four times its live size. */
const HEAP_GROWING_PERCENT = 100

const FLAGS = namesOf(SETTINGS)

export function serveCommand(clock: () => Date): Command {
  return commandWith('serve', 'serve GraphQL and REST', FLAGS)
    .option('--demo', `serve demo data from a separate store (${DEMO_DATABASE})`)
    .option('--help-limits', 'print the limits, and exit')
    .addHelpText('after', '\nExamples:\n  operations serve --demo\n  operations serve --port 8080 --base-path /ops')
    .action(async (flags: Flags & { demo?: true; helpLimits?: true }) => {
      if (flags.helpLimits) return print(limitsHelp())
      if (flags.demo && flags.database !== undefined)
        throw new WrongUsage('--demo uses its own store: leave out --database.')
      const config = readConfig(flags.demo ? { ...flags, database: DEMO_DATABASE } : flags, FLAGS)
      const oidc = tokenSettingsOf(config)
      const stop = stopSignal()
      setFlagsFromString(`--heap-growing-percent=${HEAP_GROWING_PERCENT}`)
      assumeProduction()
      // Imported lazily: the other commands start faster without it.
      const { serve } = await import('./serve/server.js')
      await serve(config, { isDemo: flags.demo ?? false, oidc, clock, stop })
    })
}

/** Resolves at the first stop signal; registered before anything else, so that an early signal counts too. */
function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    // Not `once`: a second signal would then end the process while requests are still running.
    process.on('SIGTERM', resolve)
    process.on('SIGINT', resolve)
  })
}

const COLUMNS = 80
const INDENT = '    '

function limitsHelp(): string {
  const help = new Help()
  const wrapped = (text: string) => INDENT + help.boxWrap(text, COLUMNS - INDENT.length).replaceAll('\n', `\n${INDENT}`)
  const groups = Object.entries(LIMIT_GROUPS).map(([heading, group]) => {
    const limits = Object.entries(group).map(([name, [value, meaning]]) => `  ${name}: ${value}\n${wrapped(meaning)}`)
    return [heading, ...limits].join('\n')
  })
  return groups.join('\n\n')
}
