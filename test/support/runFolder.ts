import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

const PREFIX = 'operations-run-'
const MEMORY = '/dev/shm'
const ROOM_BYTES_MIN = 1_000_000_000
const DAY_MS = 86_400_000

/** Their stores are small, and not needed after a power cut; a disk makes every write and every close wait for it. */
const IN_MEMORY = ['unit', 'matrix', 'system']

/** Makes the folder for the temporary files of one run, removed with all that is left in it. */
export function setup(project: TestProject): void {
  for (const place of [tmpdir(), MEMORY]) removeOld(place)
  const isInMemory = IN_MEMORY.includes(project.name) && hasRoom(MEMORY)
  const folder = mkdtempSync(join(isInMemory ? MEMORY : tmpdir(), PREFIX))
  // PostgreSQL's user passes through.
  chmodSync(folder, 0o711)
  process.env['TMPDIR'] = folder
  // By itself a terminated Vitest leaves its workers and its own temporary files behind.
  process.once('exit', () => {
    for (const path of [folder, project.tmpDir]) rmSync(path, { recursive: true, force: true })
  })
  process.once('SIGTERM', () => {
    process.exitCode = 143
    void project.vitest.exit(true)
  })
}

/** Removes the folders of runs that were killed. */
function removeOld(place: string): void {
  for (const folder of namesIn(place).map((name) => join(place, name))) {
    try {
      if (Date.now() - statSync(folder).mtimeMs > DAY_MS) rmSync(folder, { recursive: true, force: true })
    } catch {
      // It belongs to another user, or another run has just removed it.
    }
  }
}

function namesIn(place: string): string[] {
  try {
    return readdirSync(place).filter((name) => name.startsWith(PREFIX))
  } catch {
    return []
  }
}

function hasRoom(disk: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(disk)
    return bavail * bsize > ROOM_BYTES_MIN
  } catch {
    return false
  }
}
