import type { Command } from 'commander'
import { shownAddress } from '../../store/address.js'
import { isDamage, isDuplicate } from '../../store/faults.js'
import { FIRST_MAX, type Finding, findingOf, integrityOf } from '../../store/integrity.js'
import type { Read, Store, Write } from '../../store/store.js'
import { CommandFailed, commandWith, databaseOf, type JsonFlags, print, withStore } from '../command.js'
import { DERIVED } from './derived.js'

const HELP = `
Reads one snapshot; servers may keep running. --repair derives again what is
derived from other values. Damaged pages, broken references and wrong change
counters are never repaired: restore a backup.

Example:
  operations check --database file:./data/operations.db`
const RESTORE = 'Stop every server of it, and restore a backup.'

export function checkCommand(clock: () => Date): Command {
  return commandWith('check', 'check that the store is sound, and repair what is derived', ['database'])
    .option('--repair', 'derive again what differs, in one transaction')
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP)
    .action(async (flags: JsonFlags & { repair?: true }) => {
      const database = databaseOf(flags)
      const name = shownAddress(database)
      const repairAt = flags.repair && clock
      const checks = await withStore({ database }, { create: false }, (store) =>
        check(store, database, repairAt),
      ).catch((error) => {
        throw isDamage(error) ? new CommandFailed(`The store ${name} is damaged: it cannot be read. ${RESTORE}`) : error
      })
      await print(flags.json ? JSON.stringify({ store: name, checks }) : checks.map(findingInWords).join('\n'))
      const wrong = checks.filter(isWrong)
      if (wrong.length === 0) return
      const isDerived = wrong.every(({ check: one }) => one in DERIVED)
      const advice = isDerived ? 'Run `operations check --repair` to derive it again.' : RESTORE
      throw new CommandFailed(`The store ${name} is not sound. ${advice}`)
    })
}

/** Checks one snapshot, and repairs what is derived if there is a clock and nothing else is wrong. */
async function check(store: Store, database: string, repairAt?: () => Date): Promise<Finding[]> {
  const [whole, derived] = await store.snapshot(async (read) => {
    const found = await integrityOf(read, database)
    // Damaged pages cannot be read further.
    return [found, found[0]?.status === 'differs' ? [] : await derivedIn(read)]
  })
  if (!repairAt || whole.some(isWrong) || !derived.some(isWrong)) return [...whole, ...derived]
  const repaired = store.write({ by: 'cli', at: repairAt }, (write) => derivedIn(write, write))
  return [...whole, ...(await repaired.catch(refuseDuplicate))]
}

async function derivedIn(read: Read, repairing?: Write): Promise<Finding[]> {
  const found: Finding[] = []
  for (const [name, differences] of Object.entries(DERIVED)) {
    const first: string[] = []
    let count = 0
    for await (const { what, mend } of differences(read)) {
      count += 1
      if (count <= FIRST_MAX) first.push(what)
      if (repairing) await mend(repairing)
    }
    const finding = findingOf(name, first, count)
    found.push(repairing && isWrong(finding) ? { ...finding, status: 'repaired' } : finding)
  }
  return found
}

function refuseDuplicate(error: unknown): never {
  if (!isDuplicate(error)) throw error
  throw new CommandFailed(`Nothing was repaired: two rows would have the same name or e-mail. ${RESTORE}`)
}

function isWrong({ status }: Finding): boolean {
  return status === 'differs'
}

function findingInWords({ check: name, status, count, details }: Finding): string {
  if (status === 'ok') return `${name}: ok`
  const more = count > details.length ? ', ...' : ''
  return `${name}: ${count.toLocaleString('en')} ${status === 'repaired' ? 'repaired' : 'wrong'}: ${details.join(', ')}${more}`
}
