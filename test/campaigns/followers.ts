import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openDatabase } from '../../src/store/sqlite/driver.js'
import { sleep } from './client.js'
import { randomInt } from './random.js'

const PROGRAM = fileURLToPath(new URL('follower.mjs', import.meta.url))
const CATCH_UP_MS = 60_000

interface Follower {
  readonly journal: string
  child: ChildProcess
}

/** Programs that follow the changes of the server in a folder, and are killed like the server. */
export class Followers {
  killed = 0
  private readonly folder: string
  private readonly key: string
  private readonly all: Follower[]

  constructor(folder: string, key: string, count: number) {
    this.folder = folder
    this.key = key
    this.all = Array.from({ length: count }, (_, number) => {
      const journal = join(folder, `follower-${number}.ndjson`)
      return { journal, child: this.start(journal) }
    })
    process.on('exit', () => this.end())
  }

  /** Tells them where the server is now. */
  moveTo(origin: string): void {
    // Renamed, so that nobody reads half of it.
    writeFileSync(join(this.folder, 'origin.new'), origin)
    renameSync(join(this.folder, 'origin.new'), join(this.folder, 'origin'))
  }

  /** Kills some of them at this moment, and starts them again. */
  killSome(): void {
    for (const follower of this.all) {
      if (randomInt(2) === 0) continue
      follower.child.kill('SIGKILL')
      follower.child = this.start(follower.journal)
      this.killed += 1
    }
  }

  /** Waits until all have the last change; returns the violations of what they were promised. */
  async findings(file: string): Promise<string[]> {
    const db = openDatabase(file, { readonly: true })
    const stored = db.prepare('select id, entity_id from change order by id').raw().all() as [number, string][]
    db.close()
    const last = stored.at(-1)?.[0] ?? 0
    const found: string[] = []
    for (const { journal, child } of this.all) {
      const until = performance.now() + CATCH_UP_MS
      while (!entriesIn(journal).some(([id]) => id === last) && performance.now() < until) await sleep(100)
      found.push(...gapsIn(journal, stored))
      if (child.exitCode !== null)
        found.push(`${journal}: the follower ended with ${child.exitCode}, ${refusalIn(journal)}`)
    }
    return found
  }

  /** How many requests of theirs had no response. */
  get unanswered(): number {
    return this.all.flatMap(({ journal }) => linesIn(journal)).filter((line) => line.unanswered).length
  }

  end(): void {
    for (const { child } of this.all) child.kill('SIGKILL')
  }

  private start(journal: string): ChildProcess {
    return spawn(process.execPath, [PROGRAM, join(this.folder, 'origin'), this.key, journal], { stdio: 'ignore' })
  }
}

interface Line {
  readonly entries?: [id: number, entityId: string][]
  readonly refusal?: string
  readonly unanswered?: true
}

function linesIn(journal: string): Line[] {
  if (!existsSync(journal)) return []
  // The last line may still be being written.
  const lines = readFileSync(journal, 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line))
}

function refusalIn(journal: string): string {
  return linesIn(journal).findLast(({ refusal }) => refusal !== undefined)?.refusal ?? 'without a refusal'
}

function entriesIn(journal: string): [id: number, entityId: string][] {
  return linesIn(journal).flatMap(({ entries }) => entries ?? [])
}

function gapsIn(journal: string, stored: readonly [number, string][]): string[] {
  const found: string[] = []
  const once = new Map<number, string>()
  let highest = 0
  for (const [id, entityId] of entriesIn(journal)) {
    const before = once.get(id)
    if (before !== undefined && before !== entityId) found.push(`${journal}: the change ${id} came with two entities`)
    if (before === undefined && id < highest) found.push(`${journal}: the change ${id} came after ${highest}`)
    once.set(id, entityId)
    highest = Math.max(highest, id)
  }
  const missing = stored.filter(([id, entityId]) => once.get(id) !== entityId)
  if (missing.length > 0) found.push(`${journal}: ${missing.length} changes are missing, such as ${missing[0]}`)
  if (once.size > stored.length) found.push(`${journal}: ${once.size - stored.length} changes are not stored`)
  return found
}
