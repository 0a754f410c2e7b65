/** A server on a copy of a filled store, and a watcher in another process that measures how long others wait. */
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { COMPANY, importAll } from '../../bench/speed/data.js'
import { INSIDE } from '../../hostile/support/inside.js'
import { startWatcher, type Watching } from '../../hostile/support/watching.js'
import { bytesOf, type Sent } from '../../hostile/support/wire.js'
import { mintBy, newFolder, type Served, serve } from '../served.js'

/** The project that the campaign writes to. */
export const PROJECT = 'INPUTS'

/** The keys of the store. */
const KEYS = {
  manager: [['personnel.manage', 'projects.manage']],
  second: [['personnel.manage', 'projects.manage']],
  reader: [['personnel.read', 'projects.read']],
  personnel: [['personnel.read']],
  projects: [['projects.read']],
  tracker: [['projects.manage'], ['--project', PROJECT]],
} as const satisfies Record<string, readonly [scopes: readonly string[], more?: readonly string[]]>
export type KeyName = keyof typeof KEYS

/** A request with a name; built when it is sent, because all of them together would be much. */
export interface Call {
  readonly name: string
  /** Undefined for a request without a key. */
  readonly as: KeyName | undefined
  readonly sent: () => Sent
}

export interface Answer {
  /** 0 if there was none in time. */
  readonly status: number
  /** Its head and the first bytes of its body. */
  readonly text: string
  readonly ms: number
}

/** What a call did to others. */
export interface Outcome {
  /** The longest latency of the watcher. */
  readonly waitedMs: number
  /** The CPU time of the thread with the event loop: other load on the machine does not disturb it. */
  readonly loopMs: number
  readonly answer: Answer
  /** Why the answer is wrong, if it is. */
  readonly wrong: string | undefined
}

const KEPT_BYTES = 65_536
const PATIENCE_MS = 120_000
const PROBE_EVERY_MS = 2

/** The instant on the clock that all processes share. */
export const now = () => performance.timeOrigin + performance.now()

/** Sends a request over a connection of its own, and keeps only the beginning of the answer. */
export function exchange(port: number, sent: Sent): Promise<Answer> {
  const bytes = bytesOf(sent)
  const startedAt = performance.now()
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    let text = ''
    socket.setTimeout(PATIENCE_MS, () => socket.destroy())
    socket.on('data', (chunk) => {
      if (text.length < KEPT_BYTES) text += chunk.toString('latin1')
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0)
      resolve({ status, text, ms: performance.now() - startedAt })
    })
    socket.write(bytes)
  })
}

/** The folder of a filled store of this build, and its keys; filled once and kept in the temporary folder. */
function filledStore(build: string): string {
  const migrations = readdirSync(join(build, 'drizzle', 'sqlite'))
  const name = createHash('sha256')
    .update(JSON.stringify([migrations, COMPANY, KEYS]))
    .digest('hex')
    .slice(0, 12)
  const folder = join(tmpdir(), `operations-inputs-${name}`)
  if (existsSync(folder)) return folder
  const made = newFolder()
  const main = mainOf(build)
  const keys = Object.entries<readonly [readonly string[], (readonly string[])?]>(KEYS).map(
    ([key, [scopes, more]]) => [key, mintBy(main, made, scopes, more)] as const,
  )
  writeFileSync(join(made, 'keys.json'), JSON.stringify(Object.fromEntries(keys)), { mode: 0o600 })
  importAll(made, COMPANY, main)
  renameSync(made, folder)
  return folder
}

export function mainOf(build: string): string {
  return join(build, 'dist', 'main.js')
}

/** A server of a build on its own copy of the filled store, with its watcher. */
export class Stage {
  readonly server: Served
  readonly port: number
  /** The folder of its store. */
  readonly data: string
  private readonly keys: Readonly<Record<string, string>>
  private readonly watcher: Watching

  private constructor(server: Served, data: string, keys: Readonly<Record<string, string>>) {
    this.server = server
    this.data = data
    this.keys = keys
    this.port = Number(new URL(server.origin).port)
    this.watcher = startWatcher(server.origin, '', PROBE_EVERY_MS, ['/healthz'])
  }

  static async open(
    build: string,
    args: readonly string[] = ['--rate-limit', '0'],
    under: readonly string[] = [],
  ): Promise<Stage> {
    const filled = filledStore(build)
    const folder = newFolder()
    mkdirSync(join(folder, 'data'))
    cpSync(join(filled, 'data'), join(folder, 'data'), { recursive: true })
    const keys = JSON.parse(readFileSync(join(filled, 'keys.json'), 'utf8'))
    const stage = new Stage(await serve(folder, args, under, mainOf(build)), join(folder, 'data'), keys)
    await stage.watcher.longestWait(0)
    return stage
  }

  keyOf(name: KeyName): string {
    return this.keys[name] ?? ''
  }

  send({ as, sent }: Pick<Call, 'as' | 'sent'>): Promise<Answer> {
    const { headers, ...rest } = sent()
    const authorization = as && { Authorization: `Bearer ${this.keyOf(as)}` }
    return exchange(this.port, { ...rest, headers: { ...authorization, ...headers } })
  }

  /** Sends a call, or several at once, and measures how long others wait meanwhile. */
  async measure(...calls: Call[]): Promise<Outcome> {
    const since = now()
    const before = this.loopMs()
    const answers = await Promise.all(calls.map((call) => this.send(call)))
    const { longestMs } = await this.watcher.longestWait(since)
    const [answer = { status: 0, text: '', ms: 0 }] = answers
    const wrong = answers.map((one) => this.wrongIn(one)).find((one) => one !== undefined)
    return { waitedMs: longestMs, loopMs: this.loopMs() - before, answer, wrong }
  }

  longestWait(since: number): Promise<{ longestMs: number }> {
    return this.watcher.longestWait(since)
  }

  get isRunning(): boolean {
    return existsSync(`/proc/${this.server.pid}`)
  }

  /** The CPU time of the main thread so far. */
  private loopMs(): number {
    const { pid } = this.server
    return this.isRunning ? Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6 : 0
  }

  private wrongIn({ status, text }: Answer): string | undefined {
    if (!this.isRunning) return `the server ended: ${this.server.stderr().slice(-500)}`
    if (status >= 500 && status !== 503) return `status ${status}`
    if (!/^content-type: [^\r\n]*json/im.test(text)) return undefined
    const [found] = Object.entries(INSIDE).flatMap(([what, pattern]) => {
      const [shown] = pattern.exec(text) ?? []
      return shown === undefined ? [] : [`${what} in the answer: ${shown}`]
    })
    return found
  }

  async close(): Promise<void> {
    this.watcher.end()
    await this.server.end('SIGKILL')
  }
}
