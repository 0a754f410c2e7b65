import { aliasedTable, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isObjectType,
  type OperationDefinitionNode,
} from 'graphql'
import type { Scope } from '../auth/scopes.js'
import { framed } from '../store/framed.js'
import type { JsonValue, Separator } from '../store/json.js'
import type { Read } from '../store/store.js'
import type { ToldPage } from '../store/told.js'
import type { Context } from './builder.js'
import { type IsIncluded, type Selected, selectionsOf } from './selections.js'
import { type Arguments, columnOf, type ListTelling, type OneTelling, type Related, type Telling } from './told.js'

/** An answer in JSON. */
export interface Told {
  /** What execution would answer as `data`, in UTF-8, with these texts around it. */
  data(before?: string, after?: string): Buffer
  /** The list at the root; undefined where it is no list. */
  readonly list: (ToldPage & { readonly totalCount: number | undefined }) | undefined
  /** The object at the root; undefined where there is none. */
  readonly one: Buffer | undefined
}

/** How a selection is told, whoever asks. */
export interface Plan {
  readonly field: GraphQLField<unknown, unknown>
  readonly node: FieldNode
  readonly scopes: ReadonlySet<Scope>
  /** Whether it takes so little time that everyone else may wait for it: a statement cannot be interrupted. */
  isQuick(args: Arguments): boolean
  /** With line ends between, the entries of a list are to be read one by one, and `data` is not for anyone. */
  tell(context: Context, args: Arguments, separator?: Separator): Promise<Told>
}

/** Builds the JSON of a row; `depth` keeps the names of the tables within each other apart. */
type NestedEntry = (read: Read, row: PgTable, depth: number) => SQL
type Member = (read: Read, row: PgTable, depth: number) => JsonValue

/** Something in a selection that the store cannot tell. */
class Untold extends Error {}

/**
 * How often one statement looks into other rows, at the most. Fragments multiply these, and an engine plans each anew:
 * 4,000 would stop the process for ten seconds, where execution looks everything up once.
 */
const LOOK_UPS_MAX = 20
/** Of each row of a list that is asked for whole, which may have very many. */
export const LOOK_UPS_OF_WHOLE_MAX = 4

/** Plans an operation of one root field; undefined when the store cannot tell all of it. */
export function planOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  isIncluded: IsIncluded,
): Plan | undefined {
  const query = schema.getQueryType()
  try {
    return query ? new Planner(document, isIncluded).plan(query, operation) : undefined
  } catch (error) {
    if (error instanceof Untold) return undefined
    throw error
  }
}

class Planner {
  private readonly collect: ReturnType<typeof selectionsOf>
  private readonly scopes = new Set<Scope>()
  private lookUps = 0
  private isCounting = false

  constructor(document: DocumentNode, isIncluded: IsIncluded) {
    this.collect = selectionsOf(document, isIncluded)
  }

  plan(query: GraphQLObjectType, { selectionSet }: OperationDefinitionNode): Plan {
    const selected = this.collect(query.name, [selectionSet])
    const [root, ...others] = selected ?? []
    if (!root || others.length > 0) throw new Untold()
    const [name, nodes] = root
    const field = this.fieldOf(query, nodes[0])
    const telling = field.extensions['rootTold'] as ListTelling | OneTelling | undefined
    if (!telling) throw new Untold()
    const type = this.objectType(field)
    const isList = 'pages' in telling
    const tell = isList ? this.listTeller(name, telling, type, nodes) : this.oneTeller(name, telling, type, nodes)
    const isQuick = ({ first }: Arguments) => !isList || first != null || this.lookUps <= LOOK_UPS_OF_WHOLE_MAX
    return { field, node: nodes[0], scopes: this.scopes, isQuick, tell }
  }

  private oneTeller(
    name: string,
    telling: OneTelling,
    type: GraphQLObjectType,
    nodes: readonly FieldNode[],
  ): Plan['tell'] {
    const entry = this.entry(type, nodes)
    const tell = telling.one((read, row) => entry(read, row, 1))
    return async (context, args) => {
      const one = await tell(context, args)
      const data = (before = '', after = '') =>
        Buffer.concat([Buffer.from(`${before}{"${name}":`), one ?? Buffer.from('null'), Buffer.from(`}${after}`)])
      return { data, list: undefined, one }
    }
  }

  private listTeller(
    name: string,
    telling: ListTelling,
    type: GraphQLObjectType,
    nodes: readonly FieldNode[],
  ): Plan['tell'] {
    const parts = [...this.selected(type, nodes)].map(([member, fields]) => this.connectionPart(type, member, fields))
    const [entries, ...more] = parts.filter((part) => part.entry !== undefined)
    if (!entries?.entry || more.length > 0) throw new Untold()
    const { entry } = entries
    const weight = { perRow: 1 + this.lookUps, isCounting: this.isCounting }
    const pagesWith = (separator: Separator) =>
      telling.pages({ entry: (read, row) => entry(read, row, 1), separator, ...weight })
    const tell = { ',': pagesWith(','), '\n': pagesWith('\n') }
    const cut = parts.indexOf(entries)
    const isCounted = parts.some((part) => part.isCounted)
    return async (context, args, separator = ',') => {
      const page = await tell[separator](context, args)
      const totalCount = isCounted ? await telling.count(context, args) : undefined
      const list = { ...page, totalCount }
      const isFirst = args['after'] == null
      const written = (some: readonly Part[]) => some.map((part) => part.write(list, isFirst))
      const head = [...written(parts.slice(0, cut)), `"${entries.name}":[`].join()
      const tail = [']', ...written(parts.slice(cut + 1))].join()
      const data = (before = '', after = '') => {
        const parts = [
          Buffer.from(`${before}{"${name}":{${head}`),
          page.entries,
          Buffer.from(`${tail}}}${after}`),
        ] as const
        return framed(...parts) ?? Buffer.concat(parts)
      }
      return { data, list, one: undefined }
    }
  }

  /** A member of a connection: its nodes, or what is written beside them. */
  private connectionPart(type: GraphQLObjectType, name: string, fields: readonly [FieldNode, ...FieldNode[]]): Part {
    const written = (write: Part['write'], isCounted = false): Part => ({ name, entry: undefined, isCounted, write })
    if (isTypename(fields[0])) return written(() => `"${name}":"${type.name}"`)
    const field = this.fieldOf(type, fields[0])
    if (field.name === 'nodes') {
      return { name, entry: this.entry(this.objectType(field), fields), isCounted: false, write: () => '' }
    }
    if (field.name === 'totalCount') return written(({ totalCount }) => `"${name}":${totalCount}`, true)
    if (field.name !== 'pageInfo') throw new Untold()
    const info = this.objectType(field)
    const members = [...this.selected(info, fields)].map(([member, [node]]) => {
      if (isTypename(node)) return () => `"${member}":"${info.name}"`
      const read = PAGE_INFO[this.fieldOf(info, node).name]
      if (!read) throw new Untold()
      return (page: ToldPage, isFirst: boolean) => `"${member}":${JSON.stringify(read(page, isFirst))}`
    })
    return written((page, isFirst) => `"${name}":{${members.map((member) => member(page, isFirst)).join()}}`)
  }

  private entry(type: GraphQLObjectType, nodes: readonly FieldNode[], isNested = false): NestedEntry {
    const members = [...this.selected(type, nodes)].map(
      ([name, fields]) => [name, this.member(type, fields, isNested)] as const,
    )
    return (read, row, depth) =>
      read.json.object(members.map(([name, member]) => [name, member(read, row, depth)] as const))
  }

  private member(type: GraphQLObjectType, fields: readonly [FieldNode, ...FieldNode[]], isNested: boolean): Member {
    if (isTypename(fields[0])) {
      const constant = { value: sql`cast(${type.name} as text)`, isJson: false }
      return () => constant
    }
    const field = this.fieldOf(type, fields[0])
    const telling = field.extensions['told'] as Telling | undefined
    if (telling) this.noteLookUp()
    if (telling && 'related' in telling)
      return relatedMember(telling.related, this.entry(this.objectType(field), fields, true))
    if (field.args.length > 0 || !isLeafType(getNamedType(field.type))) throw new Untold()
    if (telling) {
      if (telling.isCount && isNested) throw new Untold()
      if (telling.isCount) this.isCounting = true
      return (read, row) => ({ value: telling.value(read, row), isJson: false })
    }
    const exposed = field.extensions['pothosExposedField']
    if (typeof exposed !== 'string') throw new Untold()
    return (_, row) => ({ value: columnOf(row, exposed), isJson: false })
  }

  private noteLookUp(): void {
    this.lookUps += 1
    if (this.lookUps > LOOK_UPS_MAX) throw new Untold()
  }

  private selected(type: GraphQLObjectType, nodes: readonly FieldNode[]): Selected {
    const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
    const selected = this.collect(type.name, sets)
    if (!selected) throw new Untold()
    return selected
  }

  private fieldOf(type: GraphQLObjectType, { name }: FieldNode): GraphQLField<unknown, unknown> {
    const field = type.getFields()[name.value]
    if (!field) throw new Untold()
    this.note(field)
    return field
  }

  private objectType(field: GraphQLField<unknown, unknown>): GraphQLObjectType {
    const type = getNamedType(field.type)
    if (!isObjectType(type)) throw new Untold()
    this.note(type)
    return type
  }

  private note({ extensions }: { readonly extensions: Readonly<Record<string, unknown>> }): void {
    const { scope, pothosOptions } = extensions as { scope?: Scope | null; pothosOptions?: { authScopes?: unknown } }
    if (scope) this.scopes.add(scope)
    // What is asked of a key depends on more than a word: only execution can tell.
    else if (scope === undefined && pothosOptions?.authScopes !== undefined) throw new Untold()
  }
}

interface Part {
  readonly name: string
  /** Of the nodes alone. */
  readonly entry: NestedEntry | undefined
  readonly isCounted: boolean
  readonly write: (list: ToldPage & { readonly totalCount: number | undefined }, isFirst: boolean) => string
}

const PAGE_INFO: Readonly<Record<string, (page: ToldPage, isFirst: boolean) => string | boolean | null>> = {
  hasNextPage: ({ hasNext }) => hasNext,
  hasPreviousPage: (_, isFirst) => !isFirst,
  startCursor: ({ startCursor }) => startCursor(),
  endCursor: ({ endCursor }) => endCursor(),
}

function isTypename({ name }: FieldNode): boolean {
  return name.value === '__typename'
}

function relatedMember({ table, through, where, order, isList }: Related, entry: NestedEntry): Member {
  return (read, row, depth) => {
    const name = `related${depth}`
    const base = table(read.t)
    const related = aliasedTable(base, name)
    const between = through ? sql`${through(read.t)}, ` : sql``
    const built = entry(read, related, depth + 1)
    const told = isList ? read.json.list(built, order(related)) : built
    const from = sql`${between}${base} ${sql.identifier(name)}`
    return { value: sql`(select ${told} from ${from} where ${where(read, row, related)})`, isJson: true }
  }
}
