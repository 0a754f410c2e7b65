import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
} from 'graphql'
import type { Scope } from '../../auth/scopes.js'
import { HANDFUL } from '../../store/query/relations.js'
import { type Extended, sqlOf } from '../query/declared.js'
import { NESTED_LIST_COST, PRICED_ROWS_MAX } from '../query/prices.js'
import { addDirectives, type Directive } from './subgraph.js'

/** Derives directives for routers: `@tag` with the scope, for contract graphs, and `@cost` and `@listSize`. */
export function annotate(schema: GraphQLSchema): void {
  const tags = tagsOf(schema)
  for (const type of objectTypes(schema)) {
    addDirectives(type, ...[...(tags.get(type) ?? [])].sort().map(tagFor))
    for (const field of Object.values(type.getFields())) {
      const scope = scopeOf(field)
      addDirectives(field, ...(scope ? [tagFor(scope)] : []), ...costOf(field))
    }
  }
}

function objectTypes(schema: GraphQLSchema): GraphQLObjectType[] {
  return Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .filter(({ name }) => !name.startsWith('_'))
}

function scopeOf({ extensions }: Extended): Scope | undefined {
  return (extensions as { scope?: Scope | null }).scope ?? undefined
}

/** The scope of each type; a type without one, such as a connection, gets the scopes of all types that lead to it. */
function tagsOf(schema: GraphQLSchema): ReadonlyMap<GraphQLObjectType, ReadonlySet<Scope>> {
  const tags = new Map<GraphQLObjectType, Set<Scope>>()
  const reach = (type: GraphQLObjectType, scope: Scope): void => {
    const known = tags.get(type) ?? new Set<Scope>()
    if (known.has(scope)) return
    tags.set(type, known.add(scope))
    reachFrom(type, scope)
  }
  const reachFrom = (type: GraphQLObjectType, around: Scope | undefined): void => {
    for (const field of Object.values(type.getFields())) {
      const next = getNamedType(field.type)
      const scope = scopeOf(field) ?? around
      if (scope && isObjectType(next) && scopeOf(next) === undefined) reach(next, scope)
    }
  }
  for (const type of objectTypes(schema)) {
    const scope = scopeOf(type)
    if (scope) reach(type, scope)
    else reachFrom(type, undefined)
  }
  return tags
}

// A tag may have letters, digits, `_`, `-` and `/`, but no dot.
function tagFor(scope: Scope): Directive {
  return { name: 'tag', args: { name: scope.replace('.', '-') } }
}

const PAGED = { slicingArguments: ['first'], sizedFields: ['edges', 'nodes'], requireOneSlicingArgument: false }

/** The cost of a list, in terms of the cost specification. */
function costOf(field: GraphQLField<unknown, unknown>): Directive[] {
  const { type, args, extensions } = field
  const declared = sqlOf(field) ?? {}
  // Cosmo takes either a default of `first` or an assumed size.
  const isPage = args.some(({ name, defaultValue }) => name === 'first' && defaultValue !== undefined)
  if ('list' in declared) {
    return [listSize(isPage ? PAGED : { ...PAGED, assumedSize: PRICED_ROWS_MAX })]
  }
  if ('page' in declared) {
    return [{ name: 'cost', args: { weight: NESTED_LIST_COST } }, listSize(PAGED)]
  }
  const isOfOther = 'part' in declared || extensions['price'] !== undefined
  const isPlainList = !isOfOther && isListType(getNullableType(type)) && isObjectType(getNamedType(type))
  return isPlainList ? [listSize({ assumedSize: HANDFUL })] : []
}

function listSize(args: NonNullable<Directive['args']>): Directive {
  return { name: 'listSize', args }
}
