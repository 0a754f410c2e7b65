import type { Command } from 'commander'
import { VERSION } from '../../about.js'
import { Fault } from '../../errors.js'
import { fileOf, isPostgres } from '../../store/address.js'
import { type Backup, backUp, type Contents } from '../../store/sqlite/backup.js'
import { restore } from '../../store/sqlite/restore.js'
import { NOUN_NAMES, NOUNS } from '../../vocabulary.js'
import { commandWith, databaseOf, type JsonFlags, print, say, WrongUsage } from '../command.js'

/** The counts printed for people; the JSON document has every table. */
const COUNTED: readonly (readonly [table: string, one: string, many: string])[] = [
  ...NOUN_NAMES.map((name) => [name === 'group' ? 'groups' : name, name, NOUNS[name].plural] as const),
  ['api_key', 'key', 'keys'],
]

const PG_DUMP = `Use pg_dump for PostgreSQL; it copies the database as of one instant:
  pg_dump --format=custom --file=operations.dump "$DATABASE_URL"
and back into an empty database:
  pg_restore --no-owner --dbname="$DATABASE_URL" operations.dump`

export function backupCommand(clock: () => Date): Command {
  return commandWith('backup', 'copy the store into one file, also while servers use it', ['database'])
    .argument('<file>', 'the file to create')
    .option('--force', 'replace an existing file, once the copy is verified')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  operations backup backups/operations-2026-11-02.db')
    .action(async (raw: string, flags: JsonFlags & { force?: true }) => {
      const file = readFile(raw)
      const store = storeFile(flags)
      const signal = untilInterrupted(file)
      const backup = await backUp(store, file, { force: flags.force ?? false, clock, signal })
      if (flags.json) return print(JSON.stringify({ store, file, ...backup, version: VERSION }))
      say(`Backed up ${store} to ${file}: ${backupInWords(backup)}, verified.`)
    })
}

/** The file of the store: PostgreSQL has programs of its own. */
function storeFile(flags: JsonFlags): string {
  const database = databaseOf(flags)
  if (isPostgres(database)) throw new WrongUsage(PG_DUMP)
  return fileOf(database)
}

function readFile(raw: string): string {
  if (raw === '-')
    throw new WrongUsage('A backup cannot go to standard output: it is verified in its file. Name a file.')
  if (raw === '') throw new WrongUsage('The name of the file is empty.')
  if (raw.startsWith('file:')) throw new WrongUsage(`Give the path of the file without file: (${raw}).`)
  return raw
}

/** SIGINT must not end the process at once: the partial copy is removed first. */
function untilInterrupted(file: string): AbortSignal {
  const controller = new AbortController()
  const stop = () => controller.abort(new Fault('UNAVAILABLE', `The backup was interrupted; ${file} is unchanged.`))
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  return controller.signal
}

function countsIn({ rows }: Contents): string[] {
  return COUNTED.map(([table, one, many]) => {
    const count = rows[table] ?? 0
    return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`
  })
}

function backupInWords(backup: Backup): string {
  const { bytes } = backup
  const size = bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`
  return [...countsIn(backup), size].join(', ')
}

export function restoreCommand(clock: () => Date): Command {
  return commandWith('restore', 'replace the store with a backup; the previous store is kept', ['database'])
    .argument('<file>', 'a file that `operations backup` made')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nStop every server of the store first. The backup is checked before anything is\n' +
        'changed.\n\nExample:\n  operations restore backups/operations-2026-11-02.db',
    )
    .action(async (file: string, flags: JsonFlags) => {
      const store = storeFile(flags)
      const restored = restore(file, store, clock())
      if (flags.json) return print(JSON.stringify({ store, file, ...restored }))
      say(`Restored ${file} to ${store}: ${countsIn(restored).join(', ')}.`)
      if (restored.kept === undefined) return
      say(`The previous store is kept in ${restored.kept}. To undo:`)
      const named = flags.database === undefined ? '' : ` --database ${flags.database}`
      say(`  operations restore ${restored.kept}${named}`)
    })
}
