import { BoundedCache } from '../caches.js'
import { type Code, Fault } from '../errors.js'
import type { Versions } from '../store/changeCounters.js'
import { QUICK_READ_MS, type Store } from '../store/store.js'
import { keyBySecret, recordKeyUse } from './keys.js'
import type { Scope } from './scopes.js'
import { isWellFormed } from './secrets.js'

/** A key's last use is recorded at most this often. */
const RECORD_USE_EVERY_MS = 60_000
const RECORD_USE_AFTER_MS = 100
/** Keys that are remembered, with their last use. */
const KEYS_KEPT_MAX = 10_000

export interface Principal {
  /** `key_...`, `oidc:ISSUER:SUBJECT` of a token, `host:ID` of an embedding program, or `cli`; in the history as `by`. */
  readonly keyId: string
  readonly name: string
  readonly scopes: ReadonlySet<Scope>
  /** The keys of the projects that it may change; null for all. */
  readonly projects: readonly string[] | null
  readonly expiresAt: string | null
}

/** The id of a caller outside of our keys: lone surrogates would be the same character once they are encoded. */
/** Of the id of a key or a caller, with the issuer of its token. */
export const CALLER_ID_CHARACTERS_MAX = 4_000

export function isCallerId(id: unknown): id is string {
  return typeof id === 'string' && /^[^\p{Cc}\p{Cs}]{1,255}$/u.test(id)
}

const HOW = 'Send your API key in the header `Authorization: Bearer <API_KEY>`.'
/** Only for callers who copied an example: others may come through a gateway, and cannot run our commands. */
const MAKE_ONE = '`operations keys create --name NAME --scope SCOPE` makes one.'

/** No key was sent, as opposed to an invalid one. */
export class KeyMissing extends Fault {
  constructor() {
    super('UNAUTHENTICATED', `An API key is needed. ${HOW}`)
  }
}

/** A key or a token that was valid once, or has no scope; the log may name it. */
export class KeyRefused extends Fault {
  readonly keyId: string

  constructor(keyId: string, sentence: string, code: Code = 'UNAUTHENTICATED') {
    super(code, sentence)
    this.keyId = keyId
  }
}

/** A cached principal, with what may still invalidate it. */
interface CachedKey {
  readonly principal: Principal
  readonly expiresAtMs: number
}

/** The holder of the key in an `Authorization` header, or a Fault. */
export function authenticator(store: Store, clock: () => Date) {
  const recordUse = useRecorder(store, clock)
  const findKey = cachedKeys(store, async (secret) => {
    const deadline = { deadlineAt: performance.now() + QUICK_READ_MS }
    const key = await keyBySecret(store.reading({ deadline }), secret)
    if (!key) throw invalid()
    if (key.revokedAt) throw new KeyRefused(key.id, `This API key was revoked at ${key.revokedAt}.`)
    const { id, name, scopes, projects, expiresAt } = key
    const principal = { keyId: id, name, scopes: new Set(scopes), projects, expiresAt }
    return { principal, expiresAtMs: expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) }
  })
  return async (authorization: string | undefined, versions?: Store['versions']): Promise<Principal> => {
    const { principal, expiresAtMs } = await findKey(authorization, versions)
    const now = clock()
    if (expiresAtMs <= now.getTime()) {
      throw new KeyRefused(principal.keyId, `This API key expired at ${principal.expiresAt}.`)
    }
    recordUse(principal.keyId, now)
    return principal
  }
}

type FindKey = (authorization: string | undefined, versions?: Store['versions']) => Promise<CachedKey>

/** A key may be padded with blanks up to the size of a header; longer values are not cached. */
const KEPT = { entries: KEYS_KEPT_MAX, entrySize: 100 }

/** Looks a key up once for each version of the keys. */
function cachedKeys(store: Store, lookUp: (secret: string) => Promise<CachedKey>): FindKey {
  const cache = new BoundedCache<Promise<CachedKey>>(KEPT)
  let remembered: Versions | undefined
  return async (authorization = '', read = store.versions) => {
    // A malformed key is refused without a look-up.
    const secret = cache.has(authorization) ? undefined : secretOf(authorization)
    const versions = await read()
    const isSame = versions.keys === remembered?.keys
    // Another request may have read a later version meanwhile.
    if (remembered && !isSame && versions.order < remembered.order) return lookUp(secret ?? secretOf(authorization))
    if (!isSame) cache.clear()
    if (!remembered || versions.order > remembered.order) remembered = versions
    const cached = cache.get(authorization)
    if (cached) return cached
    const found = lookUp(secret ?? secretOf(authorization))
    cache.set(authorization, found)
    // Failures are not cached: wrong keys must not evict valid ones.
    found.catch(() => cache.delete(authorization))
    return found
  }
}

function invalid(): Fault {
  return new Fault('UNAUTHENTICATED', `This API key is not valid. ${HOW}`)
}

/** What follows the word `Bearer`. */
export function bearerIn(authorization: string): string | undefined {
  return /^Bearer +([^ ]+) *$/i.exec(authorization)?.[1]
}

function secretOf(authorization: string): string {
  const secret = bearerIn(authorization)
  const [sent = ''] = /ops_\w+/.exec(authorization) ?? []
  // Such as `Token KEY`, `Bearer: KEY` or `Bearer <KEY>`.
  if (sent !== secret && isWellFormed(sent)) {
    const sentence =
      authorization.trim() === sent
        ? 'The API key was sent without the word `Bearer` before it.'
        : 'The API key must follow the word `Bearer` and a space, with nothing else around it.'
    throw new Fault('UNAUTHENTICATED', `${sentence} ${HOW}`)
  }
  if (!/^Bearer\b/i.test(authorization)) throw new KeyMissing()
  if (secret === undefined) {
    throw new Fault('UNAUTHENTICATED', `The Authorization header is malformed. ${HOW}`)
  }
  // As in the documents, and in GraphiQL's headers when it opens.
  if (secret === '<API_KEY>') {
    throw new Fault('UNAUTHENTICATED', `Replace <API_KEY> by your API key. ${MAKE_ONE}`)
  }
  if (!isWellFormed(secret)) throw invalid()
  return secret
}

/** Records a key's last use now and then, outside the request: a failure loses only that record. */
function useRecorder(store: Store, clock: () => Date): (keyId: string, at: Date) => void {
  const recordedAt = new BoundedCache<number>({ entries: KEYS_KEPT_MAX, entrySize: CALLER_ID_CHARACTERS_MAX })
  return (keyId, at) => {
    if (at.getTime() - (recordedAt.get(keyId) ?? 0) < RECORD_USE_EVERY_MS) return
    recordedAt.set(keyId, at.getTime())
    // Delayed, so that it does not queue before the writes of this request.
    const record = () => store.write({ by: keyId, at: clock, unseen: true }, (write) => recordKeyUse(write, keyId))
    setTimeout(() => record().catch(() => undefined), RECORD_USE_AFTER_MS).unref()
  }
}
