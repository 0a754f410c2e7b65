import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type Backup, backUp } from '../../../src/store/sqlite/backup.js'
import { type Connection, openDatabase } from '../../../src/store/sqlite/driver.js'
import { migrate } from '../../../src/store/sqlite/migrations.js'
import { newFolder } from '../../support/process.js'

export const AT = '2026-11-02T09:30:00.000Z'
export const calm = { force: false, clock: () => new Date(AT), signal: new AbortController().signal }

const PEOPLE = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
  insert into person (id, name, name_folded, email, email_folded, title, status, created_at, updated_at)
  select 'usr_' || i, 'Person ' || i, 'person ' || i, 'p' || i || '@example.com', 'p' || i || '@example.com',
    printf('%.*c', 200, 'x'), 'ACTIVE', '${AT}', '${AT}' from n`

/** A store with this many people in one group, in its own folder. */
export function newStore(people: number): { folder: string; store: string } {
  const folder = newFolder()
  const store = join(folder, 'data/operations.db')
  migrate(store)
  within(store, (db) => {
    db.prepare(PEOPLE).run(people)
    db.exec(`insert into groups (id, name, name_folded, created_at, updated_at)
      values ('grp_1', 'Team', 'team', '${AT}', '${AT}')`)
    db.exec("insert into membership (group_id, person_id) select 'grp_1', id from person")
  })
  return { folder, store }
}

export function within<T>(file: string, work: (db: Connection) => T): T {
  const db = openDatabase(file)
  try {
    return work(db)
  } finally {
    db.close()
  }
}

export async function newCopy(): Promise<{ copy: string; expected: Backup }> {
  const { folder, store } = newStore(500)
  const copy = join(folder, 'copy.db')
  return { copy, expected: await backUp(store, copy, calm) }
}

const PAGE_BYTES = 4_096

/** The first page of a table or an index. */
export function rootOf(file: string, name: string): number {
  const rootPage = 'select rootpage from sqlite_master where name = ?'
  return within(file, (db) => Number(db.prepare(rootPage).pluck().get(name)))
}

/** Corrupts a database page that counting does not read. */
export function damageIndex(file: string): void {
  const page = rootOf(file, 'person_email')
  const bytes = readFileSync(file)
  bytes.fill(0xff, (page - 1) * PAGE_BYTES + 2000, page * PAGE_BYTES)
  writeFileSync(file, bytes)
}

/** Overwrites a page in the middle of a table of several pages; its path from the root stays readable. */
export function damageTable(file: string, table: string): void {
  const root = rootOf(file, table)
  const bytes = readFileSync(file)
  const page = bytes.subarray((root - 1) * PAGE_BYTES, root * PAGE_BYTES)
  // An interior page: its header, then the places of its cells, each of which begins with the number of a page.
  const middle = Math.floor(page.readUInt16BE(3) / 2)
  const leaf = page.readUInt32BE(page.readUInt16BE(12 + 2 * middle))
  overwritePage(file, leaf)
}

/** Overwrites a page in place, as a failing disk does. */
export function overwritePage(file: string, page: number): void {
  const descriptor = openSync(file, 'r+')
  writeSync(descriptor, Buffer.alloc(PAGE_BYTES, 0xa5), 0, PAGE_BYTES, (page - 1) * PAGE_BYTES)
  closeSync(descriptor)
}
