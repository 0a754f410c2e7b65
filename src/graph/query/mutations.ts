import { eq, sql } from 'drizzle-orm'
import type { GraphQLObjectType } from 'graphql'
import { Fault } from '../../errors.js'
import { bytesOf } from '../../store/query/jsonPage.js'
import type { AnyList } from '../../store/query/page.js'
import { memberColumn } from '../../store/query/page.js'
import type { Write } from '../../store/store.js'
import { type Context, change } from '../builder.js'
import { type Arguments, type Mutation, objectOf, sqlOf } from './declared.js'
import { below, type EntryPlanner, type Place, type Refusal } from './entries.js'
import { shownMember } from './members.js'
import { pageRequestsIn } from './pageRequests.js'
import { type Cost, selected, sum } from './prices.js'
import { type RootResult, refusalsIn } from './readers.js'
import type { Nodes } from './selections.js'
import { statementOf } from './statements.js'

/** Makes all checks that precede a change. What it returns makes the change, and reads what is selected of it. */
export type ChangeRoot = (context: Context, args: readonly Arguments[]) => Promise<PreparedChange>

interface PreparedChange {
  readonly refusals: readonly Refusal[]
  run(): Promise<RootResult>
}

/** What a mutation shows of its change, or a part of it. */
interface Shown {
  readonly cost: Cost
  /** Makes the statements before the change; what it returns reads the JSON in the transaction of the change. */
  prepare(context: Context, args: readonly Arguments[]): Promise<(write: Write, changed: object) => Promise<Buffer>>
}

/** Plans a root field of a mutation. */
export function changerOf(planner: EntryPlanner, { list, check, change: make }: Mutation) {
  const { field, nodes } = planner.root
  const type = objectOf(field)
  const shown = list
    ? changedRow(planner, { list, by: 'id', key: idOf }, type, nodes, planner.place(list.table))
    : report(planner, type, nodes)
  const prepare: ChangeRoot = async (context, args) => {
    const [own = {}] = args
    check?.(context.principal, own)
    const show = await shown.prepare(context, args)
    return {
      refusals: refusalsIn(planner),
      run: () =>
        change(context, async (write) => {
          const changed = await make(write, own, context.principal)
          const json = [await show(write, changed)]
          return { json, isThere: true, ...(list && { id: idOf(changed) }) }
        }),
    }
  }
  return { cost: selected(shown.cost), run: { change: prepare } }
}

function idOf(row: object): string {
  return (row as { id: string }).id
}

/** A report has values, and perhaps rows that it has changed. */
function report(planner: EntryPlanner, type: GraphQLObjectType, nodes: Nodes): Shown {
  const members = Array.from(planner.ours(type, nodes), ([name, fields]): [string, Shown] => {
    const member = type.getFields()[fields[0].name.value]
    const declared = member && sqlOf(member)
    if (!declared || !('row' in declared)) {
      const { cost, shown } = shownMember(planner, type, fields)
      return [name, { cost, prepare: async () => async (_, changed) => Buffer.from(shown(changed)) }]
    }
    const place = { ...below(planner.place(declared.row.list.table), name), parent: type }
    const row = changedRow(planner, declared.row, objectOf(member), fields, place)
    return [name, { ...row, cost: selected(row.cost) }]
  })
  return {
    cost: sum(members.map(([, { cost }]) => cost)),
    async prepare(context, args) {
      const shows = await Promise.all(members.map(([, member]) => member.prepare(context, args)))
      return async (write, changed) => {
        const parts: Buffer[] = []
        for (const [index, [name]] of members.entries()) {
          const json = await shows[index]?.(write, changed)
          parts.push(Buffer.from(`${index === 0 ? '{' : ','}"${name}":`), bytesOf(json))
        }
        return Buffer.concat([...parts, Buffer.from(parts.length === 0 ? '{}' : '}')])
      }
    },
  }
}

/** Stands for the key of a row that is not known before the change. */
const KEY = Symbol('key')

/** The selected fields of a changed row, by a key. */
function changedRow(
  planner: EntryPlanner,
  { list, by, key }: { list: AnyList; by: string; key: (changed: never) => string },
  type: GraphQLObjectType,
  nodes: Nodes,
  place: Place,
): Shown {
  const { object, weigh, cost } = planner.entry(type, nodes, place)
  const rows = planner.rows(weigh)
  return {
    cost,
    async prepare(context, args) {
      const pageRequests = await pageRequestsIn(context, rows, args)
      const statement = await statementOf(context, rows, pageRequests, {
        extent: { table: list.table(context.store.read.t), rows: 1 },
        times: 1,
        isOfChange: true,
        build: (build) => {
          const { name, alias } = build.row(list)
          const isIt = eq(memberColumn(alias, by), sql.placeholder('key'))
          return sql`select ${object(build, alias)} from ${name} where ${isIt}`
        },
        given: { key: KEY },
      })
      // It is read while other writers wait.
      if (statement.isHeavy) throw new Fault('TOO_COMPLEX', TOO_HEAVY)
      return async (write, changed) => {
        const values = statement.values.map((value) => (value === KEY ? key(changed as never) : value))
        const [found] = await write.rows({ ...statement, values })
        return bytesOf(found?.[0])
      }
    },
  }
}

const TOO_HEAVY =
  'This selects too much of what it changes. Select its id and a few fields, and read the rest with a query.'
