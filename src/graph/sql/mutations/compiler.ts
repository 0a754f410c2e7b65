import { eq, fillPlaceholders, sql } from 'drizzle-orm'
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getArgumentValues,
} from 'graphql'
import type { Scope } from '../../../auth/scopes.js'
import { Fault } from '../../../errors.js'
import { toFault } from '../../../store/faults.js'
import { bytesOf } from '../../../store/query/jsonPage.js'
import type { Identified } from '../../../store/query/relations.js'
import type { CompiledSql } from '../../../store/store.js'
import { boundedArguments } from '../../bounds.js'
import { type Context, change } from '../../builder.js'
import type { Arguments } from '../../fields.js'
import { hasNames } from '../../hints/names.js'
import { decidingVariables, includedBy, selectionsOf } from '../../selections.js'
import { EntryCompiler, type Nodes } from '../entries.js'
import { cachedStatement, cursorsInTurns, hasStablePlan, keyOf, newNumber, pageRequestsIn } from '../results.js'
import {
  Build,
  boundValues,
  type Entry,
  type ExecutionReason,
  NotCompilable,
  type Slot,
  Weighing,
} from '../statements.js'
import { mutationOf, type RowMutation } from './fields.js'

type Variables = Readonly<Record<string, unknown>>

/** A compiled root field of a mutation: SQL reads its selection in the same transaction as the change. */
export interface CompiledMutation {
  /** All scopes that execution would check; without one of them, execution itself must refuse the request. */
  readonly scopes: ReadonlySet<Scope>
  /**
   * Makes all checks that precede the change, and throws what execution must report. The returned function makes the
   * change; what it throws is the error of the field.
   */
  prepare(context: Context, variables: Variables): Promise<() => Promise<ChangedRow>>
}

/** The result of a mutation. */
export class ChangedRow {
  readonly id: string
  /** The selection as JSON, identical to that of execution and `JSON.stringify`. */
  readonly json: Buffer

  constructor(id: string, json: Buffer) {
    this.id = id
    this.json = json
  }

  toJSON(): unknown {
    return JSON.parse(this.json.toString())
  }
}

/** The change was rolled back because its selection could not be read; execution may succeed. */
export class SelectionFailed extends Error {
  constructor(cause: unknown) {
    super('The selection of a mutation could not be read.', { cause })
  }
}

interface Known {
  readonly nodes: Nodes
  readonly decided: string
  readonly mutation: CompiledMutation | ExecutionReason
}

/** By the first field node, which stays the same when a document is split into operations. */
const compiled = new WeakMap<FieldNode, Known[]>()

/** Per field; each directive may double the number of variants. */
const KEPT_MAX = 16

/** Compiles a root field of a validated mutation, or returns why it must be executed. `variables` are coerced. */
export function compiledMutation(
  schema: GraphQLSchema,
  document: DocumentNode,
  nodes: Nodes,
  variables: Variables,
): CompiledMutation | ExecutionReason {
  const deciding = decidingOf(document)
  if (!deciding) return 'not_compilable'
  if (!deciding.every((name) => typeof variables[name] === 'boolean')) return 'bad_input'
  const decided = deciding.map((name) => variables[name]).join()
  const all = compiled.get(nodes[0]) ?? []
  const found = all.find((one) => one.decided === decided && isSame(one.nodes, nodes))
  if (found) return found.mutation
  const mutation = orReason(() => compile(schema, document, nodes, variables))
  compiled.set(nodes[0], [...(all.length < KEPT_MAX ? all : []), { nodes, decided, mutation }])
  return mutation
}

const deciders = new WeakMap<DocumentNode, readonly string[] | 'unknown'>()

function decidingOf(document: DocumentNode): readonly string[] | undefined {
  const known = deciders.get(document) ?? decidingVariables(document) ?? 'unknown'
  deciders.set(document, known)
  return known === 'unknown' ? undefined : known
}

function isSame(one: Nodes, other: Nodes): boolean {
  return one.length === other.length && one.every((node, index) => node === other[index])
}

function orReason<V>(work: () => V): V | ExecutionReason {
  try {
    return work()
  } catch (error) {
    if (error instanceof NotCompilable) return error.reason
    throw error
  }
}

function compile(schema: GraphQLSchema, document: DocumentNode, nodes: Nodes, variables: Variables): CompiledMutation {
  const root = schema.getMutationType()
  if (!root) throw new NotCompilable()
  const scopes = new Set<Scope>()
  const compiler = new EntryCompiler(selectionsOf(schema, document, includedBy(variables)), scopes)
  const { field, declared, type } = declaredField(compiler, root, nodes[0])
  const { object, weigh } = compiler.entry(type, nodes, root)
  const { slots, hasCursors } = compiler
  const selectionOf = selectionReader({ declared, object, weigh, slots })
  return {
    scopes,
    async prepare(context, given) {
      const args = argumentsOf({ field, node: nodes[0] }, given)
      const selection = await selectionOf(
        context,
        slots.map((slot) => argumentsOf(slot, given)),
      )
      return async () => {
        const { id, json } = await change(context, async (write) => {
          const row = await declared.change(write, args)
          const [found] = await write.lastRows(selection(row.id)).catch(unlessOfStore)
          return { id: row.id, json: bytesOf(found?.[0]) }
        })
        return new ChangedRow(id, hasCursors ? await cursorsInTurns(context, json) : json)
      }
    },
  }
}

/** Rethrows errors of the store, such as a serialization failure, which the store handles by a retry. */
function unlessOfStore(error: unknown): never {
  throw toFault(error) instanceof Fault ? error : new SelectionFailed(error)
}

function declaredField(compiler: EntryCompiler, root: GraphQLObjectType, node: FieldNode) {
  const field = compiler.fieldOf(root, node)
  const declared = mutationOf(field)
  if (!declared) throw new NotCompilable('mutation')
  return { field, declared, type: compiler.objectType(field) }
}

interface Selection extends Entry {
  readonly declared: RowMutation
  readonly slots: readonly Slot[]
}

/** Compiles the statement that reads the selection; throws for bad arguments, before anything is changed. */
function selectionReader({ declared: { list }, object, weigh, slots }: Selection) {
  const number = newNumber()
  return async (context: Context, args: readonly Arguments[]): Promise<(id: string) => CompiledSql> => {
    const { read } = context.store
    const pageRequests = pageRequestsIn(context, { slots }, args, number)
    // Names are looked up before a statement is built, which must not delay the write: execution does so after it.
    if (slots.some(({ list }, slot) => list && hasNames(list, pageRequests[slot]?.filter ?? {})))
      throw new NotCompilable()
    const weighing = new Weighing(pageRequests, 1)
    const perRow = 1 + weigh(weighing)
    // A heavy read must not block other writers: execution reads it after the commit, outside the event loop.
    const extent = { table: list.table(read.t), rows: 1, perRow, ...weighing.others(read) }
    if (weighing.builtOnce.size > 0 || read.guard(extent) !== undefined) throw new NotCompilable('bounds')
    const { text, values } = await cachedStatement(context, `${number} ${keyOf(pageRequests)}`, () => {
      const build = new Build(read, pageRequests)
      const { name, alias } = build.row(list)
      const isIt = eq((alias as Identified).id, sql.placeholder('id'))
      return sql`select ${object(build, alias)} from ${name} where ${isIt}`
    })
    const places = boundValues(pageRequests)
    return (id) => ({
      text,
      values: fillPlaceholders([...values], { ...places, id }),
      hasStablePlan: hasStablePlan(pageRequests),
    })
  }
}

function argumentsOf(
  { field, node }: { readonly field: GraphQLField<unknown, unknown>; readonly node: FieldNode },
  variables: Variables,
): Arguments {
  return boundedArguments(field, getArgumentValues(field, node, variables))
}
