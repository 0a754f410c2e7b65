import type { Command } from 'commander'
import { readConfig } from '../config.js'
import { Fault } from '../errors.js'
import { type ChangeRow, changes, changesOf, fieldChangesOf, type Recorded } from '../history/changes.js'
import { pagesOf } from '../store/query/page.js'
import { commandWith, print, say, withStore } from './command.js'
import { readPast } from './durations.js'

interface Flags {
  readonly since?: string
  readonly json?: true
  readonly database?: string
}

export function historyCommand(clock: () => Date): Command {
  return commandWith('history', 'show what has changed, when, and by which key', ['database'])
    .argument('[id]', 'the id of a person, group, project, risk or issue; without it, all changes')
    .option('--since <when>', 'changes since then: a day such as 2027-01-31, an instant, or 24h, 7d ago')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExamples:\n  operations history --since 24h\n  operations history rsk_01k9zq3v5rgs3j6w8r0xk4ntcy --json',
    )
    .action(async (id: string | undefined, flags: Flags) => {
      const since = flags.since === undefined ? undefined : readPast('--since', flags.since, clock()).toISOString()
      const config = readConfig({ database: flags.database }, ['database'])
      const count = await withStore(config, { create: false }, (store) =>
        store.snapshot((read) =>
          printAll(pagesOf(read, id === undefined ? changes : changesOf(id), { since }), flags.json ?? false),
        ),
      )
      if (count > 0) return
      if (id !== undefined && since === undefined) throw new Fault('NOT_FOUND', `There is no history of ${id}.`)
      say('Nothing has changed.')
    })
}

async function printAll(pages: AsyncIterable<readonly ChangeRow[]>, asJson: boolean): Promise<number> {
  let count = 0
  for await (const page of pages) {
    const lines = page.map((row) => (asJson ? JSON.stringify(shown(row)) : inWords(row)))
    await print(asJson ? `${count === 0 ? '[' : ','}${lines.join(',\n')}` : lines.join('\n'))
    count += page.length
  }
  if (asJson) await print(count === 0 ? '[]' : ']')
  return count
}

function shown(row: ChangeRow) {
  const fields = Object.entries(fieldChangesOf(row)).map(([field, [from, to]]) => ({ field, from, to }))
  return { ...row, fields }
}

function inWords(row: ChangeRow): string {
  const { recordedAt, by, action, entity, entityId } = row
  const fields = Object.entries(fieldChangesOf(row)).map(
    ([field, [from, to]]) => `${field} ${quoted(from)} > ${quoted(to)}`,
  )
  const words = `${recordedAt}  ${by}  ${action.toLowerCase()} ${entity.toLowerCase()} ${entityId}`
  return fields.length === 0 ? words : `${words}  ${fields.join(', ')}`
}

function quoted(value: Recorded): string {
  return value === null ? '-' : JSON.stringify(value)
}
