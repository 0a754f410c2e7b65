import { migrate, requireMigrated } from './migrations.js'
import { openSqlite } from './sqlite.js'
import type { Store } from './store.js'

/** The file of a store's address, such as `file:./data/operations.db`. */
export function fileOf(database: string): string {
  return database.replace(/^file:(\/\/(?=\/))?/, '')
}

/** Opens a store, bringing it up to date first (and creating it if need be) unless told not to. */
export function openStore(
  database: string,
  { migrate: mayMigrate = true, cacheBytes }: { migrate?: boolean; cacheBytes?: number | undefined } = {},
): Store {
  const file = fileOf(database)
  if (mayMigrate) migrate(file)
  else requireMigrated(file)
  return openSqlite(file, { cacheBytes })
}
