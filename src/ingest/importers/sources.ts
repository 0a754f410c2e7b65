import { eq } from 'drizzle-orm'
import type { Write } from '../../store/store.js'

/** The writers of the source that writes now: imports, or all keys of this name, because a rotated key has a new id. */
export async function writersOfSource({ by, db, t: { apiKey } }: Write): Promise<readonly string[]> {
  const [key] = await db.select({ name: apiKey.name }).from(apiKey).where(eq(apiKey.id, by))
  if (!key) return [by]
  const named = await db.select({ id: apiKey.id }).from(apiKey).where(eq(apiKey.name, key.name))
  return named.map(({ id }) => id)
}
