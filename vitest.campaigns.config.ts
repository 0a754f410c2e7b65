import { defineConfig } from 'vitest/config'

// HOSTILE_SHORT=1 leaves out what waits for the server's own time limits, and fuzzes for less long.
export default defineConfig({
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/{hostile,faults,failover}/**/*.test.ts'],
    setupFiles: ['test/matchers.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // How long others wait is measured: no two servers are to be held up at once.
    maxWorkers: 1,
    // Slow senders wait for the server's time limits, all at once.
    maxConcurrency: 30,
  },
})
