import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../src/store/open.js'
import { engine } from '../support/engine.js'
import { runHere } from '../support/inProcess.js'
import { newFolder } from '../support/process.js'
import { newStore } from '../support/stores.js'

const OWN = 0o600

/** The permissions; undefined if it is no regular file. */
function modeOf(path: string): number | undefined {
  const stats = lstatSync(path)
  return stats.isFile() ? stats.mode & 0o777 : undefined
}

// A umask under which new files are world-readable by default.
beforeEach(() => {
  const before = process.umask(0)
  onTestFinished(() => void process.umask(before))
})

function openDesk() {
  const own = newStore()
  onTestFinished(() => own.remove())
  const folder = newFolder()
  mkdirSync(join(folder, 'out'))
  writeFileSync(join(folder, 'victim'), 'as it was')
  writeFileSync(join(folder, 'people.csv'), 'name,email\nAda,ada@example.com\n')
  return { folder, database: ['--database', own.url] }
}

/** The commands that write files, and their files. */
const WRITERS: [what: string, args: (database: string[]) => string[], files: string[]][] = [
  ['an export', (database) => ['export', 'people', '--output', 'out/a.csv', ...database], ['a.csv']],
  ['a report', (database) => ['import', 'people', '--report', 'out/a.json', 'people.csv', ...database], ['a.json']],
  ['the contracts', () => ['schema', '--output', 'out'], ['api.graphql', 'openapi.json', 'schema.graphql']],
]

describe.each(WRITERS)('%s', (_, args, files) => {
  test('can be read by its owner alone, and stands there whole and by itself', async () => {
    const { folder, database } = openDesk()
    expect((await runHere(folder, args(database))).code).toBe(0)
    expect(readdirSync(join(folder, 'out')).sort()).toEqual(files)
    for (const file of files) expect([file, modeOf(join(folder, 'out', file))]).toEqual([file, OWN])
  })

  test('takes the place of a link or an open file instead of writing through it', async () => {
    const { folder, database } = openDesk()
    for (const file of files) {
      symlinkSync('../victim', join(folder, 'out', file))
      symlinkSync('../nowhere', join(folder, 'out', `${file}.partial`))
    }
    expect((await runHere(folder, args(database))).code).toBe(0)
    for (const file of files) expect([file, modeOf(join(folder, 'out', file))]).toEqual([file, OWN])
    expect(readFileSync(join(folder, 'victim'), 'utf8')).toBe('as it was')
    expect(existsSync(join(folder, 'nowhere'))).toBe(false)
    for (const file of files) writeFileSync(join(folder, 'out', file), 'another', { mode: 0o666 })
    expect((await runHere(folder, args(database))).code).toBe(0)
    for (const file of files) expect([file, modeOf(join(folder, 'out', file))]).toEqual([file, OWN])
  })

  test('leaves nothing of itself where it cannot be written', async () => {
    const { folder, database } = openDesk()
    for (const file of files) mkdirSync(join(folder, 'out', file))
    const { code, stderr } = await runHere(folder, args(database))
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^out\/\S+ is not a regular file\. .+\n$/),
    })
    expect(readdirSync(join(folder, 'out')).sort()).toEqual(files)
  })
})

describe.runIf(engine === 'sqlite')('a store', () => {
  test('and what SQLite puts beside it can be read by its owner alone from the first moment', async () => {
    const folder = newFolder()
    const file = join(folder, 'data', 'operations.db')
    const store = await openStore(`file:${file}`, { migrate: true })
    onTestFinished(() => store.close())
    const names = readdirSync(join(folder, 'data')).sort()
    expect(names).toEqual(['operations.db', 'operations.db-shm', 'operations.db-wal'])
    for (const name of names) expect([name, modeOf(join(folder, 'data', name))]).toEqual([name, OWN])
  })

  test('is not made through a link', async () => {
    const folder = newFolder()
    symlinkSync('elsewhere.db', join(folder, 'a.db'))
    const { code, stderr } = await runHere(folder, ['migrate', '--database', 'file:./a.db'])
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: './a.db is a link to a file that is not there. Remove it, or name another file.\n',
    })
    expect(readdirSync(folder)).toEqual(['a.db'])
  })

  test('that is reached through a link by its operator is used there', async () => {
    const folder = newFolder()
    expect((await runHere(folder, ['migrate', '--database', 'file:./real.db'])).code).toBe(0)
    symlinkSync('real.db', join(folder, 'a.db'))
    expect((await runHere(folder, ['migrate', '--database', 'file:./a.db'])).code).toBe(0)
  })

  test('is backed up into a file for its owner alone, and not through a link', async () => {
    const folder = newFolder()
    writeFileSync(join(folder, 'victim'), 'as it was')
    symlinkSync('victim', join(folder, 'copy.db'))
    expect((await runHere(folder, ['migrate'])).code).toBe(0)
    expect(await runHere(folder, ['backup', 'copy.db'])).toMatchObject({ code: 1 })
    expect(await runHere(folder, ['backup', '--force', 'copy.db'])).toMatchObject({ code: 0 })
    expect(modeOf(join(folder, 'copy.db'))).toBe(OWN)
    expect(readFileSync(join(folder, 'victim'), 'utf8')).toBe('as it was')
  })
})
