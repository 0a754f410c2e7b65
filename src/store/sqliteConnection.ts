import { LIMITS } from '../limits.js'
import { type Connection, openDatabase } from './sqliteDriver.js'

/** The function that a guarded statement calls while it goes through rows; only read workers have it. */
export const STILL_WANTED = 'still_wanted'

/** Opens a connection to a migrated file; the event loop and the read workers open theirs alike. */
export function connect(file: string, onStatement?: (sql: string) => void): Connection {
  const connection = openDatabase(file, {
    fileMustExist: true,
    timeout: LIMITS.storeBusyMs,
    ...(onStatement && { verbose: (statement: unknown) => onStatement(String(statement)) }),
  })
  connection.pragma('journal_mode = wal')
  // An existing WAL file is opened with NORMAL, which may lose an acknowledged write when power fails.
  connection.pragma('synchronous = full')
  connection.pragma('foreign_keys = on')
  // What is blanked or deleted is overwritten in the file as well.
  connection.pragma('secure_delete = on')
  // From here on nobody waits inside SQLite, which would stop the event loop.
  connection.pragma('busy_timeout = 0')
  return connection
}
