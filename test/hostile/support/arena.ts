import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mintKey } from '../../../src/auth/keys.js'
import type { Scope } from '../../../src/auth/scopes.js'
import { migrate } from '../../../src/store/sqlite/migrations.js'
import { openSqlite } from '../../../src/store/sqlite/store.js'
import type { Write } from '../../../src/store/store.js'
import { reportFigure } from '../../support/figures.js'
import { type Company, fillCompany } from '../../support/fixtures.js'
import type { TestResponse } from '../../support/harness.js'
import { serve } from '../../support/process.js'
import { requireClean, type Verdict } from './verdicts.js'
import type { Waited } from './watcher.js'
import { startWatcher, type Watching } from './watching.js'
import { bytesOf, type Raw, type Sent, type Talk, talk } from './wire.js'

/** Leaves out what waits for the server's own time limits, fuzzes for less long, and tries less of what is much alike. */
export const isShort = process.env['HOSTILE_SHORT'] === '1'

const SAMPLE = 4

/** All of what is much alike, or in the short form every fourth of it. */
export function sample<T>(all: readonly T[]): readonly T[] {
  return isShort ? all.filter((_, index) => index % SAMPLE === 0) : all
}

/** The longest latency that other clients should see during any attack. */
export const WAIT_MS = 1_000
const WATCH_EVERY_MS = 25

const KEY_LENGTH = 40
/** A placeholder of the same length as a key, for bytes that are written before a key exists. */
export const KEY = 'THE-KEY-OF-EVERY-SCOPE'.padEnd(KEY_LENGTH, '-')
export const SMALL_KEY = 'THE-KEY-WITHOUT-PROJECTS-MANAGE'.padEnd(KEY_LENGTH, '-')
export const PROJECTS_KEY = 'THE-KEY-OF-PROJECTS-READ-ONLY'.padEnd(KEY_LENGTH, '-')
export const AS_MANAGER = { Authorization: `Bearer ${KEY}` }

const JSON_HEADERS = { ...AS_MANAGER, 'Content-Type': 'application/json' }

/** A body in JSON, as a text, which may be none. */
export function posted(target: string, body: string | Buffer, headers: Sent['headers'] = {}): Sent {
  return { method: 'POST', target, headers: { ...JSON_HEADERS, ...headers }, body }
}

export function read(target: string, headers: Sent['headers'] = {}): Sent {
  return { target, headers: { ...AS_MANAGER, ...headers } }
}

export function query(text: string, variables?: unknown, more: object = {}, key = KEY): Sent {
  const headers = { Authorization: `Bearer ${key}` }
  return posted('/graphql', JSON.stringify({ query: text, variables, ...more }), headers)
}

type Fill = (write: Write) => Promise<unknown>
/** Settings of the server. */
type Env = Readonly<Record<string, string>>

/** A structured request, raw bytes, or a function of the company's ids. */
export type Attack = Sent | Raw | ((company: Company) => Sent | Raw)
export type Row = readonly [name: string, attack: Attack, verdict: Verdict]

/** One server for all tests of a file, and a watcher process that measures its latency. */
export class Arena {
  origin = ''
  pid = 0
  company: Company = { groupIds: [], personIds: [], projectIds: [], riskIds: [], issueIds: [] }
  private keys: Readonly<Record<string, string>> = {}
  private folder = ''
  private watcher: Watching | undefined
  private longest = { longestMs: 0, during: 'nothing' }
  private count = 0

  /** Starts the server and its watcher; `atEnd` gets the functions that end them. */
  async open(fill: Fill, watchEveryMs: number, env: Env, atEnd: (end: () => void) => void): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), 'operations-'))
    this.folder = folder
    atEnd(() => rmSync(folder, { recursive: true, force: true }))
    await this.prepare(fill)
    // Into a file: a full pipe would block the server.
    const options = { stdout: join(folder, 'log'), env: { OPERATIONS_RATE_LIMIT: '0', ...env }, atEnd }
    const server = await serve(folder, [], options)
    this.origin = server.origin
    this.pid = server.child.pid ?? 0
    const watcher = startWatcher(this.origin, this.authorization(), watchEveryMs)
    atEnd(watcher.end)
    this.watcher = watcher
    await this.longestWait(0)
  }

  private async prepare(fill: Fill): Promise<void> {
    mkdirSync(join(this.folder, 'data'))
    const file = join(this.folder, 'data', 'operations.db')
    migrate(file)
    const store = openSqlite(file, {})
    const as = { by: 'cli', at: () => new Date() }
    this.company = await store.write(as, fillCompany)
    await store.write(as, fill)
    const mint = async (...scopes: Scope[]) =>
      (await store.write(as, (write) => mintKey(write, { name: 'x', scopes, expiresAt: undefined }))).secret
    this.keys = {
      [KEY]: await mint('personnel.manage', 'projects.manage'),
      [SMALL_KEY]: await mint('personnel.manage', 'projects.read'),
      [PROJECTS_KEY]: await mint('projects.read'),
    }
    await store.close()
  }

  authorization(): string {
    return `Bearer ${this.keys[KEY]}`
  }

  /** Sends it, checks the response, and reads the watcher's latency during and after it. */
  async attack(name: string, attack: Attack, verdict: Verdict): Promise<void> {
    const since = performance.timeOrigin + performance.now()
    const back = await this.send(attack)
    const waited = await this.longestWait(since)
    if (waited.longestMs > this.longest.longestMs) this.longest = { ...waited, during: name }
    this.count += 1
    requireClean(back)
    verdict(back)
    expect(waited.failure, 'whether others were served').toBe(undefined)
  }

  send(attack: Attack): Promise<Talk> {
    const sent = typeof attack === 'function' ? attack(this.company) : attack
    const raw = 'bytes' in sent ? sent : { bytes: bytesOf(sent) }
    return talk(Number(new URL(this.origin).port), { ...raw, bytes: this.withKeys(raw.bytes) })
  }

  /** The longest latency of the watcher since then. */
  async longestWait(since: number): Promise<Waited> {
    if (!this.watcher) throw new Error('The arena is not open.')
    return this.watcher.longestWait(since)
  }

  /** All that the service shows, to be compared. */
  async contents(): Promise<unknown[]> {
    const lists = [
      'personnel?status=active,inactive',
      'groups',
      'projects',
      'risks?status=open,occurred,closed',
      'issues',
    ]
    return Promise.all(lists.map(async (list) => (await this.get(`/v1/${list}`)).body))
  }

  async get(target: string): Promise<TestResponse> {
    const { answers } = await this.send(read(target))
    if (!answers[0]) throw new Error(`There is no answer to ${target}.`)
    return answers[0]
  }

  /** The peak memory of the server (VmHWM). */
  peakBytes(): number {
    const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8')) ?? []
    return Number(kilobytes) * 1024
  }

  /** The lines of the server's log. */
  log(): string {
    return readFileSync(join(this.folder, 'log'), 'utf8')
  }

  holdsKey(text: string): boolean {
    return Object.values(this.keys).some((key) => text.includes(key))
  }

  report(name: string): void {
    const { longestMs, during } = this.longest
    reportFigure(`${name}: ${this.count} cases; others waited longest during "${during}"`, longestMs, WAIT_MS, 'ms')
  }

  private withKeys(bytes: Raw['bytes']): Raw['bytes'] {
    const put = (text: string) =>
      Object.entries(this.keys).reduce((all, [name, key]) => all.replaceAll(name, key), text)
    if (typeof bytes === 'string') return put(bytes)
    if (Buffer.isBuffer(bytes)) {
      // Only the head can hold a key, and what follows may be of any size.
      const headEnd = bytes.indexOf('\r\n\r\n')
      return Buffer.concat([Buffer.from(put(bytes.toString('latin1', 0, headEnd)), 'latin1'), bytes.subarray(headEnd)])
    }
    return (async function* () {
      for await (const part of bytes) yield typeof part === 'string' ? put(part) : part
    })()
  }
}

/** Opens an arena for the whole file; at its end the log must have no failure and no key. */
export function openArena(
  file: string,
  fill: Fill = async () => undefined,
  watchEveryMs = WATCH_EVERY_MS,
  env: Env = {},
): Arena {
  const arena = new Arena()
  const ends: (() => void)[] = []
  beforeAll(() => arena.open(fill, watchEveryMs, env, (end) => ends.unshift(end)))
  afterAll(() => {
    for (const end of ends) end()
  })
  afterAll(() => {
    const failures = arena.log().match(/^.*"level":[56]0.*$/gm) ?? []
    arena.report(basename(file))
    expect(failures).toEqual([])
    expect(arena.holdsKey(arena.log())).toBe(false)
  })
  return arena
}

/** A test for each row; afterwards the data must be unchanged. */
export function campaign(arena: Arena, rows: readonly Row[]): void {
  let before: unknown[] = []
  beforeAll(async () => {
    before = await arena.contents()
  })
  test.each(rows)('%s', (name, attack, verdict) => arena.attack(name, attack, verdict))
  test('after all this the service shows what it showed before', async () => {
    expect(await arena.contents()).toEqual(before)
  })
}
