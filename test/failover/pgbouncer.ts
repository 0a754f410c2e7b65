import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { answering, asPlainUser, freePort, newFolder } from '../postgres/server.js'

const PROGRAM = '/usr/sbin/pgbouncer'

/** A pooler in front of a server for the test; returns the address of a database behind it. */
export async function openPgbouncer(
  target: number,
  mode: 'transaction' | 'session',
): Promise<(database: string) => string> {
  if (!existsSync(PROGRAM)) throw new Error(`There is no ${PROGRAM}: install PgBouncer for these tests.`)
  const port = await freePort()
  const file = join(newFolder(), 'pgbouncer.ini')
  const lines = [
    '[databases]',
    `* = host=127.0.0.1 port=${target} user=operations`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    `pool_mode = ${mode}`,
    // Fewer than an instance has connections, so that they share.
    `default_pool_size = ${mode === 'transaction' ? 4 : 40}`,
  ]
  writeFileSync(file, lines.join('\n'))
  chmodSync(file, 0o644)
  const [command, args] = asPlainUser(PROGRAM, ['-q', file])
  const child = spawn(command, args, { stdio: 'ignore' })
  onTestFinished(async () => {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  })
  const url = (database: string) => `postgres://operations@127.0.0.1:${port}/${database}`
  await answering(url('postgres'))
  return url
}
