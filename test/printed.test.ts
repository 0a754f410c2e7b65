import { readdirSync, readFileSync } from 'node:fs'
import { generateSQLiteDrizzleJson, generateSQLiteMigration } from 'drizzle-kit/api'
import { expect, test } from 'vitest'
import { CONTRACTS, limitsPage } from '../src/cli/contracts.js'
import { sqliteTables } from '../src/store/sqliteTables.js'

const root = new URL('../', import.meta.url)

test.each(Object.entries(CONTRACTS))('schema/%s is what the code prints (npm run schema)', (name, contents) => {
  expect(readFileSync(new URL(`schema/${name}`, root), 'utf8')).toBe(contents())
})

test('docs/limits.md is what the code prints (npm run schema)', () => {
  expect(readFileSync(new URL('docs/limits.md', root), 'utf8')).toBe(limitsPage())
})

test('the migrations in drizzle/ lead to the tables of the code (npm run migration)', async () => {
  const meta = new URL('drizzle/sqlite/meta/', root)
  const last = readdirSync(meta)
    .filter((file) => file.endsWith('_snapshot.json'))
    .sort()
    .at(-1)
  const before = JSON.parse(readFileSync(new URL(last ?? '', meta), 'utf8'))
  const now = await generateSQLiteDrizzleJson(sqliteTables, before.id)
  expect(await generateSQLiteMigration(before, now)).toEqual([])
})
