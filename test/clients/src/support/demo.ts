import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../../../../dist/main.js', import.meta.url))
const START_MS = 30_000

/** The origin of the running demo, and a key with every scope. */
export interface Demo {
  readonly origin: string
  readonly key: string
  readonly headers: { readonly Authorization: string }
}

const folder = mkdtempSync(join(tmpdir(), 'clients-'))
let server: ChildProcess | undefined
let running: Demo | undefined

// One demo for all tests of the process, on a free port and in its own folder.
before(async () => {
  server = spawn(process.execPath, [MAIN, 'serve', '--demo', '--port', '0'], { cwd: folder })
  running = await printedBy(server)
})

after(() => {
  server?.kill()
  rmSync(folder, { recursive: true, force: true })
})

/** The demo that the tests run against. */
export function demo(): Demo {
  if (!running) throw new Error('The demo is not running.')
  return running
}

function printedBy(server: ChildProcess): Promise<Demo> {
  return new Promise((resolve, reject) => {
    let text = ''
    const timer = setTimeout(() => reject(new Error(`The demo did not start:\n${text}`)), START_MS)
    const read = (chunk: Buffer) => {
      text += chunk
      const origin = /REST\s+(http:\S+)\/v1/.exec(text)?.[1]
      const key = /API key\s+(ops_\w+)/.exec(text)?.[1]
      if (origin === undefined || key === undefined) return
      clearTimeout(timer)
      resolve({ origin, key, headers: { Authorization: `Bearer ${key}` } })
    }
    server.stdout?.on('data', read)
    server.stderr?.on('data', read)
    server.on('exit', (code) => reject(new Error(`The demo ended with ${code}:\n${text}`)))
  })
}
