import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { giveBack, newDatabase, takeDatabase } from '../postgres/databases.js'
import { engine } from './engine.js'
import { postgresStore, sqliteStore, type TestStore } from './stores.js'

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

interface Options {
  /** Another build of the command. */
  readonly main?: string
  readonly env?: NodeJS.ProcessEnv
  /** A file that takes the place of standard output. */
  readonly stdout?: string
  /** When it is killed: after the test that started it, or later if a file shares it. */
  readonly atEnd?: ((end: () => void) => void) | undefined
}

/** The database of a folder on PostgreSQL; on SQLite the store is a file in the folder. */
const databases = new Map<string, string>()

/** The store of a folder; on PostgreSQL migrated, unless a command used it first. */
export function storeOf(folder: string): TestStore {
  if (engine === 'sqlite') return sqliteStore(join(folder, 'data/operations.db'))
  return postgresStore(databaseOf(folder, takeDatabase))
}

function databaseOf(folder: string, take: () => string): string {
  const url = databases.get(folder) ?? take()
  databases.set(folder, url)
  return url
}

export function newFolder(atEnd: Options['atEnd'] = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'operations-'))
  atEnd(() => {
    rmSync(folder, { recursive: true, force: true })
    const url = databases.get(folder)
    if (databases.delete(folder) && url) giveBack(url)
  })
  return folder
}

/** Runs the built command in a folder, as a user would, and waits for its end. */
export async function operations(folder: string, args: readonly string[], options: Options = {}): Promise<Finished> {
  const running = start(folder, args, options)
  await once(running.child, 'close')
  return running.finished()
}

/** Starts `serve` on a free port and waits until it listens. */
export async function serve(folder: string, args: readonly string[] = [], options: Options = {}) {
  const running = start(folder, ['serve', '--port', '0', ...args], options)
  const origin = await new Promise<string>((resolve, reject) => {
    running.child.stderr?.on('data', () => {
      // The address of the metrics is printed first.
      const [found] = /(?<!Metrics at )http:\/\/[\w.:[\]]+:\d+/.exec(running.finished().stderr) ?? []
      if (found) resolve(found)
    })
    running.child.on('close', () => reject(new Error(`serve ended: ${running.finished().stderr}`)))
  })
  return { ...running, origin, metrics: /Metrics at (\S+)/.exec(running.finished().stderr)?.[1] ?? '' }
}

/** The environment of a command: only the address of its store. */
export function environmentOf(folder: string): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], ...(engine === 'postgres' && { DATABASE_URL: databaseOf(folder, newDatabase) }) }
}

/** Starts the built command without waiting. */
export function start(
  folder: string,
  args: readonly string[],
  { main = MAIN, env = {}, stdout: file, atEnd = onTestFinished }: Options = {},
) {
  const child: ChildProcess = spawn(process.execPath, [main, ...args], {
    cwd: folder,
    env: { ...environmentOf(folder), ...env },
    stdio: ['ignore', file ? openSync(file, 'w') : 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr?.on('data', (chunk) => {
    stderr += chunk
  })
  atEnd(() => {
    child.kill('SIGKILL')
  })
  return {
    child,
    finished: (): Finished => ({ code: child.exitCode, stdout, stderr }),
    async stop(signal: NodeJS.Signals): Promise<Finished> {
      child.kill(signal)
      await once(child, 'close')
      return { code: child.exitCode, stdout, stderr }
    },
  }
}
