import { readdirSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

/** What has nothing to say where answers are not made quicker, most of it because it is about just that. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'test/idempotencyKept.test.ts': 'Restarts servers, which are processes with settings of their own, and only writes.',
  'test/inFlight.test.ts': 'Sends long lists again and again, of which only the size counts.',
  'test/plans.test.ts': 'Reads the plans of the statements by which the store tells a list.',
  'test/cachedResponses.test.ts': 'Responses that are cached.',
  'test/negotiation.test.ts': 'Asks whether whoever accepts what is answered by compiled SQL.',
  'test/ready.test.ts': 'Answers that are kept ready.',
  'test/registers.test.ts': 'The same: what they depend on.',
  'test/statements.test.ts': 'Counts the statements of answers, which are more where they are executed.',
  'test/store.test.ts': 'Looks at the store itself, past the doors.',
  'test/compiled.test.ts': 'Compiled queries, next to those that are executed.',
  'test/compiledMemory.test.ts': 'The same.',
  'test/compiledRandom.test.ts': 'The same.',
  'test/ways.test.ts': 'Opens a service of each kind by itself.',
}

const sources = new Map(
  readdirSync('test')
    .filter((name) => name.endsWith('.ts'))
    .map((name) => [name, readFileSync(`test/${name}`, 'utf8')]),
)

/** Whether a file has the harness open a service for it, or imports one that does. */
function comesToTheDoors(name: string): boolean {
  if (name === 'harness.ts') return false
  const text = sources.get(name) ?? ''
  const helpers = [...text.matchAll(/^(?:import \{|\}).* from '\.\/(\w+)\.js'/gm)].map(([, helper]) => `${helper}.ts`)
  return /\bopen(Filled|Gateway|Office)\b/.test(text) || helpers.some(comesToTheDoors)
}

/** The suite again, as far as it asks for answers, without what makes answers quicker: they must be the same. */
export default defineConfig({
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: [...sources.keys()]
      .filter((name) => name.endsWith('.test.ts') && comesToTheDoors(name))
      .map((name) => `test/${name}`),
    exclude: Object.keys(LEFT_OUT),
    globalSetup: ['test/runFolder.ts'],
    setupFiles: ['test/matchers.ts'],
    env: { TEST_WAY: 'plain' },
    testTimeout: 30_000,
    maxWorkers: 2,
    isolate: false,
  },
})
