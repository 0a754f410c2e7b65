/** Shared by the campaigns: a served process outside the test runner, and its resource usage. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

const children = new Set<ChildProcess>()
// Kill all children whenever a campaign exits.
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130))

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'operations-campaign-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Creates a key in the folder's store, and the store if needed. */
export function mint(folder: string, ...scopes: string[]): string {
  return mintBy(MAIN, folder, scopes)
}

/** The same by another build, with further arguments. */
export function mintBy(main: string, folder: string, scopes: readonly string[], more: readonly string[] = []): string {
  const granted = scopes.flatMap((scope) => ['--scope', scope])
  const args = ['keys', 'create', '--json', '--name', 'campaign', ...granted, ...more]
  const printed = execFileSync(process.execPath, [main, ...args], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return JSON.parse(printed).key
}

export interface Served {
  readonly pid: number
  readonly origin: string
  /** The address of the metrics, if enabled. */
  readonly metrics: string | undefined
  stderr(): string
  /** Ends it; returns the exit code, or null if a signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

/** Starts `serve` on the folder's store; `under` is a program to run it under, with its arguments, `main` another build. */
export function spawnServer(
  folder: string,
  args: readonly string[],
  under: readonly string[] = [],
  main = MAIN,
): ChildProcess {
  const [program = process.execPath, ...rest] = [...under, process.execPath, main, 'serve', '--port', '0', ...args]
  const child = spawn(program, rest, {
    cwd: folder,
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  children.add(child)
  child.on('close', () => children.delete(child))
  return child
}

/** The same, and waits until it listens. */
export async function serve(
  folder: string,
  args: readonly string[],
  under: readonly string[] = [],
  main = MAIN,
): Promise<Served> {
  const child = spawnServer(folder, args, under, main)
  let stderr = ''
  await new Promise<void>((resolve, reject) => {
    child.stderr?.on('data', (chunk) => {
      stderr += chunk
      if (/ serves .+ at http/.test(stderr)) resolve()
    })
    child.on('close', (code) => reject(new Error(`serve ended with ${code}: ${stderr}`)))
  })
  return {
    pid: child.pid ?? 0,
    origin: /serves .* at (http:\/\/[\w.:]+)/.exec(stderr)?.[1] ?? '',
    metrics: /Metrics at (\S+)/.exec(stderr)?.[1],
    stderr: () => stderr,
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
      child.kill(signal)
      await once(child, 'close')
      return child.exitCode
    },
  }
}

/** The CPU time that a process has used so far. */
export function cpuMsOf(pid: number): number {
  // The program name may contain blanks; the fields after it do not.
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const [user, system] = fields.split(' ').slice(11, 13).map(Number)
  return ((user ?? 0) + (system ?? 0)) * TICK_MS
}

/** Linux counts in hundredths of a second, on every machine. */
const TICK_MS = 10
