import { randomInt } from 'node:crypto'
import { getTableName, is, isSQLWrapper, SQL, type SQLWrapper, sql, Table } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { HELD_NOUNS, type HeldNoun } from '../vocabulary.js'
import type { Tables } from './tables.js'

type RevisionColumn = keyof Tables['revision']['$inferSelect']

/** Parts of the data that change independently; `personnelUpdates` is not raised by new people. */
export const CHANGE_COUNTERS = ['personnel', 'personnelUpdates', 'projects', 'history', 'keys'] as const
export type ChangeCounter = (typeof CHANGE_COUNTERS)[number]

type TableName = Tables[keyof Tables]['_']['name']

const COUNTER_OF = {
  person: 'personnel',
  groups: 'personnelUpdates',
  membership: 'personnelUpdates',
  project: 'projects',
  risk_tally: 'projects',
  change: 'history',
  import_run: 'history',
  api_key: 'keys',
  // No result shows these.
  kept_answer: undefined,
  source_map: undefined,
  revision: undefined,
} as const satisfies Record<Exclude<TableName, HeldNoun>, ChangeCounter | undefined>

const ofEntries = HELD_NOUNS.map((table) => [table, 'projects'] as const)
const counters = new Map<string, ChangeCounter | undefined>([...Object.entries(COUNTER_OF), ...ofEntries])

/** The change counter of a table; undefined if no result shows it, or if it is made by the statement itself. */
export function counterOf(table: Table): ChangeCounter | undefined {
  return counters.get(getTableName(table))
}

/** A table of which a statement reads only rows with given ids, so that new people make no difference. */
class TableById extends SQL {
  readonly counter: ChangeCounter | undefined

  constructor(table: PgTable) {
    super([sql.identifier(getTableName(table))])
    const counter = counterOf(table)
    this.counter = counter === 'personnel' ? 'personnelUpdates' : counter
  }
}

export function byId(table: PgTable): SQLWrapper {
  return new TableById(table)
}

/** The change counters that the rows of a statement depend on: those of the tables that it is built of. */
export function countersIn(built: SQL): readonly ChangeCounter[] {
  const found = new Set<ChangeCounter | undefined>()
  // Grows while it is read. A part may be used several times, and some wrap themselves.
  const parts = new Set<unknown>([built])
  for (const part of parts) {
    if (part instanceof TableById) found.add(part.counter)
    else if (is(part, Table)) found.add(counterOf(part))
    else if (is(part, SQL)) for (const chunk of part.queryChunks) parts.add(chunk)
    else if (Array.isArray(part)) for (const one of part) parts.add(one)
    else if (isSQLWrapper(part)) parts.add(part.getSQL())
  }
  return [...found].filter((counter) => counter !== undefined)
}

/** The columns of the overall counter and of each part's counter. */
export const COUNTERS = ['value', ...CHANGE_COUNTERS] as const satisfies readonly RevisionColumn[]
type Counter = (typeof COUNTERS)[number]

/** A version is a counter and the random value of the last write, so it never recurs, even after restoring a backup. */
export interface FoundVersions extends Readonly<Record<ChangeCounter, string>> {
  readonly all: string
}

export interface Versions extends FoundVersions {
  /** Rises with each change that this process has seen: the versions themselves have no order. */
  readonly order: number
}

/** The columns that have another name. */
const NAMES: Partial<Record<Counter, string>> = { personnelUpdates: 'known' }
const columnOf = (counter: Counter) => NAMES[counter] ?? counter

export const COUNTER_COLUMNS: readonly string[] = COUNTERS.map(columnOf)
const COLUMNS = COUNTER_COLUMNS.map((one) => `${one}, ${one}_nonce`).join(', ')

export const SELECT_VERSIONS = `select ${COLUMNS} from revision`
/** The same as one value: the driver of PostgreSQL takes longer to describe the columns than the server to read them. */
export const SELECT_VERSIONS_AS_JSON = `select json_build_array(${COLUMNS}) from revision`

export function versionsIn(row: readonly unknown[] = []): FoundVersions {
  const at = (counter: Counter) => {
    const index = 2 * COUNTERS.indexOf(counter)
    return `${row[index] ?? 0}-${row[index + 1] ?? 0}`
  }
  return {
    all: at('value'),
    personnel: at('personnel'),
    personnelUpdates: at('personnelUpdates'),
    projects: at('projects'),
    history: at('history'),
    keys: at('keys'),
  }
}

/** Numbers versions in the order they were read; unchanged versions stay the same object. */
export function inOrder(): (found: FoundVersions) => Versions {
  let last: Versions = { ...versionsIn(), order: 0 }
  return (found) => {
    const isSame = found.all === last.all && CHANGE_COUNTERS.every((counter) => found[counter] === last[counter])
    if (!isSame) last = { ...found, order: last.order + 1 }
    return last
  }
}

const NONCE_MAX = 2 ** 48 - 1

export function newNonce(): number {
  return randomInt(1, NONCE_MAX)
}

/** The counters that a transaction raises, each with the random value of the last write that changed it. */
export type Raised = Map<Counter, number>

export function raise(raised: Raised, changed: Iterable<ChangeCounter>, nonce: number): Raised {
  for (const counter of ['value', ...changed] as const) raised.set(counter, nonce)
  return raised
}

/** The UPDATE that raises the counters; `build` writes a value or a placeholder. */
export function raising(raised: Raised, build: (nonce: number) => string): string {
  const changes = [...raised].map(([counter, nonce]) => {
    const one = columnOf(counter)
    return `${one} = ${one} + 1, ${one}_nonce = ${build(nonce)}`
  })
  return `update revision set ${changes.join(', ')}`
}
