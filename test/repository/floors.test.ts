import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { openDatabase } from '../../src/store/sqlite/driver.js'

const require = createRequire(import.meta.url)

/** Older versions have bugs or vulnerabilities that affect the service. */
const FLOORS: readonly { part: string; floor: string; why: string; version: () => string }[] = [
  {
    part: 'SQLite',
    floor: '3.51.3',
    why: 'a WAL file could be damaged when two processes checkpoint at once',
    version: () => openDatabase(':memory:').prepare('select sqlite_version()').pluck().get() as string,
  },
  { part: 'graphql', floor: '16.15.0', why: 'nothing was tried with the limits here', version: packaged('graphql') },
  { part: 'drizzle-orm', floor: '0.45.2', why: 'identifiers were not escaped', version: packaged('drizzle-orm') },
  {
    part: '@pothos/plugin-scope-auth',
    floor: '4.2.0',
    why: 'the order of fields could decide what is allowed',
    version: packaged('@pothos/plugin-scope-auth'),
  },
]

function packaged(name: string): () => string {
  return () => {
    const entry = require.resolve(name)
    const folder = entry.slice(0, entry.lastIndexOf(`node_modules/${name}/`) + `node_modules/${name}/`.length)
    return (require(`${folder}package.json`) as { version: string }).version
  }
}

function isAtLeast(version: string, floor: string): boolean {
  const [one, other] = [version, floor].map((text) => text.split('.').map(Number))
  for (const [place, least] of (other ?? []).entries()) {
    const actual = one?.[place] ?? 0
    if (actual !== least) return actual > least
  }
  return true
}

test.each(FLOORS)('$part is at least $floor, because below $why', ({ version, floor }) => {
  expect(isAtLeast(version(), floor), `it is ${version()}`).toBe(true)
})

test('versions are compared number by number', () => {
  expect(['3.51.3', '3.52.0', '4.0.0', '3.51.10'].every((version) => isAtLeast(version, '3.51.3'))).toBe(true)
  expect(['3.51.2', '3.9.9', '2.99.99'].some((version) => isAtLeast(version, '3.51.3'))).toBe(false)
})
