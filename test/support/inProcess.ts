import { vi } from 'vitest'
import { run } from '../../src/cli/program.js'
import { environmentOf, type Finished } from './process.js'

let last: Promise<unknown> = Promise.resolve()

/**
 * Runs a command in a folder like `operations`, but in this process, which saves the start of another. It is for what a
 * command says and does; whatever is about being a process (signals, standard input, an end) takes a real one.
 */
export function runHere(folder: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Finished> {
  // One at a time: working directory, environment and output are global to the process.
  const mine = last.then(() => within(folder, args, env))
  last = mine.catch(() => undefined)
  return mine
}

async function within(folder: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Finished> {
  const before = { folder: process.cwd(), env: process.env }
  const [stdout, stderr] = [listenTo(process.stdout), listenTo(process.stderr)]
  process.env = { ...environmentOf(folder), ...env }
  process.chdir(folder)
  try {
    const code = await run(args)
    return { code, stdout: stdout.text(), stderr: stderr.text() }
  } finally {
    process.chdir(before.folder)
    process.env = before.env
    stdout.restore()
    stderr.restore()
  }
}

/** Captures what is written to a stream. */
function listenTo(stream: NodeJS.WriteStream) {
  let text = ''
  const spy = vi.spyOn(stream, 'write').mockImplementation((chunk, ...rest) => {
    text += chunk
    const done = rest.at(-1)
    if (typeof done === 'function') done()
    return true
  })
  return { text: () => text, restore: () => spy.mockRestore() }
}

/** Creates a key in the folder's store with the command and these arguments. */
export async function mint(folder: string, ...args: string[]): Promise<MintedKey> {
  return JSON.parse((await runHere(folder, ['keys', 'create', '--json', ...args])).stdout)
}

interface MintedKey {
  readonly id: string
  readonly key: string
  readonly [member: string]: unknown
}
