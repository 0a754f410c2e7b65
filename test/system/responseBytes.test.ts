import { expect, onTestFinished, test } from 'vitest'
import { BYTES_FOR_ONE, PRICED_ROW_BYTES, RATE_UNIT_COST } from '../../src/graph/query/prices.js'
import type { AppOptions } from '../../src/http/app.js'
import { LIMITS } from '../../src/limits.js'
import { STILL_WANTED } from '../../src/store/sqlite/driver.js'
import { engine } from '../support/engine.js'
import { addIssues, addProject, addRisks, details, issue, project, risk } from '../support/fixtures.js'
import { openGateway, type TestResponse } from '../support/harness.js'

const ROWS = 200
/** The long texts of a row: two names of members in JSON, the rest text. */
const TEXT = 'x'.repeat(10_000)

/** A service whose risks all have long texts, and a caller of it. */
async function openLong(options: Partial<AppOptions> = {}) {
  const limited = { ratePerMinute: LIMITS.ratePerMinute, monotonicMs: () => 0, responseCacheBytesMax: 0 }
  const gateway = openGateway({ ...limited, ...options }, onTestFinished)
  await gateway.write(async (write) => {
    const id = await addProject(write, project())
    const other = await addProject(write, project({ key: 'ZEUS' }))
    const long = Array.from({ length: ROWS }, (_, n) =>
      risk(id, { reference: `R-${n}`, description: TEXT, cause: TEXT, details: details({ Cost: '1' }) }),
    )
    const [first = ''] = await addRisks(write, [...long, risk(other, { title: 'One of few' })])
    await addIssues(
      write,
      Array.from({ length: ROWS }, (_, n) => issue(id, { reference: `I-${n}`, riskId: first })),
    )
  })
  return { gateway, caller: () => gateway.as('personnel.read', 'projects.read') }
}

/** Lengths are measured in the background, from the first request on that selects a long text. */
const MEASURED = { timeout: 30_000 }

const chargeOf = ({ headers }: TestResponse) =>
  LIMITS.rateBurst - Number(/;r=(\d+);/.exec(headers.get('ratelimit') ?? '')?.[1])
const units = (cost: number) => Math.ceil(cost / RATE_UNIT_COST)

test('a list is charged by the average bytes of its long texts, if they are selected', async () => {
  const { caller } = await openLong()
  const query = async (fields: string, first: number) => {
    const answer = await (await caller()).graphql(`{ risks(first: ${first}) { nodes { ${fields} } } }`)
    expect(answer.body.errors).toBeUndefined()
    return chargeOf(answer)
  }
  const average = (ROWS * TEXT.length) / (ROWS + 1)
  const each = (columns: number) => Math.ceil((columns * average - PRICED_ROW_BYTES) / BYTES_FOR_ONE)
  expect(await query('id title', 200)).toBe(1)
  await expect.poll(() => query('id description', 200), MEASURED).toBe(units(1 + 200 * (2 + each(1))))
  expect(await query('id a: description cause b: cause', 200)).toBe(units(1 + 200 * (4 + each(3))))
  expect(await query('id description', 50)).toBe(1)
})

test.runIf(engine === 'sqlite')(
  'a page that may have long rows is read by a worker, however short most rows are',
  async () => {
    const { gateway, caller } = await openLong()
    await gateway.write(async (write) => {
      const id = await addProject(write, project({ key: 'MANY' }))
      const short = Array.from({ length: 10_000 }, (_, n) => risk(id, { reference: `S-${n}` }))
      await addRisks(write, short)
    })
    const reader = await caller()
    const isHeavy = async (fields: string, list = (risks: string) => risks) => {
      gateway.statements()
      await reader.graphql(`{ ${list(`risks(first: 100) { nodes { id ${fields} } }`)} }`)
      return gateway.statements().some((sql) => sql.includes(STILL_WANTED) && !sql.includes('octet_length'))
    }
    await expect.poll(() => isHeavy('description cause'), MEASURED).toBe(true)
    expect(await isHeavy('title')).toBe(false)
    const ofProjects = (risks: string) => `projects(first: 2) { nodes { ${risks} } }`
    // The first one counts the rows.
    await isHeavy('title', ofProjects)
    expect(await isHeavy('title', ofProjects)).toBe(false)
    expect(await isHeavy('description', ofProjects)).toBe(true)
  },
)

test('a long response counts as in flight before it is built', async () => {
  const { gateway, caller } = await openLong({ inFlightBytesMax: 16_000_000 })
  const [reader, other] = [await caller(), await caller()]
  const texts = Array.from({ length: 10 }, (_, n) => `a${n}: description`).join(' ')
  let asked = 0
  // Never equal, so that none waits for the response of another.
  const read = (by = reader) => by.graphql(`{ a${asked++}: risks(first: 200) { nodes { id ${texts} } } }`)
  const lists = () => gateway.statements().filter((sql) => /group_concat|string_agg/.test(sql)).length
  const [first, second] = await Promise.all([read(), read()])
  expect(first.status).toBe(200)
  expect([second.status, second.headers.get('retry-after')]).toEqual([503, '1'])
  expect(second.body.errors[0].message).toContain('There is no room to build the response')
  expect(lists()).toBe(1)
  expect((await Promise.all([read(other), read()])).map(({ status }) => status).sort()).toEqual([200, 503])
  expect((await read()).status).toBe(200)
})

test('a response that would be too long is refused before it is read, with the page that fits', async () => {
  const { gateway, caller } = await openLong({ responseBytesMax: 2_100_000 })
  const reader = await caller()
  await expect.poll(async () => (await reader.get('/v1/risks')).body.detail, MEASURED).toContain('`limit=100`')
  gateway.statements()
  const answer = await reader.get('/v1/risks')
  expect(answer).toMatchProblem(400, 'TOO_COMPLEX')
  expect(answer.body.detail).toContain('more than 2,100,000 bytes')
  expect(answer.body.detail).toContain('`limit=100`')
  expect((await reader.get('/v1/risks', { accept: 'text/csv' })).body.detail).toContain('`limit=100`')
  const { body } = await reader.graphql('{ risks { nodes { description cause } } }')
  expect(body.errors[0].message).toContain('`risks(first: 100)`')
  expect(body.errors[0].extensions.code).toBe('TOO_COMPLEX')
  expect(gateway.statements().filter((sql) => /group_concat|string_agg/.test(sql))).toEqual([])
  // What is suggested fits, as does what selects less, or a filter that few match.
  expect((await reader.get('/v1/risks?limit=100')).body.data).toHaveLength(100)
  expect((await reader.get('/v1/risks?project=ZEUS')).body.data).toHaveLength(1)
  expect((await reader.graphql('{ risks { nodes { id title } } }')).body.data.risks.nodes).toHaveLength(ROWS + 1)
})

/** Selects the long texts of one risk many times: its average is known, but not that all refer to the same row. */
const REPEATED = '{ issues { nodes { id risk { description issues(first: 5) { nodes { risk { cause } } } } } } }'

test('a response that turns out to be too long is stopped while its rows are gathered', async () => {
  const { gateway, caller } = await openLong({ responseBytesMax: 1_000_000 })
  // One long row among many short ones: the estimate is low.
  await gateway.write(async (write) => {
    const id = await addProject(write, project({ key: 'MANY' }))
    const short = Array.from({ length: 10_000 }, (_, n) => risk(id, { reference: `S-${n}` }))
    await addRisks(write, short)
  })
  const reader = await caller()
  const { body } = await reader.graphql(REPEATED)
  expect(body.errors).toHaveLength(1)
  expect(body.errors[0].extensions.code).toBe('TOO_COMPLEX')
  expect(body.errors[0].message).toContain('more than 1,000,000 bytes')
  const page = await reader.get('/v1/risks?project=APOLLO')
  expect(page).toMatchProblem(400, 'TOO_COMPLEX')
  expect(page.body.detail).toContain('smaller pages, with `limit`')
  expect((await reader.get('/v1/risks?project=APOLLO&limit=20')).body.data).toHaveLength(20)
  const fits = await reader.graphql(REPEATED.replace('issues {', 'issues(first: 10) {'))
  expect(fits.body.data.issues.nodes[0].risk.issues.nodes[0].risk.cause).toBe(TEXT)
})

test('equal lists under several aliases count each time', async () => {
  const { caller } = await openLong({ responseBytesMax: 5_000_000 })
  const list = '{ nodes { description } }'
  const query = (aliases: number) =>
    `{ ${Array.from({ length: aliases }, (_, n) => `a${n}: risks(first: 200) ${list}`).join(' ')} }`
  const reader = await caller()
  expect((await reader.graphql(query(2))).body.errors).toBeUndefined()
  const { body } = await reader.graphql(query(3))
  expect(body.errors[0].extensions.code).toBe('TOO_COMPLEX')
})
