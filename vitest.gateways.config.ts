import { defineConfig } from 'vitest/config'

/** Gateways, routers and clients that nobody here wrote; test/gateways has a lock file of its own for them. */
export default defineConfig({
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/gateways/*.test.ts'],
    globalSetup: ['test/runFolder.ts'],
    setupFiles: ['test/matchers.ts'],
    testTimeout: 60_000,
    hookTimeout: 90_000,
    maxWorkers: 1,
  },
})
