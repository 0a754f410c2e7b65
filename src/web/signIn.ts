import { T } from './texts.js'

/** The `data-` attributes that the server sets on the body. */
const { basePath = '', keyName = '', signIn: settingsPath } = document.body.dataset

/** The only address that has to be registered with the provider. */
const redirectUri = `${location.origin}${basePath}/signed-in`

/** Whether the service has an identity provider for people. */
export const hasSignIn = settingsPath !== undefined

/** The client that these pages are for the provider, as the service describes it. */
interface Client {
  readonly issuer: string
  readonly clientId: string
  readonly parameters: Readonly<Record<string, string>>
  readonly authorizationEndpoint?: string
  readonly tokenEndpoint?: string
  readonly endSessionEndpoint?: string
}

/** What this tab has asked the provider for, until the browser comes back. */
interface Pending {
  readonly client: Client
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** What belongs to the access token, which is kept like a key. */
type Session = Awaited<ReturnType<typeof requestTokens>>['held']

const pending = stored<Pending>('operations.signing-in')
const session = stored<Session>('operations.signed-in')

function stored<Value>(name: string) {
  return {
    read: (): Value | null => JSON.parse(sessionStorage.getItem(name) ?? 'null'),
    keep: (value: Value) => sessionStorage.setItem(name, JSON.stringify(value)),
    remove: () => sessionStorage.removeItem(name),
  }
}

export const isSignedIn = (): boolean => session.read() !== null

/** Whether the token has lived as long as the provider said. */
export const hasEnded = (): boolean => Date.now() >= (session.read()?.endsAt ?? 0)

/** For a key that takes the place of the token. */
export const dropSession = session.remove

/** The provider refused, or its response is not to be trusted. */
class SignInRefused extends Error {}

/** How long the provider may take, and when it is asked again after it did not respond. */
const RESPONSE_MS = 10_000
/** How long a message of another tab may take. */
const MESSAGE_MS = 50

/** Goes to the provider, which sends the browser to `/signed-in`, and that to the path here. Authorization code with PKCE. */
export async function signIn(to = location.href.slice(location.origin.length)): Promise<void> {
  const response = await fetch(settingsPath ?? '', { cache: 'no-store' })
  if (!response.ok) throw new Error(T.signInAway)
  const client: Client = await response.json()
  if (!client.authorizationEndpoint || !client.tokenEndpoint) throw new Error(T.signInAway)
  const [verifier, nonce, state] = [random(), random(), `${random()} ${to}`]
  pending.keep({ client, state, nonce, verifier })
  const challenge = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  goTo(client.authorizationEndpoint, {
    ...client.parameters,
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: redirectUri,
    state,
    nonce,
    code_challenge: base64url(new Uint8Array(challenge)),
    code_challenge_method: 'S256',
  })
}

/** Ends what `signIn` began, by what the provider has put into the address: where to go on, and why not if it failed. */
export async function finishSignIn(): Promise<{ to: string; why?: string }> {
  const home = `${basePath}/`
  // The provider has ended the session.
  if (location.search === '') return { to: home, why: T.signedOut }
  const given = new URLSearchParams(location.search)
  // A code is good for one use, so the address that has it must not be reloaded.
  history.replaceState(null, '', location.pathname)
  const begun = pending.read()
  // Another page can send a browser here with a code of its own.
  if (begun?.state !== given.get('state')) return { to: home, why: T.signInUnknown }
  pending.remove()
  const to = begun.state.slice(begun.state.indexOf(' ') + 1)
  try {
    await exchange(begun, given)
    return { to }
  } catch (error) {
    return { to, why: error instanceof SignInRefused ? T.signInRefused(error.message) : T.signInAway }
  }
}

async function exchange({ client, nonce, verifier }: Pending, given: URLSearchParams): Promise<void> {
  const error = given.get('error')
  if (error) throw new SignInRefused(given.get('error_description') ?? error)
  // RFC 9207, by providers that send it.
  if ((given.get('iss') ?? client.issuer) !== client.issuer) throw new SignInRefused(T.signInForeign)
  const code = given.get('code') ?? ''
  const grant = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier }
  const { token, held } = await requestTokens(client, grant)
  if (held.idToken && nonceIn(held.idToken) !== nonce) throw new SignInRefused(T.signInForeign)
  keep(token, held)
}

function keep(token: string, held: Session): void {
  sessionStorage.setItem(keyName, token)
  session.keep(held)
}

// A duplicated tab has a copy of the session, and a refresh token is good for one use: the tabs tell each other.
const tabs = new BroadcastChannel(`operations.tabs${basePath}`)
tabs.onmessage = ({ data: { used, token, held } }) => {
  const own = session.read()
  if (own && !held) {
    forget()
    location.reload()
  } else if (own?.refreshToken === used) keep(token, held)
}

/** The session, if its token is to be renewed. */
function due() {
  const held = session.read()
  return held?.refreshToken && Date.now() >= held.renewAt ? held : undefined
}

/**
 * Renews the token shortly before it expires, if the provider has given the means; requests wait for it. Throws if the
 * token has expired and the provider does not respond.
 */
export async function renewed(): Promise<void> {
  // Copies of a session take turns: the next one has what the one before was given.
  const turn = () => ({ signal: AbortSignal.timeout(RESPONSE_MS) })
  if (due()) await navigator.locks.request(`operations.renewal${basePath}`, turn(), renew).catch(() => undefined)
  if (session.read()?.refreshToken && hasEnded()) throw new Error(T.signInSilent)
}

async function renew(): Promise<void> {
  // The message of the tab before may still be on its way.
  await new Promise((resolve) => setTimeout(resolve, MESSAGE_MS))
  const held = due()
  if (!held) return
  const { client, refreshToken = '', idToken } = held
  try {
    const grant = { grant_type: 'refresh_token', refresh_token: refreshToken }
    const { token, held: given } = await requestTokens(client, grant)
    // The person has signed out meanwhile.
    if (!isSignedIn()) return
    const next = { ...given, refreshToken: given.refreshToken ?? refreshToken, idToken: given.idToken ?? idToken }
    keep(token, next)
    tabs.postMessage({ used: refreshToken, token, held: next })
  } catch (error) {
    if (!isSignedIn()) return
    const isRefused = error instanceof SignInRefused
    session.keep({ ...held, refreshToken: isRefused ? undefined : refreshToken, renewAt: Date.now() + RESPONSE_MS })
  }
}

async function requestTokens(client: Client, grant: Record<string, string>) {
  const { clientId, parameters, tokenEndpoint = '' } = client
  const { resource } = parameters
  const body = new URLSearchParams({ ...grant, client_id: clientId, ...(resource && { resource }) })
  const response = await fetch(tokenEndpoint, { method: 'POST', body, signal: AbortSignal.timeout(RESPONSE_MS) })
  const given = await response.json()
  const isAway = response.status >= 500 || response.status === 429 || given.error === 'temporarily_unavailable'
  if (isAway) throw new Error(response.statusText)
  if (!response.ok) throw new SignInRefused(given.error_description ?? given.error)
  if (typeof given.access_token !== 'string') throw new SignInRefused(T.signInForeign)
  // RFC 6749 only recommends it.
  const lifeS = Number(given.expires_in) || 300
  const held = {
    client,
    refreshToken: given.refresh_token as string | undefined,
    idToken: given.id_token as string | undefined,
    renewAt: Date.now() + Math.max(lifeS - 60, lifeS / 2) * 1_000,
    endsAt: Date.now() + lifeS * 1_000,
  }
  return { token: given.access_token as string, held }
}

function forget(): void {
  session.remove()
  // Empty and not removed, so that a demo's key is not used.
  sessionStorage.setItem(keyName, '')
}

/** Forgets the token, in every tab and at the provider if it has an address for that; false if the page stays. */
export function signOut(): boolean {
  const held = session.read()
  forget()
  if (held) tabs.postMessage({})
  if (!held?.client.endSessionEndpoint) return false
  goTo(held.client.endSessionEndpoint, {
    ...(held.idToken && { id_token_hint: held.idToken }),
    client_id: held.client.clientId,
    post_logout_redirect_uri: redirectUri,
  })
  return true
}

function goTo(endpoint: string, parameters: Readonly<Record<string, string>>): void {
  const url = new URL(endpoint)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  location.assign(url)
}

const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)))

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/** The signature is not checked: the token came from the token endpoint, over TLS (OpenID Connect Core, 3.1.3.7). */
function nonceIn(idToken: string): unknown {
  const [, claims = ''] = idToken.split('.')
  return JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/'))).nonce
}
