/** Changes of very many rows, and how long the writes of others wait meanwhile. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { csvLine } from '../../../src/csv.js'
import { median, sleep } from '../client.js'
import { newFolder } from '../served.js'
import { posted } from './graphqlCalls.js'
import { mainOf, now, type Stage } from './stage.js'
import { times } from './values.js'

const MEMBERS = 50_000
/** Each is imported twice, with another owner the second time. */
const OWNED = 65_000
const WRITE_EVERY_MS = 5

/** Runs a command of the build on the store of the stage. */
async function command(build: string, stage: Stage, folder: string, ...args: string[]): Promise<void> {
  const database = `file:${join(stage.data, 'operations.db')}`
  const child = spawn(process.execPath, [mainOf(build), ...args, '--database', database], {
    cwd: folder,
    stdio: 'ignore',
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}.`)
}

/** Writes groups one after the other while the work goes on. */
async function besides(stage: Stage, work: () => Promise<unknown>): Promise<string> {
  const waits: number[] = []
  let isOver = false
  const write = async () => {
    for (let n = 0; !isOver; n++) {
      const body = JSON.stringify({ name: `Beside ${n} ${now()}` })
      waits.push((await stage.send({ as: 'second', sent: () => posted(body, '/v1/groups') })).ms)
      await sleep(WRITE_EVERY_MS)
    }
  }
  const writing = write()
  const [since, startedAt] = [now(), performance.now()]
  await work()
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  isOver = true
  await writing
  const { longestMs } = await stage.longestWait(since)
  const sorted = waits.sort((a, b) => a - b)
  const p99 = Math.round(sorted[Math.floor(sorted.length * 0.99)] ?? 0)
  const most = Math.round(sorted.at(-1) ?? 0)
  const writes = `writes of others p50 ${Math.round(median(waits))} ms, p99 ${p99} ms, at most ${most} ms`
  return `${seconds} s; ${writes}; reads waited at most ${Math.round(longestMs)} ms`
}

export function longWrites(build: string) {
  return async (stage: Stage): Promise<string[]> => {
    const folder = newFolder()
    const file = (name: string, rows: readonly (readonly string[])[]) =>
      writeFileSync(join(folder, name), rows.map((row) => csvLine([...row])).join(''))
    file('people.csv', [
      ['name', 'externalId', 'groups'],
      ...times(MEMBERS, (n) => [`Member ${n}`, `MEMBER-${n}`, 'Everyone']),
    ])
    await command(build, stage, folder, 'import', 'people', 'people.csv', '--create-groups')
    const removal = await besides(stage, () =>
      stage.send({ as: 'manager', sent: () => ({ method: 'DELETE', target: '/v1/groups/everyone' }) }),
    )
    for (const owner of ['MEMBER-1', 'MEMBER-2']) {
      const risks = times(OWNED, (n) => ['OWNED', `R-${n}`, 'Fog', owner])
      file('risks.csv', [['project', 'reference', 'title', 'owner'], ...risks])
      await command(build, stage, folder, 'import', 'risks', 'risks.csv', '--create-projects')
    }
    const erasure = await besides(stage, () => command(build, stage, folder, 'erase', 'MEMBER-1', '--yes'))
    return [`removeGroup with ${MEMBERS} members: ${removal}`, `erase over ${2 * OWNED} changes: ${erasure}`]
  }
}
