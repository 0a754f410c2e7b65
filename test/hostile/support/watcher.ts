import { Agent, get } from 'node:http'

/**
 * A client in a separate process, so that the campaign does not delay its clock: it repeats GET /healthz
 * and GET /v1/key, or the given paths, and reports the longest latency on demand.
 *
 *   watcher.ts ORIGIN AUTHORIZATION MILLISECONDS [PATH...]
 */
const [origin = '', authorization = '', everyMs = '', ...paths] = process.argv.slice(2)

/** The longest latency of the requests that ended after `since`, or an error. */
export interface Waited {
  readonly longestMs: number
  readonly failure?: string
}

interface Probe {
  readonly endedAt: number
  readonly ms: number
  readonly failure: string | undefined
}

const PATHS = paths.length > 0 ? paths : ['/healthz', '/v1/key']
/** Timeout of a request. */
const GIVEN_UP_MS = 20_000
const agent = new Agent({ keepAlive: true })
const probes: Probe[] = []
const underWay = new Set<Promise<void>>()

const now = () => performance.timeOrigin + performance.now()

function probe(path: string): Promise<void> {
  const startedAt = now()
  const sent = new Promise<string | undefined>((resolve) => {
    get(`${origin}${path}`, { agent, headers: { authorization }, timeout: GIVEN_UP_MS }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode === 200 ? undefined : `${response.statusCode}`))
    })
      .on('timeout', () => resolve('no answer'))
      .on('error', (error) => resolve(error.message))
  }).then((failure) => {
    const endedAt = now()
    probes.push({ endedAt, ms: endedAt - startedAt, failure: failure && `${path}: ${failure}` })
  })
  underWay.add(sent)
  return sent.finally(() => underWay.delete(sent))
}

// A round that is not over yet is not joined by another one.
setInterval(() => {
  if (underWay.size === 0) for (const path of PATHS) probe(path)
}, Number(everyMs))

// Exit when the parent process is gone.
process.on('disconnect', () => process.exit())

process.on('message', async ({ id, since }: { id: number; since: number }) => {
  for (const path of PATHS) probe(path)
  await Promise.all(underWay)
  const recent = probes.slice(probes.findLastIndex(({ endedAt }) => endedAt < since) + 1)
  const longestMs = Math.max(0, ...recent.map(({ ms }) => ms))
  const failure = recent.find((one) => one.failure)?.failure
  process.send?.({ id, waited: { longestMs, ...(failure && { failure }) } })
})
