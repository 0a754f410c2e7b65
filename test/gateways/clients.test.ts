import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { sdl } from '../../src/schema.js'
import { BADGES_SDL } from '../federation/badges.js'
import { requestsTo } from '../federation/scenarios.js'
import { TASKS_SDL } from '../federation/tasks.js'
import { openFilled } from '../support/harness.js'
import { newFolder } from '../support/process.js'
import { listen } from './sockets.js'

const HERE = fileURLToPath(new URL('.', import.meta.url))

/** Runs a program of this folder, and reads the JSON that it prints. */
async function run(program: string, ...args: string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(HERE, program), ...args])
  return JSON.parse(stdout)
}

test.each([
  ['apolloClient.mjs', 'POST'],
  ['apolloClient.mjs', 'GET'],
  ['urqlClient.mjs', 'POST'],
  ['urqlClient.mjs', 'GET'],
])('%s sends hashes by %s, and its text once', async (program, method) => {
  const { gateway } = await openFilled()
  const { authorization = '' } = await gateway.as('personnel.read')
  const origin = await listen(gateway.app.listener, onTestFinished)
  expect(await run(program, `${origin}/graphql`, authorization, method)).toEqual([
    ['alpha Team'],
    ['alpha Team', 'Empty'],
    ['alpha Team', 'Empty', 'Zulu team'],
  ])
  const seen = requestsTo(gateway).map(({ method, code = 'answered' }) => [method, code])
  expect(seen).toEqual([
    [method, 'PERSISTED_QUERY_NOT_FOUND'],
    [expect.stringMatching(/GET|POST/), 'answered'],
    [method, 'answered'],
    [method, 'answered'],
  ])
})

test.each([
  ['pages and refers to it by id', TASKS_SDL],
  ['refers to it by every other key and provides names', BADGES_SDL],
])('Cosmo composes the subgraph with one that %s', async (_, neighbour) => {
  const folder = newFolder()
  const files = Object.entries({ operations: sdl(), neighbour }).map(([name, text]) => {
    const file = join(folder, `${name}.graphql`)
    writeFileSync(file, text)
    return file
  })
  expect(await run('composeByCosmo.mjs', ...files)).toEqual({ success: true, errors: [], warnings: [] })
})
