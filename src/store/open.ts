import { fileOf, isPostgres } from './address.js'
import type { MigrationState } from './journal.js'
import type { OnNotice, Store } from './store.js'

interface OpenOptions {
  readonly migrate?: boolean
  /** SQLite: of the connection that writes. */
  readonly cacheBytes?: number | undefined
  readonly onNotice?: OnNotice | undefined
  /** PostgreSQL: how long a statement that reads may take. */
  readonly deadlineMs?: number
}

/**
 * Opens a store, bringing it up to date first (and creating it if need be) unless told not to.
 * Only the engine that is asked for is loaded.
 */
export async function openStore(database: string, options: OpenOptions = {}): Promise<Store> {
  const { migrate: mayMigrate = true, cacheBytes, onNotice, deadlineMs } = options
  if (isPostgres(database)) {
    if (mayMigrate) await migrateStore(database)
    else await (await import('./postgresMigrations.js')).requireMigratedPostgres(database)
    return (await import('./postgres.js')).openPostgres(database, { onNotice, deadlineMs })
  }
  const { migrate, requireMigrated } = await import('./migrations.js')
  const file = fileOf(database)
  if (mayMigrate) migrate(file)
  else requireMigrated(file)
  return (await import('./sqlite.js')).openSqlite(file, { cacheBytes, onNotice })
}

/** Brings a store up to date, creating it if need be. */
export async function migrateStore(database: string): Promise<MigrationState> {
  return isPostgres(database)
    ? (await import('./postgresMigrations.js')).migratePostgres(database)
    : (await import('./migrations.js')).migrate(fileOf(database))
}
