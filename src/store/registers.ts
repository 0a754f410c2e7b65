import { LIMITS } from '../limits.js'
import type { Tables } from './tables.js'

type Counter = keyof Tables['revision']['$inferSelect']

/** What is stored, in parts that change apart from each other. Each has its counter beside that of all. */
export const REGISTERS = ['personnel', 'projects', 'history', 'keys'] as const satisfies readonly Counter[]
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

/** How often all that is stored has changed, and each register. */
export interface Versions extends Readonly<Record<Register, number>> {
  readonly all: number
}

export const SELECT_VERSIONS = `select value, ${REGISTERS.join(', ')} from revision`

/** What `SELECT_VERSIONS` has found. */
export function versionsIn(row: readonly unknown[] | undefined): Versions {
  const [all = 0, personnel = 0, projects = 0, history = 0, keys = 0] = row?.map(Number) ?? []
  return { all, personnel, projects, history, keys }
}

/** Counts a change of these registers. */
export function raising(registers: Iterable<Register>): string {
  return `update revision set ${['value', ...registers].map((column) => `${column} = ${column} + 1`).join(', ')}`
}

/** Statements are few and long; of those that callers' filters and selections make, only so many are remembered. */
const KNOWN_MAX = 1_000

const known = new Map<string, readonly Register[]>()

const names = new Map(Object.entries(REGISTER_OF))
const NAME = new RegExp(`\\b(?:${[...names.keys()].join('|')})\\b`, 'g')

/** The registers whose tables a statement names: perhaps too many, where something else is called like a table. */
export function registersIn(statement: string): readonly Register[] {
  const found = known.get(statement)
  if (found) return found
  const named = [...new Set(statement.match(NAME))].flatMap((name) => names.get(name) ?? [])
  if (statement.length > LIMITS.storeKeptCharacters) return named
  if (known.size >= KNOWN_MAX) known.clear()
  known.set(statement, named)
  return named
}

/** The registers that a statement may change. */
export function changedBy(statement: string): readonly Register[] {
  return statement.startsWith('select') ? [] : registersIn(statement)
}
