import { Command } from 'commander'
import { type Config, SETTINGS, type SettingName } from '../config.js'
import { shownAddress } from '../store/address.js'
import { openStore } from '../store/open.js'
import type { Store } from '../store/store.js'
import { escaped } from '../text.js'

/** The command was called wrongly; the message says how to call it. */
export class WrongUsage extends Error {}

/** The address cannot be had; the message says what to do. */
export class CannotListen extends Error {}

/** Some of the files could not be stored; what is wrong with them has been said already. */
export class ImportFailed extends Error {}

/** A command with these settings as its options, described from the one table of settings. */
export function commandWith(name: string, description: string, settings: readonly SettingName[]): Command {
  const command = new Command(name).description(description)
  for (const key of settings) {
    const { flag, env, help, fallback } = SETTINGS[key]
    const preset = fallback === '' || fallback === true || fallback === undefined ? '' : `; ${fallback} unless given`
    command.option(flag, `${help} (${env}${preset})`)
  }
  return command
}

export type DatabaseConfig = Pick<Config, 'database'>

/** How people are told which store it is. */
export function storeName({ database }: DatabaseConfig): string {
  return shownAddress(database)
}

/** Opens the store for one piece of work and closes it whatever happens. */
export async function withStore<T>(
  config: DatabaseConfig,
  { create, cacheBytes }: { create: boolean; cacheBytes?: number },
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const store = await openStore(config.database, { migrate: create, cacheBytes })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** Standard output could not be written; what was to be printed is lost. */
export class CannotPrint extends Error {}

/** Whoever reads standard output has had enough, as `head` has; that is no failure. */
export class ReaderGone extends Error {}

/** What a failure to write standard output means. */
export function cannotPrint(error: unknown): Error {
  if (error instanceof Error && 'code' in error && error.code === 'EPIPE') return new ReaderGone(error.message)
  return new CannotPrint(`Standard output cannot be written: ${error instanceof Error ? error.message : error}`)
}

/** After a failure the stream also emits `error`, which would end the process if nobody listened; one listener is enough. */
const ignore = () => undefined
let unwritten = 0

/** Standard output is for what scripts read, and so a script must hear of it when it cannot be written. */
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

/** Words for people go to standard error. */
export function say(text: string): void {
  process.stderr.write(`${escaped(text)}\n`)
}
