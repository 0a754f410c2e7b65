import type { Authenticate, Principal } from '../auth/principal.js'
import { Fault } from '../errors.js'
import { LIMITS } from '../limits.js'
import { isOfStore } from '../store/faults.js'
import type { Register, Versions } from '../store/registers.js'
import type { Store } from '../store/store.js'
import { accepts } from './accept.js'
import { type Asked, isReading, type Outgoing, roomFor } from './asked.js'
import type { Exchange } from './exchange.js'
import { isOpen } from './paths.js'
import type { Rates } from './rates.js'
import { type ReadyAnswer, ReadyAnswers } from './readyAnswers.js'
import { GRAPHQL_TYPE, isUnchanged, JSON_TYPE } from './represent.js'

interface FastLaneOptions {
  readonly store: Store
  readonly authenticate: Authenticate
  readonly rates: Rates
  readonly basePath: string
  readonly readyBytesMax: number
}

/**
 * Gives an answer again that was given before, as long as nothing has changed since
 * (docs/decisions/0004-ready-answers.md). The doors know nothing of it: what is asked comes here first, and what they
 * answer passes by here.
 */
export interface FastLane {
  /** The answer, if there is one ready; if not, it is for the door to give. */
  ready(exchange: Exchange): Promise<Outgoing | undefined>
  /** Keeps what a door has answered, if it may be given again. */
  keep(exchange: Exchange, answer: Outgoing, etag: string | undefined): void
}

const NOTHING: ReadonlySet<Register> = new Set()
const NO_BODY = Buffer.alloc(0)
const SMALL = roomFor(LIMITS.readyQueryBytesMax)

/** Under what an answer may be kept: what was asked for, with which scopes, and of which versions. */
interface Place {
  readonly versions: Versions
  readonly key: string
}

export function createFastLane({ store, authenticate, rates, basePath, readyBytesMax }: FastLaneOptions): FastLane {
  const answers = new ReadyAnswers(readyBytesMax)
  const places = new WeakMap<Exchange, Place>()

  /** The versions as they are from now on, read when they are first asked for, and once. */
  const versionsFromNow = () => {
    let read: Promise<Versions> | undefined
    return () => (read ??= store.versions())
  }

  /** The answer that is ready, charged for; what is not, is noted so that it can be kept. */
  const find = async (exchange: Exchange): Promise<ReadyAnswer | undefined> => {
    const { asked } = exchange
    const authorization = asked.header('authorization')
    // Node tells of a request before it looks for the body, which mostly came with the head.
    await undefined
    const hasCome = asked.isWhole
    let versions = versionsFromNow()
    let principal = await rates.admit(authorization, exchange, versions)
    const body = asked.method === 'POST' ? await exchange.waiting.exempt(asked.body(SMALL)) : NO_BODY
    if (!hasCome) {
      // It came after the first look at the versions, and the key may have been revoked in between.
      versions = versionsFromNow()
      principal = await exchange.waiting.bound(authenticate(authorization, versions))
    }
    return lookUp(await versions(), keyOf(asked, body.toString('latin1'), principal), exchange)
  }

  const lookUp = (versions: Versions, key: string, exchange: Exchange): ReadyAnswer | undefined => {
    const ready = answers.find(versions, key)
    if (!ready) places.set(exchange, { versions, key })
    else if (exchange.principal) rates.chargeQuery(exchange.principal, exchange, ready.cost)
    return ready
  }

  return {
    async ready(exchange) {
      const { asked } = exchange
      if (readyBytesMax === 0 || !(isRead(asked, basePath) || isSmallQuery(asked, basePath))) return undefined
      // Whatever is wrong with it, the handler says so.
      const found = await find(exchange).catch((error: unknown) => noteOutage(exchange, error))
      if (!found) return undefined
      exchange.operation = found.operation
      return answerOf(asked, found)
    },
    keep(exchange, { status, headers, body }, etag) {
      const place = places.get(exchange)
      if (!place || !body || status !== 200 || exchange.refusal || !exchange.isShared) return
      const { operation, cost, reads } = exchange
      answers.keep({ ...place, reads: reads ?? NOTHING }, { headers, bytes: body, etag, operation, cost })
    },
  }
}

/** A store that cannot be reached is not waited for a second time: the handler refuses the request as it finds it here. */
function noteOutage(exchange: Exchange, error: unknown): undefined {
  if (!(error instanceof Fault) || !isOfStore(error)) return
  exchange.admission = Promise.reject(error)
  exchange.admission.catch(() => undefined)
}

function isRead(asked: Asked, basePath: string): boolean {
  const { target } = asked
  if (!isReading(asked) || !target.startsWith(basePath) || !target.startsWith('/v1/', basePath.length)) return false
  const query = target.indexOf('?')
  const path = target.slice(basePath.length, query < 0 ? undefined : query)
  // Nobody is asked for a key at an open one, nor charged.
  return PLAIN_PATH.test(path) && !isOpen(path)
}

/** A path that means what it says: one with other dots in it may lead elsewhere, to an open page or to GraphQL. */
const PLAIN_PATH = /^[\w/-]*(\.csv)?$/

function isSmallQuery(asked: Asked, basePath: string): boolean {
  const { method, target } = asked
  if (method !== 'POST' || target !== `${basePath}/graphql` || asked.header('content-encoding') !== undefined) {
    return false
  }
  // Whoever waits for `100 Continue` is first told what else is wrong.
  if (asked.header('expect') !== undefined) return false
  const bytes = Number(asked.header('content-length'))
  if (!(bytes > 0 && bytes <= LIMITS.readyQueryBytesMax)) return false
  // Whoever takes neither is refused before anyone is asked for a key, or charged.
  return asked.header('accept') === JSON_TYPE || accepts(asked, JSON_TYPE) || accepts(asked, GRAPHQL_TYPE)
}

/** Everything that an answer can depend on, besides what is stored. */
function keyOf(asked: Asked, body: string, { scopes }: Principal): string {
  let key = `${asked.method === 'POST' ? 'POST' : 'GET'}\n${asked.target}`
  for (const name of FORMS) key += `\n${asked.header(name) ?? ''}`
  return `${key}\n${wordsOf(scopes)}\n${body}`
}

/** The headers that say in which form an answer is wanted, or a query came. */
const FORMS = ['accept', 'accept-encoding', 'content-type', 'origin']

const scopeWords = new WeakMap<Principal['scopes'], string>()

function wordsOf(scopes: Principal['scopes']): string {
  const known = scopeWords.get(scopes) ?? [...scopes].sort().join(' ')
  scopeWords.set(scopes, known)
  return known
}

function answerOf(asked: Asked, { headers, bytes, etag }: ReadyAnswer): Outgoing {
  if (etag !== undefined && isUnchanged(asked.header('if-none-match'), etag)) {
    return { status: 304, headers: withoutContent(headers), body: null }
  }
  return { status: 200, headers, body: asked.method === 'HEAD' ? null : bytes }
}

/** Headers without those that are about a body. */
function withoutContent(headers: readonly string[]): string[] {
  return headers.filter((_, index) => !CONTENT.has(headers[index - (index % 2)] ?? ''))
}

const CONTENT = new Set(['content-type', 'content-length', 'content-encoding'])
