import { sqliteColumns } from './columns.js'
import { defineTables } from './tables.js'

export const sqliteTables = defineTables(sqliteColumns)

// drizzle-kit reads the tables from a module's exports, one by one.
export const { person, group, membership, project, risk, riskTally, issue, change, apiKey, keptAnswer, revision } =
  sqliteTables
