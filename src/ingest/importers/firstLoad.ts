import type { PgTable } from 'drizzle-orm/pg-core'
import type { Tables } from '../../store/tables.js'
import type { ImportRun } from '../run.js'

/** Whether a table was empty before the run, so that nothing needs to be looked up in it; first called before anything is stored. */
export function isFirstLoad({ write }: ImportRun, table: (t: Tables) => PgTable): () => Promise<boolean> {
  let isFirst: Promise<boolean> | undefined
  return () => {
    isFirst ??= write.db.$count(table(write.t)).then((rows) => rows === 0)
    return isFirst
  }
}
