import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

interface Locked {
  readonly version: string
  readonly license?: string
  readonly dev?: boolean
}

const lock = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'))
const packages = Object.entries<Locked>(lock.packages).filter(([path]) => path !== '')

/** Permissive licences, which an MIT product may distribute. */
const KNOWN = new Set([
  'MIT',
  'ISC',
  '0BSD',
  'BSD-3-Clause',
  'Apache-2.0',
  'BlueOak-1.0.0',
  '(MIT OR WTFPL)',
  '(BSD-2-Clause OR MIT OR Apache-2.0)',
])

/** Packages of the lock whose licence is not one of those, by licence. */
function unknownAmong(all: readonly (readonly [string, Locked])[]): string[] {
  return all
    .filter(([, { license = 'none' }]) => !KNOWN.has(license))
    .map(([path, { version, license }]) => `${path.replace(/^.*node_modules\//, '')}@${version}: ${license ?? 'none'}`)
}

test('installed packages have only permissive licences', () => {
  const production = packages.filter(([, { dev }]) => !dev)
  const names = production.map(([path]) => path.replace(/^.*node_modules\//, ''))
  expect(names).toEqual(expect.arrayContaining(['graphql-yoga', '@pothos/core', 'drizzle-orm', 'pg', 'better-sqlite3']))
  expect(unknownAmong(production)).toEqual([])
})

test('a licence that restricts use is seen where there is one: tests alone use gateways under the Elastic License', () => {
  const development = packages.filter(([, { dev }]) => dev)
  expect(unknownAmong(development)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^@apollo\/federation-internals@.*: Elastic-2\.0$/)]),
  )
})
