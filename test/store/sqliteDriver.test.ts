import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { StoreRefused } from '../../src/store/migrationJournal.js'
import { loadDriver } from '../../src/store/sqlite/driver.js'

const require = createRequire(import.meta.url)
const here = Number.parseInt(process.versions.node, 10) < 22 ? 'better-sqlite3' : 'better-sqlite3-13'
const working: unknown = require(here)

/** A fake `require` with these drivers installed, which records its calls. */
function installed(...names: string[]) {
  const loaded: string[] = []
  const load = (name: string): unknown => {
    loaded.push(name)
    if (names.includes(name)) return working
    throw Object.assign(new Error(`Cannot find module '${name}'`), { code: 'MODULE_NOT_FOUND' })
  }
  return { loaded, load }
}

const BOTH = ['better-sqlite3', 'better-sqlite3-13']

test.each([
  ['20.19.6', ['better-sqlite3']],
  ['20.20.2', ['better-sqlite3']],
  ['22.12.0', ['better-sqlite3-13']],
  ['24.21.0', ['better-sqlite3-13']],
  ['26.0.0', ['better-sqlite3-13']],
])('Node %s gets a driver that works there, and the other is not even loaded', (version, expected) => {
  const { loaded, load } = installed(...BOTH)
  expect(loadDriver(version, load)).toBe(working)
  expect(loaded).toEqual(expected)
})

test('Node 22 takes the older driver where the newer one is not installed', () => {
  const { loaded, load } = installed('better-sqlite3')
  expect(loadDriver('22.12.0', load)).toBe(working)
  expect(loaded).toEqual(['better-sqlite3-13', 'better-sqlite3'])
})

test.each([
  [
    '20.19.6',
    'better-sqlite3-13',
    'No SQLite driver for Node 20.19.6 is installed. With this Node, run `npm install`, which needs make, g++ and python3 where no binary can be downloaded.',
  ],
  [
    '24.21.0',
    'better-sqlite3',
    'No SQLite driver for Node 24.21.0 is installed. With this Node, run `npm install --ignore-scripts`: its driver comes compiled.',
  ],
])('Node %s with %s alone is refused, with the command to install the other', (version, other, sentence) => {
  const { load } = installed(other)
  expect(() => loadDriver(version, load)).toThrow(new StoreRefused(sentence))
})

test('a driver that is installed and does not load, as after a change of Node, counts as none', () => {
  const broken = function Broken() {
    throw Object.assign(new Error('The module was compiled against a different Node.js version'), {
      code: 'ERR_DLOPEN_FAILED',
    })
  }
  expect(() => loadDriver('20.19.6', () => broken)).toThrow(/^No SQLite driver for Node 20\.19\.6 is installed/)
})

test('the lock keeps npm from compiling the driver that brings its binaries along', () => {
  const lock = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'))
  // npm reads `gypfile` from the lock alone, and drops it whenever it writes the lock (npm/cli#3341): put it back.
  expect(lock.packages['node_modules/better-sqlite3-13']).toMatchObject({ gypfile: false, optional: true })
  // So that it is neither installed nor compiled where the other one is used: `npm ci` believes the lock.
  expect(lock.packages['node_modules/better-sqlite3']).toMatchObject({ engines: { node: '<22' }, optional: true })
})
