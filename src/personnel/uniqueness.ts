import type { PgTable } from 'drizzle-orm/pg-core'
import { Fault } from '../errors.js'
import type { Write } from '../store/store.js'

type Claiming = PgTable & { readonly $inferSelect: { readonly id: string; readonly name: string } }

/** Refuses a draft with a value that another row has; `claims` names the column of each unique field. */
export async function refuseDuplicate<T extends Claiming>(
  { havingAny }: Write,
  noun: string,
  table: T,
  draft: T['$inferSelect'],
  claims: Readonly<Record<string, keyof T['$inferSelect']>>,
): Promise<void> {
  const claimed: Partial<T['$inferSelect']> = {}
  for (const column of Object.values(claims)) claimed[column] = draft[column]
  const others = (await havingAny(table, claimed)).filter(({ id }) => id !== draft.id)
  const taken = Object.entries(claims).flatMap(([field, column]) => {
    const holder = others.find((other) => other[column] !== null && other[column] === draft[column])
    const words = field === 'email' ? 'e-mail' : field
    const detail = `The ${words} belongs to ${holder?.name} (${holder?.id}).`
    return holder ? [{ words, holder, violation: { pointer: `/${field}`, detail } }] : []
  })
  const [first] = taken
  if (!first) return
  const details = taken.map(({ violation }) => violation.detail).join(' ')
  const words = taken.map((one) => one.words).join(' and this ')
  throw new Fault('CONFLICT', `A ${noun} with this ${words} is already there. ${details}`, {
    violations: taken.map(({ violation }) => violation),
    existingId: first.holder.id,
  })
}
