/** The processor time of one of our requests as the store grows, uncached. */
import { rmSync } from 'node:fs'
import { median } from '../../../campaigns/client.js'
import { startOurs, UNCACHED } from '../contestants.js'
import type { Filled } from '../data.js'
import type { Options } from '../options.js'
import { load } from '../processes.js'
import { wireOf } from '../workloads/requests.js'
import { type BenchRequest, deepPages, somePeople, topRisks, UNIQUE } from '../workloads/workloads.js'
import { fillGrown } from './growthData.js'

/** One row of the table: the cost of each request with this many people and as many risks. */
export interface Growth {
  readonly rows: number
  readonly costs: readonly { readonly name: string; readonly microseconds: number }[]
}

/** The position of deep pages, as a share of the list. */
const DEPTH = 0.9

export async function measureGrowth({ growthRows, rounds, seconds }: Options): Promise<readonly Growth[]> {
  const table: Growth[] = []
  for (const rows of growthRows) {
    console.error(`growth: filling a store with ${rows.toLocaleString('en')} people and risks`)
    const filled = await fillGrown(rows)
    const deep = deepPages(filled, DEPTH)
    const requests: readonly (readonly [name: string, request: BenchRequest])[] = [
      ['W1', somePeople()],
      ['W2', topRisks()],
      ['deep page of people', deep.people],
      ['deep page of risks', deep.risks],
    ]
    const costs: { name: string; microseconds: number }[] = []
    for (const [name, request] of requests) {
      costs.push({ name, microseconds: await costOf(filled, request, rounds, seconds * 1000) })
    }
    table.push({ rows, costs })
    rmSync(filled.folder, { recursive: true })
  }
  return table
}

const WARM_ANSWERS = 300

/** One client, so that a request waits for no other. */
async function costOf(filled: Filled, request: BenchRequest, rounds: number, measureMs: number): Promise<number> {
  const costs: number[] = []
  for (let round = 0; round < rounds; round++) {
    const running = await startOurs(filled, UNCACHED)
    const { cpuMs } = await load({
      port: running.port,
      pid: running.pid,
      clients: 1,
      warmMs: measureMs,
      warmAnswers: WARM_ANSWERS,
      measureMs,
      requestsMax: 1_000_000,
      reads: [wireOf(request, 'rest', filled.key)],
      write: '',
      unique: UNIQUE,
      writeShare: 0,
      mix: 'even',
    })
    costs.push(cpuMs * 1000)
    await running.end()
  }
  return median(costs)
}
