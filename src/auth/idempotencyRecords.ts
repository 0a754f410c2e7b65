import { and, eq, lt, type SQL } from 'drizzle-orm'
import { Fault } from '../errors.js'
import { LIMITS } from '../limits.js'
import type { Read, Write } from '../store/store.js'
import type { Tables } from '../store/tables.js'

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

/** Undefined if the response may be stored, together with `others`. */
export function unrecordedOf(response: unknown, others: unknown, id: string | undefined): Unrecorded | undefined {
  const bytes = Buffer.byteLength(JSON.stringify([response, others]))
  if (bytes <= LIMITS.idempotencyBytesMax) return undefined
  // Not the `id` of the response: a client may give another field this name.
  return { bytes, ...(id !== undefined && { id }) }
}

/** The error of a retry whose response was too long to be stored. */
export function wasUnrecorded({ bytes, id }: Unrecorded): Fault {
  const size = `its response of ${bytes.toLocaleString('en')} bytes was too long to be recorded`
  const sentence = `This request has been carried out, but ${size}. Read what it changed, or select less of it.`
  return new Fault('CONFLICT', sentence, id === undefined ? {} : { existingId: id })
}

/** Stores a response in the transaction of its change, and deletes expired ones. */
export async function storeIdempotencyRecord(
  { db, t, at, insertAll }: Write,
  to: IdempotentRequest,
  response: unknown,
): Promise<void> {
  await db.delete(t.idempotencyRecord).where(lt(t.idempotencyRecord.createdAt, oldest(new Date(at))))
  await insertAll(t.idempotencyRecord, [{ ...to, answer: JSON.stringify(response), createdAt: at }])
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
