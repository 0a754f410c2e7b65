import type { PgTable } from 'drizzle-orm/pg-core'
import { Fault } from '../errors.js'
import type { Write } from '../store/store.js'

interface Claim<Row> {
  readonly field: string
  /** The field's name in a sentence, if its identifier will not do. */
  readonly words?: string
  readonly member: keyof Row
}

type Claiming = PgTable & { readonly $inferSelect: { readonly id: string; readonly name: string } }

/** Refuses a draft with a value that another row of the table already has. */
export async function refuseDuplicate<T extends Claiming>(
  { havingAny }: Write,
  noun: string,
  table: T,
  draft: T['$inferSelect'],
  claims: readonly Claim<T['$inferSelect']>[],
): Promise<void> {
  const claimed: Partial<T['$inferSelect']> = {}
  for (const { member } of claims) claimed[member] = draft[member]
  const others = (await havingAny(table, claimed)).filter(({ id }) => id !== draft.id)
  const taken = claims.flatMap(({ field, words = field, member }) => {
    const holder = others.find((other) => other[member] !== null && other[member] === draft[member])
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
