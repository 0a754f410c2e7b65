import type { IncomingMessage, ServerResponse } from 'node:http'
import type { pino } from 'pino'
import { mintKey as mint } from './auth/keys.js'
import { authenticator, isCallerId } from './auth/principal.js'
import { isScope, type Scope } from './auth/scopes.js'
import { tokenSettingsOf } from './auth/tokenSettings.js'
import { createTokens } from './auth/tokens.js'
import { lazily, oncePer } from './caches.js'
import { OF_HOST, readConfig, SETTINGS } from './config.js'
import { projectKey } from './fields.js'
import { createContext, type Context as GraphContext } from './graph/builder.js'
import { loadEntity as load, type ResolveInfo } from './graph/query/resolvers.js'
import { createApp } from './http/app.js'
import { RequestDeadline } from './http/deadline.js'
import { createLog } from './http/observe/log.js'
import type { createMetrics as createMetricsOf } from './http/observe/metrics.js'
import { LIMITS } from './limits.js'
import { resumeWrites } from './personnel/removedGroups.js'
import { projectKeyPart } from './projects/projects.js'
import { sdl as printed, schema as subgraph } from './schema.js'
import { openStore as open } from './store/open.js'
import { BULK_STATEMENT_MS, type Store as OpenedStore } from './store/store.js'
import { InputCheck } from './text.js'

export { SCOPE_NAMES, type Scope } from './auth/scopes.js'
export { type Code, Fault, type Violation } from './errors.js'
export { maskError } from './graph/faults.js'

// The types below are written out: internals can change without breaking hosts, and no declaration refers to
// drizzle-orm, whose declarations do not compile without `skipLibCheck`.

declare const made: unique symbol

/** An open store. Hosts pass it on and close it; everything else is internal. */
export interface Store {
  readonly [made]: 'openStore'
  /** Waits for running writes, at most `waitMs` if given. */
  close(waitMs?: number): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** The context that the resolvers of `schema` need. Hosts pass it on. */
export interface Context {
  readonly [made]: 'contextFor'
}

export interface StoreOptions {
  /** Whether the store may be created and migrated; true by default. */
  readonly migrate?: boolean | undefined
  /** SQLite: the page cache of the writing connection. */
  readonly cacheBytes?: number | undefined
  /** Called with notices for the operator of the store. */
  readonly onNotice?: ((sentence: string) => void) | undefined
  /** PostgreSQL: the timeout of a reading statement. */
  readonly deadlineMs?: number | undefined
}

/** Opens `file:./data/operations.db` or `postgres://...`, and creates or migrates it first. */
export async function openStore(database: string, options: StoreOptions = {}): Promise<Store> {
  // Otherwise a mistyped URL would become the path of a new file; it is not repeated, because it may hold a password.
  const address = SETTINGS.database.read(database)
  if (address === undefined) throw new Error(`A store is opened by ${SETTINGS.database.form}.`)
  const opened = await open(address, options)
  const { close } = opened
  let closing: Promise<void> | undefined
  const closeOnce = (waitMs?: number) => {
    closing ??= close(waitMs)
    return closing
  }
  const store: unknown = Object.assign(opened, { close: closeOnce, [Symbol.asyncDispose]: () => closeOnce() })
  // The brand exists for the type checker only, so that nothing else is accepted as a store.
  return store as Store
}

function openedOf(store: Store): OpenedStore {
  // Only `openStore` creates one.
  const opened: unknown = store
  return opened as OpenedStore
}

/** The GraphQL schema, to be executed with a context of `contextFor`. */
export const schema = subgraph

/** The SDL of the schema as an Apollo Federation subgraph. */
export function sdl(): string {
  return printed()
}

export interface GatewayOptions extends ServedSettings {
  readonly store: Store
  readonly graphiql?: boolean | undefined
  /** Whether the overview is served at the root of the gateway; true by default. */
  readonly overview?: boolean | undefined
  /** Origins whose pages may show the overview in a frame, as in the CSP directive; `'none'` by default. */
  readonly frameAncestors?: string | undefined
  /** A pino logger; without it errors alone are written, to standard error. */
  readonly log?: pino.Logger | undefined
  readonly clock?: (() => Date) | undefined
  readonly wholeListRowsMax?: number | undefined
  /** Requests a minute for each key, weighted by what they read; 0 for no limit. */
  readonly ratePerMinute?: number | undefined
  /** The size of the response cache in bytes; 0 for none. */
  readonly responseCacheBytesMax?: number | undefined
  /** Request bodies held and responses being sent by `listener`; beyond it requests get 503. */
  readonly inFlightBytesMax?: number | undefined
  /** The largest response in bytes; a larger one is refused before it is built. */
  readonly responseBytesMax?: number | undefined
  /** How long a request may read before it gets 503. */
  readonly deadlineMs?: number | undefined
  /**
   * Whom a request comes from, as your program knows it; undefined asks for an API key. Called again while a request
   * waits, so that a session may end. Throw a `Fault` with the code UNAUTHENTICATED to refuse it.
   */
  readonly authenticate?:
    | ((request: IncomingMessage | Request) => GatewayCaller | undefined | Promise<GatewayCaller | undefined>)
    | undefined
  /** Called after each write of a request. */
  readonly onWritten?: (() => void) | undefined
  /** Of `createMetrics`. */
  readonly metrics?: Metrics | undefined
}

/** Settings that are given as to `operations serve`. */
const AS_SERVED = [
  ...(['basePath', 'corsOrigins', 'trustedProxies', 'oidcIssuer', 'oidcAudience', 'oidcScopeClaim'] as const),
  ...(['oidcScopeMap', 'oidcProjectsClaim', 'oidcClientId', 'oidcRequest'] as const),
] as const

/** What `operations serve` takes too, in the form of its flags, such as `https://a.example,https://b.example`. */
export type ServedSettings = { readonly [Name in (typeof AS_SERVED)[number]]?: string | undefined }

/** Metrics for Prometheus: of a store, and of the gateway that they are given to. */
export interface Metrics {
  readonly [made]: 'createMetrics'
  /** Handles `GET /metrics` of `node:http`. */
  listener(request: IncomingMessage, response: ServerResponse): void
  /** The same as a text. */
  text(): Promise<string>
}

export async function createMetrics(store: Store): Promise<Metrics> {
  // Loaded only if needed.
  const metrics: unknown = (await import('./http/observe/metrics.js')).createMetrics(openedOf(store))
  return metrics as Metrics
}

/** The whole service. */
export interface Gateway {
  /** Handles a `Request`. */
  fetch(request: Request): Promise<Response>
  /** Handles a request of `node:http`, or of a framework on top of it. */
  listener(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** For the event `checkContinue`: sends `100 Continue` only after the key was checked. */
  checkContinue(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** Answers requests that wait for changes, and waits for running ones. Close the store after it. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export function createGateway(options: GatewayOptions): Gateway {
  const { log = errorLog(), clock = now, authenticate } = options
  const { basePath, corsOrigins, trustedProxies, ...oidc } = readConfig(options, AS_SERVED, OF_HOST)
  const store = openedOf(options.store)
  resumeWrites(store, clock)
  const tokenSettings = tokenSettingsOf(oidc, OF_HOST)
  const tokens = tokenSettings && createTokens(tokenSettings, { clock, onNotice: (sentence) => log.warn(sentence) })
  // Not awaited: the gateway works without its identity provider, and a notice says what is wrong with it.
  void tokens?.provider.read()
  // Only `createMetrics` creates them.
  const given: unknown = options.metrics
  const metrics = given as ReturnType<typeof createMetricsOf> | undefined
  const app = createApp({
    ...{ store, log, clock, basePath, corsOrigins, trustedProxies, tokens },
    graphiql: options.graphiql ?? true,
    overview: options.overview,
    frameAncestors: options.frameAncestors,
    wholeListRowsMax: options.wholeListRowsMax ?? LIMITS.wholeListRowsMax,
    ratePerMinute: options.ratePerMinute ?? LIMITS.ratePerMinute,
    responseCacheBytesMax: options.responseCacheBytesMax ?? LIMITS.responseCacheBytesMax,
    inFlightBytesMax: options.inFlightBytesMax ?? LIMITS.inFlightBytesMax,
    responseBytesMax: options.responseBytesMax ?? LIMITS.responseBytesMax,
    deadlineMs: options.deadlineMs ?? LIMITS.deadlineMs,
    slowMs: LIMITS.slowQueryMs,
    callerOf: authenticate && callerBy(authenticate),
    onWritten: options.onWritten,
    onFinished: metrics?.onFinished,
  })
  metrics?.watch(app.gauges)
  return Object.assign(app, { [Symbol.asyncDispose]: app.close })
}

const errorLog = lazily(() => createLog('error', process.stderr))

function callerBy(authenticate: NonNullable<GatewayOptions['authenticate']>) {
  return async (request: IncomingMessage | Request): Promise<Principal | undefined> => {
    const caller = await authenticate(request)
    if (!caller) return undefined
    // Callers without an id would share a rate limit, and see the responses to each other's Idempotency-Keys.
    if (caller.id === undefined) throw new Error(WITHOUT_ID)
    return { ...principalOf(caller), keyId: `host:${caller.id}` }
  }
}

export interface Caller {
  readonly scopes: Iterable<Scope>
  /** The caller's id in the history; `embedded` by default. */
  readonly id?: string | undefined
  /** The keys of the projects that the caller may change; all by default. */
  readonly projects?: readonly string[] | null | undefined
}

/** A caller of `authenticate`; in the history as `host:ID`. */
export interface GatewayCaller extends Caller {
  readonly id: string
}

export interface ContextOptions {
  /** Stops reading when it is aborted, such as when the client has disconnected. */
  readonly signal?: AbortSignal | undefined
  /** How long the reads of a request may take; without limit by default. */
  readonly deadlineMs?: number | undefined
  /** The rows of the longest whole list. */
  readonly wholeListRowsMax?: number | undefined
}

/**
 * The context for a caller that the embedding program has authenticated, or for the holder of a key. Create one for each
 * request.
 */
export function contextFor(store: Store, caller: Caller | Principal, options: ContextOptions = {}): Context {
  const { signal, deadlineMs = signal && BULK_STATEMENT_MS, wholeListRowsMax = LIMITS.wholeListRowsMax } = options
  const context: GraphContext = createContext({
    schema: subgraph,
    store: openedOf(store),
    principal: 'keyId' in caller ? caller : principalOf(caller),
    clock: now,
    wholeListRowsMax,
    ...(deadlineMs !== undefined && { deadline: new RequestDeadline(deadlineMs, signal && isGoneBy(signal)) }),
  })
  const handedOut: unknown = context
  // The brand exists for the type checker only, as for a store.
  return handedOut as Context
}

/** A row as a federation gateway refers to it: its type, and its `id` or another key of the type. */
export interface EntityReference {
  readonly __typename: string
  readonly [key: string]: unknown
}

/**
 * The row of ours that a field of yours has: return it from a resolver whose field has one of our types. All rows of a
 * list are read together. Null if there is none; rejects if the caller may not read it.
 */
export const loadEntity: (context: Context, reference: EntityReference, info: ResolveInfo) => Promise<object | null> =
  load

function isGoneBy(signal: AbortSignal) {
  return {
    get isGone() {
      return signal.aborted
    },
  }
}

const WITHOUT_ID = 'The `id` of a caller must be a text of 1 to 255 characters.'

function principalOf({ scopes: given, id = 'embedded', projects = null }: Caller): Principal {
  if (!isCallerId(id)) throw new Error(WITHOUT_ID)
  const scopes = new Set(given)
  for (const scope of scopes) if (!isScope(scope)) throw new Error(noScope(scope))
  return { keyId: id, name: id, scopes, projects: projects?.map(projectKeyPart.canonical) ?? null, expiresAt: null }
}

function noScope(text: string): string {
  return `There is no scope ${JSON.stringify(text)}.`
}

export interface KeyOptions {
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly expiresAt?: Date | undefined
  /** The keys of the projects that it may change; all by default. */
  readonly projects?: readonly string[] | undefined
}

/** A key just created. */
export interface MintedKey {
  readonly id: string
  readonly name: string
  /** The first characters, to recognise it by. */
  readonly prefix: string
  readonly scopes: readonly Scope[]
  /** The keys of the projects that it may change; null for all. */
  readonly projects: readonly string[] | null
  readonly createdAt: string
  readonly expiresAt: string | null
  readonly revokedAt: string | null
  readonly lastUsedAt: string | null
  /** The key itself, returned only this once. */
  readonly secret: string
}

/** Creates an API key; its `secret` is returned only this once. */
export async function mintKey(
  store: Store,
  { name, scopes, expiresAt, projects: named }: KeyOptions,
): Promise<MintedKey> {
  const check = new InputCheck()
  const called = check.required('name', 'name', name)
  for (const scope of scopes) if (!isScope(scope)) check.violation('scopes', noScope(scope))
  const projects = named?.map((text) => readProjectKey(check, text)) ?? null
  if (projects?.length === 0) check.violation('projects', 'Name at least one, or leave it out for all.')
  if (expiresAt && Number.isNaN(expiresAt.getTime())) check.violation('expiresAt', 'Must be a date.')
  check.refuse('This key cannot be created as given.')
  return openedOf(store).write({ by: 'embedded', at: now }, (write) =>
    mint(write, { name: called, scopes, expiresAt, projects }),
  )
}

function readProjectKey(check: InputCheck, text: string): string {
  const reading = PROJECT_KEY.read(text)
  if ('value' in reading) return reading.value
  check.violation('projects', reading.violation)
  return ''
}

const PROJECT_KEY = projectKey('', '')

/** The holder of a key. */
export interface Principal {
  readonly keyId: string
  readonly name: string
  readonly scopes: ReadonlySet<Scope>
  /** The keys of the projects that it may change; null for all. */
  readonly projects: readonly string[] | null
  readonly expiresAt: string | null
}

// One for each store: it remembers when a key's last use was recorded.
const authenticatorOf = oncePer((store: Store) => authenticator(openedOf(store), now))

/** The holder of this key; throws a Fault with the code UNAUTHENTICATED if it is not valid. */
export function checkKey(store: Store, secret: string): Promise<Principal> {
  return authenticatorOf(store)(`Bearer ${secret}`)
}

function now(): Date {
  return new Date()
}
