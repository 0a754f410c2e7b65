import type { IncomingMessage, ServerResponse } from 'node:http'
import { pino } from 'pino'
import { mintKey as mint } from './auth/keys.js'
import { type Authenticate, authenticator } from './auth/principal.js'
import { isScope, type Scope } from './auth/scopes.js'
import { SETTINGS } from './config.js'
import type { Context as GraphContext } from './graph/builder.js'
import { createApp } from './http/app.js'
import { LIMITS } from './limits.js'
import { sdl as printed, schema as subgraph } from './schema.js'
import { openStore as open } from './store/open.js'
import { rowCountsOf } from './store/rowCounts.js'
import type { Store as OpenedStore } from './store/store.js'
import { InputCheck } from './text.js'

export { SCOPE_NAMES, type Scope } from './auth/scopes.js'
export { type Code, Fault, type Flaw } from './errors.js'
export { maskError } from './graph/faults.js'

// The types below are written out: what they leave open changes without breaking hosts, and none of it reaches the
// declarations of drizzle-orm, which do not compile in a host that checks its libraries.

declare const made: unique symbol

/** An open store. Hosts hand it on and close it; all else is for the gateway. */
export interface Store {
  readonly [made]: 'openStore'
  /** Waits for the writes that are under way, `waitMs` at the most where it is given. */
  close(waitMs?: number): Promise<void>
}

/** What the resolvers of `schema` need to know of a request. Hosts hand it on. */
export interface Context {
  readonly [made]: 'contextFor'
}

export interface StoreOptions {
  /** Whether the store may be created and brought up to date; true unless given. */
  readonly migrate?: boolean
  /** SQLite: of the connection that writes. */
  readonly cacheBytes?: number
  /** Called with what whoever runs the store should know. */
  readonly onNotice?: (sentence: string) => void
  /** PostgreSQL: how long a statement that reads may take. */
  readonly deadlineMs?: number
}

/** Opens `file:./data/operations.db`, `postgres://...` or the like, creating it or bringing it up to date first. */
export async function openStore(database: string, options: StoreOptions = {}): Promise<Store> {
  const opened: unknown = await open(database, options)
  // The mark is for the compiler alone, so that nothing else passes for a store.
  return opened as Store
}

function openedOf(store: Store): OpenedStore {
  // Only `openStore` makes one.
  const opened: unknown = store
  return opened as OpenedStore
}

/** The GraphQL schema, to be executed with a context of `contextFor`. */
export const schema = subgraph

/** The schema as text, as an Apollo Federation subgraph. */
export function sdl(): string {
  return printed()
}

export interface GatewayOptions {
  readonly store: Store
  /** The path of the gateway as its callers see it, such as `/ops`; without it, the root. */
  readonly basePath?: string
  readonly graphiql?: boolean
  /** A pino logger; without it nothing is logged. */
  readonly log?: pino.Logger
  readonly clock?: () => Date
  readonly wholeListRowsMax?: number
  /** What a key may spend in a minute: a request is 1; 0 for no limit. */
  readonly ratePerMinute?: number
  /** Of answers that are kept ready while nothing changes; 0 for none. */
  readonly readyBytesMax?: number
  /** Of bodies that are held and answers that `listener` is sending; beyond it requests get 503. */
  readonly inFlightBytesMax?: number
  /** How long a request may read before it is answered 503. */
  readonly deadlineMs?: number
}

/** The whole service. */
export interface Gateway {
  /** Answers a Request. */
  fetch(request: Request): Promise<Response>
  /** Answers a request of node:http, or of a framework on top of it. */
  listener(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** The same for the event `checkContinue`: whoever waits for `100 Continue` gets it once its key was checked. */
  checkContinue(request: IncomingMessage, response: ServerResponse): Promise<void>
}

export function createGateway({ store, ...options }: GatewayOptions): Gateway {
  return createApp({
    store: openedOf(store),
    basePath: mountedAt(options.basePath ?? ''),
    graphiql: options.graphiql ?? true,
    log: options.log ?? pino({ level: 'silent' }),
    clock: options.clock ?? now,
    wholeListRowsMax: options.wholeListRowsMax ?? LIMITS.wholeListRowsMax,
    ratePerMinute: options.ratePerMinute ?? LIMITS.ratePerMinute,
    readyBytesMax: options.readyBytesMax ?? LIMITS.readyBytesMax,
    inFlightBytesMax: options.inFlightBytesMax ?? LIMITS.inFlightBytesMax,
    deadlineMs: options.deadlineMs ?? LIMITS.deadlineMs,
    slowMs: LIMITS.slowQueryMs,
    corsOrigins: '',
  })
}

function mountedAt(basePath: string): string {
  const path = SETTINGS.basePath.read(basePath)
  if (path === undefined)
    throw new Error(`basePath is ${JSON.stringify(basePath)}; it must be ${SETTINGS.basePath.form}.`)
  return path
}

export interface Caller {
  readonly scopes: readonly Scope[]
  /** Who it is, for the history of what is written; `embedded` unless given. */
  readonly id?: string
}

/** The context in which the schema runs on behalf of a caller whom the embedding program knows. Fresh for each request. */
export function contextFor(store: Store, { scopes, id = 'embedded' }: Caller): Context {
  const principal: Principal = { keyId: id, name: id, scopes: new Set(scopes), projects: null, expiresAt: null }
  const opened = openedOf(store)
  const { wholeListRowsMax } = LIMITS
  const context: GraphContext = {
    store: opened,
    principal,
    clock: now,
    wholeListRowsMax,
    rowCounts: rowCountsOf(opened),
  }
  const handedOut: unknown = context
  // The mark is for the compiler alone, as that of a store.
  return handedOut as Context
}

export interface KeyOptions {
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly expiresAt?: Date
}

/** A key just made. */
export interface MintedKey {
  readonly id: string
  readonly name: string
  /** How it begins, to recognise it by. */
  readonly prefix: string
  readonly scopes: readonly Scope[]
  /** The keys of the projects that it may change; null for all. */
  readonly projects: readonly string[] | null
  readonly createdAt: string
  readonly expiresAt: string | null
  readonly revokedAt: string | null
  readonly lastUsedAt: string | null
  /** The key itself; this is the only time it can be seen. */
  readonly secret: string
}

/** Makes an API key; its `secret` is there this once. */
export async function mintKey(store: Store, { name, scopes, expiresAt }: KeyOptions): Promise<MintedKey> {
  const check = new InputCheck()
  const named = check.required('name', 'name', name)
  for (const scope of scopes) if (!isScope(scope)) check.flaw('scopes', `There is no scope ${JSON.stringify(scope)}.`)
  if (expiresAt && Number.isNaN(expiresAt.getTime())) check.flaw('expiresAt', 'Must be a date.')
  check.refuse('This key cannot be made as given.')
  return openedOf(store).write({ by: 'embedded', at: now }, (write) => mint(write, { name: named, scopes, expiresAt }))
}

/** Who holds a key. */
export interface Principal {
  readonly keyId: string
  readonly name: string
  readonly scopes: ReadonlySet<Scope>
  /** The keys of the projects that it may change; null for all. */
  readonly projects: readonly string[] | null
  readonly expiresAt: string | null
}

// One for each store: it remembers when it last noted that a key was used.
const authenticators = new WeakMap<Store, Authenticate>()

/** Who holds this key; throws a Fault with the code UNAUTHENTICATED when it is not valid. */
export function checkKey(store: Store, secret: string): Promise<Principal> {
  const authenticate = authenticators.get(store) ?? authenticator(openedOf(store), now)
  authenticators.set(store, authenticate)
  return authenticate(`Bearer ${secret}`)
}

function now(): Date {
  return new Date()
}
