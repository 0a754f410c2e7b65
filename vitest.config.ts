import { defineConfig } from 'vitest/config'

export default defineConfig({
  // One copy of graphql for our code and for packages: two would each refuse the other's errors.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/{browser,package,hostile,faults,failover,postgres,gateways}/**'],
    globalSetup: ['test/runFolder.ts'],
    setupFiles: ['test/matchers.ts'],
    testTimeout: 30_000,
    maxWorkers: 2,
    // Every test has a store and an app of its own; loading the schema anew for each file would double the time.
    isolate: false,
  },
})
