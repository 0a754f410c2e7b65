import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { addProject, project } from './fixtures.js'
import { type Desk, lines, openDesk, startImport, within } from './importing.js'
import { newFolder } from './process.js'

/** A desk with the project APOLLO, and a sheet of so many risks for it. */
async function openProject(risks: number, desk = openDesk()): Promise<Desk> {
  await desk.write((write) => addProject(write, project()))
  const rows = Array.from({ length: risks }, (_, index) => `APOLLO,R-${index},Steel arrives late,3,4`)
  desk.put('risks.csv', lines('project,reference,title,likelihood,impact', ...rows))
  return desk
}

/** Whether somebody is writing to the store, and still is a moment later. */
async function isWritten(file: string): Promise<boolean> {
  const isLocked = () =>
    within(file, (db) => {
      db.pragma('busy_timeout = 0')
      try {
        db.exec('begin immediate; rollback')
        return false
      } catch {
        return true
      }
    })
  if (!isLocked()) return false
  await sleep(100)
  return isLocked()
}

const INTERRUPTED = { code: 1, stdout: '', stderr: 'Interrupted: what was not finished is not stored.\n' }

describe('an import that is stopped', () => {
  test('by Ctrl-C in the middle ends soon, with a sentence, and nothing is stored', async () => {
    const desk = await openProject(60_000)
    const before = desk.dump()
    const { child, ended } = startImport(desk.folder, 'risks', 'risks.csv')
    while (!(await isWritten(join(desk.folder, 'data/operations.db')))) await sleep(20)
    const began = performance.now()
    child.kill('SIGINT')
    expect(await ended).toEqual(INTERRUPTED)
    expect(performance.now() - began).toBeLessThan(2_000)
    expect(desk.dump()).toEqual(before)
  })

  test('by Ctrl-C while it waits for standard input ends at once, with the same sentence', async () => {
    const folder = newFolder()
    const { child, ended } = startImport(folder, 'people', '-', '--format', 'csv')
    child.stdin.write('name,email\n')
    while (!existsSync(join(folder, 'data/operations.db'))) await sleep(20)
    await sleep(200)
    child.kill('SIGINT')
    expect(await ended).toEqual(INTERRUPTED)
  })

  test('by a disk that is full says so, and leaves a sound store as it was', async ({ skip }) => {
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
    expect(await desk.bring('risks', 'risks.csv')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'The disk of the store is full, so nothing can be written.\n',
    })
    expect(desk.dump()).toEqual(before)
    expect(desk.list('pragma integrity_check')).toEqual(['ok'])
  })

  test('by another process that holds the store says so after five seconds', async () => {
    const desk = await openProject(1)
    const before = desk.dump()
    const holder = new Database(join(desk.folder, 'data/operations.db'))
    onTestFinished(() => {
      holder.close()
    })
    holder.exec('begin immediate')
    const began = performance.now()
    const tooLong = sleep(10_000, 'It waits for more than ten seconds.')
    const outcome = await Promise.race([desk.bring('risks', 'risks.csv'), tooLong])
    expect(outcome).toEqual({ code: 1, stdout: '', stderr: 'The store is busy. Try again in a moment.\n' })
    expect(performance.now() - began).toBeGreaterThan(5_000)
    holder.exec('rollback')
    expect(desk.dump()).toEqual(before)
  })
})
