/**
 * Follows the changes of a server that is killed and restarted, and is killed itself at any time.
 *
 *   node follower.mjs FILE_WITH_THE_ORIGIN API_KEY JOURNAL
 *
 * The journal has a line for the entries of each page, and then one for where to resume: what a copy and its cursor are
 * to a real program.
 */
import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Far more than it waits for changes; each request without a response in this time is noted in the journal. */
const RESPONSE_MS_MAX = 20_000

const [originFile = '', key = '', journal = ''] = process.argv.slice(2)
const lines = existsSync(journal) ? readFileSync(journal, 'utf8').split('\n') : ['']
// The last line may have been cut off by the kill.
const torn = Buffer.byteLength(lines.at(-1) ?? '')
if (torn > 0) truncateSync(journal, Buffer.byteLength(lines.join('\n')) - torn)
let cursor = lines
  .slice(0, -1)
  .map((line) => JSON.parse(line).next)
  .findLast((next) => next !== undefined)

// The timer of `AbortSignal.timeout` keeps no process alive: if `fetch` loses its connection without settling, this
// program would end with 13 in the middle of its loop.
setInterval(() => undefined, RESPONSE_MS_MAX)

for (;;) {
  try {
    const query = new URLSearchParams({ limit: '100', wait: '5', ...(cursor && { cursor }) })
    const origin = readFileSync(originFile, 'utf8')
    const signal = AbortSignal.timeout(RESPONSE_MS_MAX)
    const headers = { authorization: `Bearer ${key}` }
    const answer = await fetch(`${origin}/v1/changes?${query}`, { headers, signal })
    if (!answer.ok) throw new Error(await answer.text())
    const { data, page } = await answer.json()
    const entries = data.map(({ id, entityId }) => [Number(id), entityId])
    if (entries.length > 0) appendFileSync(journal, `${JSON.stringify({ entries })}\n`)
    appendFileSync(journal, `${JSON.stringify({ next: page.next })}\n`)
    cursor = page.next
  } catch (error) {
    if (/CURSOR_GONE|BAD_REQUEST/.test(String(error))) {
      appendFileSync(journal, `${JSON.stringify({ refusal: String(error) })}\n`)
      process.exit(1)
    }
    if (error.name === 'TimeoutError') appendFileSync(journal, `${JSON.stringify({ unanswered: true })}\n`)
    // The server is down, or stopped in the middle of its answer.
    await sleep(20)
  }
}
