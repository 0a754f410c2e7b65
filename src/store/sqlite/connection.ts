import { LIMITS } from '../../limits.js'
import { type Connection, openDatabase } from './driver.js'

/** An SQL function that guarded statements call as they read rows; only read workers define it. */
export const STILL_WANTED = 'still_wanted'

/** An SQL function that adds up bytes, and fails once they are too many; only read workers define it. */
export const WITHIN_LIMIT = 'within_limit'

/** Opens a connection to a migrated file, for the event loop and the read workers alike. */
export function connect(file: string, onStatement?: (sql: string) => void): Connection {
  const connection = openDatabase(file, {
    fileMustExist: true,
    timeout: LIMITS.storeBusyMs,
    ...(onStatement && { verbose: (statement: unknown) => onStatement(String(statement)) }),
  })
  connection.pragma('journal_mode = wal')
  // The driver opens an existing WAL file with synchronous=NORMAL, which may lose acknowledged writes at a power failure.
  connection.pragma('synchronous = full')
  connection.pragma('foreign_keys = on')
  // Overwrite deleted content in the file.
  connection.pragma('secure_delete = on')
  // Never wait inside SQLite, which would block the event loop.
  connection.pragma('busy_timeout = 0')
  return connection
}
