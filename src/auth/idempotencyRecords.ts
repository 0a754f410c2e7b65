import { and, eq, lt, type SQL, sql } from 'drizzle-orm'
import { BoundedCache } from '../caches.js'
import { Fault } from '../errors.js'
import { LIMITS } from '../limits.js'
import type { Read, Write } from '../store/store.js'
import type { Tables } from '../store/tables.js'
import { CALLER_ID_CHARACTERS_MAX } from './principal.js'

/** An idempotent request: its sender, its Idempotency-Key and its fingerprint. */
export interface IdempotentRequest {
  readonly keyId: string
  readonly token: string
  readonly fingerprint: string
}

/** The stored response for this Idempotency-Key, whatever the request was. */
export async function idempotencyRecord(
  { db, t }: Read,
  request: IdempotentRequest,
  now: Date,
): Promise<Tables['idempotencyRecord']['$inferSelect'] | undefined> {
  const [row] = await db.select().from(t.idempotencyRecord).where(isOf(t, request)).limit(1)
  return row && row.createdAt >= oldest(now) ? row : undefined
}

/** What is recorded of a response that is too long to be stored. */
export interface Unrecorded {
  readonly bytes: number
  readonly id?: string
}

/** If there is no room, what is stored is read again after this time: responses expire. */
const READ_AGAIN_MS = 60_000

/** Whether a key may store so many bytes more, which count from then on; other processes are seen when it reads. */
export function createResponseRoom() {
  const ofKeys = new BoundedCache<{ bytes: number; readonly readAt: number }>({
    entries: 1_000,
    entrySize: CALLER_ID_CHARACTERS_MAX,
  })
  return async ({ db, t: { idempotencyRecord: kept } }: Write, keyId: string, bytes: number): Promise<boolean> => {
    if (bytes > LIMITS.idempotencyBytesMax) return false
    const isFull = (one: { bytes: number }) => one.bytes + bytes > LIMITS.idempotencyKeyBytesMax
    let known = ofKeys.get(keyId)
    if (!known || (isFull(known) && performance.now() - known.readAt > READ_AGAIN_MS)) {
      const stored = sql`coalesce(sum(octet_length(${kept.answer})), 0)`.mapWith(Number)
      const [sum] = await db.select({ stored }).from(kept).where(eq(kept.keyId, keyId))
      known = { bytes: sum?.stored ?? 0, readAt: performance.now() }
      ofKeys.set(keyId, known)
    }
    if (isFull(known)) return false
    known.bytes += bytes
    return true
  }
}

/** The error of a retry whose response was too long to be stored. */
export function wasUnrecorded({ bytes, id }: Unrecorded): Fault {
  const size = `its response of ${bytes.toLocaleString('en')} bytes was too long to be recorded, alone or with others of this key`
  const sentence = `This request has been carried out, but ${size}. Read what it changed, or select less of it.`
  return new Fault('CONFLICT', sentence, id === undefined ? {} : { existingId: id })
}

/** Stores a response in the transaction of its change, and deletes expired ones. */
export async function storeIdempotencyRecord(
  { db, t, at, insertAll, onStored }: Write,
  to: IdempotentRequest,
  response: unknown,
): Promise<void> {
  await db.delete(t.idempotencyRecord).where(lt(t.idempotencyRecord.createdAt, oldest(new Date(at))))
  const answer = JSON.stringify(response)
  onStored?.(Buffer.byteLength(answer))
  await insertAll(t.idempotencyRecord, [{ ...to, answer, createdAt: at }])
}

export async function replaceIdempotencyRecord(write: Write, to: IdempotentRequest, response: unknown): Promise<void> {
  const { db, t } = write
  await db.delete(t.idempotencyRecord).where(isOf(t, to))
  await storeIdempotencyRecord(write, to, response)
}

function isOf({ idempotencyRecord: kept }: Tables, { keyId, token }: IdempotentRequest): SQL | undefined {
  return and(eq(kept.keyId, keyId), eq(kept.token, token))
}

/** A clock that jumped ahead after the start of the process must not expire responses. */
function oldest(now: Date): string {
  const watchedMs = performance.timeOrigin + performance.now()
  return new Date(Math.min(now.getTime(), watchedMs) - LIMITS.idempotencyMs).toISOString()
}
