import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'
import { onTestFinished } from 'vitest'
import type { TokenSettings } from '../../src/auth/tokenSettings.js'
import { createTokens, type Tokens } from '../../src/auth/tokens.js'
import type { AppOptions } from '../../src/http/app.js'
import { type AtEnd, NOW } from './harness.js'

export const AUDIENCE = 'https://operations.example.com'

/** A server on a free port of loopback. */
export async function listening(listener: RequestListener, atEnd: AtEnd = onTestFinished): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEnd(async () => void server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export interface SigningKey {
  readonly kid: string
  readonly alg: string
  readonly privateKey: CryptoKey
  readonly jwk: JWK
}

export async function newKey(kid: string, alg = 'ES256'): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

/** An undefined one is left out. */
type Claims = Readonly<Record<string, unknown>>

/** The claims of an ordinary token; `exp` is in five minutes. */
export function claimsWith(issuer: string, given: Claims = {}): JWTPayload {
  const iat = Math.floor(NOW.getTime() / 1_000)
  return { iss: issuer, aud: AUDIENCE, sub: 'ada', iat, exp: iat + 300, scope: 'projects.read', ...given }
}

export function signed(claims: JWTPayload, { kid, alg, privateKey }: SigningKey, header: object = {}): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg, kid, typ: 'at+jwt', ...header }).sign(privateKey)
}

/** An identity provider of which a test decides what it publishes. */
export interface FakeProvider {
  readonly issuer: string
  /** The paths that were requested. */
  readonly requests: string[]
  keys: SigningKey[]
  /** Takes the place of the key set. */
  jwks?: (respond: (text: string) => void) => void
  /** Members of the discovery document. */
  discovery: Record<string, unknown>
  isDown: boolean
  /** A token with these claims, by the newest key. */
  token(claims?: Claims, header?: object): Promise<string>
}

export async function fakeProvider(atEnd: AtEnd = onTestFinished): Promise<FakeProvider> {
  const requests: string[] = []
  const issuer = await listening(({ url = '' }, response) => {
    requests.push(url)
    if (provider.isDown) return void response.writeHead(500).end()
    const endpoints = { jwks_uri: `${issuer}/jwks`, token_endpoint: `${issuer}/token` }
    if (url !== '/jwks') return void response.end(JSON.stringify({ issuer, ...endpoints, ...provider.discovery }))
    if (provider.jwks) return provider.jwks((text) => response.end(text))
    response.end(JSON.stringify({ keys: provider.keys.map(({ jwk }) => jwk) }))
  }, atEnd)
  const provider: FakeProvider = {
    issuer,
    requests,
    keys: [await newKey('first')],
    discovery: {},
    isDown: false,
    token(claims, header) {
      const key = provider.keys.at(-1)
      if (!key) throw new Error('The provider has no key.')
      return signed(claimsWith(issuer, claims), key, header)
    },
  }
  return provider
}

/** The options of a service that accepts the tokens of a provider, on a clock that the test moves. */
export function acceptingTokens(issuer: string, settings: Partial<TokenSettings> = {}) {
  const time = { now: NOW, ms: 0 }
  const notices: string[] = []
  const tokens: Tokens = createTokens(
    { issuer, audience: AUDIENCE, ...settings },
    { clock: () => time.now, nowMs: () => time.ms, onNotice: (sentence) => notices.push(sentence) },
  )
  const options: Partial<AppOptions> = { tokens, clock: () => time.now }
  return { options, tokens, time, notices }
}
