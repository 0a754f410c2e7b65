import { defineConfig } from 'vitest/config'

// Installing compiles the SQLite driver where its binary cannot be fetched, which takes minutes.
export default defineConfig({
  test: {
    include: ['test/package/**/*.test.ts'],
    globalSetup: ['test/package/host.ts'],
    // They share one host.
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 480_000,
  },
})
