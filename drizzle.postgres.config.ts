import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'postgresql',
  schema: './src/store/postgresTables.ts',
  out: './drizzle/postgres',
})
