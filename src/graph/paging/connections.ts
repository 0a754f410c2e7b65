import type { ArgBuilder, InputObjectRef, ObjectRef } from '@pothos/core'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Scope } from '../../auth/scopes.js'
import { LIMITS } from '../../limits.js'
import type { PageFacts } from '../../store/query/jsonPage.js'
import { type AnyList, countOf, cursorOf, type List, pageOf, requireWhole } from '../../store/query/page.js'
import {
  type AnyRelation,
  type Identified,
  type Relation,
  relatedCounts,
  relatedFacts,
  relatedPages,
} from '../../store/query/relations.js'
import type { Read } from '../../store/store.js'
import { builder, type Context, needs, needsOneOf } from '../builder.js'
import type { FieldPrice } from '../cost/fieldPrices.js'
import { federated, SHAREABLE } from '../federation/subgraph.js'
import { type Arguments, field, idOf, type Types } from '../fields.js'
import { checkNames } from '../hints/names.js'
import { load, manyReadTogether, oncePerRequest } from '../loaders.js'
import { turn } from '../turns.js'
import { type Connection, factsOf, followed, type Once } from './pages.js'
import { type PageRequest, pageRequestOf } from './requests.js'

type AnyRow = Record<string, unknown>

const PageInfo = builder.objectRef<PageFacts>('PageInfo')
PageInfo.implement({
  description: 'The position of a page in its list.',
  // Other subgraphs have a PageInfo too, and the supergraph has one.
  extensions: federated(SHAREABLE),
  fields: (t) => ({
    hasNextPage: t.boolean({
      description: 'Whether more follows this page.',
      ...fact('hasNextPage'),
    }),
    hasPreviousPage: t.boolean({
      description: 'Whether the page was requested with `after`. Lists are paged forwards only.',
      ...fact('hasPreviousPage'),
    }),
    startCursor: t.string({
      nullable: true,
      description: 'The cursor of the first entry; null on an empty page.',
      ...fact('startCursor'),
    }),
    endCursor: t.string({
      nullable: true,
      description: 'The cursor of the last entry, the `after` of the next page; null on an empty page.',
      ...fact('endCursor'),
    }),
  }),
})

function fact<const Name extends keyof PageFacts>(name: Name) {
  return {
    extensions: { sql: { fact: name } },
    resolve: (facts: PageFacts) => facts[name],
  }
}

const ENTRIES: FieldPrice = { part: 'entries' }
const ENTRY: FieldPrice = { part: 'entry' }
const ENDS: FieldPrice = { part: 'ends' }
const COUNT: FieldPrice = { part: 'count' }

/** The connection and edge types of an entity. */
export function connectionOf<Row extends object>(node: ObjectRef<Types, Row>, plural: string) {
  const Edge = builder.objectRef<{ row: Row; cursor: (row: Row) => string }>(`${node.name}Edge`)
  Edge.implement({
    description: `An entry of a page of ${plural}.`,
    fields: (t) => ({
      cursor: t.string({
        description: 'The cursor of this entry, for use as `after`.',
        extensions: { sql: { edge: 'cursor' } },
        resolve: ({ row, cursor }) => cursor(row),
      }),
      node: t.field({
        type: node,
        description: 'The entry itself.',
        extensions: { sql: { edge: 'node' }, price: ENTRY },
        // Pothos cannot infer that a generic Row is never a list.
        resolve: ({ row }) => row as never,
      }),
    }),
  })
  const rowsIn = async (context: Context, { rows }: Connection<Row>) => {
    const read = await rows()
    await turn(context)
    return read
  }
  const Ref = builder.objectRef<Connection<Row>>(`${node.name}Connection`)
  Ref.implement({
    description: `A page of ${plural}, or the complete list if no page was requested.`,
    fields: (t) => ({
      nodes: t.field({
        type: [node],
        description: 'The entries of this page.',
        extensions: { sql: { part: 'nodes' }, price: ENTRIES },
        resolve: (connection, _, context) => rowsIn(context, connection),
      }),
      edges: t.field({
        type: [Edge],
        description: 'The entries of this page, each with its cursor.',
        extensions: { sql: { part: 'edges' }, price: ENTRIES },
        resolve: async (connection, _, context) => {
          const rows = await rowsIn(context, connection)
          return rows.map((row) => ({ row, cursor: connection.cursor }))
        },
      }),
      pageInfo: t.field({
        type: PageInfo,
        description: 'Whether more follows, and from where.',
        extensions: { sql: { part: 'pageInfo' }, price: ENDS },
        resolve: ({ facts }) => facts(),
      }),
      totalCount: t.int({
        description: 'The number of matching entries on all pages. Counted only when selected.',
        extensions: { sql: { part: 'totalCount' }, price: COUNT },
        resolve: ({ count }) => count(),
      }),
    }),
  })
  return Ref
}

const FIRST = `How many entries, from 1 to ${LIMITS.pageRowsMax}.`
export const firstBounds = { extensions: { minimum: 1, maximum: LIMITS.pageRowsMax } }

/** The arguments of a root list: complete unless a page is requested. */
function listArgs<F>(arg: ArgBuilder<Types>, filter: InputObjectRef<Types, F>) {
  return {
    first: arg.int({ ...firstBounds, description: `${FIRST} The complete list by default.` }),
    after: arg.string({
      description: 'The cursor after which the page begins: `endCursor` of the page before.',
      extensions: { maxLength: LIMITS.cursorCharactersMax },
    }),
    filter: arg({ type: filter, description: 'Filters the entries.' }),
  }
}

/** The arguments of a nested list: always a page. */
function nestedListArgs<F>(arg: ArgBuilder<Types>, filter: InputObjectRef<Types, F>) {
  const first = arg.int({ ...firstBounds, required: true, defaultValue: LIMITS.nestedPageRows, description: FIRST })
  return { ...listArgs(arg, filter), first }
}

/** Errors in the arguments of a list are reported at the list itself, whatever is selected of it. */
function checkedArguments(context: Context, list: AnyList, args: Arguments): PageRequest {
  const pageRequest = pageRequestOf(context, list, args)
  list.matching(context.store.read, pageRequest.filter)
  return pageRequest
}

/** Creates the connection after checking that the names in the filter exist; synchronously if there are none. */
function named<C>(context: Context, args: Arguments, list: AnyList, connection: () => C): C | Promise<C> {
  const checking = checkNames(context, list, (args as { filter?: object | null }).filter ?? {})
  return checking ? checking.then(connection) : connection()
}

/** Resolves a root list. Each part is read on first use, and once. */
function connect(context: Context, args: Arguments, list: AnyList): Connection<AnyRow> {
  const { read } = context.store
  const pageRequest = checkedArguments(context, list, args)
  const { filter } = pageRequest
  const once: Once = (what, by, load) =>
    oncePerRequest(context, JSON.stringify([list.name, what, by]), () => turn(context).then(load))
  if (list.mark) return followed(context, list, pageRequest, once)
  return {
    rows: () =>
      once('rows', pageRequest, async () => {
        // Known before anything is read, so that what cannot be sent is refused at once.
        if (pageRequest.first === undefined)
          requireWhole(await context.rowCounts.of(list, filter, pageRequest.most), pageRequest)
        return manyReadTogether(context, await pageOf(read, list, filter, pageRequest))
      }),
    facts: () => once('facts', pageRequest, () => factsOf(read, list, pageRequest)),
    // Pages of the same list share their count.
    count: () => once('count', { filter }, () => countOf(read, list, filter)),
    cursor: (row) => cursorOf(read, list, row),
  }
}

/** Resolves a nested list: one statement serves all rows that were read together. */
function connectRelated(context: Context, args: Arguments, relation: AnyRelation, row: object): Connection<AnyRow> {
  const { list } = relation
  const pageRequest = checkedArguments(context, list, args)
  const ofRow = <V>(what: string, query: (read: Read, ids: readonly string[]) => Promise<ReadonlyMap<string, V>>) => {
    const by = oncePerRequest(context, relation, () => new Map<string, object>())
    const key = JSON.stringify([what, pageRequest])
    by.set(key, by.get(key) ?? {})
    return turn(context).then(() => load(context, by.get(key), query, row, idOf))
  }
  const pause = () => turn(context)
  const pages = async (read: Read, ids: readonly string[]) => {
    const found = await relatedPages(read, relation, ids, pageRequest, pause)
    await manyReadTogether(context, [...found.values()].flat())
    return found
  }
  const facts = (read: Read, ids: readonly string[]) => relatedFacts(read, relation, ids, pageRequest, pause)
  const counts = (read: Read, ids: readonly string[]) => relatedCounts(read, relation, ids, pageRequest)
  return {
    rows: lazily(async () => (await ofRow('rows', pages)) ?? []),
    facts: lazily(async () => (await ofRow('facts', facts)) ?? NO_PAGE),
    count: lazily(async () => (await ofRow('count', counts)) ?? 0),
    cursor: (entry) => cursorOf(context.store.read, list, entry),
  }
}

/** Called on first use only: each look-up waits for its turn, and a part can be selected under many names. */
function lazily<V>(make: () => Promise<V>): () => Promise<V> {
  let made: Promise<V> | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** For a row that was removed meanwhile. */
const NO_PAGE: PageFacts = { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null }

/** The definition of a list field, besides its name. */
interface ListField<R extends PgTable, F extends object, S = Scope> {
  readonly type: ObjectRef<Types, Connection<R['$inferSelect']>>
  readonly filter: InputObjectRef<Types, F>
  readonly scope: S
  readonly description: string
}

/** A list at the root of Query. */
export function queryList<T extends PgTable, F extends object>(
  name: string,
  {
    type,
    filter,
    scope,
    description,
    list,
    isPaged = false,
  }: ListField<T, F, Scope | readonly Scope[]> & {
    readonly list: List<T, F | Record<string, never>>
    /** Whether it is always a page. */
    readonly isPaged?: boolean
  },
): void {
  const extensions = { sql: { list }, price: { list } }
  builder.queryField(name, (t) =>
    t.field({
      type,
      nullable: true,
      description,
      ...(typeof scope === 'string' ? needs(scope, extensions) : needsOneOf(scope, extensions)),
      args: isPaged ? nestedListArgs(t.arg, filter) : listArgs(t.arg, filter),
      // The rows are those of the list's own table.
      resolve: (_, args, context) => named(context, args, list, () => connect(context, args, list)) as never,
    }),
  )
}

/** A nested list, which is always a page. */
export function pageField<P extends Identified, R extends PgTable, F extends object>(
  type: ObjectRef<Types, P['$inferSelect']>,
  name: string,
  options: ListField<R, F> & { readonly relation: Relation<P, R, F | Record<string, never>> },
): void {
  const { relation, filter, scope, description } = options
  const price: FieldPrice = { relation }
  field(type, name, (arg) => ({
    type: options.type,
    nullable: true,
    description,
    ...needs(scope, { sql: { page: relation }, price }),
    args: nestedListArgs(arg, filter),
    resolve: (row, args, context) =>
      named(context, args, relation.list, () => connectRelated(context, args, relation, row)),
  }))
}
