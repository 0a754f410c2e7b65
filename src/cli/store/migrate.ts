import type { Command } from 'commander'
import { shownAddress } from '../../store/address.js'
import { migrateStore } from '../../store/open.js'
import { commandWith, databaseOf, type JsonFlags, print, say } from '../command.js'

export function migrateCommand(): Command {
  return commandWith('migrate', 'create the store, or apply pending migrations', ['database'])
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  operations migrate --database file:./data/operations.db')
    .action(async (flags: JsonFlags) => {
      const database = databaseOf(flags)
      const { applied, pending } = await migrateStore(database, say)
      const store = shownAddress(database)
      if (flags.json) return print(JSON.stringify({ store, applied: pending, before: applied }))
      const words = pending.length === 0 ? 'is up to date' : `was migrated: ${pending.join(', ')}`
      say(`The store ${store} ${words}.`)
    })
}
