import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isOlder, PACKAGE, VERSION } from '../about.js'
import { CHANGE_COUNTERS, newNonce, raise, raising } from './changeCounters.js'
import type { OnNotice } from './store.js'

const FOLDER = new URL('drizzle/', PACKAGE)

/** The applied migrations, recorded in the store itself. */
export const JOURNAL_TABLE =
  'create table if not exists schema_migration (tag text primary key, hash text not null, applied_at text not null)'

/** A migration may change any result, so it raises the change counters; the first one also inserts their row. */
export function raisingRevision(): string {
  const raised = raising(raise(new Map(), CHANGE_COUNTERS, newNonce()), String)
  return `insert into revision (id, value) values (1, 0) on conflict do nothing; ${raised}`
}

/** Folded columns that migrations added to filled tables: each engine fills them, because only code folds alike in both. */
export const FOLDED_LATER = [
  { table: 'person', given: 'department', folded: 'department_folded' },
  { table: 'person', given: 'title', folded: 'title_folded' },
] as const

export interface Applied {
  readonly tag: string
  readonly hash: string
}

export interface Migration extends Applied {
  readonly statements: Iterable<string>
}

/** The store cannot be used as it is; the message says what to do. */
export class StoreRefused extends Error {}

export interface MigrationState {
  readonly applied: readonly string[]
  readonly pending: readonly string[]
}

/** The migrations of this program, oldest first. */
export function migrationsOf(engine: 'sqlite' | 'postgres'): Migration[] {
  const folder = new URL(`${engine}/`, FOLDER)
  const journal = JSON.parse(readFileSync(new URL('meta/_journal.json', folder), 'utf8')) as {
    entries: { tag: string }[]
  }
  return journal.entries.map(({ tag }) => {
    const text = readFileSync(new URL(`${tag}.sql`, folder), 'utf8')
    const hash = createHash('sha256').update(text).digest('hex')
    return { tag, hash, statements: text.split('--> statement-breakpoint') }
  })
}

/** How often a migration that takes long says how far it is. */
const NOTICE_EVERY_MS = 1_000

/** The pending migrations, which say how far they are when their statements are taken; a new store has no rows to wait for. */
export function announced({ applied, pending }: ReturnType<typeof pendingAfter>, onNotice?: OnNotice): Migration[] {
  if (applied.length === 0 || !onNotice) return pending
  return pending.map(({ tag, hash, statements }, place) => {
    const name = `Migration ${tag} (${place + 1} of ${pending.length})`
    return { tag, hash, statements: counted([...statements], (steps) => onNotice(`${name}: ${steps} done.`)) }
  })
}

function* counted(statements: readonly string[], say: (steps: string) => void): Generator<string> {
  let nextAt = 0
  for (const [index, statement] of statements.entries()) {
    if (performance.now() >= nextAt) {
      say(`${index} of ${statements.length} steps`)
      nextAt = performance.now() + NOTICE_EVERY_MS
    }
    yield statement
  }
}

/** The least version that may write to a store; only a store that this program or a newer one has migrated has it. */
export const SELECT_LEAST_VERSION = 'select least_version from revision'

/** Whether a newer program has migrated the store. */
export function isNewer(rows: readonly Applied[], ours: readonly Migration[]): boolean {
  return rows.some((row) => !ours.some(({ tag }) => tag === row.tag))
}

/**
 * The migrations that a store lacks; throws if it has a different history, or is newer than this program: unless its
 * migrations since only add, so that `leastVersion` is not above this one.
 */
export function pendingAfter(
  rows: readonly Applied[],
  ours: readonly Migration[],
  store: string,
  leastVersion: string,
) {
  for (const row of rows) {
    const own = ours.find(({ tag }) => tag === row.tag)
    if (!own && isOlder(VERSION, leastVersion)) {
      throw new StoreRefused(`The store ${store} is for version ${leastVersion} and later. Upgrade the program.`)
    }
    if (own && own.hash !== row.hash) {
      throw new StoreRefused(
        `The migration ${row.tag} was changed after it was applied to ${store}. Use the released program.`,
      )
    }
  }
  const applied = rows.map(({ tag }) => tag)
  return { applied, pending: ours.filter(({ tag }) => !applied.includes(tag)) }
}
