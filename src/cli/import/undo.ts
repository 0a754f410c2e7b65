import type { Command } from 'commander'
import type { Undone, UndoReport } from '../../ingest/undo.js'
import { escapedLine } from '../../text.js'
import {
  AS_OPTION,
  commandWith,
  IMPORT_CACHE_BYTES,
  type JsonFlags,
  operatorOf,
  print,
  say,
  withStore,
} from '../command.js'
import { inText } from '../history.js'

interface Flags extends JsonFlags {
  readonly as?: string
  readonly yes?: true
}

const HELP = `
Updated entries get their former values back, closed ones are reopened, and created ones are closed: people become
INACTIVE, and groups stay. What was changed again since, or erased, is left and listed. It can be undone itself.

Examples:
  operations undo imp_01k9zq3v5rf8ta4mbw2xnc7dhe
  operations undo imp_01k9zq3v5rf8ta4mbw2xnc7dhe --yes`

const SHOWN_MAX = 50

/** Rolls the transaction back: nothing was confirmed. */
class NotConfirmed extends Error {}

export function undoCommand(clock: () => Date): Command {
  return commandWith('undo', 'restore what an import, a sync or a merge changed', ['database'])
    .argument('<id>', 'its id, from `operations imports`')
    .option('--yes', 'do it; without this it is only shown')
    .option(...AS_OPTION)
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP)
    .action(async (id: string, flags: Flags) => {
      const report = await undo(id, flags, clock)
      const { run, importId, counts, entities } = report
      const isDone = flags.yes === true
      if (flags.json) {
        const shown = { undoes: run.id, dryRun: !isDone, importId: (isDone && importId) || null, ...counts, entities }
        return print(JSON.stringify(shown, null, 2))
      }
      say(undoInWords(report, isDone))
    })
}

/** Undoes a run; without --yes all of it is rolled back. */
async function undo(id: string, flags: Flags, clock: () => Date): Promise<UndoReport> {
  const { undoRun } = await import('../../ingest/undo.js')
  return withStore(flags, { create: false, cacheBytes: IMPORT_CACHE_BYTES }, async (store) => {
    let report: UndoReport | undefined
    try {
      await store.write({ by: 'cli', at: clock }, async (write) => {
        report = await undoRun(write, id, operatorOf(flags))
        if (!flags.yes) throw new NotConfirmed()
      })
    } catch (error) {
      if (!(error instanceof NotConfirmed)) throw error
    }
    if (!report) throw new Error('Nothing was undone.')
    return report
  })
}

function undoInWords({ run, importId, counts, entities }: UndoReport, isDone: boolean): string {
  const what = `${run.id} (${run.kind.toLowerCase()} of ${run.noun} from ${run.file ?? run.source}, ${run.at})`
  const more = entities.length - SHOWN_MAX
  const { restored, closed, left } = counts
  const sum = `${restored} ${isDone ? 'restored' : 'would be restored'}, ${closed} closed, ${left} left as they are.`
  const lines = [
    `Undoing ${what}:`,
    ...entities.slice(0, SHOWN_MAX).flatMap(entityInWords),
    ...(more > 0 ? [`  ... and ${more} more (--json has all)`] : []),
    isDone ? sum : `${sum} Nothing was changed: add --yes to do it.`,
    ...(isDone && importId !== undefined ? [`This is ${importId}; to undo it: operations undo ${importId}`] : []),
  ]
  return lines.map(escapedLine).join('\n')
}

function entityInWords({ entity, name, outcome, fields, left }: Undone): string[] {
  const changes = Object.entries(fields).map(([field, [from, to]]) => `${field} ${inText(from)} → ${inText(to)}`)
  const what = `${entity.toLowerCase()} ${name}`
  const reasons = left.map(
    ({ field, reason }) => `  leave ${what}${field === undefined ? '' : `, ${field}`}: ${reason}`,
  )
  return [
    ...(outcome === 'left' ? [] : [`  ${outcome === 'closed' ? 'close' : 'restore'} ${what}: ${changes.join(', ')}`]),
    ...reasons,
  ]
}
