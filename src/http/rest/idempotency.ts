import { createHash } from 'node:crypto'
import {
  type IdempotentRequest,
  idempotencyRecord,
  storeIdempotencyRecord,
  type Unrecorded,
  unrecordedOf,
  wasUnrecorded,
} from '../../auth/idempotencyRecords.js'
import { Fault } from '../../errors.js'
import type { Context } from '../../graph/builder.js'
import { LIMITS } from '../../limits.js'
import type { Read, Store, Write } from '../../store/store.js'
import { type HttpRequest, isReading } from '../wire/request.js'

const TOKEN = new RegExp(`^[\\x21-\\x7e]{1,${LIMITS.idempotencyKeyCharactersMax}}$`)

/** The Idempotency-Key of a request, if it has one. */
export function tokenOf(request: HttpRequest): string | undefined {
  const given = request.header('idempotency-key')
  if (given === undefined) return undefined
  // The IETF draft defines a quoted string; many clients omit the quotes.
  const token = given.trim().replace(/^"(.*)"$/, '$1')
  if (TOKEN.test(token)) return token
  const form = `1 to ${LIMITS.idempotencyKeyCharactersMax} visible ASCII characters`
  throw new Fault('BAD_REQUEST', `The header Idempotency-Key must hold ${form}, such as a UUID.`)
}

/** A hash of a request, to compare a retry with the recorded one. */
export function fingerprintOf(method: string, path: string, input: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([method, path, input ?? null]))
    .digest('base64url')
}

/** The result of a request: new, or replayed from its idempotency record. */
interface IdempotentResult {
  readonly result: unknown
  readonly isReplay: boolean
}

type Work = (context: Context) => Promise<unknown>

/** Runs the work of a request; a change with an Idempotency-Key runs once, and a retry replays its result. */
type Perform = (
  request: HttpRequest,
  path: string,
  input: unknown,
  context: Context,
  work: Work,
) => Promise<IdempotentResult>

/** The running requests with an Idempotency-Key: at most one for each token of an API key. */
export class RunningRequests {
  // Of this process only; against another process, the transaction checks the records again.
  private readonly names = new Set<string>()

  /** Throws a 409 while another request with this token is running. */
  async alone<T>({ keyId, token }: IdempotentRequest, work: () => Promise<T>): Promise<T> {
    const name = `${keyId} ${token}`
    if (this.names.has(name)) throw new Fault('CONFLICT', 'A request with this Idempotency-Key is still running.')
    this.names.add(name)
    try {
      return await work()
    } finally {
      this.names.delete(name)
    }
  }
}

export function createPerform(running: RunningRequests): Perform {
  return async (request, path, input, context, work) => {
    const token = isReading(request) ? undefined : tokenOf(request)
    if (token === undefined) return { result: await work(context), isReplay: false }
    const fingerprint = fingerprintOf(request.method, path, input)
    const once = { keyId: context.principal.keyId, token, fingerprint }
    const earlier = await replayOf(context.store.read, once, context.clock())
    if (earlier) return earlier
    return running.alone(once, () => onlyOnce(context, once, work))
  }
}

/**
 * Runs the work once for its token: the result is recorded in the transaction that makes the change.
 * An error is not recorded, since nothing has changed: the client may correct the request and retry.
 */
function onlyOnce(context: Context, request: IdempotentRequest, work: Work): Promise<IdempotentResult> {
  const { store, clock } = context
  return store.write({ by: request.keyId, at: clock }, async (write) => {
    const meanwhile = await replayOf(write, request, clock())
    if (meanwhile) return meanwhile
    const result = await work({ ...context, store: inside(store, write) })
    const unrecorded = unrecordedOf(result)
    await storeIdempotencyRecord(write, request, unrecorded ? { unrecorded } : result)
    return { result, isReplay: false }
  })
}

/** The recorded result of this request; throws if its token belongs to a different request. */
export async function replayOf(
  read: Read,
  request: IdempotentRequest,
  now: Date,
): Promise<IdempotentResult | undefined> {
  const record = await idempotencyRecord(read, request, now)
  if (!record) return undefined
  if (record.fingerprint === request.fingerprint) {
    const result: unknown = JSON.parse(record.answer)
    // No response of REST has such a member.
    const { unrecorded } = Object(result) as { unrecorded?: Unrecorded }
    if (unrecorded) throw wasUnrecorded(unrecorded)
    return { result, isReplay: true }
  }
  const advice = 'Take a new one for a new request.'
  throw new Fault('VALIDATION_FAILED', `This Idempotency-Key was used for another request. ${advice}`)
}

/** The store inside a transaction: writes join the transaction, and reads see its changes. */
export function inside(store: Store, write: Write): Store {
  const joining: Write = { ...write, lastRows: write.rows }
  return { ...store, read: write, write: (_, work) => work(joining) }
}
