import type { ArgBuilder, InputObjectRef, ObjectRef } from '@pothos/core'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Scope } from '../auth/scopes.js'
import { badArgument } from '../errors.js'
import { LIMITS } from '../limits.js'
import { countOf, cursorOf, endsOf, type List, type Page, pageOf, type Window, within } from '../store/page.js'
import { pageTeller } from '../store/told.js'
import { builder, type Context, needs } from './builder.js'
import { oncePerKey } from './loaders.js'
import type { FieldPrice } from './prices.js'
import { federated, SHAREABLE } from './subgraph.js'
import type { Arguments, ListTelling } from './told.js'
import { inTurns, turn } from './turns.js'

type Types = typeof builder.$inferSchemaTypes

/** A page on its way out; each part of it is read when it is asked for. */
export interface Connection<Row> {
  readonly page: () => Promise<Page<Row>>
  readonly ends: () => Promise<Ends>
  readonly isFirst: boolean
  readonly cursor: (row: Row) => string
  readonly count: () => Promise<number>
}

/** Where a page begins and ends. */
interface Ends {
  readonly hasNext: boolean
  readonly start: string | null
  readonly end: string | null
}

const PageInfo = builder.objectRef<Pick<Connection<never>, 'ends' | 'isFirst'>>('PageInfo')
PageInfo.implement({
  description: 'Where a page stands in its list.',
  // Other subgraphs page too, and the larger graph has one PageInfo.
  extensions: federated(SHAREABLE),
  fields: (t) => ({
    hasNextPage: t.boolean({
      description: 'Whether more follows this page.',
      resolve: async ({ ends }) => (await ends()).hasNext,
    }),
    hasPreviousPage: t.boolean({
      description: 'Whether the page was asked for with `after`. Lists are paged forwards only.',
      resolve: ({ isFirst }) => !isFirst,
    }),
    startCursor: t.string({
      nullable: true,
      description: 'The cursor of the first entry; null on an empty page.',
      resolve: async ({ ends }) => (await ends()).start,
    }),
    endCursor: t.string({
      nullable: true,
      description: 'The cursor of the last entry, to give as `after` for the next page; null on an empty page.',
      resolve: async ({ ends }) => (await ends()).end,
    }),
  }),
})

const ENTRIES: FieldPrice = { part: 'entries' }
const ENDS: FieldPrice = { part: 'ends' }
const COUNT: FieldPrice = { part: 'count' }

async function rowsOf<Row>(context: Context, page: Connection<Row>['page']): Promise<readonly Row[]> {
  const { rows } = await page()
  await turn(context)
  return rows
}

/** The connection and edge types of an entity. */
export function connectionOf<Row extends object>(node: ObjectRef<Types, Row>, plural: string) {
  const Edge = builder.objectRef<{ row: Row; cursor: (row: Row) => string }>(`${node.name}Edge`)
  Edge.implement({
    description: `An entry of a page of ${plural}.`,
    fields: (t) => ({
      cursor: t.string({
        description: 'The place of this entry in its list, to give as `after`.',
        resolve: ({ row, cursor }) => cursor(row),
      }),
      // Pothos cannot see that a generic Row is never itself a list.
      node: t.field({ type: node, description: 'The entry itself.', resolve: ({ row }) => row as never }),
    }),
  })
  const Ref = builder.objectRef<Connection<Row>>(`${node.name}Connection`)
  Ref.implement({
    description: `A page of ${plural}, or the whole list when no page was asked for.`,
    fields: (t) => ({
      nodes: t.field({
        type: [node],
        description: 'The entries of this page.',
        extensions: { price: ENTRIES },
        resolve: async ({ page }, _, context) => inTurns(context, await rowsOf(context, page)),
      }),
      edges: t.field({
        type: [Edge],
        description: 'The entries of this page, each with its cursor.',
        extensions: { price: ENTRIES },
        resolve: async ({ page, cursor }, _, context) =>
          inTurns(
            context,
            (await rowsOf(context, page)).map((row) => ({ row, cursor })),
          ),
      }),
      pageInfo: t.field({
        type: PageInfo,
        description: 'Whether more follows, and from where.',
        extensions: { price: ENDS },
        resolve: (connection) => connection,
      }),
      totalCount: t.int({
        description: 'How many entries match, on all pages together. Counted only when asked for.',
        extensions: { price: COUNT },
        resolve: ({ count }) => count(),
      }),
    }),
  })
  return Ref
}

const FIRST = `How many entries, from 1 to ${LIMITS.pageRowsMax}.`
const firstBounds = { extensions: { minimum: 1, maximum: LIMITS.pageRowsMax } }

/** The arguments of a list that stands by itself: whole unless a page is asked for. */
function listArgs<F>(arg: ArgBuilder<Types>, filter: InputObjectRef<Types, F>) {
  return {
    first: arg.int({ ...firstBounds, description: `${FIRST} Without it, the whole list.` }),
    after: arg.string({
      description: 'The cursor after which the page begins, as the page before gave it.',
      extensions: { maxLength: LIMITS.cursorCharactersMax },
    }),
    filter: arg({ type: filter, description: 'Which entries.' }),
  }
}

/** The arguments of a list inside another thing: always a page. */
export function nestedListArgs<F>(arg: ArgBuilder<Types>, filter: InputObjectRef<Types, F>) {
  const first = arg.int({ ...firstBounds, required: true, defaultValue: LIMITS.nestedPageRows, description: FIRST })
  return { ...listArgs(arg, filter), first }
}

interface WindowArgs {
  readonly first?: number | null | undefined
  readonly after?: string | null | undefined
}

/** What says that a field is a list inside another thing. */
export const nestedList: { readonly price: FieldPrice } = { price: { isNestedList: true } }

function windowOf({ first, after }: WindowArgs, { wholeListRowsMax }: Context): Window {
  if (first != null && (first < 1 || first > LIMITS.pageRowsMax)) {
    throw badArgument('first', `Must be from 1 to ${LIMITS.pageRowsMax}.`)
  }
  return { first: first ?? undefined, after: after ?? undefined, most: wholeListRowsMax }
}

/** Answers a list field from its arguments. Nothing is read before it is asked for, and nothing twice in a request. */
export function connect<T extends PgTable, F>(
  context: Context,
  args: WindowArgs & { readonly filter?: F | null | undefined },
  list: List<T, F | Record<string, never>>,
): Connection<T['$inferSelect']> {
  const { read } = context.store
  const filter = args.filter ?? {}
  const window = windowOf(args, context)
  // What is wrong with the arguments is said of the list itself, whatever is selected of it.
  within(read, list, filter, window)
  const once = <V>(what: readonly unknown[], ask: () => Promise<V>): Promise<V> =>
    oncePerKey(context, JSON.stringify([list.name, list.of, filter, ...what]), () => turn(context).then(ask))
  const cursor = (row: T['$inferSelect']) => cursorOf(list, row)
  const page = () => once(['page', window], () => pageOf(read, list, filter, window))
  const ends = async () => {
    // Of a whole list the first and the last row suffice.
    if (window.first === undefined)
      return { hasNext: false, ...(await once(['ends', window], () => endsOf(read, list, filter, window))) }
    const { rows, hasNext } = await page()
    const [first, last] = [rows.at(0), rows.at(-1)]
    return { hasNext, start: first ? cursor(first) : null, end: last ? cursor(last) : null }
  }
  const count = () => once(['count'], () => countOf(read, list, filter))
  return { page, ends, count, cursor, isFirst: args.after == null }
}

/** What a list at the root of Query is, besides its name. */
interface RootList<T extends PgTable, F> {
  readonly type: ObjectRef<Types, Connection<T['$inferSelect']>>
  readonly filter: InputObjectRef<Types, F>
  readonly scope: Scope
  readonly description: string
  readonly list: List<T, F | Record<string, never>>
}

export function queryList<T extends PgTable, F>(name: string, root: RootList<T, F>): void {
  builder.queryField(name, (t) =>
    t.field({
      type: root.type,
      nullable: true,
      description: root.description,
      ...needs(root.scope, { rootTold: listTelling(root.list), price: { list: root.list } }),
      args: listArgs(t.arg, root.filter),
      resolve: (_, args, context) => connect(context, args, root.list),
    }),
  )
}

function listTelling<T extends PgTable, F>(list: List<T, F | Record<string, never>>): ListTelling {
  // The arguments are those of `listArgs`.
  const filterIn = (args: Arguments) => (args as { filter?: F | null }).filter ?? {}
  return {
    pages: (entries) => {
      const tell = pageTeller(list, entries)
      return (context, args) => tell(context.store.read, filterIn(args), windowOf(args, context))
    },
    count: ({ store }, args) => countOf(store.read, list, filterIn(args)),
  }
}
