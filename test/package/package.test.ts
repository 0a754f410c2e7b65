import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')

const CONSUMER = `
import { execute, parse } from 'graphql'
import { contextFor, createGateway, type Gateway, mintKey, openStore, type Scope, schema } from 'operations-gateway'

const store = await openStore('file:./data/consumer.db')
const gateway: Gateway = createGateway({ store, basePath: '/ops' })
const scopes: Scope[] = ['personnel.read']
const { secret } = await mintKey(store, { name: 'consumer', scopes })
const headers = { authorization: \`Bearer \${secret}\` }
const response = await gateway.fetch(new Request('http://localhost/ops/v1/personnel', { headers }))
const executed = await execute({
  schema,
  document: parse('{ personnel { totalCount } }'),
  contextValue: contextFor(store, { scopes }),
})
console.log(JSON.stringify({ status: response.status, body: await response.json(), executed }))
await store.close()
`

const TSCONFIG = {
  compilerOptions: {
    target: 'ES2023',
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    types: ['node'],
  },
  files: ['consumer.ts'],
}

interface Packed {
  readonly filename: string
  readonly files: readonly { readonly path: string }[]
}

let folder: string
let packed: Packed

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'operations-package-'))
  // Without scripts: `npm run test:package` has built what is packed here.
  const pack = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], { cwd: ROOT })
  ;[packed] = JSON.parse(pack.stdout)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }))
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG))
  writeFileSync(join(folder, 'consumer.ts'), CONSUMER)
  const wanted = [`./${packed.filename}`, '@types/node@20']
  await run('npm', ['install', '--no-audit', '--no-fund', ...wanted], { cwd: folder })
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the package holds the program, its migrations, its contracts, the company of its demo and what one reads first, and nothing else', () => {
  const paths = packed.files.map(({ path }) => path)
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
  expect(paths.filter((path) => !/\.(js|d\.ts|json|md|sql|graphql|csv)$|^LICENSE$/.test(path))).toEqual([])
  expect(paths).toEqual(expect.arrayContaining(['dist/main.js', 'dist/index.js', 'dist/index.d.ts']))
})

test('a program that imports it passes the type check, and runs', async () => {
  const { stdout: complaints } = await run(process.execPath, [TSC, '-p', folder], { cwd: folder }).catch(
    (failure: { stdout: string }) => failure,
  )
  // Drizzle's declarations import drivers that only their users have. Everything else is checked, ours included.
  const ofOthers = complaints.split('\n').filter((line) => /^(?!node_modules\/drizzle-orm\/)\S/.test(line))
  expect(ofOthers).toEqual([])
  const { stdout } = await run(process.execPath, ['consumer.js'], { cwd: folder })
  expect(JSON.parse(stdout)).toEqual({
    status: 200,
    body: expect.objectContaining({ data: [] }),
    executed: { data: { personnel: { totalCount: 0 } } },
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

test('its command serves the demo with the key that it prints, and stops when told to', async () => {
  // What npx runs, without npx: that ends on SIGTERM by itself and leaves behind what it has started.
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
    let said = ''
    child.stderr?.on('data', (chunk) => {
      said += chunk
      if (said.includes('With your own data')) resolve(said)
    })
    child.on('close', () => reject(new Error(`serve ended: ${said}`)))
  })
}
