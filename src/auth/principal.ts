import { Fault } from '../errors.js'
import { LIMITS } from '../limits.js'
import type { Versions } from '../store/registers.js'
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

/** Tells who holds the key of an `Authorization` header, or refuses it. Whoever needs the versions too reads them once for both. */
export type Authenticate = (authorization: string | undefined, versions?: Store['versions']) => Promise<Principal>

const HOW = 'Send your API key in the header `Authorization: Bearer <API_KEY>`.'
/** Only for whoever has copied an example: others may not know us, and come through a gateway. */
const MAKE_ONE = '`operations keys create --name NAME --scope SCOPE` makes one.'

/** No key at all was sent, as against one that is not good. */
export class KeyMissing extends Fault {
  constructor() {
    super('UNAUTHENTICATED', `An API key is needed. ${HOW}`)
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

/** A principal as it is remembered, with what may still stop it. */
interface Known {
  readonly principal: Principal
  readonly expiresAtMs: number
}

export function authenticator(store: Store, clock: () => Date): Authenticate {
  const noteUse = useNoter(store, clock)
  const recall = memoryOf(store, async (secret) => {
    const patience = { deadlineAt: performance.now() + LIMITS.storeLookMs }
    const key = await keyBySecret(
      store.reading(() => undefined, patience),
      secret,
    )
    if (!key) throw invalid()
    if (key.revokedAt) throw new KeyRefused(key.id, `This API key was revoked at ${key.revokedAt}.`)
    const { id, name, scopes, projects, expiresAt } = key
    const principal = { keyId: id, name, scopes: new Set(scopes), projects, expiresAt }
    return { principal, expiresAtMs: expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) }
  })
  return async (authorization, versions) => {
    const { principal, expiresAtMs } = await recall(authorization, versions)
    const now = clock()
    if (expiresAtMs <= now.getTime()) {
      throw new KeyRefused(principal.keyId, `This API key expired at ${principal.expiresAt}.`)
    }
    noteUse(principal.keyId, now)
    return principal
  }
}

type Recall = (authorization: string | undefined, versions?: Store['versions']) => Promise<Known>

/** Blanks may stand around a key, as many as a header takes; who sends that many is looked up each time. */
const KNOWN_CHARACTERS_MAX = 100

/** Looks a key up once for each version of the keys. */
function memoryOf(store: Store, lookUp: (secret: string) => Promise<Known>): Recall {
  const memory = new Map<string | undefined, Promise<Known>>()
  let remembered: Versions | undefined
  return async (authorization, read = store.versions) => {
    // What cannot be a key is refused without a look at the store.
    const secret = memory.has(authorization) ? undefined : secretOf(authorization)
    const versions = await read()
    const isSame = versions.keys === remembered?.keys
    // Another request may have found a later version while this one was looking.
    if (remembered && !isSame && versions.order < remembered.order) return lookUp(secret ?? secretOf(authorization))
    if (!isSame || memory.size >= LIMITS.rateKeptMax) memory.clear()
    if (!remembered || versions.order > remembered.order) remembered = versions
    const known = memory.get(authorization) ?? lookUp(secret ?? secretOf(authorization))
    if (authorization !== undefined && authorization.length > KNOWN_CHARACTERS_MAX) return known
    memory.set(authorization, known)
    // What is wrong with it is asked again each time: nobody's wrong keys are to fill the memory.
    known.catch(() => memory.delete(authorization))
    return known
  }
}

function invalid(): Fault {
  return new Fault('UNAUTHENTICATED', `This API key is not valid. ${HOW}`)
}

function secretOf(authorization: string | undefined): string {
  const secret = bearer(authorization)
  if (!isWellFormed(secret)) throw invalid()
  return secret
}

function bearer(authorization: string | undefined): string {
  if (authorization !== undefined && isWellFormed(authorization.trim())) {
    throw new Fault('UNAUTHENTICATED', `The API key was sent without the word \`Bearer\` before it. ${HOW}`)
  }
  if (authorization === undefined || !/^Bearer\b/i.test(authorization)) throw new KeyMissing()
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
