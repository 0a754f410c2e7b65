import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, inject, onTestFinished, test } from 'vitest'
import { codeOf, compile, ROOT, versionOf } from './host.js'

const run = promisify(execFile)
const { folder, packed, alone } = inject('host')

const CONSUMER = `
import { execute, parse } from 'graphql'
import { type Context, contextFor, createGateway, type Gateway, mintKey, openStore, type Scope, type Store, schema } from 'operations-gateway'
import openapi from 'operations-gateway/openapi.json' with { type: 'json' }
import manifest from 'operations-gateway/package.json' with { type: 'json' }

const store: Store = await openStore('file:./data/consumer.db')
const corsOrigins = process.env['ORIGINS']
const gateway: Gateway = createGateway({ store, basePath: '/ops', corsOrigins, graphiql: undefined, authenticate: undefined })
const scopes: Scope[] = ['personnel.read']
const { secret } = await mintKey(store, { name: 'consumer', scopes })
const headers = { authorization: \`Bearer \${secret}\` }
const response = await gateway.fetch(new Request('http://localhost/ops/v1/personnel', { headers }))
const contextValue: Context = contextFor(store, { scopes })
const executed = await execute({ schema, document: parse('{ personnel { totalCount } }'), contextValue })
const files = [openapi.openapi, manifest.name, import.meta.resolve('operations-gateway/schema.graphql')]
console.log(JSON.stringify({ status: response.status, body: await response.json(), executed, files }))
// @ts-expect-error A store is not for hosts to read.
store.read
const disposables: AsyncDisposable[] = [gateway, store]
for (const one of disposables) await one[Symbol.asyncDispose]()
`

const [preamble = ''] = codeOf('embedding.md', 'Inside your own program')
const [keys = ''] = codeOf('embedding.md', 'Keys')
const KEYS = `${preamble}${keys}
console.log(JSON.stringify({ id, name, scopes: [...scopes] }))
await store.close()
`

let complaints: string[]

beforeAll(async () => {
  complaints = await compile(folder, { 'consumer.ts': CONSUMER, 'keys.ts': KEYS }, true)
})

test('the package holds the program, its migrations, its contracts, the company of its demo and what one reads first, and nothing else', () => {
  const paths = packed
  const tops = new Set(paths.map((path) => path.replace(/\/.*/, '/')))
  expect(paths.filter((path) => path.startsWith('src/') && !/^src\/demo\/\w+\.csv$/.test(path))).toEqual([])
  expect([...tops].sort()).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'dist/',
    'drizzle/',
    'package.json',
    'schema/',
    'src/',
  ])
  // No maps among them: they would point to sources that are not here.
  expect(paths.filter((path) => !/\.(js|css|d\.ts|json|md|sql|graphql|csv)$|^LICENSE$/.test(path))).toEqual([])
  expect(paths).toEqual(expect.arrayContaining(['dist/main.js', 'dist/index.js', 'dist/index.d.ts']))
})

test('npm installs it alone without a warning about Node, and brings a graphql that fits', () => {
  expect(alone.messages).not.toContain('EBADENGINE')
  expect(alone.graphql).toMatch(/^16\./)
})

test('it brings nothing under a licence that restricts its use', () => {
  expect(() => versionOf(folder, '@apollo/federation-internals')).toThrow('ENOENT')
})

test('a program that imports it passes a strict type check that skips no library, and runs', async () => {
  expect(complaints).toEqual([])
  const { stdout } = await run(process.execPath, ['consumer.js'], { cwd: folder })
  expect(JSON.parse(stdout)).toEqual({
    status: 200,
    body: expect.objectContaining({ data: [] }),
    executed: { data: { personnel: { totalCount: 0 } } },
    files: ['3.1.0', 'operations-gateway', expect.stringMatching(/schema\.graphql$/)],
  })
  const contract = readFileSync(join(folder, 'node_modules/operations-gateway/schema/schema.graphql'), 'utf8')
  expect(contract).toBe(readFileSync(join(ROOT, 'schema/schema.graphql'), 'utf8'))
})

test('keys are made and checked as the document says', async () => {
  const { stdout } = await run(process.execPath, ['keys.js'], { cwd: folder })
  expect(JSON.parse(stdout)).toEqual({
    id: expect.stringMatching(/^key_/),
    name: 'portal',
    scopes: ['personnel.read'],
  })
})

test('npx serves the demo', async () => {
  const args = ['--no-install', 'operations', 'serve', '--demo', '--port', '0']
  // In a group of its own: npx passes no signal on, so it is ended together with what it has started.
  const child = spawn('npx', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'], detached: true })
  onTestFinished(() => void process.kill(-(child.pid ?? 0), 'SIGKILL'))
  const [base] = /http:\S+(?=\/v1\n)/.exec(await bannerOf(child)) ?? []
  expect((await fetch(`${base}/healthz`)).status).toBe(200)
})

test('its command serves the demo with the key that it prints, and stops on SIGTERM', async () => {
  const child = spawn('node_modules/.bin/operations', ['serve', '--demo', '--port', '0'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [, base, key] = /REST +(\S+)\/v1\n.*API key +(\S+)/s.exec(await bannerOf(child)) ?? []
  const response = await fetch(`${base}/v1/risks?limit=1`, { headers: { authorization: `Bearer ${key}` } })
  const [status, body] = [response.status, await response.json()]
  expect({ status, body }).toEqual({ status: 200, body: expect.objectContaining({ data: [expect.anything()] }) })
  child.kill('SIGTERM')
  expect(await once(child, 'close')).toEqual([0, null])
})

function bannerOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let messages = ''
    child.stderr?.on('data', (chunk) => {
      messages += chunk
      if (messages.includes('With your own data')) resolve(messages)
    })
    child.on('close', () => reject(new Error(`serve ended: ${messages}`)))
  })
}
