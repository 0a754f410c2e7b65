import { postgresColumns, sqliteColumns } from './src/store/columns.js'
import { defineTables } from './src/store/tables.js'

// drizzle-kit reads each table from the exports of a module.
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
  importRun,
  sourceMap,
  revision,
} = defineTables(process.env['DIALECT'] === 'postgresql' ? postgresColumns : sqliteColumns)
