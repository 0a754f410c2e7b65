import type { Command } from 'commander'
import { SETTINGS } from '../../config.js'
import { shownAddress } from '../../store/address.js'
import { copyStore } from '../../store/copy.js'
import { isStoreInUse } from '../../store/open.js'
import {
  commandWith,
  IMPORT_CACHE_BYTES,
  print,
  progressBar,
  say,
  untilInterrupted,
  WrongUsage,
  withStore,
} from '../command.js'

const HELP = `
Copies everything: people, groups, projects, risks, issues, keys, history. Each
table is read back and compared before the transaction commits; if the copy
fails, the target stays empty. Stop the service first: what is written to the
source during the copy is not copied.

Examples:
  operations copy --from file:./data/operations.db --to postgres://operations@db.example.com/operations
  operations copy --from "$DATABASE_URL" --to file:./operations.db`

export function copyCommand(clock: () => Date): Command {
  return commandWith('copy', 'copy a whole store into an empty one, SQLite or PostgreSQL', [])
    .requiredOption('--from <url>', 'the store to copy')
    .requiredOption('--to <url>', 'the store to copy to; it must be empty, and is created if missing')
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP)
    .action(async (flags: { from: string; to: string; json?: true }) => {
      const [from, to] = [readStore('--from', flags.from), readStore('--to', flags.to)]
      if (await isStoreInUse(from))
        say(
          `${shownAddress(from)} is in use: what is written to it from now on is not copied. Stop what uses it first.`,
        )
      const tables = await untilInterrupted((signal) => copy(from, to, clock, signal))
      if (flags.json) return print(JSON.stringify({ from: shownAddress(from), to: shownAddress(to), tables }))
      const rows = Object.values(tables).reduce((sum, table) => sum + table.rows, 0)
      const words = Object.entries(tables).map(([name, table]) => `${table.rows.toLocaleString('en')} ${name}`)
      say(`Copied ${rows.toLocaleString('en')} rows to ${shownAddress(to)}, verified: ${words.join(', ')}.`)
    })
}

function readStore(flag: string, text: string): string {
  const { read, form } = SETTINGS.database
  const store = read(text)
  if (store === undefined) throw new WrongUsage(`${flag} is ${JSON.stringify(shownAddress(text))}; it must be ${form}.`)
  return store
}

async function copy(from: string, to: string, clock: () => Date, signal: AbortSignal) {
  const bar = progressBar('Copying', 0)
  try {
    return await withStore({ database: from }, { create: false }, (source) =>
      withStore({ database: to }, { create: true, cacheBytes: IMPORT_CACHE_BYTES }, (target) =>
        copyStore(source, target, clock, (rows, total) => {
          signal.throwIfAborted()
          bar.show(rows, total)
        }),
      ),
    )
  } finally {
    bar.clear()
  }
}
