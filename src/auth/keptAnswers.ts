import { and, eq, lt, type SQL } from 'drizzle-orm'
import { LIMITS } from '../limits.js'
import type { Read, Write } from '../store/store.js'
import type { Tables } from '../store/tables.js'

/** A request that must not be done twice: who sent it, under which token, and what it asks for. */
export interface Unrepeatable {
  readonly keyId: string
  readonly token: string
  readonly fingerprint: string
}

/** What was answered to this token before, whatever was asked for then. */
export async function keptAnswer(
  { db, t }: Read,
  request: Unrepeatable,
  now: Date,
): Promise<Tables['keptAnswer']['$inferSelect'] | undefined> {
  const [row] = await db.select().from(t.keptAnswer).where(isOf(t, request)).limit(1)
  return row && row.createdAt >= oldest(now) ? row : undefined
}

/** Keeps an answer in the transaction that it tells of, and forgets those that are too old. */
export async function keepAnswer({ db, t, at, insertAll }: Write, to: Unrepeatable, answer: unknown): Promise<void> {
  await db.delete(t.keptAnswer).where(lt(t.keptAnswer.createdAt, oldest(new Date(at))))
  await insertAll(t.keptAnswer, [{ ...to, answer: JSON.stringify(answer), createdAt: at }])
}

/** Keeps this answer instead of the one that is kept. */
export async function replaceAnswer(write: Write, to: Unrepeatable, answer: unknown): Promise<void> {
  const { db, t } = write
  await db.delete(t.keptAnswer).where(isOf(t, to))
  await keepAnswer(write, to, answer)
}

function isOf({ keptAnswer: kept }: Tables, { keyId, token }: Unrepeatable): SQL | undefined {
  return and(eq(kept.keyId, keyId), eq(kept.token, token))
}

/** No clock that has jumped ahead since this process began makes an answer old. */
function oldest(now: Date): string {
  const watchedMs = performance.timeOrigin + performance.now()
  return new Date(Math.min(now.getTime(), watchedMs) - LIMITS.idempotencyMs).toISOString()
}
