/** The latency of a page for one client while four others read whole lists, and the gain from a second core. */
import { median } from '../../../campaigns/client.js'
import { startOurs, UNCACHED } from '../contestants.js'
import type { Filled } from '../data.js'
import type { LoadResult } from '../load.js'
import type { Options } from '../options.js'
import { load, ON_ANY_CORE, ON_SERVER_CORE, type Running } from '../processes.js'
import { wireOf } from '../workloads/requests.js'
import { type BenchRequest, everyone, somePeople, UNIQUE } from '../workloads/workloads.js'

export interface Crowd {
  readonly quietP99Ms: number
  readonly crowdedP99Ms: number
  /** The p99 of a page under that load, divided by that on an idle server. */
  readonly waiting: number
  /** Whole lists per second with two cores, divided by that with one. */
  readonly gain: number
}

const CROWD = 4
/** Until the other load generator is running too. */
const HEAD_START_MS = 3_000

export async function measureCrowd(filled: Filled, { rounds, seconds }: Options): Promise<Crowd> {
  const crowds: Crowd[] = []
  for (let round = 0; round < rounds; round++) {
    console.error(`W10: round ${round + 1} of ${rounds}`)
    const loadWith = (running: Running, request: BenchRequest, clients: number, moreMs = 0) =>
      load(
        {
          ...{ port: running.port, pid: running.pid, clients, warmAnswers: 20, requestsMax: 1_000_000 },
          ...{ warmMs: HEAD_START_MS - moreMs / 2, measureMs: seconds * 1_000 + moreMs },
          ...{ reads: [wireOf(request, 'rest', filled.key)], write: '', unique: UNIQUE, writeShare: 0, mix: 'even' },
        },
        moreMs > 0,
      )
    const on = async <T>(under: readonly string[], work: (running: Running) => Promise<T>): Promise<T> => {
      const running = await startOurs(filled, UNCACHED, under)
      try {
        return await work(running)
      } finally {
        await running.end()
      }
    }
    const one = await on(ON_SERVER_CORE, (running) => loadWith(running, everyone, CROWD))
    const two = await on(ON_ANY_CORE, (running) => loadWith(running, everyone, CROWD))
    const quiet = await on(ON_ANY_CORE, (running) => loadWith(running, somePeople(), 1))
    const [, crowded] = await on(ON_ANY_CORE, (running) =>
      Promise.all([loadWith(running, everyone, CROWD, HEAD_START_MS), loadWith(running, somePeople(), 1)]),
    )
    crowds.push(crowdOf(one, two, quiet, crowded))
  }
  const middle = (of: keyof Crowd) => median(crowds.map((crowd) => crowd[of]))
  return {
    quietP99Ms: middle('quietP99Ms'),
    crowdedP99Ms: middle('crowdedP99Ms'),
    waiting: middle('waiting'),
    gain: middle('gain'),
  }
}

function crowdOf(one: LoadResult, two: LoadResult, quiet: LoadResult, crowded: LoadResult): Crowd {
  return {
    quietP99Ms: quiet.p99Ms,
    crowdedP99Ms: crowded.p99Ms,
    waiting: crowded.p99Ms / quiet.p99Ms,
    gain: two.perSecond / one.perSecond,
  }
}
