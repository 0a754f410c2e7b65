import { readdirSync, readFileSync } from 'node:fs'
import {
  generateDrizzleJson,
  generateMigration,
  generateSQLiteDrizzleJson,
  generateSQLiteMigration,
} from 'drizzle-kit/api'
import { expect, test } from 'vitest'
import { CONTRACTS, columnsPage, limitsPage } from '../../src/cli/contracts.js'
import { postgresColumns, sqliteColumns } from '../../src/store/columns.js'
import { defineTables } from '../../src/store/tables.js'

const root = new URL('../../', import.meta.url)

test.each(Object.entries(CONTRACTS))('schema/%s is what the code prints (npm run schema)', (name, contents) => {
  expect(readFileSync(new URL(`schema/${name}`, root), 'utf8')).toBe(contents())
})

test.each([
  ['limits', limitsPage],
  ['columns', columnsPage],
])('docs/%s.md is what the code prints (npm run schema)', (name, page) => {
  expect(readFileSync(new URL(`docs/${name}.md`, root), 'utf8')).toBe(page())
})

/** The schema after the newest migration of an engine. */
function lastSnapshot(engine: string) {
  const meta = new URL(`drizzle/${engine}/meta/`, root)
  const last = readdirSync(meta)
    .filter((file) => file.endsWith('_snapshot.json'))
    .sort()
    .at(-1)
  return JSON.parse(readFileSync(new URL(last ?? '', meta), 'utf8'))
}

test('the migrations in drizzle/sqlite lead to the tables of the code (npm run migration)', async () => {
  const before = lastSnapshot('sqlite')
  expect(
    await generateSQLiteMigration(before, await generateSQLiteDrizzleJson(defineTables(sqliteColumns), before.id)),
  ).toEqual([])
})

test('the migrations in drizzle/postgres lead to the tables of the code (npm run migration)', async () => {
  const before = lastSnapshot('postgres')
  expect(await generateMigration(before, generateDrizzleJson(defineTables(postgresColumns), before.id))).toEqual([])
})
