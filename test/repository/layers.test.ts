import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const SRC = fileURLToPath(new URL('../../src', import.meta.url))

/** Bottom up: a file may import from its own layer and from those before it. */
const LAYERS: readonly { name: string; holds: (file: string) => boolean }[] = [
  {
    name: 'floor',
    holds: (file) =>
      /^(about|config|csv|details|errors|fields|ids|limits|caches|text|vocabulary|work)\.ts$/.test(file) ||
      file.startsWith('ingest/files/'),
  },
  { name: 'store', holds: (file) => file.startsWith('store/') },
  { name: 'auth', holds: (file) => file.startsWith('auth/') && !file.endsWith('.graph.ts') },
  {
    name: 'nouns and graph',
    holds: (file) => /^(nouns\.ts$|(history|personnel|projects|graph)\/)/.test(file) && !file.endsWith('.graph.ts'),
  },
  { name: 'ingest', holds: (file) => /^ingest\/(?!files\/)/.test(file) && !file.endsWith('.graph.ts') },
  { name: 'faces', holds: (file) => file.endsWith('.graph.ts') },
  { name: 'assembly', holds: (file) => file === 'schema.ts' },
  { name: 'edge', holds: (file) => /^(main|index)\.ts$/.test(file) || /^(cli|http|web)\//.test(file) },
]

interface Import {
  readonly from: string
  readonly to: string
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))

const imports: Import[] = files.flatMap((from) => {
  const text = readFileSync(join(SRC, from), 'utf8')
  const specifiers = [...text.matchAll(/(?:from|import) ?\(?'([^']+)'/g)].map(([, specifier = '']) => specifier)
  return specifiers.map((specifier) => ({
    from,
    to: specifier.startsWith('.')
      ? relative(SRC, join(SRC, dirname(from), specifier)).replace(/\.js$/, '.ts')
      : specifier,
  }))
})

function layerOf(file: string): number {
  return LAYERS.findIndex(({ holds }) => holds(file))
}

function violations(isAllowed: (one: Import) => boolean): string[] {
  return imports.filter((one) => !isAllowed(one)).map(({ from, to }) => `${from} imports ${to}`)
}

test('every source file belongs to exactly one layer', () => {
  const homeless = files.filter((file) => LAYERS.filter(({ holds }) => holds(file)).length !== 1)
  expect(homeless).toEqual([])
})

test('every cache has the bounds of a BoundedCache', () => {
  expect(violations(({ from, to }) => to !== 'lru-cache' || from === 'caches.ts')).toEqual([])
})

test('imports only point down', () => {
  expect(violations(({ from, to }) => layerOf(to) <= layerOf(from))).toEqual([])
})

/** Bottom up, inside http. */
const IN_HTTP: readonly RegExp[] = [
  /^http\/(wire\/|deadline\.ts)/,
  /^http\/(observe\/|options\.ts)/,
  /^http\/((access|cache)\/|(body|idempotency|readiness|waiting)\.ts)/,
  /^http\/gate\.ts/,
  // Protocols, and what describes them.
  /^http\/\w+\//,
  /^http\/(protocols|app|server)\.ts/,
]

test('imports inside http only point down: to the gate, and what it is made of', () => {
  const levelOf = (file: string) => IN_HTTP.findIndex((holds) => holds.test(file))
  expect(files.filter((file) => file.startsWith('http/') && levelOf(file) < 0)).toEqual([])
  expect(violations(({ from, to }) => !from.startsWith('http/') || levelOf(to) <= levelOf(from))).toEqual([])
})

test('a protocol is known to the registry alone, and REST to its document', () => {
  const protocolOf = (file: string) => /^http\/(?!wire|observe|access|cache|openapi|pages)(\w+)\//.exec(file)?.[1]
  const mayKnow = (from: string) => !from.startsWith('http/') || /^http\/(protocols\.ts|openapi\/)/.test(from)
  expect(violations(({ from, to }) => !protocolOf(to) || mayKnow(from) || protocolOf(from) === protocolOf(to))).toEqual(
    [],
  )
})

test('nouns and graph do not know each other', () => {
  const side = (file: string) =>
    file.endsWith('.graph.ts') ? undefined : /^(graph|history|personnel|projects)\//.exec(file)?.[1]
  const isForeign = (a: string | undefined, b: string | undefined) => a !== b && (a === 'graph' || b === 'graph')
  expect(violations(({ from, to }) => !(side(from) && side(to)) || !isForeign(side(from), side(to)))).toEqual([])
})

test('nouns, their faces, the graph and http know nothing of what is imported', () => {
  const mayNotKnow = /^(graph|history|personnel|projects|http|web)\/|^nouns\.ts$/
  expect(violations(({ from, to }) => !mayNotKnow.test(from) || !to.startsWith('ingest/'))).toEqual([])
})

test('graphql and Pothos are known to faces, graph, schema and http alone', () => {
  const mayKnow = (file: string) => file.endsWith('.graph.ts') || /^(graph|http)\//.test(file) || file === 'schema.ts'
  const isGraphql = (specifier: string) => /^(graphql|graphql-yoga|@pothos\/.*)$/.test(specifier)
  expect(violations(({ from, to }) => !isGraphql(to) || mayKnow(from))).toEqual([])
})

test.each([
  [/^(better-sqlite3|drizzle-orm\/better-sqlite3(\/.*)?)$/, ['store/sqlite/handle.ts', 'store/sqlite/driver.ts']],
  [
    /^(pg|drizzle-orm\/(node-postgres|pg-proxy))$/,
    ['store', 'connections', 'migrations', 'session'].map((part) => `store/postgres/${part}.ts`),
  ],
])('the driver %s is known to its store files alone', (driver, mayKnow) => {
  expect(violations(({ from, to }) => !driver.test(to) || mayKnow.includes(from))).toEqual([])
})

test('no module above the store knows the engine, except for backup and restore', () => {
  const engines = /^store\/(sqlite\/|postgres\/|columns\.ts)/
  const mayImport = (file: string) => file.startsWith('store/') || /^cli\/store\/backup\.ts$/.test(file)
  expect(violations(({ from, to }) => mayImport(from) || !engines.test(to))).toEqual([])
  const naming = files.filter((file) => /sqlite|postgres|\bpg_/i.test(code(file)))
  const mayName = /^(store\/|cli\/store\/(backup|copy)\.ts$|config\.ts$|limits\.ts$)/
  expect(naming.filter((file) => !mayName.test(file))).toEqual([])
})

/** Without comments, which may name an engine. */
function code(file: string): string {
  return readFileSync(join(SRC, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
}

test('a store loads no driver but its own', () => {
  const eager = files.filter((file) => /^import [^(]*'\.\/(postgres|sqlite)\/\w+\.js'/m.test(code(file)))
  expect(eager).toEqual([])
  const engineOf = (file: string) => /^store\/(sqlite|postgres)\//.exec(file)?.[1]
  const isForeign = (from: string | undefined, to: string | undefined) => from && to && from !== to
  expect(violations(({ from, to }) => !isForeign(engineOf(from), engineOf(to)))).toEqual([])
})

test('the environment is read in one file, and the process ends in one', () => {
  const using = (words: string) => files.filter((file) => readFileSync(join(SRC, file), 'utf8').includes(words))
  expect(using('process.env')).toEqual(['config.ts'])
  expect(using('process.exit')).toEqual(['main.ts'])
})

test('files are found from one module: the bundler of a host leaves behind what is beside the others', () => {
  expect(files.filter((file) => code(file).includes('import.meta'))).toEqual(['about.ts'])
})

test('the 9 MB of GraphiQL are loaded by a worker alone, since loading them takes a second', () => {
  const naming = files.filter((file) => code(file).includes('@graphql-yoga/render-graphiql'))
  expect(naming).toEqual(['http/pages/graphiqlWorker.ts'])
})

test('no import goes in a circle', () => {
  const below = new Map(files.map((file) => [file, imports.filter((one) => one.from === file).map(({ to }) => to)]))
  const circles: string[] = []
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) circles.push([...path, file].join(' > '))
    else if (!done.has(file)) for (const next of below.get(file) ?? []) visit(next, [...path, file])
    done.add(file)
  }
  for (const file of files) visit(file, [])
  expect(circles).toEqual([])
})
