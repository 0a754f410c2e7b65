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
  readonly port: number
  /** The address of one of its databases. */
  url(database: string): string
  /** Until it answers. */
  start(): Promise<void>
  /** `fast` aborts running transactions; `immediate` is a crash. */
  stop(how?: 'fast' | 'immediate'): Promise<void>
  /** A streaming standby, as far as this server is now. */
  standby(): Promise<Standby>
  /** Until its standby has replayed everything. */
  caughtUp(): Promise<void>
  /** Runs one of PostgreSQL's own programs, such as pg_dump. */
  program(name: string, args: readonly string[]): void
  remove(): Promise<void>
}

export interface Standby extends Server {
  /** Receives nothing more from its primary. */
  disconnect(): Promise<void>
  /** Until it takes writes. */
  promote(): Promise<void>
}

interface ServerOptions {
  /** Whether it must survive a crash of the machine, too; then it is slower. */
  readonly isDurable?: boolean
  readonly settings?: Readonly<Record<string, string | number>>
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
export function asPlainUser(command: string, args: readonly string[]): readonly [string, string[]] {
  return process.getuid?.() === 0 ? ['runuser', ['-u', 'postgres', '--', command, ...args]] : [command, [...args]]
}

// Another default collation, to detect queries that depend on it.
const INITDB = ['-U', 'operations', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync', '-N']
const ICU = ['--locale-provider=icu', '--icu-locale=en-US']

/** Makes a server. */
export function newServer(options: ServerOptions = {}): Promise<Server> {
  return serverIn(newFolder(), options, ({ run, data }) => run('initdb', ['-D', data, ...INITDB, ...ICU]))
}

/** A folder that PostgreSQL's user may write, such as for certificates. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'operations-postgres-'))
  giveToPostgres(folder)
  return folder
}

export function giveToPostgres(path: string): void {
  if (process.getuid?.() !== 0) return
  const [uid, gid] = ['-u', '-g'].map((of) => Number(execFileSync('id', [of, 'postgres'], { encoding: 'utf8' })))
  chownSync(path, uid ?? 0, gid ?? 0)
}

interface Place {
  readonly data: string
  run(program: string, args: readonly string[]): void
}

/** Starts a server on the data that `fill` brings. */
async function serverIn(folder: string, options: ServerOptions, fill: (place: Place) => void): Promise<Standby> {
  const { isDurable = false } = options
  const bin = programs()
  const data = join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  giveToPostgres(data)
  const run = (program: string, args: readonly string[]) => {
    execFileSync(...asPlainUser(join(bin, program), args), { stdio: 'ignore', cwd: folder })
  }
  fill({ data, run })
  const port = await freePort()
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    max_connections: 400,
    shared_buffers: '64MB',
    // What is measured needs the statistics that a real server gathers by itself.
    ...(!isDurable && { autovacuum: 'off', fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }),
    ...options.settings,
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const url = (database: string) => `postgres://operations@127.0.0.1:${port}/${database}`
  let running: ReturnType<typeof spawn> | undefined
  const server: Standby = {
    port,
    url,
    program: run,
    async start() {
      const [command, args] = asPlainUser(join(bin, 'postgres'), ['-D', data, ...flags])
      running = spawn(command, args, { stdio: 'ignore', cwd: folder })
      await answering(url('postgres'))
    },
    async stop(how = 'fast') {
      if (!running) return
      const ended = once(running, 'exit')
      run('pg_ctl', ['stop', '-D', data, '-m', how, '-W'])
      await ended
      running = undefined
    },
    standby() {
      const from = ['--dbname', url('postgres'), '--checkpoint=fast', '--write-recovery-conf', '--no-sync']
      return serverIn(newFolder(), options, (own) => own.run('pg_basebackup', ['-D', own.data, ...from]))
    },
    async caughtUp() {
      while ((await rowCountOf(url('postgres'), CAUGHT_UP)) === 0) await sleep(20)
    },
    async disconnect() {
      await rowCountOf(url('postgres'), "alter system set primary_conninfo = ''")
      await rowCountOf(url('postgres'), 'select pg_reload_conf()')
      while ((await rowCountOf(url('postgres'), 'select 1 from pg_stat_wal_receiver')) > 0) await sleep(20)
    },
    async promote() {
      run('pg_ctl', ['promote', '-D', data])
    },
    async remove() {
      await server.stop('immediate')
      rmSync(folder, { recursive: true, force: true })
    },
  }
  await server.start()
  return server
}

/** Until it answers. */
export async function answering(url: string): Promise<void> {
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

const CAUGHT_UP = 'select 1 from pg_stat_replication where replay_lsn = pg_current_wal_lsn()'

/** How many rows a statement has found. */
async function rowCountOf(url: string, sql: string): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rowCount } = await client.query(sql)
  await client.end()
  return rowCount ?? 0
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  return typeof address === 'object' && address ? address.port : 0
}
