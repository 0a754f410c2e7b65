import { randomInt } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { LIMITS } from '../limits.js'
import type { Tables } from './tables.js'

type RevisionColumn = keyof Tables['revision']['$inferSelect']

/** What is stored, in parts that change apart from each other. Each has its counter beside that of all. */
export const REGISTERS = ['personnel', 'projects', 'history', 'keys'] as const satisfies readonly RevisionColumn[]
export type Register = (typeof REGISTERS)[number]

type TableName = Tables[keyof Tables]['_']['name']

/** Where each table belongs; what no answer shows belongs nowhere. */
const REGISTER_OF: Readonly<Record<TableName, Register | undefined>> = {
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

/** The register that a table belongs to: that of all where it belongs to none of its own. */
export function registerOf(table: string): keyof Versions {
  return names.get(table) ?? 'all'
}

/** The counter of all that is stored, and that of each register. */
export const COUNTERS = ['value', ...REGISTERS] as const satisfies readonly RevisionColumn[]
type Counter = (typeof COUNTERS)[number]

/**
 * The state of all that is stored, and of each register: equal exactly while nothing has changed. Each is a counter and
 * the random value of the write that raised it last, so none comes again when the store is put back to an earlier state.
 */
export interface FoundVersions extends Readonly<Record<Register, string>> {
  readonly all: string
}

/** Versions as a process has found them. */
export interface Versions extends FoundVersions {
  /** Higher in what was found later: the versions themselves have no order. */
  readonly order: number
}

export const SELECT_VERSIONS = `select ${COUNTERS.map((one) => `${one}, ${one}_nonce`).join(', ')} from revision`

/** What `SELECT_VERSIONS` has found. */
export function versionsIn(row: readonly unknown[] = []): FoundVersions {
  const at = (counter: Counter) => {
    const index = 2 * COUNTERS.indexOf(counter)
    return `${row[index] ?? 0}-${row[index + 1] ?? 0}`
  }
  return {
    all: at('value'),
    personnel: at('personnel'),
    projects: at('projects'),
    history: at('history'),
    keys: at('keys'),
  }
}

/** Orders versions by when they were found; what has not changed stays the same object. */
export function inOrder(): (found: FoundVersions) => Versions {
  let last: Versions = { ...versionsIn(), order: 0 }
  return (found) => {
    const isSame = found.all === last.all && REGISTERS.every((register) => found[register] === last[register])
    if (!isSame) last = { ...found, order: last.order + 1 }
    return last
  }
}

const NONCE_MAX = 2 ** 48 - 1

/** The random value of one write. */
export function newNonce(): number {
  return randomInt(1, NONCE_MAX)
}

/** The counters that a transaction raises, each with the random value of the last write that raised it. */
export type Raised = Map<Counter, number>

/** Notes what one write has changed. */
export function raise(raised: Raised, changed: Iterable<Register>, nonce = newNonce()): Raised {
  for (const counter of ['value', ...changed] as const) raised.set(counter, nonce)
  return raised
}

/** Counts a change; `spell` says how a value is written in the statement. */
export function raising(raised: Raised, spell: (nonce: number) => string): string {
  const changes = [...raised].map(([one, nonce]) => `${one} = ${one} + 1, ${one}_nonce = ${spell(nonce)}`)
  return `update revision set ${changes.join(', ')}`
}

/** Statements are few and long; of those that callers' filters and selections make, only so many are remembered. */
const KNOWN_MAX = 1_000

const known = new LRUCache<string, readonly Register[]>({ max: KNOWN_MAX })

const names = new Map(Object.entries(REGISTER_OF))
const NAME = new RegExp(`\\b(?:${[...names.keys()].join('|')})\\b`, 'g')

/** The registers whose tables a statement names: perhaps too many, where something else is called like a table. */
export function registersIn(statement: string): readonly Register[] {
  const found = known.get(statement)
  if (found) return found
  const named = [...new Set(statement.match(NAME))].flatMap((name) => names.get(name) ?? [])
  if (statement.length > LIMITS.storeKeptCharacters) return named
  known.set(statement, named)
  return named
}

/** The registers that a statement may change. */
export function changedBy(statement: string): readonly Register[] {
  return statement.startsWith('select') ? [] : registersIn(statement)
}
