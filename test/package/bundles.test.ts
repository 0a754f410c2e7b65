import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { IN_PLACE_ROWS_MAX } from '../../src/store/sqlite/store.js'
import { codeOf } from './host.js'

const run = promisify(execFile)
const { folder } = inject('host')

/** More people than are read on the event loop: the list comes from a thread. */
const PEOPLE = IN_PLACE_ROWS_MAX + 1

const SERVER = `
import { createGateway, mintKey, openStore } from 'operations-gateway'

const store = await openStore('file:./data/bundled.db')
const gateway = createGateway({ store, ratePerMinute: 0 })
const { secret } = await mintKey(store, { name: 'bundled', scopes: ['personnel.manage'] })
const authorization = 'Bearer ' + secret
const call = (path, headers = {}, sent = {}) =>
  gateway.fetch(new Request('http://localhost' + path, { headers: { authorization, ...headers }, ...sent }))
const add = (_, index) =>
  call('/v1/personnel', { 'content-type': 'application/json' }, {
    method: 'POST',
    body: JSON.stringify({ name: 'Person ' + index, externalId: String(index) }),
  })
await Promise.all(Array.from({ length: ${PEOPLE} }, add))
const html = { accept: 'text/html' }
const page = await (await call('/graphql', html)).text()
const [, styles] = /href="([^"]*graphiql.css)"/.exec(page) ?? []
const all = {
  list: await call('/v1/personnel'),
  csv: await call('/v1/personnel', { accept: 'text/csv' }),
  graphql: await call('/graphql?query={personnel{totalCount}}'),
  graphiql: await call(styles),
  overview: await call('/', html),
  reference: await call('/v1', html),
}
const status = Object.fromEntries(Object.entries(all).map(([name, response]) => [name, response.status]))
const { data } = await all.list.json()
console.log(JSON.stringify({ status, people: data.length, graphql: await all.graphql.json() }))
await store.close()
`

/** The recipes of the document, in its order. */
const BUNDLERS = ['esbuild', 'vite', 'rollup', 'webpack'] as const

beforeAll(() => writeFileSync(join(folder, 'server.mjs'), SERVER))

/** Builds as the document has it, and moves the bundle to where it was not built. */
async function bundledBy(bundler: (typeof BUNDLERS)[number]): Promise<{ deployed: string; main: string }> {
  const recipe = codeOf('embedding.md', 'Bundled hosts')[BUNDLERS.indexOf(bundler)] ?? ''
  writeFileSync(join(folder, `${bundler}.build.mjs`), recipe)
  await run(process.execPath, [`${bundler}.build.mjs`], { cwd: folder, maxBuffer: 10_000_000 })
  const deployed = mkdtempSync(join(tmpdir(), `operations-${bundler}-`))
  onTestFinished(() => rmSync(deployed, { recursive: true }))
  cpSync(join(folder, 'bundle'), deployed, { recursive: true })
  rmSync(join(folder, 'bundle'), { recursive: true })
  writeFileSync(join(deployed, 'package.json'), '{ "type": "module" }')
  const main = readdirSync(deployed, { recursive: true, encoding: 'utf8' }).find((name) =>
    /(^|\/)(esbuild|server)\.m?js$/.test(name),
  )
  return { deployed, main: main ?? '' }
}

describe.each(BUNDLERS)('bundled by %s', (bundler) => {
  test('the gateway has its lists, sheets and pages where its package is installed, and else says what is missing', async () => {
    const { deployed, main } = await bundledBy(bundler)
    const start = () => run(process.execPath, [main], { cwd: deployed })
    const refused = await start().catch((failed: { stderr: string }) => failed)
    expect(refused.stderr).toContain('operations-gateway is not found from')
    expect(refused.stderr).toContain('Install it in a node_modules beside the bundle')
    symlinkSync(join(folder, 'node_modules'), join(deployed, 'node_modules'))
    const { stdout } = await start()
    expect(JSON.parse(stdout)).toEqual({
      status: { list: 200, csv: 200, graphql: 200, graphiql: 200, overview: 200, reference: 200 },
      people: PEOPLE,
      graphql: { data: { personnel: { totalCount: PEOPLE } } },
    })
  })
})
