import { eq, sql } from 'drizzle-orm'
import type { GraphQLObjectType } from 'graphql'
import { Fault } from '../../errors.js'
import { bytesOf } from '../../store/query/jsonPage.js'
import type { AnyList } from '../../store/query/page.js'
import type { CompiledSql, Write } from '../../store/store.js'
import { type Context, change } from '../builder.js'
import { type Arguments, columnOf, type Mutation, objectOf, sqlOf } from './declared.js'
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

/** What a mutation shows of its change. */
interface PlannedChange {
  readonly cost: Cost
  /** The rows that are read after the change. */
  readonly rows: readonly ChangedRow[]
  /** Gets the JSON of a row by its key. */
  resultOf(value: object, jsonOf: (row: ChangedRow, key: string) => Promise<Buffer>): Promise<RootResult>
}

/** The selected fields of a changed row, which are read by a key in the transaction of the change. */
interface ChangedRow {
  readonly cost: Cost
  statementFor(context: Context, args: readonly Arguments[]): Promise<(key: string) => CompiledSql>
}

/** Plans a root field of a mutation. */
export function changerOf(planner: EntryPlanner, mutation: Mutation) {
  const planned = mutation.list ? wholeRow(planner, mutation.list) : report(planner)
  const prepare: ChangeRoot = async (context, args) => {
    const { principal } = context
    const [own = {}] = args
    mutation.check?.(principal, own)
    const statements = new Map<ChangedRow, (key: string) => CompiledSql>()
    for (const row of planned.rows) statements.set(row, await row.statementFor(context, args))
    const reading = (write: Write) => async (row: ChangedRow, key: string) => {
      const statement = statements.get(row)?.(key)
      const [found] = statement ? await write.rows(statement) : []
      return bytesOf(found?.[0])
    }
    return {
      refusals: refusalsIn(planner),
      run: () =>
        change(context, async (write) => {
          const value = await mutation.change(write, own, principal)
          return planned.resultOf(value, reading(write))
        }),
    }
  }
  return { cost: planned.cost, run: { change: prepare } }
}

function wholeRow(planner: EntryPlanner, list: AnyList): PlannedChange {
  const { field, nodes } = planner.root
  const row = changedRow(planner, { list, by: 'id' }, objectOf(field), nodes, planner.place(list.table))
  return {
    cost: selected(row.cost),
    rows: [row],
    async resultOf(value, jsonOf) {
      const { id } = value as { id: string }
      return { json: [await jsonOf(row, id)], isThere: true, id }
    },
  }
}

/** A report has values, and perhaps rows that it has changed. */
function report(planner: EntryPlanner): PlannedChange {
  const { field, nodes } = planner.root
  const type = objectOf(field)
  const members = Array.from(planner.ours(type, nodes), ([name, fields]) => {
    const member = type.getFields()[fields[0].name.value]
    const declared = member && sqlOf(member)
    if (!declared || !('row' in declared)) return { name, ...shownMember(planner, type, fields) }
    const place = { ...below(planner.place(declared.row.list.table), name), parent: type }
    const row = changedRow(planner, declared.row, objectOf(member), fields, place)
    return { name, row, key: declared.row.key, cost: selected(row.cost), shown: undefined }
  })
  return {
    cost: selected(sum(members.map(({ cost }) => cost))),
    rows: members.flatMap((member) => (member.shown ? [] : [member.row])),
    async resultOf(value, jsonOf) {
      const json: Buffer[] = [Buffer.from('{')]
      for (const member of members) {
        json.push(Buffer.from(`${json.length === 1 ? '' : ','}"${member.name}":`))
        if (member.shown) json.push(Buffer.from(member.shown(value)))
        else json.push(await jsonOf(member.row, member.key(value as never)))
      }
      return { json: [...json, Buffer.from('}')], isThere: true }
    },
  }
}

/** Stands for the key of a row that is not known before the change. */
const KEY = Symbol('key')

function changedRow(
  planner: EntryPlanner,
  { list, by }: { readonly list: AnyList; readonly by: string },
  type: GraphQLObjectType,
  nodes: Nodes,
  place: Place,
): ChangedRow {
  const { object, weigh, cost } = planner.entry(type, nodes, place)
  const rows = planner.rows(weigh)
  return {
    cost,
    async statementFor(context, args) {
      const pageRequests = await pageRequestsIn(context, rows, args)
      const statement = await statementOf(context, rows, pageRequests, {
        extent: { table: list.table(context.store.read.t), rows: 1 },
        times: 1,
        isOfChange: true,
        build: (build) => {
          const { name, alias } = build.row(list)
          const isIt = eq(columnOf(alias, by), sql.placeholder('key'))
          return sql`select ${object(build, alias)} from ${name} where ${isIt}`
        },
        given: { key: KEY },
      })
      // It is read while other writers wait.
      if (statement.isHeavy) throw tooHeavy()
      return (key) => ({ ...statement, values: statement.values.map((value) => (value === KEY ? key : value)) })
    },
  }
}

function tooHeavy(): Fault {
  return new Fault(
    'TOO_COMPLEX',
    'This selects too much of what it changes. Select its id and a few fields, and read the rest with a query.',
  )
}
