import { copyFileSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openPostgres } from '../../src/store/postgres/store.js'
import { type Connection, openDatabase } from '../../src/store/sqlite/driver.js'
import { migrate } from '../../src/store/sqlite/migrations.js'
import { openSqlite } from '../../src/store/sqlite/store.js'
import type { Store } from '../../src/store/store.js'
import { copyDatabase, giveBack, takeDatabase } from '../postgres/databases.js'
import { hangUp, rowsOf, valuesOf } from '../postgres/sync.js'
import { type Engine, engine } from './engine.js'

interface OpenOptions {
  readonly onStatement?: (sql: string, values?: readonly unknown[]) => void
  readonly onNotice?: (sentence: string) => void
  /** SQLite: statements that read more rows run in a read worker. */
  readonly inPlaceRowsMax?: number
  readonly readWorkers?: number
  readonly writesTogether?: number
}

type Row = Readonly<Record<string, unknown>>

/** An empty migrated store, with direct SQL access. */
export interface TestStore {
  /** For `--database` and DATABASE_URL. */
  readonly url: string
  /** Of SQLite. */
  readonly file: string
  open(options?: OpenOptions): Store
  /** Runs SQL. */
  run(sql: string): void
  rows(sql: string): Row[]
  /** Each row as an array of the selected values. */
  values(sql: string): unknown[][]
  /** Holds the write lock like another process, until released. */
  hold(): () => void
  /** Whether another process is writing. */
  isHeld(): boolean
  /** The names of all tables. */
  tables(): string[]
  /** Every row of every table. */
  dump(): Record<string, Row[]>
  remove(): void
}

/** A store that is migrated once for each worker, and copied for each test. */
let migrated: string | undefined

function migratedFile(): string {
  if (migrated === undefined) {
    migrated = join(mkdtempSync(join(tmpdir(), 'operations-migrated-')), 'operations.db')
    migrate(migrated)
  }
  return migrated
}

/** Creates a migrated store of SQLite at a path. */
export function createMigrated(file: string): void {
  mkdirSync(dirname(file), { recursive: true })
  copyFileSync(migratedFile(), file)
}

function newFile(like: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'operations-')), 'operations.db')
  copyFileSync(like, file)
  return file
}

const SQLITE_TABLES = "select name from sqlite_master where type = 'table' order by name"
const POSTGRES_TABLES = "select tablename from pg_tables where schemaname = 'public' order by 1"

// Only this database: pg_locks lists all databases, and copies of one template have the same relation ids.
const HELD = `select 1 from pg_locks where relation = 'revision'::regclass and mode = 'ExclusiveLock' and granted
  and database = (select oid from pg_database where datname = current_database())`

export function newStore(on: Engine = engine): TestStore {
  return on === 'postgres' ? postgresStore(takeDatabase()) : sqliteStore(newFile(migratedFile()))
}

/** A copy of a store that is not open and stays as it is. */
export function copyOf(own: TestStore): TestStore {
  return engine === 'postgres' ? postgresStore(copyDatabase(own.url)) : sqliteStore(newFile(own.file))
}

const tablesIn = (db: Connection) => db.prepare<[], string>(SQLITE_TABLES).pluck().all()

function dumped(tables: readonly string[], rows: TestStore['rows']): Record<string, Row[]> {
  return Object.fromEntries(tables.map((name) => [name, rows(`select * from "${name}" order by 1, 2`)]))
}

export function sqliteStore(file: string): TestStore {
  const within = <T>(work: (db: Connection) => T): T => {
    const db = openDatabase(file)
    try {
      db.pragma('foreign_keys = on')
      return work(db)
    } finally {
      db.close()
    }
  }
  return {
    url: `file:${file}`,
    file,
    open: (options) => openSqlite(file, options),
    run: (sql) => void within((db) => db.exec(sql)),
    rows: (sql) => within((db) => db.prepare<[], Row>(sql).all()),
    values: (sql) => within((db) => db.prepare<[], unknown[]>(sql).raw().all()),
    hold() {
      const other = openDatabase(file)
      other.exec('begin immediate')
      return () => void other.close()
    },
    isHeld: () =>
      within((db) => {
        db.pragma('busy_timeout = 0')
        try {
          db.exec('begin immediate; rollback')
          return false
        } catch {
          return true
        }
      }),
    tables: () => within(tablesIn),
    // In one connection: each one parses the schema anew.
    dump: () => within((db) => dumped(tablesIn(db), (sql) => db.prepare<[], Row>(sql).all())),
    remove: () => removeFolderOf(file),
  }
}

function removeFolderOf(file: string): void {
  try {
    // Mostly the file is all there is: listing the folder would take longer than removing both.
    unlinkSync(file)
    rmdirSync(dirname(file))
  } catch {
    rmSync(dirname(file), { recursive: true, force: true })
  }
}

export function postgresStore(url: string, remove = () => giveBack(url)): TestStore {
  const rows = (sql: string) => rowsOf(url, sql)
  const tables = () => valuesOf(url, POSTGRES_TABLES).map(String)
  return {
    url,
    get file(): string {
      throw new Error('This store is no file: the test is for SQLite alone.')
    },
    open: (options) => openPostgres(url, options),
    run: (sql) => void rowsOf(url, sql),
    rows,
    values: (sql) => valuesOf(url, sql),
    hold() {
      rowsOf(url, 'begin; lock table revision in exclusive mode')
      return () => hangUp(url)
    },
    isHeld: () => valuesOf(url, HELD).length > 0,
    tables,
    dump: () => dumped(tables(), rows),
    remove,
  }
}
