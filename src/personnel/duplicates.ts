import { eq } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import { Fault } from '../errors.js'
import type { Write } from '../store/store.js'
import type { Tables } from '../store/tables.js'

interface Claim {
  readonly field: string
  /** What the field is called in a sentence, where its name will not do. */
  readonly words?: string
  readonly value: string | null
  readonly column: AnyPgColumn
}

/** Refuses a draft that claims for itself what another row of its table has. */
export async function refuseDuplicate(
  { db }: Write,
  noun: string,
  table: Tables['person'] | Tables['group'],
  draftId: string,
  claims: readonly Claim[],
): Promise<void> {
  for (const { field, words = field, value, column } of claims) {
    if (value === null) continue
    const [holder] = await db.select({ id: table.id, name: table.name }).from(table).where(eq(column, value)).limit(1)
    if (!holder || holder.id === draftId) continue
    const detail = `The ${words} belongs to ${holder.name} (${holder.id}).`
    throw new Fault('CONFLICT', `A ${noun} with this ${words} is already there. ${detail}`, {
      flaws: [{ pointer: `/${field}`, detail }],
      existingId: holder.id,
    })
  }
}
