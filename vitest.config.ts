import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { plainTests } from './test/plain.js'

/** Folders with a project of their own. */
const APART = ['browser', 'package', 'gateways', 'hostile', 'faults', 'failover', 'postgres']

/** Tests of SQLite's file itself, and what PostgreSQL has instead. */
const SQLITE_ONLY: Readonly<Record<string, string>> = {
  'test/backup.test.ts': 'A backup copies the file; PostgreSQL has pg_dump.',
  'test/faults/**': 'A full disk, a lost file, a failing sync: test/postgres has its own outages.',
  'test/migrations.test.ts': 'How a file is created and refused: test/postgres/migrations.test.ts has its like.',
  'test/plans.test.ts': "SQLite's own plans: test/postgres/plans.test.ts reads PostgreSQL's.",
  'test/readWorkers.test.ts': 'A server reads beside the event loop by itself: test/postgres/deadline.test.ts.',
  'test/restore.test.ts': 'A backup takes the place of the file; PostgreSQL has pg_restore.',
  'test/upgrade.test.ts': 'Stores of earlier releases, of which PostgreSQL has none yet.',
}

type Options = NonNullable<TestProjectInlineConfiguration['test']>

function project(name: string, options: Options): TestProjectInlineConfiguration {
  return {
    // One copy of graphql for our code and for packages: two would each refuse the other's errors.
    resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
    test: { name, globalSetup: ['test/runFolder.ts'], setupFiles: ['test/matchers.ts'], ...options },
  }
}

// Every test has a store and an app of its own; loading the schema anew for each file would double the time.
const SHARED = { testTimeout: 30_000, maxWorkers: 2, isolate: false }

const unit = project('unit', {
  include: ['test/**/*.test.ts'],
  exclude: ['**/node_modules/**', `test/{${APART}}/**`],
  ...SHARED,
})

const others = [
  // The suite again without the response cache and without compiled queries: the responses must be the same.
  project('plain', { include: plainTests(APART), env: { TEST_WAY: 'plain' }, ...SHARED }),
  // The suite on PostgreSQL: the server of TEST_DATABASE_URL, or one that is started from an installed PostgreSQL.
  project('postgres', {
    include: ['test/**/*.test.ts'],
    exclude: [
      '**/node_modules/**',
      `test/{${APART.filter((folder) => folder !== 'postgres')}}/**`,
      ...Object.keys(SQLITE_ONLY),
    ],
    globalSetup: ['test/postgres/setup.ts'],
    env: { TEST_ENGINE: 'postgres' },
    ...SHARED,
    testTimeout: 60_000,
  }),
  project('browser', { include: ['test/browser/**/*.test.ts'], testTimeout: 60_000 }),
  // Installing compiles the SQLite driver where its binary cannot be fetched, which takes minutes.
  project('package', {
    include: ['test/package/**/*.test.ts'],
    globalSetup: ['test/package/host.ts'],
    // They share one host.
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 480_000,
  }),
  // Gateways, routers and clients of others; test/gateways has a lock file of its own for them.
  project('gateways', {
    include: ['test/gateways/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 90_000,
    maxWorkers: 1,
  }),
  // HOSTILE_SHORT=1 leaves out what waits for the server's own time limits, and fuzzes for less long.
  project('campaigns', {
    include: ['test/{hostile,faults,failover}/**/*.test.ts'],
    globalSetup: [],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // How long others wait is measured: no two servers are to be held up at once.
    maxWorkers: 1,
    // Slow senders wait for the server's time limits, all at once.
    maxConcurrency: 30,
  }),
]

// The others need a database server, a browser, a network or minutes: only `--project` starts them.
const isChosen = process.argv.some((argument) => argument.startsWith('--project'))

export default defineConfig({ test: { projects: isChosen ? [unit, ...others] : [unit] } })
