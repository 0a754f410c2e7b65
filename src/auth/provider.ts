import { type CryptoKey, createLocalJWKSet, type JSONWebKeySet, type JWTHeaderParameters } from 'jose'
import { isSafeUrl } from '../config.js'
import { Overloaded } from '../errors.js'
import type { OnNotice } from '../store/store.js'

/** How long discovery and the keys may take together. */
const READ_MS = 5_000
const DOCUMENT_BYTES_MAX = 1_000_000
/** Tokens can name any key: an unknown one is looked for at most this often. */
const READ_EVERY_MS = 30_000
/** The same while no key is known at all. */
const RETRY_EVERY_MS = 5_000
/** Older keys are read again in the background, so that a withdrawn one ends. */
const FRESH_MS = 600_000

/** Where a person signs in and out, and a page gets its token. */
export interface Endpoints {
  readonly authorization: string | undefined
  readonly token: string | undefined
  readonly endSession: string | undefined
}

interface FoundKey {
  readonly key: CryptoKey
  readonly keys: Provider['keys']
}

/** An identity provider: its endpoints and signing keys, as it publishes them (OpenID Connect Discovery). */
export class Provider {
  readonly issuer: string
  /** Undefined until they have been read. */
  endpoints: Endpoints | undefined
  /** Another function whenever the provider publishes other keys. */
  keys: ReturnType<typeof createLocalJWKSet> | undefined
  private published: string | undefined
  private readonly nowMs: () => number
  private readonly onNotice: OnNotice
  private beganAt = Number.NEGATIVE_INFINITY
  private readAt = Number.NEGATIVE_INFINITY
  private reading: Promise<void> | undefined

  constructor(issuer: string, nowMs: () => number, onNotice: OnNotice) {
    this.issuer = issuer
    this.nowMs = nowMs
    this.onNotice = onNotice
  }

  /** The key that signed a token by its header, with those that it is one of; undefined if the provider has none. */
  async keyFor(header: JWTHeaderParameters): Promise<FoundKey | undefined> {
    const known = await this.find(header)
    if (known) return known
    await this.read()
    const found = await this.find(header)
    // Of a provider that is down, it is unknown which keys it has by now.
    if (!found && this.readAt < this.beganAt) throw this.unreachable()
    return found
  }

  /** Reads the keys again in the background once they are old. */
  refresh(): void {
    if (this.keys && this.nowMs() - this.readAt > FRESH_MS) void this.read()
  }

  async knownEndpoints(): Promise<Endpoints> {
    if (!this.endpoints) await this.read()
    if (!this.endpoints) throw this.unreachable()
    return this.endpoints
  }

  /** Reads what the provider publishes, unless that was tried just now; whoever waits shares one attempt. */
  read(): Promise<void> {
    if (!this.reading && this.restMs() > 0) return Promise.resolve()
    this.reading ??= this.attempt().finally(() => {
      this.reading = undefined
    })
    return this.reading
  }

  /** Until it may be asked again. */
  private restMs(): number {
    return this.beganAt + (this.keys ? READ_EVERY_MS : RETRY_EVERY_MS) - this.nowMs()
  }

  private async attempt(): Promise<void> {
    this.beganAt = this.nowMs()
    try {
      const signal = AbortSignal.timeout(READ_MS)
      const document = await jsonAt(`${this.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, signal)
      const at = (name: string) => (isSafeUrl(String(document[name])) ? String(document[name]) : undefined)
      if (document['issuer'] !== this.issuer) throw new Error(`its document names another issuer`)
      const keys = await jsonAt(at('jwks_uri') ?? '', signal)
      // jose checks the form of the keys itself.
      const published = JSON.stringify(keys)
      if (published !== this.published) this.keys = createLocalJWKSet(keys as unknown as JSONWebKeySet)
      this.published = published
      const [authorization, token] = [at('authorization_endpoint'), at('token_endpoint')]
      this.endpoints = { authorization, token, endSession: at('end_session_endpoint') }
      this.readAt = this.nowMs()
    } catch (error) {
      this.onNotice(`The identity provider ${this.issuer} cannot be used: ${reasonOf(error)}.`)
    }
  }

  /** jose throws if no key fits, or several. Others may be published meanwhile. */
  private async find(header: JWTHeaderParameters): Promise<FoundKey | undefined> {
    const { keys } = this
    const key = await keys?.(header).catch(() => undefined)
    return key && { key, keys }
  }

  private unreachable(): Overloaded {
    const seconds = Math.max(1, Math.ceil(this.restMs() / 1_000))
    return new Overloaded('The identity provider does not respond, so this token cannot be checked.', seconds)
  }
}

/** A JSON object of the provider, bounded in time and size. */
async function jsonAt(url: string, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
  if (!isSafeUrl(url)) throw new Error('its `jwks_uri` is no URL with https')
  const response = await fetch(url, { signal, redirect: 'error', headers: { accept: 'application/json' } })
  if (!response.ok || !response.body) throw new Error(`${url} responded with status ${response.status}`)
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of response.body) {
    bytes += part.length
    if (bytes > DOCUMENT_BYTES_MAX) throw new Error(`${url} has more than ${DOCUMENT_BYTES_MAX} bytes`)
    parts.push(part)
  }
  return Object(JSON.parse(Buffer.concat(parts).toString()))
}

function reasonOf(error: unknown): string {
  const { message, cause } = Object(error) as { message?: string; cause?: { code?: string } }
  return [message, cause?.code].filter(Boolean).join(', ')
}
