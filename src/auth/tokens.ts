import { compactVerify, decodeJwt, decodeProtectedHeader, type JWTHeaderParameters, type JWTPayload } from 'jose'
import { BoundedCache } from '../caches.js'
import { Fault } from '../errors.js'
import { LIMITS } from '../limits.js'
import type { OnNotice } from '../store/store.js'
import { isCallerId, KeyRefused, type Principal } from './principal.js'
import { Provider } from './provider.js'
import { isScope, SCOPE_NAMES, type Scope } from './scopes.js'
import { hashOf } from './secrets.js'
import type { TokenSettings } from './tokenSettings.js'

const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA']
/** How far the clock of the provider may be from ours. */
const SKEW_MS = 60_000
/** Verified tokens that are remembered. */
const TOKENS_KEPT_MAX = 10_000

/** Tokens of an identity provider (RFC 9068, and what providers send that is older). */
export interface Tokens {
  readonly settings: TokenSettings
  readonly provider: Provider
  /** The holder of a token, at once if it was verified before; throws a Fault if it is not acceptable. */
  principalOf(token: string): Principal | Promise<Principal>
}

interface TokenOptions {
  readonly clock: () => Date
  readonly nowMs?: () => number
  readonly onNotice?: OnNotice
}

interface Verified {
  readonly principal: Principal
  readonly endsAtMs: number
  /** Those of the provider when it was verified. */
  readonly keys: Provider['keys']
}

export function createTokens(settings: TokenSettings, options: TokenOptions): Tokens {
  const { clock, nowMs = () => performance.now(), onNotice = () => undefined } = options
  const provider = new Provider(settings.issuer, nowMs, onNotice)
  /** By their hash, so that no token stays in memory. */
  const verified = new BoundedCache<Verified>({ entries: TOKENS_KEPT_MAX, entrySize: 100 })

  /** The keys of the provider if one of them signed the token. */
  const keysThatSigned = async (token: string, header: JWTHeaderParameters) => {
    const found = await provider.keyFor(header)
    if (!found) throw refused('It is signed with a key that the identity provider does not have.')
    const isSigned = compactVerify(token, found.key, { algorithms: ALGORITHMS })
    return isSigned.then(
      () => found.keys,
      () => undefined,
    )
  }

  const requireSigned = async (token: string, header: JWTHeaderParameters) => {
    // A provider that was set up anew may give another key the same id.
    const again = () => provider.read().then(() => keysThatSigned(token, header))
    const keys = (await keysThatSigned(token, header)) ?? (await again())
    if (!keys) throw refused('Its signature is not valid.')
    return keys
  }

  const verify = async (token: string, now: Date): Promise<Verified> => {
    const { header, claims } = tokenParts(token)
    // All that is cheap comes first: only what could be ours costs a signature, or a look at the provider's keys.
    requireHeader(header)
    requireClaims(claims, settings, now)
    const endsAtMs = msOf(claims.exp) + SKEW_MS
    const keys = await requireSigned(token, header).catch((error) => {
      // Expired whoever signed it, also while the provider is away; only a signature that holds makes its holder known.
      throw endsAtMs <= now.getTime() ? expired(msOf(claims.exp)) : error
    })
    return { principal: principalWith(claims, settings, new Date(endsAtMs)), endsAtMs, keys }
  }

  return {
    settings,
    provider,
    principalOf(token) {
      if (token.length > LIMITS.tokenCharactersMax)
        throw refused(`It has more than ${LIMITS.tokenCharactersMax.toLocaleString('en')} characters.`)
      const hash = hashOf(token)
      const now = clock()
      provider.refresh()
      const found = verified.get(hash)
      // A key that the provider has withdrawn ends the tokens that it signed.
      if (found && found.keys === provider.keys) return admitted(found, now)
      return verify(token, now).then((one) => {
        verified.set(hash, one)
        return admitted(one, now)
      })
    },
  }

  function admitted({ principal, endsAtMs }: Verified, now: Date): Principal {
    if (endsAtMs <= now.getTime()) throw expired(endsAtMs - SKEW_MS, principal.keyId)
    if (principal.scopes.size === 0)
      throw new KeyRefused(principal.keyId, withoutScopes(settings), 'INSUFFICIENT_SCOPE')
    return principal
  }
}

/** Says what is wrong with a token, and repeats nothing of it but a time. */
function refused(sentence: string): Fault {
  return new Fault('UNAUTHENTICATED', `This token is not valid. ${sentence}`)
}

function expired(atMs: number, keyId?: string): Fault {
  const sentence = `This token expired at ${new Date(atMs).toISOString()}.`
  return keyId === undefined ? new Fault('UNAUTHENTICATED', sentence) : new KeyRefused(keyId, sentence)
}

function withoutScopes({ scopeClaim = 'scope` or `scp', scopeMap }: TokenSettings): string {
  const names = [...(scopeMap?.keys() ?? SCOPE_NAMES)].join(', ')
  return `This token holds no scope of this service: its claim \`${scopeClaim}\` has none of ${names}. Ask the administrator of your accounts for one.`
}

function tokenParts(token: string): { header: JWTHeaderParameters; claims: JWTPayload } {
  try {
    const { alg = '', ...header } = decodeProtectedHeader(token)
    return { header: { ...header, alg }, claims: decodeJwt(token) }
  } catch {
    const forms = 'neither an API key, which begins with `ops_`, nor a JSON Web Token'
    throw refused(`It is ${forms}: request one for this service from the identity provider.`)
  }
}

function requireHeader({ alg, typ }: JWTHeaderParameters): void {
  if (!ALGORITHMS.includes(alg)) throw refused(`It must be signed with one of ${ALGORITHMS.join(', ')}.`)
  // Okta sends no `typ`. Anything can be in a header, also what has no form as a text.
  const type: unknown = typ ?? 'JWT'
  if (typeof type !== 'string' || !/^((application\/)?at\+jwt|jwt)$/i.test(type))
    throw refused('Its `typ` must be at+jwt or JWT: it is no access token.')
}

function requireClaims({ iss, aud, exp, nbf, sub }: JWTPayload, { issuer, audience }: TokenSettings, now: Date): void {
  if (iss !== issuer) throw refused(`It is of another issuer than ${issuer}.`)
  if (![aud].flat().includes(audience)) throw refused(`It is for another audience than ${audience}.`)
  if (!isTime(exp)) throw refused('It does not say when it expires (`exp`).')
  if (nbf !== undefined && !(isTime(nbf) && msOf(nbf) - SKEW_MS <= now.getTime()))
    throw refused('It is not valid yet (`nbf`).')
  if (!isCallerId(sub)) throw refused('It has no subject (`sub`) of 1 to 255 characters.')
}

/** In seconds, up to the year 9999. */
function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < 253_402_300_000
}

function msOf(seconds = 0): number {
  return Math.floor(seconds * 1_000)
}

function principalWith(claims: JWTPayload, settings: TokenSettings, end: Date): Principal {
  const { sub = '', name } = claims
  const { issuer, projectsClaim } = settings
  return {
    keyId: `oidc:${issuer}:${sub}`,
    name: typeof name === 'string' ? name : sub,
    scopes: scopesOf(claims, settings),
    projects:
      projectsClaim === undefined ? null : wordsOfClaim(claimAt(claims, projectsClaim)).map((key) => key.toUpperCase()),
    expiresAt: end.toISOString(),
  }
}

function scopesOf(claims: JWTPayload, { scopeClaim, scopeMap }: TokenSettings): ReadonlySet<Scope> {
  const given = scopeClaim === undefined ? claims['scope'] || claims['scp'] : claimAt(claims, scopeClaim)
  const words = wordsOfClaim(given)
  // With a map only its names count: whoever may name a group must not choose a scope by it.
  return new Set(scopeMap ? words.flatMap((word) => scopeMap.get(word) ?? []) : words.filter(isScope))
}

/** A claim by its name, which may have dots in it, or by a path into objects. */
function claimAt(claims: JWTPayload, path: string): unknown {
  const inside = (value: unknown, name: string): unknown =>
    typeof value === 'object' && value && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
  return inside(claims, path) ?? path.split('.').reduce(inside, claims)
}

/** A list, or words separated by blanks. */
function wordsOfClaim(claim: unknown): string[] {
  if (typeof claim === 'string') return claim.split(' ').filter(Boolean)
  return Array.isArray(claim) ? claim.filter((one) => typeof one === 'string') : []
}
