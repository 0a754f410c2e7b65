import { getTableName } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { oncePer, oncePerPair } from '../../caches.js'
import {
  type Bulk,
  bulkColumns,
  type Column,
  columnsThenId,
  insertInto,
  lookUpsOf,
  namesOf,
  type Rows,
  updateOf,
  valueIn,
} from '../bulk.js'

const SEQUENCE = 'bigserial'

/** Large enough to make round trips negligible, small enough for the time limit of one statement. */
const ROWS_A_STATEMENT = 5_000

/** How rows that set these columns are written. */
interface Writing {
  readonly columns: readonly Column[]
  /** A single row, as most writes have, takes half as long without arrays. */
  readonly one: string
  readonly many: string
}

const slot = (index: number) => `$${index + 1}`

/** Without this column, if there is one: the engine numbers the rows. */
const insertOf = oncePerPair((table: PgTable, numbered: string): Writing => {
  const columns = bulkColumns(table).filter(({ member }) => member !== numbered)
  const many = `insert into "${getTableName(table)}" (${namesOf(columns)}) select * from ${unnested(columns)}`
  return { columns, one: insertInto(table, columns, slot), many }
})

const updateById = oncePer((table: PgTable): Writing => {
  const columns = columnsThenId(table)
  const changes = columns.slice(0, -1).map(({ name }) => `${name} = given.${name}`)
  const many = `update "${getTableName(table)}" as kept set ${changes.join(', ')} from ${unnested(columns)}
    where kept.id = given.id`
  return { columns, one: updateOf(table, columns, slot), many }
})

function unnested(columns: readonly Column[]): string {
  const arrays = columns.map(({ type }, index) => `${slot(index)}::${arrayOf(type)}`)
  return `unnest(${arrays.join(', ')}) as given (${namesOf(columns)})`
}

function arrayOf(type: string): string {
  return `${type === SEQUENCE ? 'bigint' : type.replace(/ collate .*/, '')}[]`
}

const lookUps = lookUpsOf({
  slot,
  // One value for the whole row: the driver describes the columns of each result anew, which takes longer than the look-up.
  show: (columns) => `json_build_array(${columns})`,
  pairs: 'select * from unnest($1::text[], $2::text[])',
  pairValues: (pairs) => [pairs.map(([one]) => one), pairs.map(([, other]) => other)],
})

/** Writes many rows by one statement with one array parameter per column: PostgreSQL allows 65,535 parameters. */
export function postgresBulk(run: (sql: string, values: unknown[]) => Promise<{ rows: unknown[][] }>): Bulk {
  const writeAll = async ({ columns, one, many }: Writing, rows: Rows) => {
    for (let start = 0; start < rows.length; start += ROWS_A_STATEMENT) {
      const part = rows.slice(start, start + ROWS_A_STATEMENT)
      const valuesOf = (column: Column) => part.map((row) => valueIn(row, column))
      if (part.length === 1) await run(one, columns.flatMap(valuesOf))
      else await run(many, columns.map(valuesOf))
    }
  }
  return {
    async insertAll(table, rows) {
      const sequence = bulkColumns(table).find(({ type }) => type === SEQUENCE)
      if (!sequence) return writeAll(insertOf(table, ''), rows)
      for (const [isNumbered, part] of runsBy(rows, (row) => row[sequence.member] != null)) {
        await writeAll(insertOf(table, isNumbered ? '' : sequence.member), part)
        if (isNumbered) await run(countOn(table, sequence), [])
      }
    },
    updateAll: (table, rows) => writeAll(updateById(table), rows),
    ...lookUps(async (sql, values) => (await run(sql, values)).rows.map(([row]) => row as unknown[])),
    // Keep the indexes: other sessions read meanwhile.
    suspendIndexes: async () => async () => {},
  }
}

/** Rows that follow each other and are equal in this, in their order. */
function runsBy(rows: Rows, is: (row: Rows[number]) => boolean): (readonly [boolean, Rows])[] {
  const starts = rows.flatMap((row, at) => (at === 0 || is(row) !== is(rows[at - 1] ?? {}) ? [at] : []))
  return starts.map((start, index) => [is(rows[start] ?? {}), rows.slice(start, starts[index + 1])])
}

function countOn(table: PgTable, { name }: Column): string {
  const own = getTableName(table)
  const sequence = `pg_get_serial_sequence('"${own}"', '${name.replaceAll('"', '')}')`
  return `select setval(${sequence}, (select max(${name}) from "${own}"))`
}
