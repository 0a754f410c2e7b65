import { defineConfig } from 'drizzle-kit'

/** `npm run migration` generates for both: SQLite, and with DIALECT=postgresql PostgreSQL. */
export default defineConfig(
  process.env['DIALECT'] === 'postgresql'
    ? { dialect: 'postgresql', schema: './drizzle.tables.ts', out: './drizzle/postgres' }
    : { dialect: 'sqlite', schema: './drizzle.tables.ts', out: './drizzle/sqlite' },
)
