import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { engine } from '../support/engine.js'
import { openGateway } from '../support/harness.js'
import { mint, runHere } from '../support/inProcess.js'
import { newFolder, storeOf } from '../support/process.js'
import type { TestStore } from '../support/stores.js'

const READ = ['--scope', 'personnel.read', '--scope', 'projects.read']

describe('keys create', () => {
  test('prints one JSON document with the key, and a warning when it never expires', async () => {
    const { code, stdout, stderr } = await runHere(newFolder(), [
      'keys',
      'create',
      '--name',
      'sheet',
      ...READ,
      '--json',
    ])
    expect(code).toBe(0)
    const key = JSON.parse(stdout)
    expect(key).toEqual({
      id: expect.stringMatching(/^key_[0-9a-hjkmnp-tv-z]{26}$/),
      name: 'sheet',
      key: expect.stringMatching(/^ops_[0-9A-Za-z]{36}$/),
      scopes: ['personnel.read', 'projects.read'],
      projects: null,
      expiresAt: null,
    })
    expect(stderr).toMatch(/never expires/)
  })

  test('takes an end as a length of time or as a day, which is whole', async () => {
    const folder = newFolder()
    expect((await mint(folder, '--name', 'a', ...READ, '--expires', '2999-01-31'))['expiresAt']).toBe(
      '2999-01-31T23:59:59.999Z',
    )
    const ends = Date.parse(String((await mint(folder, '--name', 'b', ...READ, '--expires', '90d'))['expiresAt']))
    expect(Math.abs(ends - Date.now() - 90 * 86_400_000)).toBeLessThan(60_000)
  })

  test('shows the secret once: no file and no list has it', async () => {
    const folder = newFolder()
    const { key } = await mint(folder, '--name', 'a', ...READ)
    const list = await runHere(folder, ['keys', 'list'])
    const inside =
      engine === 'sqlite'
        ? readdirSync(join(folder, 'data')).map((file) => readFileSync(join(folder, 'data', file), 'latin1'))
        : [JSON.stringify(storeOf(folder).rows('select * from api_key'))]
    for (const text of [list.stdout, list.stderr, ...inside]) expect(text).not.toContain(key.slice(12))
    expect(list.stdout).toContain(key.slice(0, 10))
  })

  test.each([
    ['an unknown scope', ['--name', 'a', '--scope', 'everything'], /no scope "everything".*personnel\.read/],
    ['no scope', ['--name', 'a'], /--scope/],
    ['no name', READ, /--name/],
    ['an empty name', ['--name', ' ', ...READ], /--name.*empty/],
    ['a day that is none', ['--name', 'a', ...READ, '--expires', '2027-02-30'], /2027-02-30.*not a date/],
    ['an end that is over', ['--name', 'a', ...READ, '--expires', '2020-01-01'], /in the past/],
    ['an end that is no time', ['--name', 'a', ...READ, '--expires', 'soon'], /--expires.*90d/],
  ])('refuses %s with a sentence and exit code 2, and makes no store', async (_, args, sentence) => {
    const folder = newFolder()
    const { code, stdout, stderr } = await runHere(folder, ['keys', 'create', ...args])
    expect(stderr).toMatch(sentence)
    expect({ code, stdout, stack: /\n\s+at /.test(stderr), files: readdirSync(folder) }).toEqual({
      code: 2,
      stdout: '',
      stack: false,
      files: [],
    })
  })
})

describe('keys list, revoke and rotate', () => {
  test('a rotated key has the same scopes, and the old one ends after the grace', async () => {
    const folder = newFolder()
    const old = await mint(folder, '--name', 'a', ...READ, '--expires', '90d')
    const { code, stdout } = await runHere(folder, ['keys', 'rotate', old.id, '--grace', '2h', '--json'])
    expect(code).toBe(0)
    const renewed = JSON.parse(stdout)
    expect(renewed).toMatchObject({ name: 'a', scopes: ['personnel.read', 'projects.read'] })
    expect(renewed.key).not.toBe(old.key)
    const [listed] = JSON.parse((await runHere(folder, ['keys', 'list', '--json'])).stdout)
    expect(Math.abs(Date.parse(listed.expiresAt) - Date.now() - 2 * 3_600_000)).toBeLessThan(60_000)
    // Removed with its folder.
    const own: TestStore = Object.create(storeOf(folder), { remove: { value: () => undefined } })
    const gateway = openGateway({ clock: () => new Date() }, onTestFinished, own)
    const statusFor = async (key: string) => (await gateway.with(`Bearer ${key}`).get('/v1/key')).status
    expect([await statusFor(old.key), await statusFor(renewed.key)]).toEqual([200, 200])
    await runHere(folder, ['keys', 'rotate', renewed.id, '--grace', '0m'])
    expect(await statusFor(renewed.key)).toBe(401)
  })

  test('an unknown id, and a store that is not there, are failures with a sentence', async () => {
    const folder = newFolder()
    expect(await runHere(folder, ['keys', 'list'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/no store at/),
    })
    await mint(folder, '--name', 'a', ...READ)
    for (const verb of ['revoke', 'rotate']) {
      const answer = await runHere(folder, ['keys', verb, 'key_nobody'])
      expect(answer).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/no key with the id key_nobody/),
      })
    }
  })
})

describe('the command', () => {
  test.each([
    [['--help']],
    [['serve', '--help']],
    [['keys', 'create', '--help']],
    [['migrate', '--help']],
    [['explain', '--help']],
    [['check', '--help']],
    [['schema', '--help']],
  ])('%j explains itself', async (args) => {
    const { code, stdout } = await runHere(newFolder(), args)
    expect(code).toBe(0)
    expect(stdout).toMatch(/Usage: operations/)
  })

  test.each([[['dance']], [['serve', '--prot', '1']], [['keys', 'revoke']]])('%j is wrong usage', async (args) => {
    expect(await runHere(newFolder(), args)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/error/),
    })
  })

  test.each(['mysql://localhost/x', 'postgres://', 'file::memory:', 'file:', './operations.db'])(
    'refuses the store %s, which is none',
    async (database) => {
      const answer = await runHere(newFolder(), ['keys', 'list', '--database', database])
      expect(answer).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/--database is .* an address such as file:/),
      })
    },
  )

  test.runIf(engine === 'sqlite')('keeps the file of the store to its owner', async () => {
    const folder = newFolder()
    await runHere(folder, ['migrate'])
    expect(statSync(join(folder, 'data/operations.db')).mode & 0o777).toBe(0o600)
  })

  test('reports every bad setting at once', async () => {
    const env = { PORT: 'http', OPERATIONS_GRAPHIQL: 'maybe', OPERATIONS_GRAPHQL: 'x', DATABASE_URL: 'operations.db' }
    const { code, stderr } = await runHere(newFolder(), ['serve'], env)
    expect(code).toBe(2)
    for (const name of Object.keys(env)) expect(stderr).toContain(name)
  })

  test('migrate creates the store, and says so again with --json', async () => {
    const folder = newFolder()
    const { stdout } = await runHere(folder, ['migrate', '--json', '--database', 'file:./a/b.db'])
    const applied = readdirSync('drizzle/sqlite').flatMap((name) => (name.endsWith('.sql') ? [name.slice(0, -4)] : []))
    expect(JSON.parse(stdout)).toEqual({ store: './a/b.db', applied, before: [] })
    expect(await runHere(folder, ['migrate', '--database', 'file:./a/b.db'])).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/up to date/),
    })
  })

  test('leaves no listener behind on standard output, however much it prints', async () => {
    const folder = newFolder()
    const before = process.stdout.listenerCount('error')
    for (let i = 0; i < 3; i++) await mint(folder, '--name', `key ${i}`, ...READ)
    expect(process.stdout.listenerCount('error')).toBe(before)
  })

  test('is not bothered by a setting that it does not use', async () => {
    expect(await runHere(newFolder(), ['migrate'], { PORT: 'http' })).toMatchObject({ code: 0 })
  })

  test('schema prints the committed contracts', async () => {
    const files = { '': 'schema.graphql', '--format=api': 'api.graphql', '--format=openapi': 'openapi.json' }
    for (const [format, file] of Object.entries(files)) {
      const { stdout } = await runHere(newFolder(), ['schema', ...(format ? [format] : [])])
      expect(stdout).toBe(readFileSync(new URL(`../../schema/${file}`, import.meta.url), 'utf8'))
    }
  })
})
