import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { openOffice } from '../support/harness.js'
import { operations } from '../support/process.js'

test('erase shows whom it will erase and asks; without a terminal it needs --yes', async () => {
  const { gateway, caller } = await openOffice()
  const { body } = await caller.post('/v1/personnel', { name: 'Ada Lovelace', email: 'ada@example.com', title: 'Lead' })
  const nameNow = async () => (await caller.get(`/v1/personnel/${body.id}`)).body.name
  const args = ['erase', 'ADA@example.com', '--database', gateway.own.url]
  const facts = '  name: Ada Lovelace\n  e-mail: ada@example.com\n  title: Lead\n  status: active\n'
  expect(await operations('.', args)).toEqual({
    ...{ code: 2, stdout: '' },
    stderr: `This person will be erased (${body.id}):\n${facts}It cannot be undone, and there is no terminal to ask on: add --yes.\n`,
  })
  /** In a terminal, which `script` makes. */
  const typed = (answer: string) => {
    const command = [process.execPath, 'dist/main.js', ...args].map((arg) => `'${arg}'`).join(' ')
    return spawnSync('script', ['-qec', command, '/dev/null'], { input: `${answer}\n`, encoding: 'utf8' })
  }
  expect(typed('no').stdout).toMatch(/Type yes to erase: [\s\S]*Nothing was erased\./)
  expect(await nameNow()).toBe('Ada Lovelace')
  expect(typed('yes').stdout).toMatch(/is erased: name/)
  expect(await nameNow()).toBe('Erased person')
})
