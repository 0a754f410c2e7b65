import type { Command } from 'commander'
import { readConfig } from '../config.js'
import { fileOf, isPostgres } from '../store/address.js'
import { restore } from '../store/sqlite/restore.js'
import { countsIn, PG_DUMP } from './backup.js'
import { commandWith, print, say, WrongUsage } from './command.js'

export function restoreCommand(clock: () => Date): Command {
  return commandWith('restore', 'replace the store with a backup; the previous store is kept', ['database'])
    .argument('<file>', 'a file that `operations backup` made')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nStop every server of the store first. The backup is checked before anything is\n' +
        'changed.\n\nExample:\n  operations restore backups/operations-2026-11-02.db',
    )
    .action(async (file: string, flags: { json?: true; database?: string }) => {
      const { database } = readConfig({ database: flags.database }, ['database'])
      if (isPostgres(database)) throw new WrongUsage(PG_DUMP)
      const store = fileOf(database)
      const restored = restore(file, store, clock())
      if (flags.json) return print(JSON.stringify({ store, file, ...restored }))
      say(`Restored ${file} to ${store}: ${countsIn(restored).join(', ')}.`)
      if (restored.kept === undefined) return
      say(`The previous store is kept in ${restored.kept}. To undo:`)
      const named = flags.database === undefined ? '' : ` --database ${flags.database}`
      say(`  operations restore ${restored.kept}${named}`)
    })
}
