import './graphqlVersion.js'
import SchemaBuilder from '@pothos/core'
import ScopeAuthPlugin from '@pothos/plugin-scope-auth'
import { GraphQLError, type GraphQLSchema } from 'graphql'
import type { Principal } from '../auth/principal.js'
import { grants, type Scope } from '../auth/scopes.js'
import { Fault } from '../errors.js'
import { namesOf } from '../fields.js'
import { LIMITS } from '../limits.js'
import { type RowCounts, rowCountsOf } from '../store/query/rowCounts.js'
import type { Deadline, OnStatement, Read, Store, Write } from '../store/store.js'
import { ENUMS, type EnumName, type EnumValue } from '../vocabulary.js'
import { Work } from '../work.js'
import { publicError } from './faults.js'

/** The context of every resolver: created for each request, because scope-auth caches its decisions by context. */
export interface Context {
  /** Our own schema: a host may execute another one that has ours in it. */
  readonly schema: GraphQLSchema
  readonly store: Pick<Store, 'read' | 'write'>
  readonly principal: Principal
  readonly clock: () => Date
  readonly wholeListRowsMax: number
  readonly responseBytesMax: number
  readonly rowCounts: RowCounts
  readonly work: Work
  /** Throws unless `If-Match` still holds; called inside the write, so that no other write comes between. */
  readonly precondition?: ((read: Read) => Promise<void>) | undefined
  /** Called with the charge of an operation before it is run; throws if the caller has not enough left. */
  readonly onPriced?: ((charge: number) => void) | undefined
  /** Called with the bytes of a long response before it is built; throws if there is no room for it. */
  readonly onLong?: ((bytes: number) => void) | undefined
}

interface ContextOptions extends Pick<Context, 'schema' | 'principal' | 'clock' | 'onPriced' | 'onLong'> {
  readonly store: Store
  readonly wholeListRowsMax?: number | undefined
  readonly responseBytesMax?: number | undefined
  readonly deadline?: (Deadline & { readonly since: number; goOn(): void }) | undefined
  /** Called for every SQL statement. */
  readonly onStatement?: OnStatement | undefined
  /** Called with the bytes that a write stores. */
  readonly onStored?: ((bytes: number) => void) | undefined
  /** Called after each write. */
  readonly onWritten?: (() => void) | undefined
  readonly work?: Work
}

export function createContext(options: ContextOptions): Context {
  const { schema, store, principal, clock, deadline, onStatement, onStored, onWritten, onPriced, onLong } = options
  const { wholeListRowsMax = LIMITS.wholeListRowsMax, responseBytesMax = LIMITS.responseBytesMax } = options
  const { work = new Work() } = options
  const write: Store['write'] = (as, work) =>
    store
      .write({ onStatement, onStored, ...(deadline && { waitingSince: deadline.since }), ...as }, work)
      .finally(() => {
        deadline?.goOn()
        onWritten?.()
      })
  const reading = { owner: principal.keyId, bytesMax: responseBytesMax, onStatement, deadline }
  return {
    schema,
    store: { read: store.reading(reading), write },
    principal,
    clock,
    wholeListRowsMax,
    responseBytesMax,
    rowCounts: rowCountsOf(store).countedFor(reading),
    work,
    onPriced,
    onLong,
  }
}

export function requireContext(context: unknown): asserts context is Context {
  const { schema, store, principal } = Object(context) as Partial<Context>
  if (!schema || !store || !principal)
    throw new GraphQLError('The operations gateway needs its own context: pass contextFor(store, caller).')
}

export const builder = new SchemaBuilder<{
  Context: Context
  DefaultFieldNullability: false
  AuthScopes: { scope: Scope; anyKey: boolean }
  /** The enums of the vocabulary, by their names. */
  Inputs: { [N in EnumName]: EnumValue<N> }
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
    authScopes: (context) => {
      requireContext(context)
      return {
        scope: (needed) => {
          if (!grants(context.principal.scopes, needed)) throw publicError(missingScope(needed))
          return true
        },
        anyKey: true,
      }
    },
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

/** One Fault for each scope: thousands of references can be refused, and capturing a stack takes longer than reading one. */
const refusals = new Map<Scope, Fault>()

/** A key can be limited to some projects, and then changes only those. */
export function requireProject({ projects }: Principal, key: string): void {
  if (projects === null || projects.includes(key)) return
  if (projects.length === 0)
    throw new Fault('INSUFFICIENT_SCOPE', 'There is no project that you may change: your credentials name none.')
  throw new Fault('INSUFFICIENT_SCOPE', `This key may change only ${projects.join(', ')}.`, {
    requiredScope: 'projects.manage',
  })
}

/** Runs a write on behalf of the caller. */
export function change<T>(context: Context, work: (write: Write) => Promise<T>): Promise<T> {
  const { store, principal, clock, precondition } = context
  return store.write({ by: principal.keyId, at: clock }, async (write) => {
    await precondition?.(write)
    return work(write)
  })
}

/** An enum type, with a description for each value. */
export function enumOf<const V extends string>(name: string, description: string, values: Readonly<Record<V, string>>) {
  const entries = Object.entries<string>(values).map(([value, text]) => [value, { description: text }] as const)
  return builder.enumType(name, {
    description,
    values: Object.fromEntries(entries) as Record<V, { description: string }>,
  })
}

// A type is named by its text: Pothos finds it when the schema is built.
for (const name of namesOf(ENUMS)) enumOf<string>(name, ENUMS[name].description, ENUMS[name].values)
