import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import { Fault } from '../errors.js'
import { groupsOfPeople } from '../personnel/groups.js'
import type { PersonRow } from '../personnel/people.js'
import { inShortWrites } from '../store/shortWrites.js'
import type { Read } from '../store/store.js'
import { escapedLine } from '../text.js'
import { commandWith, type JsonFlags, print, say, WrongUsage, withStore } from './command.js'
import { personNamed } from './history.js'

interface Flags extends JsonFlags {
  readonly yes?: true
}

export function eraseCommand(clock: () => Date): Command {
  return commandWith('erase', 'blank all data about a person, for legal requests', ['database'])
    .argument('<who>', 'the user id, which stays valid for tasks assigned to it, the e-mail or the externalId')
    .option('--yes', 'do not ask, for scripts')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nIt cannot be undone.\n\nExample:\n  operations erase ada@example.com')
    .action(async (who: string, flags: Flags) => {
      const { erasePerson } = await import('../personnel/erasure.js')
      const erased = await withStore(flags, { create: false }, async (store) => {
        const person = await personNamed(store.read, who)
        if (!flags.yes && !person.erasedAt) await confirm(store.read, person)
        return erasePerson(inShortWrites(store, { by: 'cli', at: clock }), person.id)
      })
      if (flags.json) return print(JSON.stringify(erased))
      say(`The person ${erased.id} is erased: name, e-mail, externalId, title, department and groups are blank.`)
      say(
        `Blanked as well: ${erased.history} changes in the history, and the name in ${erased.entries} risks and issues.`,
      )
      for (const { entity, id, field, text } of erased.unsure)
        say(
          `  may mean this person, and was left: ${entity.toLowerCase()} ${id}, ${field}: ${escapedLine(shortened(text))}`,
        )
      if (erased.unsureCount > erased.unsure.length) say(`  ... and ${erased.unsureCount - erased.unsure.length} more`)
      say('Not searched: other free text (titles, descriptions) in the history, backups, and imported files.')
    })
}

const SHOWN_CHARACTERS = 100

function shortened(text: string): string {
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
}

/** Shows who will be erased, and asks. */
async function confirm(read: Read, person: PersonRow): Promise<void> {
  const { id, name, email, externalId, title, department, status } = person
  const groups = (await groupsOfPeople(read, [id])).get(id) ?? []
  const facts = { name, 'e-mail': email, externalId, title, department, status: status.toLowerCase() }
  const shown = { ...facts, groups: groups.map((group) => group.name).join(', ') || null }
  say(`This person will be erased (${id}):`)
  for (const [fact, value] of Object.entries(shown)) if (value !== null) say(`  ${fact}: ${escapedLine(value)}`)
  if (!process.stdin.isTTY) throw new WrongUsage('It cannot be undone, and there is no terminal to ask on: add --yes.')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await terminal.question('It cannot be undone. Type yes to erase: ').finally(() => terminal.close())
  if (answer.trim().toLowerCase() !== 'yes') throw new Fault('CONFLICT', 'Nothing was erased.')
}
