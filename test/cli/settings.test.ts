import { afterEach, expect, test, vi } from 'vitest'
import { commandWith } from '../../src/cli/command.js'
import { BadSettings, readConfig, SETTINGS, type SettingName } from '../../src/config.js'

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

test.each(['0', '901', '-1', '1.5', 'much'])('--response-megabytes %s is refused in a sentence', (given) => {
  const form = 'it must be a whole number of megabytes from 1 to 900.'
  const sentence = `--response-megabytes is ${JSON.stringify(given)}; ${form}`
  expect(() => readConfig({ responseMegabytes: given }, ['responseMegabytes'])).toThrow(new BadSettings(sentence))
})

test.each(['10.0.0.0/', '10.0.0.0/33', '10.0.0.0/-0', '10.0.0.0/8/24', '::/129', 'x', ' , '])(
  '--trusted-proxies %s is refused in a sentence, and trusts nobody',
  (given) => {
    expect(() => readConfig({ trustedProxies: given }, ['trustedProxies'])).toThrow(/it must be addresses or networks/)
  },
)

test.each(['*', 'https://*.example.com', 'https://app.example.com/a', 'https://app.example.com,https://*', 'app'])(
  '--cors-origins %s is refused: it would never match',
  (given) => {
    expect(() => readConfig({ corsOrigins: given }, ['corsOrigins'])).toThrow(/must be origins such as .* without \*/)
  },
)

afterEach(() => vi.unstubAllEnvs())
