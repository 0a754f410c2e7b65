import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** A PostgreSQL server of our own, gone when it is no longer needed. */
export interface Server {
  /** The address of one of its databases. */
  url(database: string): string
  /** Until it answers. */
  start(): Promise<void>
  /** `fast` lets nobody finish; `immediate` is a crash. */
  stop(how?: 'fast' | 'immediate'): Promise<void>
  remove(): Promise<void>
}

/** Debian keeps the programs of each version apart. */
const DEBIAN = '/usr/lib/postgresql'

function programs(): string {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : []
  const found = versions.map((version) => join(DEBIAN, version, 'bin')).find((bin) => existsSync(join(bin, 'initdb')))
  if (found) return found
  try {
    return execFileSync('pg_config', ['--bindir'], { encoding: 'utf8' }).trim()
  } catch {
    throw new Error("There is no PostgreSQL here: install Debian's postgresql, or name a server by TEST_DATABASE_URL.")
  }
}

/** PostgreSQL refuses to run as root; Debian's package brings a user for it. */
function asPlainUser(command: string, args: readonly string[]): readonly [string, string[]] {
  return process.getuid?.() === 0 ? ['runuser', ['-u', 'postgres', '--', command, ...args]] : [command, [...args]]
}

/** Makes a server; one that must survive a crash of the machine, too, is slower. */
export async function newServer({ isDurable = false } = {}): Promise<Server> {
  const bin = programs()
  const folder = mkdtempSync(join(tmpdir(), 'operations-postgres-'))
  const data = join(folder, 'data')
  mkdirSync(data)
  if (process.getuid?.() === 0) {
    const [uid, gid] = ['-u', '-g'].map((of) => Number(execFileSync('id', [of, 'postgres'], { encoding: 'utf8' })))
    for (const path of [folder, data]) chownSync(path, uid ?? 0, gid ?? 0)
  }
  // A collation that is not ours, so that whatever relies on the database's own is found out.
  const initdb = ['-D', data, '-U', 'operations', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync', '-N']
  execFileSync(...asPlainUser(join(bin, 'initdb'), [...initdb, '--locale-provider=icu', '--icu-locale=en-US']), {
    stdio: 'ignore',
    cwd: folder,
  })
  const port = await freePort()
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    max_connections: 400,
    shared_buffers: '64MB',
    // What is measured needs the statistics that a real server gathers by itself.
    ...(!isDurable && { autovacuum: 'off', fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }),
  }
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const url = (database: string) => `postgres://operations@127.0.0.1:${port}/${database}`
  let running: ReturnType<typeof spawn> | undefined
  const server: Server = {
    url,
    async start() {
      const [command, args] = asPlainUser(join(bin, 'postgres'), ['-D', data, ...options])
      running = spawn(command, args, { stdio: 'ignore', cwd: folder })
      await answering(url('postgres'))
    },
    async stop(how = 'fast') {
      if (!running) return
      const ended = once(running, 'exit')
      execFileSync(...asPlainUser(join(bin, 'pg_ctl'), ['stop', '-D', data, '-m', how, '-W']), {
        stdio: 'ignore',
        cwd: folder,
      })
      await ended
      running = undefined
    },
    async remove() {
      await server.stop('immediate')
      rmSync(folder, { recursive: true, force: true })
    },
  }
  await server.start()
  return server
}

async function answering(url: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => undefined)
    try {
      await client.connect()
      await client.end()
      return
    } catch (error) {
      if (attempt > 600) throw error
      await sleep(50)
    }
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  return typeof address === 'object' && address ? address.port : 0
}
