import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { SHEETS } from '../../src/nouns.js'
import { engine } from '../support/engine.js'
import { NOW } from '../support/harness.js'
import { newFolder, operations } from '../support/process.js'
import { newStore, type TestStore } from '../support/stores.js'

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const AT = NOW.toISOString()
const PEOPLE_HEADER = SHEETS.people.columns.filter((column) => column !== 'details').join(',')

describe('the command', () => {
  /** A store of 14,000 groups, which are 43 MB, and of 5,000 people. */
  let own: TestStore
  const args = (...rest: string[]) => ['export', ...rest, '--database', own.url]

  beforeAll(() => {
    own = newStore()
    const numbers = (most: number) =>
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${most})`
    own.run(`insert into groups (id, name, name_folded, description, created_at, updated_at) ${numbers(14_000)}
      select 'grp_' || i, 'Group ' || i, 'group ' || i, '${'x'.repeat(3_000)}', '${AT}', '${AT}' from n`)
    own.run(`insert into person (id, name, name_folded, external_id, title, status, created_at, updated_at)
      ${numbers(5_000)} select 'usr_' || i, 'Person ' || i, 'person ' || i, cast(i as text), '${'x'.repeat(200)}',
      'ACTIVE', '${AT}', '${AT}' from n`)
  })
  afterAll(() => own.remove())

  test('needs no more memory for more rows', async () => {
    const folder = newFolder()
    // Enough time for some pages, but not for all.
    const env = { NODE_OPTIONS: '--max-old-space-size=48' }
    const answer = await operations(folder, args('groups', '--output', 'groups.csv'), { env })
    expect(answer).toEqual({ code: 0, stdout: '', stderr: 'Wrote 14,000 groups to groups.csv.\n' })
    expect(statSync(join(folder, 'groups.csv')).size).toBeGreaterThan(42_000_000)
  })

  test('gives a reader who dawdles everything, as it was at the beginning', async () => {
    const { child, ended } = start(newFolder(), process.execPath, [MAIN, ...args('people')])
    let written = ''
    for await (const chunk of child.stdout.setEncoding('utf8')) {
      const isBegun = written.includes('usr_')
      written += chunk
      if (!isBegun && written.includes('usr_')) addLastPerson(own)
    }
    expect(await ended).toEqual({ code: 0, stderr: '' })
    const lines = written.split('\r\n')
    expect(lines.length).toBe(1 + 5_000 + 1)
    expect(lines.at(-2)).toMatch(/^usr_999,Person 999,/)
  })

  test('ends quietly when nobody reads on', async () => {
    const script = '{ "$@"; echo "exit $?" >&2; } | head -1'
    const { child, ended } = start(newFolder(), 'sh', ['-c', script, 'sh', process.execPath, MAIN, ...args('people')])
    const [head, { stderr }] = await Promise.all([text(child.stdout), ended])
    expect(head).toBe(`${PEOPLE_HEADER}\r\n`)
    expect(stderr).toBe('exit 0\n')
  })

  test('leaves no part of a file on a full disk, and the file that was there as it was', async () => {
    const folder = newFolder()
    writeFileSync(join(folder, 'people.csv'), 'as it was')
    const command = [process.execPath, MAIN, ...args('people', '--output', 'people.csv')]
    const { code, stderr } = await start(folder, 'sh', ['-c', 'ulimit -f 400; exec "$@"', 'sh', ...command]).ended
    expect(stderr).toBe('people.csv cannot be written: EFBIG: file too large, write\n')
    expect({ code, files: filesOf(folder) }).toEqual({ code: 1, files: { 'people.csv': 'as it was' } })
  })

  test('leaves no part of a file when it is interrupted', async () => {
    const folder = newFolder()
    const begun = once(watch(folder), 'change')
    const { child, ended } = start(folder, process.execPath, [MAIN, ...args('groups', '--output', 'groups.csv')])
    await begun
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/^groups\.csv\.\w+\.partial$/)])
    child.kill('SIGINT')
    const { code, stderr } = await ended
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'Interrupted: unfinished work was not stored.\n' })
    expect(filesOf(folder)).toEqual({})
  })

  test.each([
    ['a noun that is none', () => ['export', 'cats'], /^Cannot export cats. Use one of people, groups, pro/, 2],
    [
      'a store that is not there',
      () => ['export', 'people', '--output', 'a.csv'],
      engine === 'sqlite' ? /^There is no store at .\/data\/op/ : /^There is no store at postgres:/,
      1,
    ],
    ['a folder that is not there', () => args('people', '--output', 'no/a.csv'), /no\/a.csv/, 1],
  ])('refuses %s with a sentence', async (_, given, sentence, code) => {
    const folder = newFolder()
    const answer = await operations(folder, given())
    expect(answer).toEqual({ code, stdout: '', stderr: expect.stringMatching(sentence) })
    expect(answer.stderr).not.toMatch(/\n\s+at /)
    expect(filesOf(folder)).toEqual({})
  })
})

function addLastPerson({ run }: TestStore): void {
  run(`insert into person (id, name, name_folded, external_id, status, created_at, updated_at)
    values ('usr_z', 'zzz', 'zzz', 'Z', 'ACTIVE', '${AT}', '${AT}')`)
}

function start(folder: string, command: string, args: readonly string[]) {
  const child = spawn(command, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const ended = Promise.all([once(child, 'exit'), text(child.stderr)]).then(([[code], stderr]) => ({ code, stderr }))
  return { child, ended }
}

function filesOf(folder: string): Record<string, string> {
  return Object.fromEntries(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), 'utf8')]))
}
