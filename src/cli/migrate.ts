import type { Command } from 'commander'
import { readConfig } from '../config.js'
import { migrateStore } from '../store/open.js'
import { commandWith, print, say, storeName } from './command.js'

export function migrateCommand(): Command {
  return commandWith('migrate', 'create the store, or apply pending migrations', ['database'])
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  operations migrate --database file:./data/operations.db')
    .action(async (flags: { json?: true; database?: string }) => {
      const config = readConfig({ database: flags.database }, ['database'])
      const { applied, pending } = await migrateStore(config.database)
      const store = storeName(config)
      if (flags.json) return print(JSON.stringify({ store, applied: pending, before: applied }))
      const words = pending.length === 0 ? 'is up to date' : `was migrated: ${pending.join(', ')}`
      say(`The store ${store} ${words}.`)
    })
}
