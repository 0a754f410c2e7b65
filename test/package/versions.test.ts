import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { install, versionOf } from './host.js'

const run = promisify(execFile)
const host = inject('host')

const PROGRAM = `
import { execute, parse, version } from 'graphql'
import { contextFor, createGateway, mintKey, openStore, schema } from 'operations-gateway'

const store = await openStore('file:./data/versions.db')
const gateway = createGateway({ store })
const { secret } = await mintKey(store, { name: 'host', scopes: ['personnel.read'] })
const query = '{ personnel { totalCount } risks { totalCount } }'
const authorization = 'Bearer ' + secret
const call = async (path) => {
  const answer = await gateway.fetch(new Request('http://localhost' + path, { headers: { authorization } }))
  return [answer.status, await answer.json()]
}
const rest = await call('/v1/personnel')
const graphql = await call('/graphql?query=' + encodeURIComponent(query))
const contextValue = contextFor(store, { scopes: ['personnel.read'] })
const executed = await execute({ schema, document: parse(query), contextValue })
await store.close()
console.log(JSON.stringify({ version, rest, graphql, executed }))
`

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'operations-versions-'))
  cpSync(host.folder, folder, { recursive: true, verbatimSymlinks: true })
  writeFileSync(join(folder, 'versions.mjs'), PROGRAM)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Every copy of graphql in the host. */
async function copies(): Promise<string[]> {
  // It exits with 1 if Pothos requires a newer one, and still lists them.
  const listing = await run('npm', ['ls', 'graphql', '--all', '--parseable'], { cwd: folder }).catch((failed) => failed)
  const lines: string[] = listing.stdout.split('\n')
  return [...new Set(lines.filter((line) => line.endsWith('/node_modules/graphql')))]
}

test.each(['16.11.0', '16.9.0', '16.15.0'])('the host and the gateway share graphql %s', async (version) => {
  if (versionOf(folder, 'graphql') !== version) await install(folder, `graphql@${version}`)
  expect(await copies()).toEqual([join(folder, 'node_modules/graphql')])
  const { stdout } = await run(process.execPath, ['versions.mjs'], { cwd: folder })
  const { rest, graphql, executed, version: used } = JSON.parse(stdout)
  const answer = {
    data: { personnel: { totalCount: 0 }, risks: null },
    errors: [expect.objectContaining({ extensions: { code: 'INSUFFICIENT_SCOPE', requiredScope: 'projects.read' } })],
  }
  expect({ used, rest, graphql, executed }).toEqual({
    used: version,
    rest: [200, expect.objectContaining({ data: [] })],
    graphql: [200, answer],
    executed: answer,
  })
})

test('graphql 17 is refused in a sentence, and without a stack', async () => {
  // npm refuses it too, unless the other one was there before.
  await install(folder, 'graphql@17.1.0', '--force')
  const { stderr } = await run(process.execPath, ['versions.mjs'], { cwd: folder }).catch((failed) => failed)
  expect(stderr).toContain(
    'Error: operations-gateway needs graphql ^16.9.0, but this program has graphql 17.1.0: run `npm install graphql@16`.',
  )
  expect(stderr).not.toMatch(/^ +at /m)
})
