import { postgresColumns } from '../columns.js'
import { defineTables } from '../tables.js'

export const postgresTables = defineTables(postgresColumns)

// drizzle-kit reads each table from the exports of this module.
export const {
  person,
  group,
  membership,
  project,
  risk,
  riskTally,
  issue,
  change,
  apiKey,
  idempotencyRecord,
  revision,
} = postgresTables
