import { defineConfig } from 'vitest/config'

/** What is about SQLite's file itself, and so has nothing to say of a server. */
const SQLITE_ALONE: Readonly<Record<string, string>> = {
  'test/backup.test.ts': 'A backup copies the file; PostgreSQL has pg_dump.',
  'test/faults/**': 'A full disk, a lost file, a failing sync: test/postgres has its own outages.',
  'test/migrations.test.ts': 'How a file is created and refused: test/postgres/migrations.test.ts has its like.',
  'test/plans.test.ts': "SQLite's own plans: test/postgres/plans.test.ts reads PostgreSQL's.",
  'test/readWorkers.test.ts': 'A server reads beside the event loop by itself: test/postgres/deadline.test.ts.',
  'test/restore.test.ts': 'A backup takes the place of the file; PostgreSQL has pg_restore.',
  'test/upgrade.test.ts': 'Stores of earlier releases, of which PostgreSQL has none yet.',
}

/** The same suite on a PostgreSQL server: TEST_DATABASE_URL's, or one that is started from an installed PostgreSQL. */
export default defineConfig({
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [
      '**/node_modules/**',
      'test/{browser,package,hostile,failover,gateways}/**',
      ...Object.keys(SQLITE_ALONE),
    ],
    globalSetup: ['test/postgres/setup.ts'],
    setupFiles: ['test/matchers.ts'],
    env: { TEST_ENGINE: 'postgres' },
    testTimeout: 60_000,
    maxWorkers: 2,
    isolate: false,
  },
})
