import { pino } from 'pino'
import { type MintedKey, mintKey as mint } from './auth/keys.js'
import { type Authenticate, authenticator, type Principal } from './auth/principal.js'
import { isScope, type Scope } from './auth/scopes.js'
import { SETTINGS } from './config.js'
import type { Context } from './graph/builder.js'
import { type App, createApp } from './http/app.js'
import { LIMITS } from './limits.js'
import { rowCountsOf } from './store/rowCounts.js'
import type { Store } from './store/store.js'
import { InputCheck } from './text.js'

export type { MintedKey } from './auth/keys.js'
export type { Principal } from './auth/principal.js'
export { SCOPE_NAMES, type Scope } from './auth/scopes.js'
export { Fault } from './errors.js'
export type { Context } from './graph/builder.js'
export { schema, sdl } from './schema.js'
export { openStore } from './store/open.js'
export type { Store } from './store/store.js'

export interface GatewayOptions {
  readonly store: Store
  /** The path that the gateway is mounted at, such as `/ops`; without it, the root. */
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
  /** How long a request may read before it is answered 503. */
  readonly deadlineMs?: number
}

/** The whole service: `fetch` answers a Request, `listener` a request of node:http. */
export type Gateway = App

export function createGateway({ store, ...options }: GatewayOptions): Gateway {
  return createApp({
    store,
    basePath: mountedAt(options.basePath ?? ''),
    graphiql: options.graphiql ?? true,
    log: options.log ?? pino({ level: 'silent' }),
    clock: options.clock ?? now,
    wholeListRowsMax: options.wholeListRowsMax ?? LIMITS.wholeListRowsMax,
    ratePerMinute: options.ratePerMinute ?? LIMITS.ratePerMinute,
    readyBytesMax: options.readyBytesMax ?? LIMITS.readyBytesMax,
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
  return { store, principal, clock: now, wholeListRowsMax: LIMITS.wholeListRowsMax, rowCounts: rowCountsOf(store) }
}

export interface KeyOptions {
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly expiresAt?: Date
}

/** Makes an API key; its `secret` is there this once. */
export async function mintKey(store: Store, { name, scopes, expiresAt }: KeyOptions): Promise<MintedKey> {
  const check = new InputCheck()
  const named = check.required('name', 'name', name)
  for (const scope of scopes) if (!isScope(scope)) check.flaw('scopes', `There is no scope ${JSON.stringify(scope)}.`)
  if (expiresAt && Number.isNaN(expiresAt.getTime())) check.flaw('expiresAt', 'Must be a date.')
  check.refuse('This key cannot be made as given.')
  return store.write({ by: 'embedded', at: now }, (write) => mint(write, { name: named, scopes, expiresAt }))
}

// One for each store: it remembers when it last noted that a key was used.
const authenticators = new WeakMap<Store, Authenticate>()

/** Who holds this key; throws a Fault with the code UNAUTHENTICATED when it is not valid. */
export function checkKey(store: Store, secret: string): Promise<Principal> {
  const authenticate = authenticators.get(store) ?? authenticator(store, now)
  authenticators.set(store, authenticate)
  return authenticate(`Bearer ${secret}`)
}

function now(): Date {
  return new Date()
}
