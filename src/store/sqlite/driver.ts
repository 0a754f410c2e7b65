import type Database from 'better-sqlite3'
import { requireFromPackage } from '../../about.js'
import { LIMITS } from '../../limits.js'
import { StoreRefused } from '../migrationJournal.js'

export type Connection = Database.Database
export type Statement = Database.Statement

type Driver = typeof Database
type DriverName = 'better-sqlite3' | 'better-sqlite3-13'

let driver: Driver | undefined

/** Opens a SQLite file, or a database in a buffer, with the driver that works on this Node. */
export function openDatabase(file: string | Buffer, options?: Database.Options): Connection {
  driver ??= loadDriver(process.versions.node, requireFromPackage)
  return new driver(file, options)
}

/** An SQL function that guarded statements call as they read rows; only read workers define it. */
export const STILL_WANTED = 'still_wanted'

/** An SQL function that adds up bytes, and fails once they are too many; only read workers define it. */
export const WITHIN_LIMIT = 'within_limit'

/** The code of the error if it fails. */
export const TOO_LONG = 'RESULT_TOO_LONG'

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

// better-sqlite3 13 needs Node 22; 12 aborts the process on Node 24.19 and later (nodejs/node#65446). In between both work.
function driversFor(nodeVersion: string): readonly DriverName[] {
  const major = Number.parseInt(nodeVersion, 10)
  if (major < 22) return ['better-sqlite3']
  return major < 24 ? ['better-sqlite3-13', 'better-sqlite3'] : ['better-sqlite3-13']
}

/** The first installed driver that loads on this Node; `load` is Node's `require`. */
export function loadDriver(nodeVersion: string, load: (name: string) => unknown): Driver {
  const names = driversFor(nodeVersion)
  const causes: unknown[] = []
  for (const name of names) {
    try {
      const found = load(name) as Driver
      // The native addon is loaded when the first database is opened.
      new found(':memory:').close()
      return found
    } catch (error) {
      causes.push(error)
    }
  }
  throw new StoreRefused(adviceFor(nodeVersion, names), { cause: causes[0] })
}

function adviceFor(nodeVersion: string, names: readonly DriverName[]): string {
  const command = names.includes('better-sqlite3-13')
    ? '`npm install --ignore-scripts`: its driver comes compiled'
    : '`npm install`, which needs make, g++ and python3 where no binary can be downloaded'
  return `No SQLite driver for Node ${nodeVersion} is installed. With this Node, run ${command}.`
}
