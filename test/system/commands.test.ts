import { expect, test } from 'vitest'
import { mint, runHere } from '../support/inProcess.js'
import { newFolder, operations, serve } from '../support/process.js'

const READ = ['--scope', 'personnel.read', '--scope', 'projects.read']

test('a key revoked from another process stops working at once in a running server', async () => {
  const folder = newFolder()
  const { id, key } = await mint(folder, '--name', 'a', ...READ)
  const { origin } = await serve(folder)
  const call = () => fetch(`${origin}/v1/key`, { headers: { authorization: `Bearer ${key}` } })
  expect((await call()).status).toBe(200)
  expect((await operations(folder, ['keys', 'revoke', id])).code).toBe(0)
  const refused = await call()
  expect(refused.status).toBe(401)
  expect(await refused.text()).toMatch(/was revoked at \d{4}-/)
  const [listed] = JSON.parse((await runHere(folder, ['keys', 'list', '--json'])).stdout)
  expect(listed).toMatchObject({ id, name: 'a', revokedAt: expect.any(String), lastUsedAt: expect.any(String) })
})

test('fails when what it has to print cannot be written', async () => {
  const folder = newFolder()
  const args = ['keys', 'create', '--name', 'a', '--scope', 'personnel.read', '--json']
  const { code, stderr } = await operations(folder, args, { stdout: '/dev/full' })
  expect({ code, sentence: /Standard output cannot be written/.test(stderr) }).toEqual({ code: 1, sentence: true })
})

test('several may create one store at once', async () => {
  const folder = newFolder()
  const all = await Promise.all(Array.from({ length: 4 }, () => operations(folder, ['migrate', '--json'])))
  expect(all.map(({ code, stderr }) => ({ code, stderr }))).toEqual(Array(4).fill({ code: 0, stderr: '' }))
  expect(all.filter(({ stdout }) => JSON.parse(stdout).applied.length > 0)).toHaveLength(1)
})

test('the built command explains a request, and checks a store', async () => {
  const folder = newFolder()
  await mint(folder, '--name', 'a', ...READ)
  const explained = await operations(folder, ['explain', '/v1/risks?limit=1', '--json'])
  expect([explained.code, explained.stderr, JSON.parse(explained.stdout)]).toMatchObject([0, '', { statements: [{}] }])
  const checked = await operations(folder, ['check', '--json'])
  const { checks } = JSON.parse(checked.stdout)
  expect([checked.code, checks.map(({ status }: { status: string }) => status)]).toEqual([0, checks.map(() => 'ok')])
})
