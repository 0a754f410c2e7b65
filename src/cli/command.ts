import { userInfo } from 'node:os'
import { Command } from 'commander'
import { readConfig, SETTINGS, type Setting, type SettingName } from '../config.js'
import { openStore } from '../store/open.js'
import type { Store } from '../store/store.js'
import { escaped, escapedLine } from '../text.js'

/** The page cache of a bulk write, so that no page is written twice. */
export const IMPORT_CACHE_BYTES = 32_000_000

/** Wrong usage of a command; the message says how to call it. */
export class WrongUsage extends Error {}

/** An expected failure, of which the message says all. */
export class CommandFailed extends Error {}

/** A command with these settings as its options, described by the table of settings. */
export function commandWith(name: string, description: string, settings: readonly SettingName[]): Command {
  const command = new Command(name).description(description)
  for (const key of settings) {
    const { flag, env, help, fallback, isRepeatable }: Setting<unknown> = SETTINGS[key]
    const preset = fallback === '' || fallback === true || fallback === undefined ? '' : `; ${fallback} unless given`
    const about = `${help} (${env}${preset})`
    if (isRepeatable) command.option(flag, about, (text, before?: string) => [before ?? [], text].flat().join())
    else command.option(flag, about)
  }
  return command
}

/** Who runs a command: `--as`, else the user of the system; null if that has no name. */
export function operatorOf({ as }: { readonly as?: string }): string | null {
  if (as !== undefined) return as.trim() || null
  try {
    return userInfo().username
  } catch {
    return null
  }
}

/** The option that `operatorOf` reads. */
export const AS_OPTION = ['--as <name>', "who does this, in the history; the system's user by default"] as const

interface StoreFlags {
  readonly database?: string | undefined
}

/** The flags of a command that can print a JSON document. */
export interface JsonFlags extends StoreFlags {
  readonly json?: true
}

export function databaseOf({ database }: StoreFlags): string {
  return readConfig({ database }, ['database']).database
}

/** Opens the store of a command, runs the work, and closes the store whatever happens. */
export async function withStore<T>(
  flags: StoreFlags,
  { create, cacheBytes }: { create: boolean; cacheBytes?: number },
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const store = await openStore(databaseOf(flags), { migrate: create, cacheBytes, onNotice: say })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** The reader of standard output has closed it, as `head` does; that is not a failure. */
export class ReaderGone extends Error {}

export function cannotPrint(error: unknown): Error {
  if (error instanceof Error && 'code' in error && error.code === 'EPIPE') return new ReaderGone(error.message)
  return new CommandFailed(`Standard output cannot be written: ${error instanceof Error ? error.message : error}`)
}

/** After a failed write the stream also emits `error`, which ends the process unless there is a listener; one is enough. */
const ignore = () => undefined
let unwritten = 0

/** Scripts read standard output, so a failed write must fail the command. */
export function print(text: string): Promise<void> {
  if (unwritten === 0) process.stdout.on('error', ignore)
  unwritten += 1
  return new Promise((resolve, reject) => {
    process.stdout.write(`${escaped(text)}\n`, (error) => {
      if (error) return reject(cannotPrint(error))
      unwritten -= 1
      if (unwritten === 0) process.stdout.off('error', ignore)
      resolve()
    })
  })
}

/** Messages for people go to standard error. */
export function say(text: string): void {
  process.stderr.write(`${escaped(text)}\n`)
}

/** Runs work that aborts at its next safe point after a signal; a second signal ends the process at once. */
export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const stop = () => controller.abort(new CommandFailed('Interrupted: unfinished work was not stored.'))
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  try {
    return await work(controller.signal)
  } catch (error) {
    // A driver may wrap the error by which its work was stopped.
    controller.signal.throwIfAborted()
    throw error
  } finally {
    process.off('SIGINT', stop)
    process.off('SIGTERM', stop)
  }
}

const WIDTH = 30
const EVERY_MS = 100

/** A progress bar on a terminal; nothing in a pipe. */
export function progressBar(label: string, total: number) {
  const stream = process.stderr
  let shownAt = 0
  return {
    show(done: number, outOf = total): void {
      const now = performance.now()
      if (!stream.isTTY || now - shownAt < EVERY_MS) return
      shownAt = now
      const filled = Math.round((WIDTH * done) / Math.max(outOf, 1))
      const bar = '#'.repeat(filled).padEnd(WIDTH, '.')
      stream.write(`\r${escapedLine(label)} [${bar}] ${done.toLocaleString('en')} of ${outOf.toLocaleString('en')}`)
    },
    clear(): void {
      if (stream.isTTY && shownAt > 0) stream.write('\r\x1b[K')
    },
  }
}

/** Columns as wide as their longest text. */
export function tableOf(rows: readonly (readonly string[])[]): string {
  const texts = rows.map((row) => row.map(escapedLine))
  const widths = (texts[0] ?? []).map((_, column) => Math.max(...texts.map((row) => row[column]?.length ?? 0)))
  return texts
    .map((row) =>
      row
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
