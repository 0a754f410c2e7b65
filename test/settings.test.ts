import { expect, test } from 'vitest'
import { commandWith } from '../src/cli/command.js'
import { BadSettings, readConfig, SETTINGS, type SettingName } from '../src/config.js'

const NAMES = Object.keys(SETTINGS) as SettingName[]

test.each(NAMES)('the flag of %s reaches it', (name) => {
  const [flag = '', value] = SETTINGS[name].flag.split(' ')
  const command = commandWith('any', '', NAMES)
  command.parse(value ? [flag, 'given'] : [flag], { from: 'user' })
  expect(command.opts()[name]).toBe(value ? 'given' : false)
})

test.each(['/..', '/.', '/../', '/ops/..', '/ops/../admin', '/%2e%2e', '//', 'ops', '/a b'])(
  '--base-path %s is refused in a sentence',
  (path) => {
    const sentence = `--base-path is ${JSON.stringify(path)}; it must be a path such as /ops.`
    expect(() => readConfig({ basePath: path }, ['basePath'])).toThrow(new BadSettings(sentence))
  },
)

test.each([
  ['', ''],
  ['/', ''],
  ['/ops', '/ops'],
  ['/ops/', '/ops'],
  ['/.well-known/v1..2', '/.well-known/v1..2'],
])('--base-path %j is taken', (path, basePath) => {
  expect(readConfig({ basePath: path }, ['basePath'])).toEqual({ basePath })
})
