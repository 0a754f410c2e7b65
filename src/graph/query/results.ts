import { Fault, ResponseTooLong } from '../../errors.js'
import { isOfStore, toFault } from '../../store/faults.js'
import type { Separator } from '../../store/query/json.js'
import type { CompiledSql, Read } from '../../store/store.js'
import type { Context } from '../builder.js'
import type { Arguments } from './declared.js'
import type { Refusal } from './entries.js'
import type { Variables } from './selections.js'

/** The result of a root field. */
export interface RootResult {
  /** Its JSON, in pieces. */
  readonly json: readonly Buffer[]
  /** The parts of a list, for REST, which shows it in another shape. */
  readonly list?: ListResult
  /** Whether there is a row. */
  readonly isThere: boolean
  /** The id of a changed row. */
  readonly id?: string
  /** The errors of a list of references, by index. */
  readonly flaws?: ReadonlyMap<number, Fault>
}

export interface ListResult {
  /** The JSON of each entry, with the separator between them. */
  readonly entries: Buffer
  readonly pageInfo: { readonly hasNextPage?: boolean; readonly endCursor?: string | null }
  readonly totalCount: number | undefined
}

/** What a root field reads with these arguments. */
export type ReadRoot = (
  context: Context,
  args: readonly Arguments[],
  separator: Separator,
  variables: Variables,
) => Promise<RootRead>

/** The statements of a root field, and how their rows become its result. */
export interface RootRead {
  readonly statements: readonly CompiledSql[]
  /** What the caller may not read of it. */
  readonly refusals: readonly Refusal[]
  /** Gets the rows of each statement; throws a Fault that concerns this field alone. */
  resultOf(rows: readonly unknown[][][]): Promise<RootResult>
}

/** Runs all root fields of an operation in one snapshot; equal fields under several aliases run once. */
export async function readRoots(
  { store: { read } }: Context,
  roots: readonly (RootRead | Fault)[],
): Promise<(RootResult | Fault)[]> {
  const found = await rowsOf(
    read,
    roots.map((root) => (root instanceof Fault ? [] : root.statements)),
  )
  const results: (RootResult | Fault)[] = []
  for (const [index, root] of roots.entries()) {
    results.push(root instanceof Fault ? root : await orFault(() => root.resultOf(found[index] ?? [])))
  }
  return results
}

/** The rows of each statement of each root. */
async function rowsOf(read: Read, roots: readonly (readonly CompiledSql[])[]): Promise<unknown[][][][]> {
  const [statement, ...others] = roots.flat()
  if (!statement) return []
  // Most operations have one statement, and comparing takes longer than all else here.
  if (others.length === 0) {
    const rows = await read.rows(statement)
    return roots.map((statements) => statements.map(() => rows))
  }
  const numbers = new Map<unknown, number>()
  const identified = roots.map((statements) => statements.map((one) => [identityOf(one, numbers), one] as const))
  const distinct = new Map(identified.flat())
  const [first = statement, ...more] = distinct.values()
  const found = more.length === 0 ? [await read.rows(first)] : await read.rowsTogether([first, ...more])
  const rows = new Map([...distinct.keys()].map((identity, index) => [identity, found[index] ?? []]))
  return identified.map((own) => own.map(([identity]) => rows.get(identity) ?? []))
}

/** The text, and the number of each value: a value can be a list of thousands, which all aliases have. */
function identityOf({ text, values }: CompiledSql, numbers: Map<unknown, number>): string {
  for (const value of values) if (!numbers.has(value)) numbers.set(value, numbers.size)
  return `${text}\n${values.map((value) => numbers.get(value)).join()}`
}

/** A Fault of the request is returned: other root fields go on. All else concerns the whole operation, and is thrown. */
export async function orFault<T>(work: () => Promise<T>): Promise<T | Fault> {
  try {
    return await work()
  } catch (error) {
    const fault = toFault(error)
    if (fault instanceof Fault && !isOfStore(fault) && !(fault instanceof ResponseTooLong)) return fault
    throw error
  }
}
