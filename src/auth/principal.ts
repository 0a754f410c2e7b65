import { Fault } from '../errors.js'
import { LIMITS } from '../limits.js'
import type { Store } from '../store/store.js'
import { keyBySecret, noteKeyUse } from './keys.js'
import type { Scope } from './scopes.js'
import { isWellFormed } from './secrets.js'

/** Who is calling. */
export interface Principal {
  readonly keyId: string
  readonly name: string
  readonly scopes: ReadonlySet<Scope>
  /** The keys of the projects that it may change; null for all. */
  readonly projects: readonly string[] | null
  readonly expiresAt: string | null
}

/** Tells who holds the key of an `Authorization` header, or refuses it. */
export type Authenticate = (authorization: string | null) => Promise<Principal>

const HOW = 'Send your API key in the header `Authorization: Bearer <API_KEY>`.'
const MAKE_ONE = '`operations keys create --name NAME --scope SCOPE` makes one.'

/** No key at all was sent, as against one that is not good. */
export class KeyMissing extends Fault {
  constructor() {
    super('UNAUTHENTICATED', `An API key is needed. ${HOW} ${MAKE_ONE}`)
  }
}

/** A key that was good once; the log may name it. */
export class KeyRefused extends Fault {
  readonly keyId: string

  constructor(keyId: string, sentence: string) {
    super('UNAUTHENTICATED', sentence)
    this.keyId = keyId
  }
}

export function authenticator(store: Store, clock: () => Date): Authenticate {
  const noteUse = useNoter(store, clock)
  return async (authorization) => {
    const secret = bearer(authorization)
    const key = isWellFormed(secret) ? await keyBySecret(store.read, secret) : undefined
    if (!key) throw new Fault('UNAUTHENTICATED', `This API key is not valid. ${HOW}`)
    const now = clock()
    if (key.revokedAt) throw new KeyRefused(key.id, `This API key was revoked at ${key.revokedAt}.`)
    if (key.expiresAt && key.expiresAt <= now.toISOString()) {
      throw new KeyRefused(key.id, `This API key expired at ${key.expiresAt}.`)
    }
    noteUse(key.id, now)
    const { id, name, scopes, projects, expiresAt } = key
    return { keyId: id, name, scopes: new Set(scopes), projects, expiresAt }
  }
}

function bearer(authorization: string | null): string {
  if (authorization === null || !/^Bearer\b/i.test(authorization)) throw new KeyMissing()
  const [, secret] = /^Bearer +([^ ]+) *$/i.exec(authorization) ?? []
  if (secret === undefined) {
    throw new Fault('UNAUTHENTICATED', `The Authorization header is not of the form that is needed. ${HOW}`)
  }
  // As it stands in the documents, and in GraphiQL's headers when it opens.
  if (secret === '<API_KEY>') {
    throw new Fault('UNAUTHENTICATED', `Put your API key in the place of <API_KEY>. ${MAKE_ONE}`)
  }
  return secret
}

/** Writes a key's last use now and then, and never in the request's way: a failure costs only the note. */
function useNoter(store: Store, clock: () => Date): (keyId: string, at: Date) => void {
  const notedAt = new Map<string, number>()
  return (keyId, at) => {
    if (at.getTime() - (notedAt.get(keyId) ?? 0) < LIMITS.keyUseEveryMs) return
    notedAt.set(keyId, at.getTime())
    // Later, so that it does not stand in the queue before what this request itself may write.
    const note = () => store.write({ by: keyId, at: clock, unseen: true }, (write) => noteKeyUse(write, keyId))
    setTimeout(() => note().catch(() => undefined), LIMITS.keyUseDelayMs).unref()
  }
}
