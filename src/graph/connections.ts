import type { ArgBuilder, EnumRef, InputObjectRef, ObjectRef } from '@pothos/core'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Scope } from '../auth/scopes.js'
import { LIMITS } from '../limits.js'
import type { PageFact } from '../store/query/jsonPage.js'
import type { List } from '../store/query/page.js'
import type { Identified, Relation } from '../store/query/relations.js'
import { builder, needs, needsOneOf } from './builder.js'
import { federated, SHAREABLE } from './federation/subgraph.js'
import { field, rootField, type Types } from './fields.js'
import type { SqlField } from './query/declared.js'

/** Characters of a cursor, which holds the texts that its list is ordered by. */
export const CURSOR_CHARACTERS_MAX = 32_000

type PagePart = Extract<SqlField, { part: unknown } | { edge: unknown } | { fact: unknown }>

/** Adds a member of a connection, of its edges or of its pageInfo. */
function pagePart(parent: ObjectRef<Types, object>, sql: PagePart, type: unknown, description: string): void {
  const [name = ''] = Object.values(sql)
  field(parent, name, () => ({ type, nullable: CURSORS.has(name), description, extensions: { sql } }))
}

/** Null on an empty page. */
const CURSORS: ReadonlySet<string> = new Set(['startCursor', 'endCursor'])

const PageInfo = builder.objectRef<object>('PageInfo')
// Other subgraphs have a PageInfo too, and the supergraph has one.
PageInfo.implement({ description: 'The position of a page in its list.', extensions: federated(SHAREABLE) })
const pageFact = (fact: PageFact, description: string) =>
  pagePart(PageInfo, { fact }, CURSORS.has(fact) ? 'String' : 'Boolean', description)
pageFact('hasNextPage', 'Whether more follows this page.')
pageFact('hasPreviousPage', 'Whether the page was requested with `after`. Lists are paged forwards only.')
pageFact('startCursor', 'The cursor of the first entry; null on an empty page.')
pageFact('endCursor', 'The cursor of the last entry, the `after` of the next page; null on an empty page.')

export function connectionOf<Row extends object>(node: ObjectRef<Types, Row>, plural: string) {
  const Edge = builder.objectRef<object>(`${node.name}Edge`)
  Edge.implement({ description: `An entry of a page of ${plural}.` })
  pagePart(Edge, { edge: 'cursor' }, 'String', 'The cursor of this entry, for use as `after`.')
  pagePart(Edge, { edge: 'node' }, node, 'The entry itself.')
  const Ref = builder.objectRef<Connection<Row>>(`${node.name}Connection`)
  Ref.implement({ description: `A page of ${plural}, or the complete list if no page was requested.` })
  pagePart(Ref, { part: 'nodes' }, [node], 'The entries of this page.')
  pagePart(Ref, { part: 'edges' }, [Edge], 'The entries of this page, each with its cursor.')
  pagePart(Ref, { part: 'pageInfo' }, PageInfo, 'Whether more follows, and from where.')
  const total = 'The number of matching entries on all pages. Counted only on request.'
  pagePart(Ref, { part: 'totalCount' }, 'Int', total)
  return Ref
}

/** A page of rows, for the type checker alone. */
export interface Connection<Row> {
  readonly row?: Row
}

/** The options of `first`: its description says what it counts, its bounds, and then the rest. */
export const firstOf = (what: string, rest: string) => ({
  description: `How many${what}, from 1 to ${LIMITS.pageRowsMax.toLocaleString('en')}${rest}`,
  extensions: { minimum: 1, maximum: LIMITS.pageRowsMax },
})

/** The orders of a list, and the name of its own. */
interface OrderArgument {
  readonly type: EnumRef<Types, string>
  readonly own: string
}

/** The arguments of a root list: complete unless a page is requested. */
function listArgs<F>(arg: ArgBuilder<Types>, filter: InputObjectRef<Types, F>, order?: OrderArgument) {
  return {
    first: arg.int(firstOf(' entries', '. The complete list by default.')),
    after: arg.string({
      description: 'The cursor after which the page begins: `endCursor` of the page before.',
      extensions: { maxLength: CURSOR_CHARACTERS_MAX },
    }),
    filter: arg({ type: filter, description: 'Filters the entries.' }),
    ...(order && {
      orderBy: arg({ type: order.type, defaultValue: order.own, description: `The order, ${order.own} by default.` }),
    }),
  }
}

/** The arguments of a nested list: always a page. */
function nestedListArgs<F>(arg: ArgBuilder<Types>, filter: InputObjectRef<Types, F>) {
  const defaultValue = LIMITS.nestedPageRows
  const first = arg.int({ ...firstOf(' entries', `. ${defaultValue} by default.`), required: true, defaultValue })
  return { ...listArgs(arg, filter), first }
}

/** The definition of a list field, besides its name. */
interface ListField<R extends PgTable, F extends object, S = Scope> {
  readonly type: ObjectRef<Types, Connection<R['$inferSelect']>>
  readonly filter: InputObjectRef<Types, F>
  readonly scope: S
  readonly description: string
}

export function queryList<T extends PgTable, F extends object>(
  name: string,
  options: ListField<T, F, Scope | readonly Scope[]> & {
    readonly list: List<T, F | Record<string, never>>
    readonly order?: OrderArgument
    /** Whether it is always a page. */
    readonly isPaged?: boolean
  },
): void {
  const { filter, scope, list, order, isPaged, ...shown } = options
  const extensions = { sql: { list } }
  rootField('query', name, (arg) => ({
    ...shown,
    ...(typeof scope === 'string' ? needs(scope, extensions) : needsOneOf(scope, extensions)),
    args: isPaged ? nestedListArgs(arg, filter) : listArgs(arg, filter, order),
  }))
}

/** A nested list, which is always a page. */
export function pageField<P extends Identified, R extends PgTable, F extends object>(
  parent: ObjectRef<Types, P['$inferSelect']>,
  name: string,
  options: ListField<R, F> & { readonly relation: Relation<P, R, F | Record<string, never>> },
): void {
  const { relation, filter, scope, ...shown } = options
  field(parent, name, (arg) => ({
    ...shown,
    nullable: true,
    ...needs(scope, { sql: { page: relation } }),
    args: nestedListArgs(arg, filter),
  }))
}
