import type { Command } from 'commander'
import { changedBy, type ImportRunRow, newestRuns, runById } from '../../history/importRuns.js'
import { commandWith, type JsonFlags, print, say, tableOf, WrongUsage, withStore } from '../command.js'

interface Flags extends JsonFlags {
  readonly source?: string
  readonly limit: string
}

const LIMIT = '50'

const HELP = `
Examples:
  operations imports --source register
  operations imports imp_01k9zq3v5rf8ta4mbw2xnc7dhe --json`

export function importsCommand(): Command {
  return commandWith('imports', 'list imports, syncs, merges and undone imports, newest first', ['database'])
    .argument('[id]', 'the id of one of them, to show what it changed')
    .option('--source <name>', 'only those from this source, or by the key of this name')
    .option('--limit <number>', 'how many to list', LIMIT)
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP)
    .action((id: string | undefined, flags: Flags) => (id === undefined ? listRuns(flags) : showRun(id, flags)))
}

async function listRuns(flags: Flags): Promise<void> {
  if (!/^[1-9]\d{0,5}$/.test(flags.limit))
    throw new WrongUsage(`--limit is ${flags.limit}; it must be from 1 to 999999.`)
  const { source, limit } = flags
  const runs = await withStore(flags, { create: false }, ({ read }) => newestRuns(read, source, Number(limit)))
  if (flags.json) return print(JSON.stringify(runs, null, 2))
  if (runs.length === 0) return say('There are no imports yet.')
  const rows = runs.map((run) => [
    run.id,
    run.at,
    run.kind.toLowerCase(),
    run.noun,
    run.source,
    run.file ?? '-',
    run.operator ?? '-',
    countsOf(run),
  ])
  return print(tableOf([['id', 'time', 'kind', 'noun', 'source', 'file', 'operator', 'counts'], ...rows]))
}

async function showRun(id: string, flags: Flags): Promise<void> {
  const { run, changed } = await withStore(flags, { create: false }, (store) =>
    store.snapshot(async (read) => {
      const found = await runById(read, id)
      return { run: found, changed: await changedBy(read, found) }
    }),
  )
  if (flags.json) {
    const entities = Object.fromEntries(changed.map((one) => [one.entity, one.entities]))
    return print(JSON.stringify({ ...run, changed: entities }, null, 2))
  }
  const { created: _, updated: __, unchanged: ___, closed: ____, ...facts } = run
  const words = changed.map(({ entity, entities }) => `${entities} ${entity.toLowerCase()}`).join(', ')
  const shown = { ...facts, counts: countsOf(run), changed: words }
  const lines = Object.entries(shown).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]]))
  return print(tableOf(lines))
}

function countsOf({ created, updated, unchanged, closed }: ImportRunRow): string {
  return `${created} created, ${updated} updated, ${closed} closed, ${unchanged} unchanged`
}
