import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from './client.js'
import { mint, newFolder, serve } from './served.js'

const WRITES = 50

/** Whether strace is here and may trace. */
export function canTrace(): boolean {
  return spawnSync('strace', ['-e', 'trace=none', 'true']).status === 0
}

/**
 * Adds people one after the other under strace: before each acknowledgement the log of the store must have been synced.
 * Returns messages about those that were not; kill -9 cannot show it, since the kernel keeps written pages.
 */
export async function countSyncs(): Promise<string[]> {
  if (!canTrace()) {
    console.log('syncs                        SKIPPED: strace is not installed, or may not trace here')
    return []
  }
  const folder = newFolder()
  const key = mint(folder, 'personnel.manage')
  const trace = join(folder, 'trace')
  const tracer = ['strace', '-f', '-ttt', '-y', '-T', '-e', 'trace=fdatasync,fsync', '-o', trace]
  const server = await serve(folder, ['--rate-limit', '0', '--log-level', 'silent'], tracer)
  const client = new Client(server.origin, key, 1)
  const windows: { from: number; to: number }[] = []
  for (let i = 0; i < WRITES; i++) {
    const from = now()
    const body = JSON.stringify({ name: `Synced ${i}`, externalId: `S-${i}` })
    const { status } = await client.request('/v1/personnel', { method: 'POST', body })
    if (status !== 201) return [`a write under strace was answered ${status}`]
    windows.push({ from, to: now() })
  }
  client.close()
  // Signal the server directly: strace forwards no signals.
  process.kill(Number(execFileSync('pgrep', ['-P', String(server.pid)], { encoding: 'utf8' })), 'SIGTERM')
  await server.end('SIGCONT')
  const syncs = readFileSync(trace, 'utf8').split('\n').flatMap(syncOf)
  const unsynced = windows.filter(({ from, to }) => !syncs.some(({ at, endedAt }) => at >= from && endedAt <= to))
  const within = syncs.filter(({ at }) => windows.some(({ from, to }) => at >= from && at <= to))
  console.log(`syncs of the store's log     ${within.length} within ${WRITES} acknowledged sequential writes`)
  return unsynced.length > 0 ? [`${unsynced.length} of ${WRITES} writes were acknowledged without a sync`] : []
}

/** One completed fsync of the log in the strace output. */
function syncOf(line: string): { at: number; endedAt: number }[] {
  const [, at, took] = /^\d+ +([\d.]+) f(?:data)?sync\(\d+<[^>]*-wal>\) += 0 <([\d.]+)>$/.exec(line) ?? []
  return at && took ? [{ at: Number(at), endedAt: Number(at) + Number(took) }] : []
}

function now(): number {
  return (performance.timeOrigin + performance.now()) / 1000
}
