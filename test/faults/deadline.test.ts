import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { cpuMsOf } from '../campaigns/served.js'
import { reportFigure } from '../support/figures.js'
import { newFolder, serve } from '../support/process.js'
import { callerOf, prepareStore } from '../support/service.js'

const PEOPLE = 2_000
const DEADLINE_MS = 1_000
/** E-mails so long and similar that a search without matches takes seconds. */
const EMAILS = `pragma ignore_check_constraints = on;
  update person set email = 'a', email_folded = printf('%.*c', 100000, 'a') || external_id`
const SEARCH = `/v1/personnel?limit=1&search=${'a'.repeat(199)}b`

/** A served process whose roster takes very long to search. */
async function openSlow() {
  const folder = newFolder()
  const { own, key } = await prepareStore(folder, PEOPLE)
  own.run(EMAILS)
  const args = ['--rate-limit', '0', '--log-level', 'silent', '--deadline-ms', String(DEADLINE_MS)]
  const { origin, child } = await serve(folder, args)
  return { child, pid: child.pid ?? 0, ...callerOf(origin, key) }
}

test('searches that take too long get 503 in time, others are served meanwhile, and then the process is idle', async () => {
  const { client, pid } = await openSlow()
  await client.request('/v1/personnel?limit=1')
  const searches = Array.from({ length: 8 }, () => client.request(SEARCH))
  // A page that is requested after all of them is answered before any of them.
  const first = await Promise.race([client.request('/v1/personnel?limit=1'), ...searches])
  expect(first.status).toBe(200)
  for (const { status, headers, text } of await Promise.all(searches)) {
    expect([status, headers['retry-after'], JSON.parse(text).code]).toEqual([503, '10', 'DEADLINE_EXCEEDED'])
  }
  await sleep(1_000)
  const before = cpuMsOf(pid)
  await sleep(1_000)
  reportFigure('processor time in the second after', cpuMsOf(pid) - before, 100, 'ms')
  const total = async () => (await client.request('/v1/personnel?limit=1&total=true')).text
  await expect.poll(total, { timeout: 10_000 }).toContain(`"total":${PEOPLE}`)
})

/** Two root fields, each of which takes longer than the deadline. */
const SEARCHES = `query ($search: String!) { all: personnel(filter: { search: $search }) { totalCount }
  page: personnel(first: 5, filter: { search: $search }) { nodes { id } } }`

test('a query that takes too long gets one error at its deadline, and then the process is idle', async () => {
  const { client, pid } = await openSlow()
  const body = JSON.stringify({ query: SEARCHES, variables: { search: `${'a'.repeat(199)}b` } })
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => client.request('/graphql', { method: 'POST', body })),
  )
  for (const { status, text } of answers) {
    const { errors, data } = JSON.parse(text)
    expect([status, errors.length, errors[0].extensions.code, data]).toEqual([503, 1, 'DEADLINE_EXCEEDED', undefined])
  }
  await sleep(1_000)
  const before = cpuMsOf(pid)
  await sleep(1_000)
  reportFigure('processor time in the second after', cpuMsOf(pid) - before, 100, 'ms')
  const total = async () => (await client.request('/v1/personnel?limit=1&total=true')).text
  await expect.poll(total, { timeout: 10_000 }).toContain(`"total":${PEOPLE}`)
})

test('SIGTERM in the middle of a search that takes too long ends the process in order', async () => {
  const { client, child } = await openSlow()
  const search = client.request(SEARCH)
  await sleep(DEADLINE_MS / 2)
  child.kill('SIGTERM')
  expect((await search).status).toBe(503)
  await once(child, 'close')
  expect(child.exitCode).toBe(0)
})
