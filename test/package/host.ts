import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'

const run = promisify(execFile)
export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** A host that has the packed gateway, made once for all tests: to install it takes minutes. */
export interface Host {
  readonly folder: string
  readonly packed: readonly string[]
  /** The output of npm for the package alone, and the version of graphql that it installed. */
  readonly alone: { readonly messages: string; readonly graphql: string }
}

declare module 'vitest' {
  interface ProvidedContext {
    host: Host
  }
}

/** What hosts are built of and with, beside another graphql than ours. */
const FRAMEWORKS = [
  'graphql@16.11.0',
  'express@5.3.0',
  '@types/express@5',
  'fastify@5.12.8',
  'hono@4.13.17',
  '@hono/node-server@2.1.6',
  'graphql-yoga@5.24.1',
  '@apollo/server@5.5.1',
  '@graphql-tools/schema@10.1.5',
  '@graphql-tools/stitch@10.3.1',
  'esbuild@0.25.12',
  'vite@7.3.8',
  'rollup@4.65.0',
  '@rollup/plugin-commonjs@29.0.3',
  '@rollup/plugin-json@6.1.0',
  '@rollup/plugin-node-resolve@16.0.3',
  'webpack@5.112.2',
]

export async function setup(project: TestProject) {
  const { folder, files, messages, graphql } = await makeHost()
  const packed = files.map(({ path }) => path)
  project.provide('host', { folder, packed, alone: { messages, graphql } })
  return () => rmSync(folder, { recursive: true, force: true })
}

/** A folder in which the packed gateway and the frameworks are installed. */
export async function makeHost() {
  const folder = mkdtempSync(join(tmpdir(), 'operations-package-'))
  // Without scripts: `npm run part -- package` has built what is packed here.
  const pack = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], { cwd: ROOT })
  const [{ filename, files }] = JSON.parse(pack.stdout)
  const { overrides } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  // Of our overrides this one alone: the newer versions of it want what the registry may not have.
  const delegate = { '@graphql-tools/delegate': overrides['@graphql-tools/delegate'] }
  const manifest = { name: 'host', private: true, type: 'module', overrides: delegate }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  await packDriver(folder)
  const { stderr: messages } = await install(folder, `./${filename}`, '@types/node@20')
  const graphql = versionOf(folder, 'graphql')
  await install(folder, ...FRAMEWORKS)
  return { folder, files: files as readonly { readonly path: string }[], messages, graphql }
}

/** Offers the SQLite driver that is compiled here to prebuild-install: compiling it again takes minutes. */
async function packDriver(folder: string): Promise<void> {
  const driver = join(ROOT, 'node_modules/better-sqlite3')
  const binary = 'build/Release/better_sqlite3.node'
  if (!existsSync(join(driver, binary))) return
  const { version } = JSON.parse(readFileSync(join(driver, 'package.json'), 'utf8'))
  const { platform, arch, versions } = process
  const name = `better-sqlite3-v${version}-node-v${versions.modules}-${platform}-${arch}.tar.gz`
  await run('tar', ['-czf', join(folder, name), '-C', driver, binary])
  process.env['npm_config_better_sqlite3_local_prebuilds'] = folder
}

export function install(folder: string, ...wanted: readonly string[]) {
  return run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...wanted], { cwd: folder })
}

export function versionOf(folder: string, name: string): string {
  return JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version
}

/** The code of a section of a document, as it is written there. */
export function codeOf(document: string, heading: string): string[] {
  const text = readFileSync(join(ROOT, 'docs', document), 'utf8')
  const [, section = ''] = text.split(`# ${heading}\n`)
  const [own = ''] = section.split(/\n## /)
  return [...own.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code)
}

/** Compiles programs of a host strictly; `checksLibraries` is what `skipLibCheck: false` means. Returns the complaints. */
export async function compile(folder: string, programs: Readonly<Record<string, string>>, checksLibraries: boolean) {
  for (const [name, code] of Object.entries(programs)) writeFileSync(join(folder, name), code)
  const options = {
    target: 'ES2023',
    module: 'nodenext',
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    resolveJsonModule: true,
    skipLibCheck: !checksLibraries,
    types: ['node'],
  }
  const config = { compilerOptions: options, files: Object.keys(programs) }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  const { stdout } = await run(process.execPath, [tsc, '-p', folder], { cwd: folder }).catch(
    (failure: { stdout: string }) => failure,
  )
  return stdout.split('\n').filter((line) => line !== '')
}
