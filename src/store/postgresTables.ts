import { postgresColumns } from './columns.js'
import { defineTables } from './tables.js'

export const postgresTables = defineTables(postgresColumns)

// drizzle-kit reads the tables from a module's exports, one by one.
export const { person, group, membership, project, risk, riskTally, issue, change, apiKey, keptAnswer, revision } =
  postgresTables
