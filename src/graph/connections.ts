import type { ArgBuilder, InputObjectRef, ObjectRef } from '@pothos/core'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Scope } from '../auth/scopes.js'
import { badArgument } from '../errors.js'
import { LIMITS } from '../limits.js'
import { countOf, cursorOf, type List, type Page, pageOf, type Window } from '../store/page.js'
import { pageTeller } from '../store/told.js'
import { builder, type Context, needs } from './builder.js'
import { afterOthers, inSlices } from './slices.js'
import type { Arguments, ListTelling } from './told.js'

type Types = typeof builder.$inferSchemaTypes

/** A page on its way out; the count is only made when it is asked for. */
export interface Connection<Row> {
  readonly page: Page<Row>
  readonly isFirst: boolean
  readonly cursor: (row: Row) => string
  readonly count: () => Promise<number>
}

const PageInfo = builder.objectRef<{ isFirst: boolean; hasNext: boolean; start: string | null; end: string | null }>(
  'PageInfo',
)
PageInfo.implement({
  description: 'Where a page stands in its list.',
  // Other subgraphs page too, and the larger graph has one PageInfo.
  shareable: true,
  fields: (t) => ({
    hasNextPage: t.exposeBoolean('hasNext', { description: 'Whether more follows this page.' }),
    hasPreviousPage: t.boolean({
      description: 'Whether the page was asked for with `after`. Lists are paged forwards only.',
      resolve: ({ isFirst }) => !isFirst,
    }),
    startCursor: t.exposeString('start', {
      nullable: true,
      description: 'The cursor of the first entry; null on an empty page.',
    }),
    endCursor: t.exposeString('end', {
      nullable: true,
      description: 'The cursor of the last entry, to give as `after` for the next page; null on an empty page.',
    }),
  }),
})

/** The connection and edge types of an entity. */
export function connectionOf<Row extends object>(node: ObjectRef<Types, Row>, plural: string) {
  const Edge = builder.objectRef<{ row: Row; cursor: string }>(`${node.name}Edge`)
  Edge.implement({
    description: `An entry of a page of ${plural}.`,
    fields: (t) => ({
      cursor: t.exposeString('cursor', { description: 'The place of this entry in its list, to give as `after`.' }),
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
        complexity: { field: 0, multiplier: 1 },
        resolve: ({ page }, _, context) => inSlices(context, page.rows, (row) => row),
      }),
      edges: t.field({
        type: [Edge],
        description: 'The entries of this page, each with its cursor.',
        complexity: { field: 0, multiplier: 1 },
        resolve: ({ page, cursor }, _, context) =>
          inSlices(context, page.rows, (row) => ({ row, cursor: cursor(row) })),
      }),
      pageInfo: t.field({
        type: PageInfo,
        description: 'Whether more follows, and from where.',
        complexity: 0,
        resolve: ({ page, isFirst, cursor }) => {
          const first = page.rows.at(0)
          const last = page.rows.at(-1)
          return {
            isFirst,
            hasNext: page.hasNext,
            start: first ? cursor(first) : null,
            end: last ? cursor(last) : null,
          }
        },
      }),
      totalCount: t.int({
        description: 'How many entries match, on all pages together. Counted only when asked for.',
        complexity: 0,
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
    after: arg.string({ description: 'The cursor after which the page begins, as the page before gave it.' }),
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

/** What a list costs: each entry as much as was selected of it. */
function listPrice({ first }: WindowArgs) {
  return { field: 1, multiplier: first ?? LIMITS.wholeListPricedRows }
}

export function nestedListPrice({ first }: WindowArgs) {
  return { field: LIMITS.nestedListCost, multiplier: first ?? LIMITS.nestedPageRows }
}

function windowOf({ first, after }: WindowArgs, { wholeListRowsMax }: Context): Window {
  if (first != null && (first < 1 || first > LIMITS.pageRowsMax)) {
    throw badArgument('first', `Must be from 1 to ${LIMITS.pageRowsMax}.`)
  }
  return { first: first ?? undefined, after: after ?? undefined, most: wholeListRowsMax }
}

/** Answers a list field from its arguments. */
export async function connect<T extends PgTable, F>(
  context: Context,
  args: WindowArgs & { readonly filter?: F | null | undefined },
  list: List<T, F | Record<string, never>>,
): Promise<Connection<T['$inferSelect']>> {
  const { read } = context.store
  const filter = args.filter ?? {}
  let counted: Promise<number> | undefined
  const page = await pageOf(read, list, filter, windowOf(args, context))
  await afterOthers(context, page.rows.length)
  return {
    page,
    isFirst: args.after == null,
    cursor: (row) => cursorOf(list, row),
    count: () => {
      counted ??= countOf(read, list, filter)
      return counted
    },
  }
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
      ...needs(root.scope, { rootTold: listTelling(root.list) }),
      args: listArgs(t.arg, root.filter),
      complexity: listPrice,
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
