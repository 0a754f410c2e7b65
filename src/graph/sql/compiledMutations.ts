import { eq, fillPlaceholders, sql } from 'drizzle-orm'
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getArgumentValues,
} from 'graphql'
import type { Scope } from '../../auth/scopes.js'
import { Fault } from '../../errors.js'
import { toFault } from '../../store/faults.js'
import { bytesOf } from '../../store/jsonPage.js'
import type { Identified } from '../../store/relations.js'
import type { Spelled } from '../../store/store.js'
import { boundedArguments } from '../bounds.js'
import { type Context, change } from '../builder.js'
import { hasNames } from '../names.js'
import { type Entry, EntryCompiler, type Nodes } from './entries.js'
import type { Arguments } from './fields.js'
import { mutationOf, type RowMutation } from './mutationFields.js'
import { askedIn, cursorsInTurns, isSteady, kept, keyOf, newNumber } from './results.js'
import { decidingVariables, includedBy, selectionsOf } from './selections.js'
import { Build, boundValues, type ExecutionReason, NotCompilable, type Slot, Weighing } from './statements.js'

type Variables = Readonly<Record<string, unknown>>

/** One root field of a mutation, whose selection SQL reads in the transaction that makes the change. */
export interface CompiledMutation {
  /** Everything that execution would ask of a key: whoever lacks one of these is to be refused by execution itself. */
  readonly scopes: ReadonlySet<Scope>
  /**
   * Checks all that can be checked before the change, and throws what execution is to report. Then the change is run by
   * the function that is returned; what that throws is the error of the field.
   */
  prepare(context: Context, variables: Variables): () => Promise<ChangedRow>
}

/** What a mutation has answered. */
export class ChangedRow {
  readonly id: string
  /** The selection, as execution and `JSON.stringify` would have it. */
  readonly json: Buffer

  constructor(id: string, json: Buffer) {
    this.id = id
    this.json = json
  }

  toJSON(): unknown {
    return JSON.parse(this.json.toString())
  }
}

/** The change was undone, because its selection could not be read: execution may do better. */
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

/** By the first node: those of a document that was taken apart are still the same. */
const compiled = new WeakMap<FieldNode, Known[]>()

/** Of one field; each directive may double how many there are. */
const KEPT_MAX = 16

/** A root field of a validated mutation, compiled; or why it must be executed. `variables` are coerced. */
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
    prepare(context, given) {
      const args = argumentsOf({ field, node: nodes[0] }, given)
      const selection = selectionOf(
        context,
        slots.map((slot) => argumentsOf(slot, given)),
      )
      return async () => {
        const { id, json } = await change(context, async (write) => {
          const row = await declared.change(write, args)
          const [found] = await write.rows(selection(row.id)).catch(unlessOfStore)
          return { id: row.id, json: bytesOf(found?.[0]) }
        })
        return new ChangedRow(id, hasCursors ? await cursorsInTurns(context, json) : json)
      }
    },
  }
}

/** What is wrong with the store, such as a transaction to be tried again, is for the store to see. */
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

/** Spells the statement that reads a selection; throws what is wrong with its arguments, before anything is changed. */
function selectionReader({ declared: { list }, object, weigh, slots }: Selection) {
  const number = newNumber()
  return (context: Context, args: readonly Arguments[]): ((id: string) => Spelled) => {
    const { read } = context.store
    const asked = askedIn(context, { slots }, args, number)
    // Names are looked up before a statement is built, which must not delay the write: execution does so after it.
    if (slots.some(({ list }, slot) => list && hasNames(list, asked[slot]?.filter ?? {}))) throw new NotCompilable()
    const weighing = new Weighing(asked, 1)
    const perRow = 1 + weigh(weighing)
    // What reads much must not do so while others wait to write: execution reads it after the commit, beside the loop.
    const extent = { table: list.table(read.t), rows: 1, perRow, ...weighing.counts(read) }
    if (read.guard(extent) !== undefined) throw new NotCompilable('bounds')
    const { text, values } = kept(read, `${number} ${keyOf(asked)}`, () => {
      const build = new Build(read, asked, false)
      const { name, alias } = build.row(list)
      const isIt = eq((alias as Identified).id, sql.placeholder('id'))
      return sql`select ${object(build, alias)} from ${name} where ${isIt}`
    })
    const places = boundValues(asked)
    return (id) => ({ text, values: fillPlaceholders([...values], { ...places, id }), isSteady: isSteady(asked) })
  }
}

function argumentsOf(
  { field, node }: { readonly field: GraphQLField<unknown, unknown>; readonly node: FieldNode },
  variables: Variables,
): Arguments {
  return boundedArguments(field, getArgumentValues(field, node, variables))
}
