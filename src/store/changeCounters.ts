import { randomInt } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { STATEMENT_CHARACTERS_KEPT } from '../caches.js'
import type { Tables } from './tables.js'

type RevisionColumn = keyof Tables['revision']['$inferSelect']

/**
 * Parts of the data that change independently. Each has a change counter beside the overall one. `known` rises with
 * `personnel`, unless people were only added: that changes no known person, group or membership.
 */
export const CHANGE_COUNTERS = ['personnel', 'known', 'projects', 'history', 'keys'] as const
export type ChangeCounter = (typeof CHANGE_COUNTERS)[number]

type TableName = Tables[keyof Tables]['_']['name']

/** The change counter of each table; undefined for tables that no result shows. */
const COUNTER_OF: Readonly<Record<TableName, ChangeCounter | undefined>> = {
  person: 'personnel',
  groups: 'personnel',
  membership: 'personnel',
  project: 'projects',
  risk: 'projects',
  risk_tally: 'projects',
  issue: 'projects',
  change: 'history',
  api_key: 'keys',
  kept_answer: undefined,
  revision: undefined,
}

/** The change counter of a table: the overall one if it has none of its own. */
export function counterOf(table: string): keyof Versions {
  return names.get(table) ?? 'all'
}

/** The columns of the overall counter and of each part's counter. */
export const COUNTERS = ['value', ...CHANGE_COUNTERS] as const satisfies readonly RevisionColumn[]
type Counter = (typeof COUNTERS)[number]

/**
 * The version of the whole store and of each part: equal exactly while nothing has changed. A version is a counter and
 * the random value of the write that raised it last, so it never recurs, even after restoring a backup.
 */
export interface FoundVersions extends Readonly<Record<ChangeCounter, string>> {
  readonly all: string
}

/** Versions as read by this process. */
export interface Versions extends FoundVersions {
  /** Rises with each change that this process has seen: the versions themselves have no order. */
  readonly order: number
}

const COLUMNS = COUNTERS.map((one) => `${one}, ${one}_nonce`).join(', ')

export const SELECT_VERSIONS = `select ${COLUMNS} from revision`
/** The same as one value: the driver of PostgreSQL takes longer to describe the columns than the server to read them. */
export const SELECT_VERSIONS_AS_JSON = `select json_build_array(${COLUMNS}) from revision`

/** Parses the row of `SELECT_VERSIONS`. */
export function versionsIn(row: readonly unknown[] = []): FoundVersions {
  const at = (counter: Counter) => {
    const index = 2 * COUNTERS.indexOf(counter)
    return `${row[index] ?? 0}-${row[index + 1] ?? 0}`
  }
  return {
    all: at('value'),
    personnel: at('personnel'),
    known: at('known'),
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

/** The random value of a write. */
export function newNonce(): number {
  return randomInt(1, NONCE_MAX)
}

/** The counters that a transaction raises, each with the random value of the last write that changed it. */
export type Raised = Map<Counter, number>

/** Records the changes of one write. */
export function raise(raised: Raised, changed: Iterable<ChangeCounter>, nonce: number): Raised {
  for (const counter of ['value', ...changed] as const) raised.set(counter, nonce)
  return raised
}

/** The UPDATE that raises the counters; `build` writes a value or a placeholder. */
export function raising(raised: Raised, build: (nonce: number) => string): string {
  const changes = [...raised].map(([one, nonce]) => `${one} = ${one} + 1, ${one}_nonce = ${build(nonce)}`)
  return `update revision set ${changes.join(', ')}`
}

/** Bounds the cache: callers' filters and selections make many statements. */
const CACHED_MAX = 1_000

const names = new Map(Object.entries(COUNTER_OF))
const NAME = new RegExp(`\\b(?:${[...names.keys()].join('|')})\\b`, 'g')

function tablesIn(statement: string): readonly string[] {
  return [...new Set(statement.match(NAME))]
}

/** A person read by id, such as the owner of a risk. */
const PERSON_BY_ID = /"person" "(r\d+)" where "\1"\."id" = /g

/** Tables whose rows stay as they are when a person is added. */
const KNOWN_TABLES: readonly string[] = ['groups', 'membership'] satisfies TableName[]

/** The counters that a statement depends on; may include too many if something else has a table's name. */
export const countersIn = cachedByText((statement) => {
  const others = statement.replace(PERSON_BY_ID, '')
  const named = tablesIn(others).flatMap((name) => (KNOWN_TABLES.includes(name) ? 'known' : (names.get(name) ?? [])))
  return others === statement ? named : ['known', ...named]
})

const PERSON: TableName = 'person'
const ADD_PERSON = `insert into "${PERSON}" (`

/** The counters that a statement may raise. */
export const changedBy = cachedByText((statement) => {
  if (statement.startsWith('select')) return []
  const changed = tablesIn(statement).flatMap((name) => names.get(name) ?? [])
  return changed.includes('personnel') && !statement.startsWith(ADD_PERSON) ? [...changed, 'known'] : changed
})

function cachedByText(find: (statement: string) => readonly ChangeCounter[]) {
  const cached = new LRUCache<string, readonly ChangeCounter[]>({ max: CACHED_MAX })
  return (statement: string): readonly ChangeCounter[] => {
    const counters = cached.get(statement) ?? [...new Set(find(statement))]
    // Callers can produce texts of half a megabyte.
    if (statement.length <= STATEMENT_CHARACTERS_KEPT) cached.set(statement, counters)
    return counters
  }
}
