import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'

/** Folders that `npm test` leaves out; each has its own project. */
const APART = ['system', 'browser', 'package', 'gateways', 'hostile', 'faults', 'failover', 'postgres']

/** Tests of the SQLite file itself, each with its PostgreSQL counterpart. */
const SQLITE_ONLY: Readonly<Record<string, string>> = {
  'test/store/backup/check.test.ts': 'A backup copies the file; PostgreSQL has pg_dump.',
  'test/store/migrations.test.ts':
    'How a file is created and rejected; test/postgres/migrations.test.ts is the counterpart.',
  'test/store/plans.test.ts': "SQLite's own plans: test/postgres/plans.test.ts reads PostgreSQL's.",
  'test/system/{backup,readWorkers}.test.ts':
    'The file and its threads; test/postgres/deadline.test.ts tests the deadline of PostgreSQL.',
  'test/store/backup/restore.test.ts': 'Restores the SQLite file; PostgreSQL has pg_restore.',
  'test/store/upgrade.test.ts':
    'The first release had SQLite only; test/store/lastRelease.test.ts upgrades the last one on both engines.',
}

/** Tests of what comes before the store: requests, limits of requests, files, the repository. */
const WITHOUT_STORE = [
  'test/http/{expectContinue,headers,jsonFlaw,longInputs,negotiation,router}.test.ts',
  'test/access/{buckets,rateLimits}.test.ts',
  'test/access/tokens/{pages,shapes,signingKeys}.test.ts',
  'test/system/{bundle,connections,container,hostileCells,hostileWorkbooks,identityProvider,inFlight,nights,slices,rateLimits,schemaCheck,tokens}.test.ts',
  'test/ingest/{files,guess,maps,workbooks}/**',
  'test/repository/**',
]

type Options = NonNullable<TestProjectInlineConfiguration['test']>

function project(name: string, options: Options): TestProjectInlineConfiguration {
  return {
    // One copy of graphql for our code and for packages: graphql-js rejects objects of another copy.
    resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
    test: {
      name,
      setupFiles: ['test/support/matchers.ts'],
      // What is waited for comes in milliseconds, on a busy machine in seconds; only a failure takes this long.
      expect: { poll: { timeout: 15_000 } },
      ...options,
      globalSetup: ['test/support/runFolder.ts', options.globalSetup ?? []].flat(),
    },
  }
}

// Without isolation: every test has its own store and app, and loading the schema for each file would double the time.
const SHARED = {
  testTimeout: 60_000,
  hookTimeout: 60_000,
  maxWorkers: 2,
  isolate: false,
  // A larger young generation: tests drop most of what they allocate, and collecting it took a tenth of the time.
  execArgv: ['--max-semi-space-size=64'],
}

const unit = project('unit', {
  include: ['test/**/*.test.ts'],
  exclude: ['**/node_modules/**', `test/{${APART}}/**`],
  ...SHARED,
})

const others = [
  // The built command as a process, real sockets, and threads.
  project('system', { include: ['test/system/**/*.test.ts'], ...SHARED }),
  // The authorization matrix with every key, field and path; the unit tests have a slice of it.
  project('matrix', { include: ['test/access/matrix/**/*.test.ts'], env: { TEST_MATRIX: 'whole' }, ...SHARED }),
  // The suite on PostgreSQL: the server of TEST_DATABASE_URL, or one started from an installed PostgreSQL.
  project('postgres', {
    include: ['test/**/*.test.ts'],
    exclude: [
      '**/node_modules/**',
      `test/{${APART.filter((folder) => !['postgres', 'system'].includes(folder))}}/**`,
      ...Object.keys(SQLITE_ONLY),
      ...WITHOUT_STORE,
    ],
    globalSetup: ['test/postgres/setup.ts'],
    env: { TEST_ENGINE: 'postgres' },
    ...SHARED,
  }),
  project('browser', { include: ['test/browser/**/*.test.ts'], testTimeout: 60_000 }),
  // The installation compiles the SQLite driver if its binary cannot be downloaded, which takes minutes.
  project('package', {
    include: ['test/package/**/*.test.ts'],
    globalSetup: ['test/package/host.ts'],
    // The tests share one installed host project.
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 480_000,
  }),
  // Third-party gateways, routers and clients; test/gateways has its own lock file for them.
  project('gateways', {
    include: ['test/gateways/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 90_000,
    maxWorkers: 1,
  }),
  // Most of the time is spent waiting for time limits, so two of them run at once, each with servers of its own.
  project('failover', {
    include: ['test/failover/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  }),
  project('faults', { include: ['test/faults/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 60_000, maxWorkers: 1 }),
  // HOSTILE_SHORT=1 skips tests that wait for the server's time limits, and shortens fuzzing.
  project('hostile', {
    include: ['test/hostile/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Latency is measured, so only one server is under load at a time.
    maxWorkers: 1,
    // Tests of slow clients wait for the server's time limits concurrently.
    maxConcurrency: 30,
  }),
]

// The other projects need a database server, a browser, a network or minutes, so they only run with `--project`.
const isChosen = process.argv.some((argument) => argument.startsWith('--project'))

export default defineConfig({ test: { projects: isChosen ? [unit, ...others] : [unit] } })
