import { setFlagsFromString } from 'node:v8'
import type { Command } from 'commander'
import { assumeProduction, type Flags, readConfig } from '../config.js'
import { LIMIT_MEANINGS } from '../limits.js'
import { commandWith, WrongUsage } from './command.js'

const DEMO_DATABASE = 'file:./data/demo.db'

/** Relative to live objects; by default V8 lets a busy server's heap grow to four times its live size. */
const HEAP_GROWING_PERCENT = 100

const FLAGS = [
  'database',
  'host',
  'port',
  'basePath',
  'graphiql',
  'migrate',
  'wholeListRowsMax',
  'rateLimit',
  'responseCacheMegabytes',
  'inFlightMegabytes',
  'connectionsPerAddress',
  'deadlineMs',
  'slowMs',
  'metricsPort',
  'corsOrigins',
  'logLevel',
] as const

export function serveCommand(clock: () => Date): Command {
  return commandWith('serve', 'serve GraphQL and REST', FLAGS)
    .option('--demo', `serve demo data from a separate store (${DEMO_DATABASE})`)
    .addHelpText(
      'after',
      `\nLimits:\n${limitsHelp()}\n\nExamples:\n  operations serve --demo\n  operations serve --port 8080 --base-path /ops`,
    )
    .action(async (flags: Flags & { demo?: true }) => {
      if (flags.demo && flags.database !== undefined)
        throw new WrongUsage('--demo uses its own store: leave out --database.')
      const config = readConfig(flags.demo ? { ...flags, database: DEMO_DATABASE } : flags, FLAGS)
      const stop = stopSignal()
      setFlagsFromString(`--heap-growing-percent=${HEAP_GROWING_PERCENT}`)
      assumeProduction()
      // Imported lazily: the other commands start faster without it.
      const { serve } = await import('./server.js')
      await serve(config, { isDemo: flags.demo ?? false, clock, stop })
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

function limitsHelp(): string {
  return LIMIT_MEANINGS.map(
    ({ name, value, meaning }) => `  ${name.padEnd(28)}${String(value).padEnd(12)}${meaning}`,
  ).join('\n')
}
