import { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { mintKey } from '../../src/auth/keys.js'
import { eraseCommand } from '../../src/cli/erase.js'
import { exportCommand } from '../../src/cli/export.js'
import { historyCommand } from '../../src/cli/history.js'
import { importCommand } from '../../src/cli/import/command.js'
import { importsCommand } from '../../src/cli/import/imports.js'
import { mapsCommand } from '../../src/cli/import/maps.js'
import { undoCommand } from '../../src/cli/import/undo.js'
import { keysCommand } from '../../src/cli/keys.js'
import { mergeCommand } from '../../src/cli/merge.js'
import { backupCommand } from '../../src/cli/store/backup.js'
import { LIMITS } from '../../src/limits.js'
import { addPerson } from '../../src/personnel/people.js'
import { ada } from '../support/fixtures.js'
import { NOW, openGateway } from '../support/harness.js'
import { blocks, pageOf } from './pages.js'

const PAGES = ['import', 'nightly', 'maps', 'sync', 'export', 'columns'].map(pageOf).join('\n')

describe('every command line', () => {
  const clock = () => NOW

  /** The commands as dry runs. */
  function program(): Command {
    const all = new Command('operations')
    const commands = [importCommand(clock), exportCommand(), historyCommand(clock), eraseCommand(clock)]
    const others = [backupCommand(clock), keysCommand(clock), mapsCommand(clock), importsCommand()]
    const more = [undoCommand(clock), mergeCommand(clock)]
    for (const command of [...commands, ...others, ...more]) all.addCommand(idle(command))
    return all.exitOverride()
  }

  function idle(command: Command): Command {
    for (const sub of command.commands) idle(sub)
    if (command.commands.length === 0) command.action(() => undefined)
    return command.exitOverride().configureOutput({ writeErr: () => undefined })
  }

  const lines = [
    ...blocks('sh', PAGES),
    ...blocks('crontab', PAGES),
    ...Array.from(PAGES.matchAll(/`(operations [^`]+ [^`]+)`/g), ([, line = '']) => line),
  ]
    .flatMap((block) => block.split('\n'))
    .flatMap((line) => /(?<!\/)\boperations (.+)/.exec(line)?.[1] ?? [])

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
    const named = Array.from(PAGES.matchAll(/(?<=[\s`])--[a-z][\w-]*/g), ([flag]) => flag)
    expect(named.filter((flag) => !known.has(flag) && !ofGithub.includes(flag))).toEqual([])
  })
})

describe('syncProject', () => {
  const part = pageOf('sync')
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
