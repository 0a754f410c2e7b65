/** How soon ours answers after it was started, and what it holds of memory when nothing is asked. */
import { Client, median, sleep } from '../../campaigns/client.js'
import { FIRST_ANSWERS, startOurs } from './contestants.js'
import type { Filled } from './data.js'
import { residentBytes } from './processes.js'
import { messageOf } from './requests.js'
import { somePeople } from './works.js'

export interface Startup {
  readonly firstAnswerMs: number
  readonly restBytes: number
}

/** Long enough for what a start leaves behind to be collected, short enough for a bench. */
const REST_MS = 3_000

export async function measureStartup(filled: Filled, rounds: number): Promise<Startup> {
  const starts: Startup[] = []
  for (let round = 0; round < rounds; round++) {
    const began = performance.now()
    const running = await startOurs(filled, FIRST_ANSWERS)
    const client = new Client(`http://127.0.0.1:${running.port}`, filled.key, 1)
    const { status } = await client.ask(messageOf(somePeople(), 'rest').path)
    const firstAnswerMs = performance.now() - began
    if (status !== 200) throw new Error(`The first answer was ${status}.`)
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
