import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { IN_PLACE_ROWS_MAX } from '../../src/store/sqlite/store.js'
import { newFolder, operations, serve } from '../support/process.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Loaded from node_modules: the native driver for this Node. */
const DRIVERS = ['better-sqlite3', 'better-sqlite3-13']

const MORE_THAN_IN_PLACE = IN_PLACE_ROWS_MAX + 1

/** The built package beside the drivers, without other packages. */
function installed(folder: string): string {
  for (const name of ['dist', 'drizzle', 'package.json'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  mkdirSync(join(folder, 'node_modules'))
  for (const driver of DRIVERS) {
    const from = join(ROOT, 'node_modules', driver)
    if (existsSync(from)) symlinkSync(from, join(folder, 'node_modules', driver))
  }
  return join(folder, 'dist/main.js')
}

test('the command works with no package beside it but the driver: REST, GraphQL, and lists that a thread reads', async () => {
  const main = installed(newFolder())
  const folder = newFolder()
  const run = (...args: string[]) => operations(folder, [...args, '--database', 'file:./own.db'], { main })
  const people = Array.from({ length: MORE_THAN_IN_PLACE }, (_, index) => `Person ${index},p${index}@example.org`)
  writeFileSync(join(folder, 'people.csv'), ['name,email', ...people].join('\n'))
  const made = await run('keys', 'create', '--name', 'a', '--scope', 'personnel.read', '--expires', '1d', '--json')
  expect((await run('import', 'people', 'people.csv')).code).toBe(0)
  const { key } = JSON.parse(made.stdout)
  const { origin, stop } = await serve(folder, ['--database', 'file:./own.db', '--metrics-port', '0'], { main })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ query: '{ personnel(first: 1) { totalCount } }' })
  const rest = await fetch(`${origin}/v1/personnel`, { headers })
  const graphql = await fetch(`${origin}/graphql`, { method: 'POST', headers, body })
  expect((await rest.json()).data).toHaveLength(MORE_THAN_IN_PLACE)
  expect(await graphql.json()).toEqual({ data: { personnel: { totalCount: MORE_THAN_IN_PLACE } } })
  expect((await stop('SIGTERM')).code).toBe(0)
})

test('whatever is bundled is among what the package depends on, and its licence comes along', () => {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  const production = Object.entries<{ dev?: boolean }>(lock.packages)
    .filter(([path, { dev }]) => path !== '' && !dev)
    .map(([path]) => path.replace(/^.*node_modules\//, ''))
  const licences = readFileSync(join(ROOT, 'dist/bundle/licences.md'), 'utf8')
  const bundled = [...licences.matchAll(/^## (\S+) [\d.]+\n\n(?=\S)/gm)].map(([, name]) => name)
  expect(bundled).toEqual(expect.arrayContaining(['graphql', 'drizzle-orm', '@pothos/core', 'commander', 'pino', 'pg']))
  expect(production).toEqual(expect.arrayContaining(bundled))
})
