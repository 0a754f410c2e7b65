import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Desk, lines, openDesk, startImport } from '../ingest/importing.js'
import { engine } from '../support/engine.js'
import { addProject, project } from '../support/fixtures.js'
import { type Finished, newFolder } from '../support/process.js'
import type { TestStore } from '../support/stores.js'

/** A desk with the project APOLLO, and a sheet of this many risks for it. */
async function openProject(risks: number, desk = openDesk()): Promise<Desk> {
  await desk.write((write) => addProject(write, project()))
  const rows = Array.from({ length: risks }, (_, index) => `APOLLO,R-${index},Steel arrives late,3,4`)
  desk.put('risks.csv', lines('project,reference,title,likelihood,impact', ...rows))
  return desk
}

/** Whether another process is writing to the store, now and a moment later. */
async function isWritten({ isHeld }: TestStore): Promise<boolean> {
  if (!isHeld()) return false
  await sleep(100)
  return isHeld()
}

/** Imports the sheet in a separate process. */
function importInProcess({ folder, own }: Desk): Promise<Finished> {
  return startImport(folder, 'risks', 'risks.csv', '--database', own.url).ended
}

const INTERRUPTED = { code: 1, stdout: '', stderr: 'Interrupted: unfinished work was not stored.\n' }

describe('an import that is stopped', () => {
  test('by Ctrl-C in the middle ends, with a sentence, and nothing is stored', async () => {
    const desk = await openProject(30_000)
    const before = desk.dump()
    const { child, ended } = startImport(desk.folder, 'risks', 'risks.csv')
    while (!(await isWritten(desk.own))) await sleep(20)
    child.kill('SIGINT')
    expect(await ended).toEqual(INTERRUPTED)
    expect(desk.dump()).toEqual(before)
  })

  test('by Ctrl-C while it waits for standard input ends at once, with the same sentence', async () => {
    const folder = newFolder()
    const { child, ended } = startImport(folder, 'people', '-', '--format', 'csv')
    // More than a pipe holds, so that the write only completes when the command reads.
    const rows = Array.from({ length: 10_000 }, (_, index) => `Ada,ada${index}@example.org`)
    await new Promise((written) => child.stdin.write(lines('name,email', ...rows), written))
    child.kill('SIGINT')
    expect(await ended).toEqual(INTERRUPTED)
  })

  // The disk of a PostgreSQL server is out of scope.
  test.runIf(engine === 'sqlite')(
    'by a disk that is full says so, and leaves a sound store as it was',
    async ({ skip }) => {
      const folder = newFolder()
      try {
        execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1500k', 'tmpfs', folder], { stdio: 'ignore' })
      } catch {
        return skip('Only root may mount a small disk.')
      }
      onTestFinished(() => {
        execFileSync('umount', [folder])
      })
      const desk = await openProject(5_000, openDesk(join(folder, 'operations.db')))
      const before = desk.dump()
      expect(await importInProcess(desk)).toEqual({
        code: 1,
        stdout: '',
        stderr: 'The disk of the store is full, so nothing can be written.\n',
      })
      expect(desk.dump()).toEqual(before)
      expect(desk.list('pragma integrity_check')).toEqual(['ok'])
    },
  )

  test('by another process that holds the store says so after five seconds', async () => {
    const desk = await openProject(1)
    const before = desk.dump()
    const letGo = desk.own.hold()
    const began = performance.now()
    const tooLong = sleep(20_000, 'It waits for more than twenty seconds.')
    const outcome = await Promise.race([importInProcess(desk), tooLong])
    expect(outcome).toEqual({ code: 1, stdout: '', stderr: 'The store is busy. Try again in a moment.\n' })
    expect(performance.now() - began).toBeGreaterThan(5_000)
    letGo()
    expect(desk.dump()).toEqual(before)
  })
})
