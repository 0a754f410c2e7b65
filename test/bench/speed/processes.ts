/** The processes of a measurement, each pinned to its own core. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { availableParallelism, constants, setPriority } from 'node:os'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { LoadPlan, LoadResult } from './load.js'

const LOAD = fileURLToPath(new URL('load.ts', import.meta.url))
const SERVER_CORE = 0
const LOAD_CORE = 1

/** Whether server and load generator can be pinned to different cores; if not, why. */
export const pinning: { readonly isOn: boolean; readonly words: string } = decidePinning()

function decidePinning() {
  if (availableParallelism() < 2) return { isOn: false, words: 'not pinned: there is one core only' }
  try {
    execFileSync('taskset', ['--version'], { stdio: 'ignore' })
  } catch {
    return { isOn: false, words: 'not pinned: `taskset` (util-linux) is missing' }
  }
  return { isOn: true, words: `server on core ${SERVER_CORE}, load generator on core ${LOAD_CORE}` }
}

const pinnedTo = (core: number) => (pinning.isOn ? ['taskset', '-c', String(core)] : [])
/** The command prefix of a server on its own core. */
export const ON_SERVER_CORE: readonly string[] = pinnedTo(SERVER_CORE)
/** The same without pinning. */
export const ON_ANY_CORE: readonly string[] = []

const children = new Set<ChildProcess>()
// Kill all children whenever the bench exits.
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

function start(core: number, args: readonly string[], stdin: 'pipe' | 'ignore'): ChildProcess {
  const [program = process.execPath, ...rest] = [...pinnedTo(core), process.execPath, ...args]
  const child = spawn(program, rest, {
    env: { PATH: process.env['PATH'], NODE_ENV: 'production' },
    stdio: [stdin, 'pipe', 'inherit'],
  })
  children.add(child)
  child.on('close', () => children.delete(child))
  return child
}

export interface Running {
  readonly pid: number
  readonly port: number
  end(): Promise<void>
}

/** Starts a contestant's script on a file, and waits until it prints its port. */
export async function startScript(script: string, file: string): Promise<Running> {
  const child = start(SERVER_CORE, [script, file], 'ignore')
  const port = await new Promise<number>((resolve, reject) => {
    let printed = ''
    child.stdout?.on('data', (chunk) => {
      printed += chunk
      const [, found] = /listening (\d+)/.exec(printed) ?? []
      if (found) resolve(Number(found))
    })
    child.on('close', (code) => reject(new Error(`${script} ended with ${code}.`)))
  })
  return {
    pid: child.pid ?? 0,
    port,
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'close')
    },
  }
}

/** `isBehind` lowers the priority, if another load is measured at the same time. */
export async function load(plan: LoadPlan, isBehind = false): Promise<LoadResult> {
  const child = start(LOAD_CORE, ['--import', 'tsx', LOAD], 'pipe')
  if (isBehind && child.pid) setPriority(child.pid, constants.priority.PRIORITY_LOW)
  child.stdin?.end(JSON.stringify(plan))
  const printed = child.stdout ? await text(child.stdout) : ''
  if (printed === '') throw new Error('The load generator failed.')
  return JSON.parse(printed) as LoadResult
}

/** The resident memory of a process. */
export function residentBytes(pid: number): number {
  return 1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
}
