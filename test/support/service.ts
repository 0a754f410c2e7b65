import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { COMMIT, VERSION } from '../../src/about.js'
import { mintKey } from '../../src/auth/keys.js'
import { personWith } from '../../src/personnel/people.js'
import { openStore } from '../../src/store/open.js'
import { Client, type ClientResponse } from '../campaigns/client.js'
import { newFolder, serve, storeOf } from './process.js'
import type { TestStore } from './stores.js'

const CONNECTIONS = 16

/** A served process with its own store, a key with every scope, and direct access to the file. */
export async function openService({ folder = newFolder(), args = [] as readonly string[], stdout = '' } = {}) {
  const { own, key, keyId } = await prepareStore(folder)
  const server = await serve(folder, ['--rate-limit', '0', ...args], stdout ? { stdout } : {})
  return { ...server, own, key, keyId, ...callerOf(server.origin, key) }
}

/** So long that many people make a long response. */
const TITLE = 'Lead engineer '.repeat(12).trim()

/** A store with a key and some people, filled in this process, which is faster than by the command. */
export async function prepareStore(folder: string, people = 0) {
  const own = storeOf(folder)
  const store = await openStore(own.url)
  const { secret: key, id: keyId } = await store.write({ by: 'cli', at: () => new Date() }, async (write) => {
    const rows = Array.from({ length: people }, (_, i) =>
      personWith(write, undefined, { name: 'Ada', externalId: `${i}`, title: TITLE }),
    )
    await write.insertAll(write.t.person, rows)
    const scopes = ['personnel.manage', 'projects.manage'] as const
    return mintKey(write, { name: 'service', scopes, expiresAt: undefined })
  })
  await store.close()
  return { own, key, keyId }
}

/** A client of a served process with keep-alive connections. */
export function callerOf(origin: string, key: string) {
  const client = new Client(origin, key, CONNECTIONS)
  onTestFinished(() => client.close())
  return {
    client,
    /** Adds someone to the roster. */
    add: (externalId: string, headers: Record<string, string> = {}): Promise<ClientResponse> =>
      client.request('/v1/personnel', { method: 'POST', headers, body: JSON.stringify({ name: 'Ada', externalId }) }),
    /** Everyone on the roster, by externalId. */
    async roster(): Promise<string[]> {
      const { text } = await client.request('/v1/personnel?limit=1000')
      return JSON.parse(text).data.map(({ externalId }: { externalId: string }) => externalId)
    },
    async readiness(): Promise<unknown> {
      const { status, text } = await client.request('/readyz')
      return { status, ...JSON.parse(text) }
    },
  }
}

const BUILD = { version: VERSION, commit: COMMIT }
export const READY = { status: 'ready', writes: true, ...BUILD }
export const READY_TO_READ = { status: 'ready', writes: false, ...BUILD }

/** The externalIds of all people, read directly from the store. */
export function stored({ values }: TestStore): string[] {
  return values('select external_id from person order by external_id').map(([id]) => String(id))
}

/** A mounted file system, removed after the test. */
export function smallDisk(bytes: number): string {
  const folder = join(newFolder(), 'disk')
  mkdirSync(folder)
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder])
  onTestFinished(() => {
    spawnSync('umount', ['-l', folder])
  })
  return folder
}

/** Mounting needs root, and a container may forbid it. */
export const canMount = tried((folder) => {
  execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', folder], { stdio: 'ignore' })
  execFileSync('umount', [folder])
})

/** `chattr +i` needs root, and a file system that supports it. */
export const canFreeze = tried((folder) => {
  const file = join(folder, 'frozen')
  writeFileSync(file, '')
  execFileSync('chattr', ['+i', file], { stdio: 'ignore' })
  execFileSync('chattr', ['-i', file])
})

export const canTrace = tried(() => {
  execFileSync('strace', ['-e', 'trace=none', 'true'], { stdio: 'ignore' })
})

export const canLimit = tried(() => {
  execFileSync('prlimit', ['--nofile', '--pid', String(process.pid)], { stdio: 'ignore' })
})

function tried(work: (folder: string) => void): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'operations-'))
  try {
    work(folder)
    return true
  } catch {
    return false
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
