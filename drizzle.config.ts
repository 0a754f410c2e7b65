import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'sqlite',
  schema: './src/store/sqliteTables.ts',
  out: './drizzle/sqlite',
})
