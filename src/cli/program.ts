import { Command, CommanderError } from 'commander'
import { COMMAND, COMMIT, DESCRIPTION, VERSION } from '../about.js'
import { BadSettings } from '../config.js'
import { Fault } from '../errors.js'
import { toFault } from '../store/faults.js'
import { StoreRefused } from '../store/migrationJournal.js'
import { escaped, nearest } from '../text.js'
import { CommandFailed, ReaderGone, say, WrongUsage } from './command.js'
import { diffCommand } from './diff.js'
import { eraseCommand } from './erase.js'
import { explainCommand } from './explain.js'
import { exportCommand } from './export.js'
import { historyCommand } from './history.js'
import { importCommand } from './import/command.js'
import { importsCommand } from './import/imports.js'
import { mapsCommand } from './import/maps.js'
import { undoCommand } from './import/undo.js'
import { keysCommand } from './keys.js'
import { mergeCommand } from './merge.js'
import { schemaCommand } from './schema.js'
import { serveCommand } from './serve.js'
import { backupCommand, restoreCommand } from './store/backup.js'
import { checkCommand } from './store/check.js'
import { copyCommand } from './store/copy.js'
import { migrateCommand } from './store/migrate.js'

const DONE = 0
const FAILED = 1
const WRONG_USAGE = 2

/** Expected failures, whose message says what to do. */
const FORESEEN = [Fault, StoreRefused, CommandFailed]

const clock = () => new Date()

/** Runs the command of these arguments, and returns its exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const program = programOf()
  throwInsteadOfExit(program)
  try {
    requireCommand(program, args)
    await program.parseAsync(args, { from: 'user' })
    return DONE
  } catch (error) {
    return exitCode(error)
  }
}

/** Commander would show its own help for a command that is not there, as if nothing were wrong. */
function requireCommand({ commands }: Command, [name = '-']: readonly string[]): void {
  const names = commands.map((command) => command.name())
  if (name.startsWith('-') || name === 'help' || names.includes(name)) return
  const meant = nearest(name, names)
  const hint = meant === undefined ? `There are ${names.join(', ')}.` : `Did you mean ${meant}?`
  throw new WrongUsage(`error: there is no command ${name}. ${hint}`)
}

function programOf(): Command {
  return new Command(COMMAND)
    .description(DESCRIPTION)
    .version(`${VERSION} (${COMMIT})`)
    .addCommand(serveCommand(clock))
    .addCommand(migrateCommand())
    .addCommand(keysCommand(clock))
    .addCommand(importCommand(clock))
    .addCommand(mapsCommand(clock))
    .addCommand(importsCommand())
    .addCommand(undoCommand(clock))
    .addCommand(exportCommand())
    .addCommand(historyCommand(clock))
    .addCommand(diffCommand(clock))
    .addCommand(mergeCommand(clock))
    .addCommand(eraseCommand(clock))
    .addCommand(checkCommand(clock))
    .addCommand(backupCommand(clock))
    .addCommand(restoreCommand(clock))
    .addCommand(copyCommand(clock))
    .addCommand(explainCommand(clock))
    .addCommand(schemaCommand())
}

/** The exit code of a failure; expected failures print one sentence, without a stack. */
function exitCode(thrown: unknown): number {
  const error = toFault(thrown)
  if (error instanceof ReaderGone) return DONE
  // Commander has printed its message already; `--help` is not a failure.
  if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : WRONG_USAGE
  if (error instanceof WrongUsage || error instanceof BadSettings) {
    say(error.message)
    return WRONG_USAGE
  }
  const isForeseen = FORESEEN.some((kind) => error instanceof kind) || isOfFile(error)
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  say(isForeseen ? message : `Unexpected error: ${stack}`)
  return FAILED
}

/** File system errors name their file in the message. */
function isOfFile(error: unknown): boolean {
  return error instanceof Error && 'path' in error && 'code' in error
}

function throwInsteadOfExit(command: Command): void {
  command.exitOverride()
  command.configureOutput({
    writeOut: (text) => process.stdout.write(escaped(text)),
    writeErr: (text) => process.stderr.write(escaped(text)),
  })
  for (const sub of command.commands) throwInsteadOfExit(sub)
}
