import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { cpuMsOf } from '../campaigns/served.js'
import { reportFigure } from '../support/figures.js'
import { newFolder, serve } from '../support/process.js'
import { callerOf, prepareStore } from '../support/service.js'

const PEOPLE = 2_000
const DEADLINE_MS = 500
/** E-mails so long and similar that a search without matches takes many seconds. */
const EMAILS = `pragma ignore_check_constraints = on;
  update person set email = 'a', email_folded = printf('%.*c', 10000, 'a') || external_id`
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
  let others = 0
  const paging = (async () => {
    for (let isOver = false; !isOver; others++) {
      expect((await client.request('/v1/personnel?limit=1')).status).toBe(200)
      isOver = await Promise.race([Promise.all(searches).then(() => true), sleep(1, false)])
    }
  })()
  for (const { status, headers, text } of await Promise.all(searches)) {
    expect([status, headers['retry-after'], JSON.parse(text).code]).toEqual([503, '10', 'DEADLINE_EXCEEDED'])
  }
  await paging
  expect(others).toBeGreaterThan(5)
  await sleep(1_000)
  const before = cpuMsOf(pid)
  await sleep(1_000)
  reportFigure('processor time in the second after', cpuMsOf(pid) - before, 100, 'ms')
  expect((await client.request('/v1/personnel?limit=1&total=true')).text).toContain(`"total":${PEOPLE}`)
})

/** So many counts that it is executed and not compiled: two lists for each person, each counted under many names. */
const counts = Array.from({ length: 32 }, (_, i) => `count${i}: totalCount`)
const EXECUTED = `query($first: Int) { personnel(first: $first) {
  nodes { ...Counts } more: nodes { ...Counts } } }
  fragment Counts on Person { risks(first: 1) { ${counts.join(' ')} } }`

test('a query that is executed for too long gets one error at its deadline, and then the process is idle', async () => {
  const { client, pid } = await openSlow()
  const executed = (first: number | null) => {
    const body = JSON.stringify({ query: EXECUTED, variables: { first } })
    return client.request('/graphql', { method: 'POST', body })
  }
  const answers = await Promise.all(Array.from({ length: 4 }, () => executed(null)))
  for (const { status, text } of answers) {
    const { errors, data = null } = JSON.parse(text)
    expect([status, errors.length, errors[0].extensions.code]).toEqual([503, 1, 'DEADLINE_EXCEEDED'])
    expect(data?.personnel ?? null).toBe(null)
  }
  await sleep(1_000)
  const before = cpuMsOf(pid)
  await sleep(1_000)
  reportFigure('processor time in the second after', cpuMsOf(pid) - before, 100, 'ms')
  expect(JSON.parse((await executed(5)).text).data.personnel.nodes).toHaveLength(5)
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
