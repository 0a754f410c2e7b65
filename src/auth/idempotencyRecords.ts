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

/** Recorded instead of a response that is too long to be stored. */
export interface Unrecorded {
  readonly unrecorded: { readonly bytes: number; readonly id?: string }
}

/** The response if it may be stored together with `others`, else what stands for it. */
export function recordable<R>(response: R, others?: unknown): R | Unrecorded {
  const bytes = Buffer.byteLength(JSON.stringify([response, others]))
  if (bytes <= LIMITS.idempotencyBytesMax) return response
  const { id } = Object(response) as { id?: unknown }
  return { unrecorded: { bytes, ...(typeof id === 'string' && { id }) } }
}

/** The recorded response; throws if it was too long to be stored. */
export function recordedAs<R>(recorded: R | Unrecorded): R {
  if (!isUnrecorded(recorded)) return recorded
  const { bytes, id } = recorded.unrecorded
  const size = `its response of ${bytes.toLocaleString('en')} bytes was too long to be recorded`
  const sentence = `This request has been carried out, but ${size}. Read what it changed, or select less of it.`
  throw new Fault('CONFLICT', sentence, id === undefined ? {} : { existingId: id })
}

export function isUnrecorded(recorded: unknown): recorded is Unrecorded {
  return typeof recorded === 'object' && recorded !== null && 'unrecorded' in recorded
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

/** Replaces the stored response. */
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
