/** The time from our start to the first response, and the memory of an idle server. */
import { Client, median, sleep } from '../../../campaigns/client.js'
import { startOurs, UNCACHED } from '../contestants.js'
import type { Filled } from '../data.js'
import { residentBytes } from '../processes.js'
import { messageOf } from '../workloads/requests.js'
import { somePeople } from '../workloads/workloads.js'

export interface Startup {
  readonly firstAnswerMs: number
  readonly restBytes: number
}

/** Long enough to collect the garbage of the start, short enough for a bench. */
const REST_MS = 3_000

export async function measureStartup(filled: Filled, rounds: number): Promise<Startup> {
  const starts: Startup[] = []
  for (let round = 0; round < rounds; round++) {
    const began = performance.now()
    const running = await startOurs(filled, UNCACHED)
    const client = new Client(`http://127.0.0.1:${running.port}`, filled.key, 1)
    const { status } = await client.request(messageOf(somePeople(), 'rest').path)
    const firstAnswerMs = performance.now() - began
    if (status !== 200) throw new Error(`The first response was ${status}.`)
    await sleep(REST_MS)
    starts.push({ firstAnswerMs, restBytes: residentBytes(running.pid) })
    client.close()
    await running.end()
  }
  return {
    firstAnswerMs: median(starts.map(({ firstAnswerMs }) => firstAnswerMs)),
    restBytes: median(starts.map(({ restBytes }) => restBytes)),
  }
}
