import { setImmediate } from 'node:timers/promises'
import type { Flaw } from '../errors.js'
import { recordReader } from '../fields.js'
import { LIMITS } from '../limits.js'
import { fold, InputCheck, trimmed } from '../text.js'
import { SHEETS } from './columns.js'
import { BATCH_RECORDS, sameAs } from './run.js'

export type Members = Readonly<Record<string, unknown>>

export const readProject = recordReader(SHEETS.projects.fields)

const readers = {
  people: recordReader(SHEETS.people.fields),
  groups: recordReader(SHEETS.groups.fields),
  risks: recordReader(SHEETS.risks.fields),
  issues: recordReader(SHEETS.issues.fields),
}

/** The fields that no two records of a list may share, with the form in which they are compared. */
const UNIQUE = {
  people: { externalId: trimmed, email: fold },
  groups: { externalId: trimmed, name: fold },
  risks: { reference: trimmed },
  issues: { reference: trimmed },
}

/** Adds every flaw of these records that is known without the store, duplicates among them included. */
export async function checkRecords(
  noun: keyof typeof UNIQUE,
  records: readonly Members[] = [],
  check: InputCheck,
): Promise<void> {
  if (records.length > LIMITS.syncRecordsMax) return
  const first = new Map<string, number>()
  for (const [index, record] of records.entries()) {
    if (index > 0 && index % BATCH_RECORDS === 0) await setImmediate()
    if (check.found.length >= LIMITS.syncFlawsMax) return
    const own = new InputCheck()
    const values: Members = readers[noun](record, own)
    for (const [field, comparable] of Object.entries(UNIQUE[noun])) {
      const value = values[field]
      if (typeof value !== 'string') continue
      const key = JSON.stringify([field, comparable(value)])
      const before = first.get(key)
      if (before === undefined) first.set(key, index)
      else own.flaw(field, sameAs(`/${noun}/${before}`))
    }
    for (const { member, detail } of own.found) check.flaw(`${noun}/${index}/${member}`, detail)
  }
}

/** The records of a list that may not be one, or may hold other values. */
export function recordsOf(raw: unknown): readonly Members[] | undefined {
  if (raw == null) return undefined
  return Array.isArray(raw) ? raw.map(Object) : []
}

export function numberIn(raw: unknown): number | undefined {
  return typeof raw === 'number' ? raw : undefined
}

export function noteFlaws(flaws: readonly Flaw[], check: InputCheck): void {
  for (const { pointer = '', detail } of flaws) check.flaw(pointer.slice(1), detail)
}

/** What a check finds. */
export async function flawsBy(
  find: (state: Members, check: InputCheck) => Promise<void>,
  state: object,
): Promise<readonly Flaw[]> {
  const check = new InputCheck()
  await find({ ...state }, check)
  return check.flaws
}
