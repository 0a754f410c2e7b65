import { defineConfig } from 'vitest/config'

/** The same suite on a PostgreSQL server: TEST_DATABASE_URL's, or one that is started from an installed PostgreSQL. */
export default defineConfig({
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/browser/**', 'test/package/**', 'test/hostile/**'],
    globalSetup: ['test/postgres/setup.ts'],
    setupFiles: ['test/matchers.ts'],
    env: { TEST_ENGINE: 'postgres' },
    testTimeout: 60_000,
    maxWorkers: 2,
    isolate: false,
  },
})
