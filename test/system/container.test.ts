import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder, serve } from '../support/process.js'
import { MEMORY_SETTINGS } from '../support/unit.js'

const root = new URL('../..', import.meta.url)
const read = (name: string) => readFileSync(new URL(name, root), 'utf8')
const containerfile = read('Containerfile').replaceAll('\\\n', '')
const lines = containerfile.split('\n')

/** The last build stage, which is the image. */
const stage = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM')))

test('the image has whatever the package has, and the licence', () => {
  const { files } = JSON.parse(read('package.json')) as { files: string[] }
  const copied = stage.flatMap((line) => /^COPY --from=build (.*) \S+$/.exec(line)?.[1]?.split(' ') ?? [])
  const wanted = [...files.filter((name) => !name.endsWith('.md')), 'package.json', 'node_modules', 'LICENSE']
  expect(copied.sort()).toEqual(wanted.map((name) => `/opt/operations/${name}`).sort())
})

test('the build context has what the build reads, and no local data, keys or built files', () => {
  const [first, ...others] = read('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  expect(first).toBe('*')
  const sent = ['package.json', 'package-lock.json', '.npmrc', 'LICENSE', 'tsconfig.json', 'src', 'drizzle', 'schema']
  const building = ['build', 'bundle', 'commit'].map((name) => `.ci/${name}.mjs`)
  const commit = ['.git/HEAD', '.git/packed-refs', '.git/refs']
  expect(others.sort()).toEqual([...sent, ...building, ...commit].map((name) => `!${name}`).sort())
})

test('the build knows its commit: in the image, which has no git, with an argument, and from an archive', () => {
  const HASH = '0123456789abcdef0123456789abcdef01234567'
  /** What a build in a folder of these files finds, without git. */
  const found = (
    files: Readonly<Record<string, string>>,
    env: NodeJS.ProcessEnv = {},
    script = read('.ci/commit.mjs'),
  ) => {
    const folder = newFolder()
    for (const [name, text] of Object.entries({ ...files, '.ci/commit.mjs': script })) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), text)
    }
    const print = "import('./.ci/commit.mjs').then(({ commit }) => console.log(commit()))"
    return spawnSync(process.execPath, ['-e', print], { cwd: folder, env, encoding: 'utf8' }).stdout.trim()
  }
  const onMain = { '.git/HEAD': 'ref: refs/heads/main\n' }
  const archived = read('.ci/commit.mjs').replace('$Format:%H$', HASH)
  expect(read('.gitattributes')).toContain('.ci/commit.mjs export-subst\n')
  expect([
    found({ ...onMain, '.git/refs/heads/main': `${HASH}\n` }),
    found({ ...onMain, '.git/packed-refs': `# pack-refs\n${HASH} refs/heads/main\n` }),
    found({ '.git/HEAD': `${HASH}\n` }),
    found({}, { SOURCE_COMMIT: HASH }),
    found({}, {}, archived),
    found({}),
    found({ '.git': 'gitdir: elsewhere' }),
    found(onMain, { SOURCE_COMMIT: 'main' }),
  ]).toEqual([...Array(5).fill(HASH.slice(0, 12)), 'unknown', 'unknown', 'unknown'])
})

test('it runs on Node 24, and not as root', () => {
  expect(lines.filter((line) => line.startsWith('FROM')).map((line) => line.split(' ')[1])).toEqual([
    'node:24-slim',
    'node:24-slim',
  ])
  expect(stage).toContain('USER node')
})

test('the image and the documented unit have the same memory settings', () => {
  const settings = [...containerfile.matchAll(/(MALLOC_\w+)=(\d+)/g)].map(([, name, value]) => [name, value])
  expect(settings.length).toBeGreaterThan(0)
  expect(Object.fromEntries(settings)).toEqual(MEMORY_SETTINGS)
})

test('its health check passes if the service is ready, and fails if nothing listens', async () => {
  const [, command] = /HEALTHCHECK [^\n]*CMD (\[.*\])/.exec(containerfile) ?? []
  const [node, ...args]: string[] = JSON.parse(command ?? '[]')
  expect(node).toBe('node')
  const check = (port: string, basePath?: string) =>
    spawnSync(process.execPath, args, { env: { PORT: port, ...(basePath && { OPERATIONS_BASE_PATH: basePath }) } })
      .status
  const server = await serve(newFolder(), ['--base-path', '/ops'])
  const { port } = new URL(server.origin)
  expect([check(port, '/ops'), check(port)]).toEqual([0, 1])
  await server.stop('SIGTERM')
  expect(check(port, '/ops')).toBe(1)
})
