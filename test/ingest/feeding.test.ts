import { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { mintKey } from '../../src/auth/keys.js'
import { backupCommand } from '../../src/cli/backup.js'
import { eraseCommand } from '../../src/cli/erase.js'
import { exportCommand } from '../../src/cli/export.js'
import { historyCommand } from '../../src/cli/history.js'
import { templateOf } from '../../src/cli/import/run.js'
import { importCommand } from '../../src/cli/import.js'
import { importsCommand } from '../../src/cli/imports.js'
import { keysCommand } from '../../src/cli/keys.js'
import { mergeCommand } from '../../src/cli/merge.js'
import { undoCommand } from '../../src/cli/undo.js'
import { derivedColumns, SHEETS } from '../../src/ingest/columns.js'
import { SHEET_NOUNS } from '../../src/ingest/files/table.js'
import { SHIPPED_MAPS } from '../../src/ingest/shippedMaps.js'
import { LIMITS } from '../../src/limits.js'
import { addPerson } from '../../src/personnel/people.js'
import { ada } from '../support/fixtures.js'
import { NOW, openGateway } from '../support/harness.js'
import { blocks, page, under } from './feedingPage.js'

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
    const ofRuns = [importsCommand(), undoCommand(clock), mergeCommand(clock)]
    for (const command of [...commands, ...ofRuns, backupCommand(clock), keysCommand(clock)])
      all.addCommand(idle(command))
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
