import type { Columns } from './columns.js'
import { bookkeepingTables } from './tables/bookkeeping.js'
import { personnelTables } from './tables/personnel.js'
import { projectTables } from './tables/projects.js'

/** The whole data model, declared once for both engines; CHECK constraints hold for every writer. */
export function defineTables(columns: Columns) {
  const personnel = personnelTables(columns)
  return { ...personnel, ...projectTables(columns, personnel), ...bookkeepingTables(columns) }
}

export type Tables = ReturnType<typeof defineTables>
