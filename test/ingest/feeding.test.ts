import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { mintKey } from '../../src/auth/keys.js'
import { backupCommand } from '../../src/cli/backup.js'
import { eraseCommand } from '../../src/cli/erase.js'
import { exportCommand } from '../../src/cli/export/command.js'
import { historyCommand } from '../../src/cli/history/command.js'
import { importCommand } from '../../src/cli/import/command.js'
import { templateOf } from '../../src/cli/import/template.js'
import { keysCommand } from '../../src/cli/keys.js'
import { derivedColumns, SHEETS } from '../../src/ingest/columns.js'
import { SHEET_NOUNS } from '../../src/ingest/files/nouns.js'
import { SHIPPED_MAPS } from '../../src/ingest/shipped/shipped.js'
import { LIMITS } from '../../src/limits.js'
import { addPerson } from '../../src/personnel/people.js'
import { ada } from '../support/fixtures.js'
import { NOW, openGateway } from '../support/harness.js'
import { newFolder } from '../support/process.js'

const page = readFileSync(new URL('../../docs/feeding.md', import.meta.url), 'utf8')
const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

/** The section under a heading, up to the next heading of its level or above; a single # is a comment. */
function under(heading: string): string {
  const start = page.indexOf(`\n${heading}\n`)
  if (start === -1) throw new Error(`There is no heading ${heading}.`)
  const from = start + heading.length + 2
  const level = heading.indexOf(' ')
  const end = page.slice(from).search(new RegExp(`^#{2,${level}} `, 'm'))
  return end === -1 ? page.slice(from) : page.slice(from, from + end)
}

/** The code blocks of a language, in a section or the whole page. */
function blocks(language: string, part = page): string[] {
  const fences = part.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))
  return Array.from(fences, ([, block = '']) => block)
}

/** The rows of the tables in a section, without headers. */
function rows(part: string): string[][] {
  return part
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    )
    .filter(([first = '']) => first.startsWith('`') || SHEET_NOUNS.some((noun) => noun === first))
}

describe.each(SHEET_NOUNS)('%s', (noun) => {
  const part = under(`### ${noun}`)

  test('have the columns that the page lists', () => {
    const fields = Object.entries(SHEETS[noun].fields).map(([name, { meaning, form, isRequired, example }]) => [
      `\`${name}\``,
      meaning,
      form,
      isRequired ? 'yes' : 'no',
      example && `\`${example}\``,
    ])
    expect(rows(part)).toEqual(fields)
  })

  test('have the template that the page shows', () => {
    expect(blocks('csv', part).map((block) => block.trimEnd())).toEqual([
      templateOf(noun, 'csv').replaceAll('\r\n', '\n'),
    ])
  })

  test('have the computed columns that the page lists', () => {
    const [, columns] = rows(under('## Computed columns')).find(([first]) => first === noun) ?? []
    expect(columns).toBe(
      derivedColumns(SHEETS[noun])
        .map((column) => `\`${column}\``)
        .join(' '),
    )
  })
})

test('the page lists the maps that come with the command', () => {
  expect(rows(under('### Trackers, directories and HR systems').replaceAll('\\|', '\u2502'))).toEqual(
    SHIPPED_MAPS.map(({ name, noun, reads }) => [`\`${name}\``, noun, reads.replaceAll('|', '\u2502')]),
  )
})

describe('every command line', () => {
  const clock = () => NOW

  /** The commands as dry runs. */
  function program(): Command {
    const all = new Command('operations')
    const commands = [importCommand(clock), exportCommand(), historyCommand(clock), eraseCommand(clock)]
    for (const command of [...commands, backupCommand(clock), keysCommand(clock)]) all.addCommand(idle(command))
    return all.exitOverride()
  }

  function idle(command: Command): Command {
    for (const sub of command.commands) idle(sub)
    if (command.commands.length === 0) command.action(() => undefined)
    return command.exitOverride().configureOutput({ writeErr: () => undefined })
  }

  const lines = [
    ...blocks('sh'),
    ...blocks('crontab'),
    ...Array.from(page.matchAll(/`(npx operations [^`]+)`/g), ([, line = '']) => line),
  ]
    .flatMap((block) => block.split('\n'))
    .flatMap((line) => /\bnpx operations (.+)/.exec(line)?.[1] ?? [])

  test('is one of many', () => {
    expect(lines.length).toBeGreaterThan(15)
  })

  test.each(lines)('operations %s', (line) => {
    const [words = ''] = line.split(/ [<>|;&] ?| #/)
    const args = words.split(' ').map((word) => word.replace(/^"(.*)"$/, '$1'))
    expect(() => program().parse(args, { from: 'user' })).not.toThrow()
  })

  test('names no flag in the text that no command has', () => {
    const flagsOf = (command: Command): string[] => [
      ...command.options.map(({ long }) => long ?? ''),
      ...command.commands.flatMap(flagsOf),
    ]
    const known = new Set(flagsOf(program()))
    const ofGithub = ['--state', '--limit', '--json']
    const named = Array.from(page.matchAll(/(?<=[\s`])--[a-z][\w-]*/g), ([flag]) => flag)
    expect(named.filter((flag) => !known.has(flag) && !ofGithub.includes(flag))).toEqual([])
  })
})

describe('syncProject', () => {
  const part = under('## Over the API')
  const [, curl = ''] = blocks('sh', part)
  const [answer = ''] = blocks('json', part)

  test('returns what the page shows, and 304 the second time', async () => {
    const gateway = openGateway()
    const { secret } = await gateway.write(async (write) => {
      await addPerson(write, ada)
      const scopes = ['projects.manage', 'personnel.read'] as const
      return mintKey(write, { name: 'tracker', scopes, projects: ['APOLLO'], expiresAt: undefined })
    })
    const [, body = ''] = /-d '(.+)'\n$/s.exec(curl) ?? []
    const { query, variables } = JSON.parse(body)
    const caller = gateway.with(`Bearer ${secret}`)
    const expected = JSON.parse(answer)
    expect((await caller.graphql(query, variables)).body).toEqual(expected)
    const { risks, issues } = (await caller.graphql(query, variables)).body.data.syncProject
    expect({ risks, issues }).toEqual({
      risks: { created: 0, updated: 0, unchanged: 2, closed: 0 },
      issues: { created: 0, updated: 0, unchanged: 1, closed: 0 },
    })
    const other = await caller.graphql(query, { input: { ...variables.input, key: 'OTHER' } })
    expect(other.body.errors[0].extensions.code).toBe('INSUFFICIENT_SCOPE')
  })

  test('takes as much as the page says', () => {
    const megabytes = (bytes: number) => `${bytes / 1_000_000} MB`
    expect(part).toContain(
      `A body may have ${megabytes(LIMITS.syncBodyBytesMax)} here and where REST takes a sync, elsewhere ${megabytes(LIMITS.bodyBytesMax)};`,
    )
  })
})

describe('what the page shows happens', () => {
  /** Runs a script of the page, `npx operations` being the built command. */
  async function run(folder: string, script: string) {
    const npx = `npx() { shift; "${process.execPath}" "${MAIN}" "$@"; }`
    return promisify(execFile)('sh', ['-ec', `${npx}\n${script}`], { cwd: folder, env: { PATH: process.env['PATH'] } })
  }

  test('with the first sheet, and when a store is moved', async () => {
    const folder = newFolder()
    const start = page.slice(0, page.indexOf('\n## '))
    const [sheet = ''] = blocks('csv', start)
    const [command = ''] = blocks('sh', start)
    const [words = ''] = blocks('text', start)
    writeFileSync(join(folder, 'risks.csv'), sheet)
    expect(await run(folder, command)).toEqual({ stdout: '', stderr: words })

    const [move = ''] = blocks('sh', under('## Moving to a new store'))
    // Empty files are skipped, since every command takes time.
    const { stderr } = await run(folder, move.replace('groups people projects risks issues', 'projects risks'))
    expect(stderr.split('\n').filter((line) => / unchanged\.$/.test(line))).toEqual([
      'projects.csv: 1 created, 0 unchanged.',
      'risks.csv: 2 created, 0 unchanged.',
    ])
  })
})
