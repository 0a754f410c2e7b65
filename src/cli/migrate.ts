import type { Command } from 'commander'
import { readConfig } from '../config.js'
import { migrate } from '../store/migrations.js'
import { commandWith, print, say, storeFile } from './command.js'

export function migrateCommand(): Command {
  return commandWith('migrate', 'create the store, or bring it up to date', ['database'])
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  operations migrate --database file:./data/operations.db')
    .action(async (flags: { json?: true; database?: string }) => {
      const file = storeFile(readConfig({ database: flags.database }, ['database']))
      const { applied, pending } = migrate(file)
      if (flags.json) return print(JSON.stringify({ store: file, applied: pending, before: applied }))
      say(
        pending.length === 0 ? `The store ${file} is up to date.` : `The store ${file} has got ${pending.join(', ')}.`,
      )
    })
}
