import { expect, test } from 'vitest'
import { commandWith } from '../src/cli/command.js'
import { SETTINGS, type SettingName } from '../src/config.js'

const NAMES = Object.keys(SETTINGS) as SettingName[]

test.each(NAMES)('the flag of %s reaches it', (name) => {
  const [flag = '', value] = SETTINGS[name].flag.split(' ')
  const command = commandWith('any', '', NAMES)
  command.parse(value ? [flag, 'given'] : [flag], { from: 'user' })
  expect(command.opts()[name]).toBe(value ? 'given' : false)
})
