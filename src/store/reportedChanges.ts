import type { Table } from 'drizzle-orm'
import type { Bulk } from './bulk.js'
import { type ChangeCounter, counterOf } from './changeCounters.js'
import type { Write } from './store.js'

/** Called before a table is changed, with the counters that this raises. */
type OnChange = (raised: readonly ChangeCounter[]) => void

/** The same write, which reports every change of a table. */
export function reporting<W extends Pick<Write, 'db' | keyof Bulk>>(write: W, onChange: OnChange): W {
  const raise = (table: Table, isInsert = false) => {
    const counter = counterOf(table)
    if (counter === 'personnel') onChange(isInsert ? [counter] : [counter, 'known'])
    else onChange(counter ? [counter] : [])
  }
  const { db, insertAll, updateAll, suspendIndexes } = write
  const changing: Pick<Write['db'], 'insert' | 'update' | 'delete'> = {
    insert(table) {
      raise(table, true)
      return db.insert(table)
    },
    update(table) {
      raise(table)
      return db.update(table)
    },
    delete(table) {
      raise(table)
      return db.delete(table)
    },
  }
  const bulk: Pick<Bulk, 'insertAll' | 'updateAll' | 'suspendIndexes'> = {
    insertAll(table, rows) {
      if (rows.length > 0) raise(table, true)
      return insertAll(table, rows)
    },
    updateAll(table, rows) {
      if (rows.length > 0) raise(table)
      return updateAll(table, rows)
    },
    suspendIndexes(table) {
      onChange([])
      return suspendIndexes(table)
    },
  }
  return { ...write, ...bulk, db: Object.assign(Object.create(db), changing) }
}
