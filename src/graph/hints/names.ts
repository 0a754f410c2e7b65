import { grants, type Scope } from '../../auth/scopes.js'
import { oncePer, oncePerPair } from '../../caches.js'
import { badArgument, type Fault } from '../../errors.js'
import type { IdKind } from '../../ids.js'
import { hasName, impossibleIn, type Naming } from '../../store/query/conditions.js'
import type { CountedList } from '../../store/query/rowCounts.js'
import { isNounName, NOUNS } from '../../vocabulary.js'
import { type Context, missingScope } from '../builder.js'

/** The scope that a lookup by name requires. */
const scopeOf = (kind: IdKind): Scope => (isNounName(kind) ? `${NOUNS[kind].area}.read` : 'personnel.manage')

type Named = Pick<CountedList, 'names' | 'needs'>

interface GivenNames {
  readonly member: string
  readonly naming: Naming
  readonly values: readonly (string | null)[]
}

/** The filter members that refer to other entities by name instead of by id. */
function givenNames({ names = {} }: Named, filter: object): GivenNames[] {
  const given = filter as Readonly<Record<string, readonly (string | null)[] | null | undefined>>
  return Object.entries(names).flatMap(([member, naming]) => {
    const values = given[member]
    return values && hasName(naming, values) ? [{ member, naming, values }] : []
  })
}

/** Whether the caller may use a filter: its names, and what else needs a scope. If not, neither the result nor the cost may depend on them. */
export function mayUseNames(list: Named, filter: object, mayRead: (scope: Scope) => boolean): boolean {
  const scope = list.needs?.(filter)
  if (scope !== undefined && !mayRead(scope as Scope)) return false
  return list.names === undefined || givenNames(list, filter).every(({ naming }) => mayRead(scopeOf(naming.kind)))
}

/** Rejects a filter with an unknown name. Returns undefined without names, so that the caller need not await. */
export function checkNames(context: Context, list: Named, filter: object): Promise<void> | undefined {
  const given = list.names === undefined ? [] : givenNames(list, filter)
  return given.length === 0 ? undefined : requireNames(context, given)
}

async function requireNames(context: Context, given: readonly GivenNames[]): Promise<void> {
  const { principal } = context
  for (const { member, naming, values } of given) {
    const impossible = impossibleIn(naming, values)
    if (impossible !== undefined) throw unknownName(member, naming, { name: impossible })
    const scope = scopeOf(naming.kind)
    if (!grants(principal.scopes, scope)) throw missingScope(scope)
  }
  for (const { member, naming, values } of given) {
    const missing = await missingIn(context)(values, naming)
    if (missing) throw unknownName(member, naming, missing)
  }
}

interface Missing {
  readonly name: string
  /** The rows that share the name, each with what distinguishes it. */
  readonly sharing?: readonly string[]
  readonly meant?: string | undefined
}

/** Looked up once for each list: one variable may be in the filters of many aliases. */
const missingIn = oncePer(({ rowCounts: { names } }: Context) =>
  oncePerPair(async (values: GivenNames['values'], naming: Naming): Promise<Missing | undefined> => {
    const name = await names.missing(naming, values)
    if (name === undefined) return undefined
    return { name, sharing: await names.sharing(naming, name), meant: await names.nearest(naming, name) }
  }),
)

function unknownName(member: string, { kind, identifiers }: Naming, { name, meant, sharing = [] }: Missing): Fault {
  if (sharing.length > 1)
    return badArgument(member, `Several have the name '${name}': ${sharing.join(', ')}. Give one of these instead.`)
  const hint = meant === undefined ? `Name it by ${identifiers}.` : `Did you mean ${meant}?`
  return badArgument(member, `There is no ${kind} '${name}'. ${hint}`)
}
