import type { Command } from 'commander'
import { readConfig } from '../../config.js'
import { Fault } from '../../errors.js'
import { type ChangeRow, changesOf } from '../../history/changes.js'
import { type FeedFilter, feed } from '../../history/feed.js'
import { pagesOf } from '../../store/query/page.js'
import type { Read } from '../../store/store.js'
import { ENTITY_KINDS, type EntityKind } from '../../vocabulary.js'
import { commandWith, print, say, WrongUsage, withStore } from '../command.js'
import { readPast } from '../durations.js'
import { inJson, inWords, namesIn } from './lines.js'
import { entityNamed, projectNamed } from './named.js'

interface Flags {
  readonly entity?: string
  readonly project?: string
  readonly since?: string
  readonly json?: true
  readonly database?: string
}

const EXAMPLES = `
Examples:
  operations history --since 24h --entity risk,issue --project APOLLO
  operations history ada@example.com
  operations history APOLLO/R-7 --json`

export function historyCommand(clock: () => Date): Command {
  return commandWith('history', 'show what has changed, when, and by which key', ['database'])
    .argument(
      '[what]',
      'a user id or e-mail, a reference such as APOLLO/R-7, the key of a project, or any id; without it, all changes',
    )
    .option('--entity <kinds>', `only changes of these kinds: ${ENTITY_KINDS.join(', ').toLowerCase()}`)
    .option('--project <key>', 'only changes of this project and of its risks and issues')
    .option('--since <when>', 'changes since then: a day such as 2027-01-31, an instant, or 24h, 7d ago')
    .option('--json', 'print one JSON document')
    .addHelpText('after', EXAMPLES)
    .action(async (what: string | undefined, flags: Flags) => {
      const since = flags.since === undefined ? undefined : readPast('--since', flags.since, clock()).toISOString()
      const entity = flags.entity?.split(',').map(readKind)
      const config = readConfig({ database: flags.database }, ['database'])
      const count = await withStore(config, { create: false }, (store) =>
        store.snapshot(async (read) => {
          const project = flags.project === undefined ? undefined : await projectNamed(read, flags.project)
          const filter = { entity, since, project: project && [project.id] }
          const pages = what === undefined ? pagesOf(read, feed, filter) : pagesOfOne(read, what, filter)
          return printAll(read, pages, flags.json ?? false)
        }),
      )
      if (count > 0) return
      if (what !== undefined && since === undefined) throw new Fault('NOT_FOUND', `There is no history of ${what}.`)
      say('Nothing has changed.')
    })
}

function readKind(text: string): EntityKind {
  const kind = ENTITY_KINDS.find((one) => one === text.trim().toUpperCase())
  if (kind) return kind
  throw new WrongUsage(`--entity is ${JSON.stringify(text)}; the kinds are ${ENTITY_KINDS.join(', ').toLowerCase()}.`)
}

async function* pagesOfOne(read: Read, what: string, { since, ...filter }: FeedFilter) {
  const entityId = await entityNamed(read, what, filter)
  yield* pagesOf(read, changesOf(entityId), { since })
}

async function printAll(read: Read, pages: AsyncIterable<readonly ChangeRow[]>, asJson: boolean): Promise<number> {
  let count = 0
  for await (const page of pages) {
    const names = await namesIn(read, page)
    const lines = page.map((row) => (asJson ? JSON.stringify(inJson(row, names)) : inWords(row, names)))
    await print(asJson ? `${count === 0 ? '[' : ','}${lines.join(',\n')}` : lines.join('\n'))
    count += page.length
  }
  if (asJson) await print(count === 0 ? '[]' : ']')
  return count
}
