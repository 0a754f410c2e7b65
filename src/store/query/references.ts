import { sql } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import { Fault } from '../../errors.js'
import { isId } from '../../ids.js'
import type { Read } from '../store.js'
import type { Naming } from './names.js'
import { byIds, type List } from './page.js'

/** The row that a change refers to; throws if there is none: a change never silently does nothing. */
export async function referredRow<T extends PgTable & { id: AnyPgColumn }, F>(
  read: Read,
  list: List<T, F>,
  naming: Naming,
  reference: string,
): Promise<T['$inferSelect']> {
  const hasIdForm = isId(naming.kind, reference)
  const id = hasIdForm ? reference : await idNamed(read, naming, reference)
  const row = id === undefined ? undefined : (await byIds(read, list, [id])).get(id)
  if (row) return row
  const sentence = hasIdForm
    ? `with the id ${JSON.stringify(reference)}.`
    : `'${reference}'. Name it by ${naming.ways}.`
  throw new Fault('NOT_FOUND', `There is no ${naming.kind} ${sentence}`)
}

async function idNamed(read: Read, { table, key }: Naming, name: string): Promise<string | undefined> {
  if (!key) return undefined
  const { id } = table(read.t)
  const isIt = sql`${key.column(read.t)} = ${key.canonical(name)}`
  const [row] = await read.rows(read.compile(sql`select ${id} from ${table(read.t)} where ${isIt}`))
  return row && String(row[0])
}
