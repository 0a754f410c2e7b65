import { fileOf, isPostgres } from './address.js'
import type { MigrationState } from './migrationJournal.js'
import type { OnNotice, Store } from './store.js'

interface OpenOptions {
  readonly migrate?: boolean | undefined
  /** SQLite: page cache of the writing connection. */
  readonly cacheBytes?: number | undefined
  readonly onNotice?: OnNotice | undefined
  /** PostgreSQL: time limit for a read statement. */
  readonly deadlineMs?: number | undefined
  /** SQLite: threads for heavy reads; 0 for none. */
  readonly readWorkers?: number | undefined
  /** Waiting writes that are committed in one transaction. */
  readonly writesTogether?: number | undefined
}

/** Opens a store after migrating it (and creating it if needed), unless disabled; loads only the engine in use. */
export async function openStore(database: string, options: OpenOptions = {}): Promise<Store> {
  const { migrate: mayMigrate = true, cacheBytes, onNotice, deadlineMs, readWorkers, writesTogether } = options
  if (isPostgres(database)) {
    if (mayMigrate) await migrateStore(database, onNotice)
    else await (await import('./postgres/migrations.js')).requireMigratedPostgres(database)
    return (await import('./postgres/store.js')).openPostgres(database, { onNotice, deadlineMs, writesTogether })
  }
  const { migrate, requireMigrated } = await import('./sqlite/migrations.js')
  const file = fileOf(database)
  if (mayMigrate) migrate(file, onNotice)
  else requireMigrated(file)
  return (await import('./sqlite/store.js')).openSqlite(file, { cacheBytes, onNotice, readWorkers, writesTogether })
}

/** Whether somebody else has the store open. */
export async function isStoreInUse(database: string): Promise<boolean> {
  return isPostgres(database)
    ? (await import('./postgres/migrations.js')).isPostgresInUse(database)
    : (await import('./sqlite/restore.js')).isInUse(fileOf(database))
}

export async function migrateStore(database: string, onNotice?: OnNotice): Promise<MigrationState> {
  return isPostgres(database)
    ? (await import('./postgres/migrations.js')).migratePostgres(database, onNotice)
    : (await import('./sqlite/migrations.js')).migrate(fileOf(database), onNotice)
}
