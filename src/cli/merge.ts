import type { Command } from 'commander'
import { AS_OPTION, commandWith, type JsonFlags, operatorOf, print, say, WrongUsage, withStore } from './command.js'
import { personNamed } from './history.js'

interface Flags extends JsonFlags {
  readonly as?: string
}

const HELP = `
The risks, issues and groups of the first move to the second. The first stays, INACTIVE, so that its id keeps its
meaning, and says whom it was merged into. \`operations undo\` takes it back.

Example:
  operations merge a.lovelace@example.com into ada@example.com`

export function mergeCommand(clock: () => Date): Command {
  return commandWith('merge', 'merge two records of one person', ['database'])
    .argument('<old>', 'who is there twice: a user id, an e-mail or an externalId')
    .argument('<into>', 'the word into')
    .argument('<new>', 'who stays, in the same way')
    .option(...AS_OPTION)
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP)
    .action(async (old: string, word: string, into: string, flags: Flags) => {
      if (word.toLowerCase() !== 'into') throw new WrongUsage('Write: operations merge OLD into NEW.')
      const { mergePeople } = await import('../personnel/merging.js')
      const merged = await withStore(flags, { create: false }, (store) =>
        store.write({ by: 'cli', at: clock }, async (write) =>
          mergePeople(write, await personNamed(write, old), await personNamed(write, into), operatorOf(flags)),
        ),
      )
      const { entries, ...run } = merged
      if (flags.json) return print(JSON.stringify({ ...run, ...entries }))
      const { id, mergedInto, importId } = run
      const moved = Object.entries(entries).map(([plural, count]) => `${count} ${plural}`)
      say(`${id} is merged into ${mergedInto}, who now has its groups, ${moved.join(' and ')} of it.`)
      say(`This is ${importId}; to undo it: operations undo ${importId}`)
    })
}
