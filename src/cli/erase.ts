import type { Command } from 'commander'
import { readConfig } from '../config.js'
import { commandWith, print, say, withStore } from './command.js'

export function eraseCommand(clock: () => Date): Command {
  return commandWith('erase', 'blank all data about a person, for legal requests', ['database'])
    .argument('<id>', 'the user id; it stays valid for tasks assigned to it')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nIt cannot be undone.\n\nExample:\n  operations erase usr_01k9zq3v5rf8ta4mbw2xnc7dhe')
    .action(async (id: string, flags: { json?: true; database?: string }) => {
      const { erasePerson } = await import('../personnel/erasure.js')
      const config = readConfig({ database: flags.database }, ['database'])
      const erased = await withStore(config, { create: false }, (store) =>
        store.write({ by: 'cli', at: clock }, (write) => erasePerson(write, id)),
      )
      if (flags.json) return print(JSON.stringify(erased))
      say(`The person ${id} is erased: name, e-mail, externalId, title, department and groups are blank.`)
      say(
        `Blanked as well: ${erased.history} changes in the history, and the name in ${erased.entries} risks and issues.`,
      )
      say('Not searched: free text (titles, descriptions), backups, and imported files.')
    })
}
