import { createHash } from 'node:crypto'
import { keepAnswer, keptAnswer, type Unrepeatable } from '../auth/keptAnswers.js'
import { Fault } from '../errors.js'
import type { Context } from '../graph/builder.js'
import { LIMITS } from '../limits.js'
import type { Read, Store, Write } from '../store/store.js'
import { type Asked, isReading } from './asked.js'

const TOKEN = new RegExp(`^[\\x21-\\x7e]{1,${LIMITS.idempotencyKeyCharactersMax}}$`)

/** The Idempotency-Key of a request, if it has one. */
export function tokenOf(asked: Asked): string | undefined {
  const given = asked.header('idempotency-key')
  if (given === undefined) return undefined
  // The draft has it in quotes; many callers leave them out.
  const token = given.trim().replace(/^"(.*)"$/, '$1')
  if (TOKEN.test(token)) return token
  const form = `1 to ${LIMITS.idempotencyKeyCharactersMax} visible ASCII characters`
  throw new Fault('BAD_REQUEST', `The header Idempotency-Key must hold ${form}, such as a UUID.`)
}

/** What a request asks for, in a form that can be compared. */
export function fingerprintOf(method: string, path: string, input: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([method, path, input ?? null]))
    .digest('base64url')
}

/** What was answered, now or when the same was asked for before. */
interface Answered {
  readonly answer: unknown
  readonly isReplay: boolean
}

type Work = (context: Context) => Promise<unknown>

/** Does what a request asks for; one that changes something and brings an Idempotency-Key is done once. */
export type Perform = (asked: Asked, path: string, input: unknown, context: Context, work: Work) => Promise<Answered>

/** The requests under way that must not be done twice: one for each token of each API key. */
export class RunningRequests {
  // Of this process; the same request in another one is met inside the transaction.
  private readonly names = new Set<string>()

  /** Refuses the work while another one has this token. */
  async alone<T>({ keyId, token }: Unrepeatable, work: () => Promise<T>): Promise<T> {
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
  return async (asked, path, input, context, work) => {
    const token = isReading(asked) ? undefined : tokenOf(asked)
    if (token === undefined) return { answer: await work(context), isReplay: false }
    const fingerprint = fingerprintOf(asked.method, path, input)
    const once = { keyId: context.principal.keyId, token, fingerprint }
    const earlier = await replayOf(context.store.read, once, context.clock())
    if (earlier) return earlier
    return running.alone(once, () => onlyOnce(context, once, work))
  }
}

/**
 * Does something once for its token: the answer is made inside the transaction that does it, and kept with it.
 * What is refused is not kept, since it has changed nothing and may be mended.
 */
function onlyOnce(context: Context, request: Unrepeatable, work: Work): Promise<Answered> {
  const { store, clock } = context
  return store.write({ by: request.keyId, at: clock }, async (write) => {
    const meanwhile = await replayOf(write, request, clock())
    if (meanwhile) return meanwhile
    const answer = await work({ ...context, store: inside(store, write) })
    await keepAnswer(write, request, answer)
    return { answer, isReplay: false }
  })
}

/** What was answered to this request before; another one under its token is refused. */
export async function replayOf(read: Read, request: Unrepeatable, now: Date): Promise<Answered | undefined> {
  const kept = await keptAnswer(read, request, now)
  if (!kept) return undefined
  if (kept.fingerprint === request.fingerprint) return { answer: JSON.parse(kept.answer), isReplay: true }
  const advice = 'Take a new one for a new request.'
  throw new Fault('VALIDATION_FAILED', `This Idempotency-Key was used for another request. ${advice}`)
}

/** The store as it is inside a transaction: what is written joins it, and what is read sees it. */
export function inside(store: Store, write: Write): Store {
  return { ...store, read: write, write: (_, work) => work(write) }
}
