import { defineConfig } from 'drizzle-kit'

/** `npm run migration` generates for both: SQLite, and with DIALECT=postgresql PostgreSQL. */
export default defineConfig(
  process.env['DIALECT'] === 'postgresql'
    ? { dialect: 'postgresql', schema: './src/store/postgresTables.ts', out: './drizzle/postgres' }
    : { dialect: 'sqlite', schema: './src/store/sqliteTables.ts', out: './drizzle/sqlite' },
)
