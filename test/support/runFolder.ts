import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
const ROOM_BYTES_MIN = 1_000_000_000

let folder: string | undefined

/**
 * Makes the folder for the stores of one run: in memory where there is room, because they are not needed after a power
 * cut, and a disk makes every write and every close wait for it.
 */
export function setup(): void {
  folder = mkdtempSync(join(hasRoom(MEMORY) ? MEMORY : tmpdir(), 'operations-run-'))
  process.env['TEST_STORES'] = folder
}

export function teardown(): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
}

function hasRoom(disk: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(disk)
    return bavail * bsize > ROOM_BYTES_MIN
  } catch {
    return false
  }
}
