import './graphqlVersion.js'
import SchemaBuilder from '@pothos/core'
import ScopeAuthPlugin from '@pothos/plugin-scope-auth'
import type { Principal } from '../auth/principal.js'
import { grants, type Scope } from '../auth/scopes.js'
import { Fault } from '../errors.js'
import type { RowCounts } from '../store/query/rowCounts.js'
import type { Deadline, Read, Store, Write } from '../store/store.js'
import type { ExecutionReason } from './executionReasons.js'
import { forget } from './loaders.js'

/** The context of every resolver: created for each request, because scope-auth caches its decisions by context. */
export interface Context {
  readonly store: Store
  readonly principal: Principal
  readonly clock: () => Date
  readonly wholeListRowsMax: number
  readonly responseBytesMax: number
  /** The row counts that prices depend on. */
  readonly rowCounts: RowCounts
  /** The deadline of the request; none by default. */
  readonly deadline?: Deadline
  /** Throws unless `If-Match` still holds; called inside the write, so that no other write comes between. */
  readonly precondition?: ((read: Read) => Promise<void>) | undefined
  /** The refused fields of a query so far; without it, each of them gets an error. */
  readonly refusals?: Refusals | undefined
  /** Whether mutations are executed even where they could be compiled. */
  readonly isExecuted?: boolean
  /** Called when a mutation is executed instead of compiled, with the reason and the error, if any. */
  readonly onExecuted?: (reason: ExecutionReason, error?: unknown) => void
}

/** How many fields were refused, because the key lacks their scope. */
export interface Refusals {
  reported: number
  /** Those beyond what a response lists: an error takes longer than a row, and a list can be refused in every row. */
  unlisted: number
}

export const builder = new SchemaBuilder<{
  Context: Context
  DefaultFieldNullability: false
  AuthScopes: { scope: Scope; anyKey: boolean }
  Scalars: {
    ID: { Input: string; Output: string }
    Date: { Input: string; Output: string }
    DateTime: { Input: string; Output: string }
  }
}>({
  defaultFieldNullability: false,
  plugins: [ScopeAuthPlugin],
  scopeAuth: {
    // Without it, `{ person(id: "...") { __typename } }` would reveal whether an id exists.
    runScopesOnType: true,
    authScopes: ({ principal }) => ({
      scope: (needed) => {
        requireScope(principal, needed)
        return true
      },
      anyKey: true,
    }),
  },
})

builder.queryType({ description: 'All queries.' })
builder.mutationType({ description: 'All mutations.' })

/** Declares the scope of a field or a type; the check and the printed documents are derived from it. */
export function needs(scope: Scope, extensions: object = {}) {
  return { authScopes: { scope }, extensions: { ...extensions, scope } }
}

/** Declares that any valid key may read it. */
export const anyKey = { authScopes: { anyKey: true }, extensions: { scope: null } } as const

/** Declares that one of these scopes is enough; its rows are limited to what the key may read. */
export function needsOneOf(scopes: readonly Scope[], extensions: object = {}) {
  return { authScopes: { anyKey: true }, extensions: { ...extensions, scopes } }
}

export function requireScope({ scopes }: Principal, requiredScope: Scope): void {
  if (!grants(scopes, requiredScope)) throw missingScope(requiredScope)
}

export function missingScope(requiredScope: Scope): Fault {
  const refusal =
    refusals.get(requiredScope) ??
    new Fault('INSUFFICIENT_SCOPE', `This needs a key with the scope ${requiredScope}.`, { requiredScope })
  refusals.set(requiredScope, refusal)
  return refusal
}

/** One Fault for each scope: a list can be refused in every row, and capturing a stack takes longer than the row. */
const refusals = new Map<Scope, Fault>()

/** A key can be limited to some projects, and then changes only those. */
export function requireProject({ projects }: Principal, key: string): void {
  if (projects === null || projects.includes(key)) return
  throw new Fault('INSUFFICIENT_SCOPE', `This key may change only ${projects.join(', ')}.`, {
    requiredScope: 'projects.manage',
  })
}

/** Runs a write on behalf of the caller. */
export async function change<T>(context: Context, work: (write: Write) => Promise<T>): Promise<T> {
  const { store, principal, clock, precondition } = context
  const result = await store.write({ by: principal.keyId, at: clock }, async (write) => {
    await precondition?.(write)
    return work(write)
  })
  forget(context)
  return result
}

/** An enum type, with a description for each value. */
export function enumOf<const V extends string>(name: string, description: string, values: Readonly<Record<V, string>>) {
  const entries = Object.entries<string>(values).map(([value, text]) => [value, { description: text }] as const)
  return builder.enumType(name, {
    description,
    values: Object.fromEntries(entries) as Record<V, { description: string }>,
  })
}
