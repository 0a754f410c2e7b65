import { describe, expect, test } from 'vitest'
import { engine } from '../support/engine.js'
import { openOffice } from '../support/harness.js'
import { runHere } from '../support/inProcess.js'
import { newFolder } from '../support/process.js'
import { prepareStore } from '../support/service.js'

/** A filled store, what a caller with every scope gets of it, and the command on it. */
async function openExplained() {
  const { gateway, caller } = await openOffice()
  const { own, log } = gateway
  const explain = (...args: string[]) => runHere(newFolder(), ['explain', ...args, '--database', own.url])
  const json = async (...args: string[]) => JSON.parse((await explain(...args, '--json')).stdout)
  /** The cost of the last request in the log. */
  const cost = () => JSON.parse(log.at(-1) ?? '').cost
  return { own, caller, explain, json, cost }
}

const WHERE = engine === 'sqlite' ? /^(in place|read worker)$/ : /^server$/

const STATEMENT = {
  text: expect.stringMatching(/^(select|with) /),
  where: expect.stringMatching(WHERE),
  ms: expect.any(Number),
  waitedMs: expect.any(Number),
  rows: 1,
  plan: expect.arrayContaining([expect.stringMatching(engine === 'sqlite' ? /^ *(SEARCH|SCAN) / : /Scan .*\(cost=/)]),
}

test('a path is explained by its statements, their plans and the cost that its key would be charged', async () => {
  const { caller, json, cost } = await openExplained()
  const path = '/v1/risks?limit=50&status=OPEN'
  expect((await caller.get(path)).status).toBe(200)
  const { statements, ...rest } = await json(path)
  expect(rest).toEqual({ cost: cost() })
  // The list is read last, after the counts that its price depends on.
  for (const statement of statements) expect(statement).toEqual(STATEMENT)
  expect(statements.at(-1).text).toContain('"risk"."status" = ')
  expect(statements.at(-1).plan.join('\n')).toMatch(/\brisk_by_(status|live)\b|Seq Scan on risk\b/)
})

test('a query is explained with its variables, in words too', async () => {
  const { caller, json, explain, cost } = await openExplained()
  const query = 'query ($key: String!) { project(key: $key) { name risks(first: 2) { nodes { title } } } }'
  const variables = JSON.stringify({ key: 'APOLLO' })
  expect((await caller.graphql(query, { key: 'APOLLO' })).body.errors).toBe(undefined)
  const explained = await json(query, '--variables', variables)
  expect(explained).toEqual({ cost: cost(), statements: expect.arrayContaining([STATEMENT]) })
  const { code, stdout } = await explain(query, '--variables', variables)
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^Foreseen cost: \d+\. Statements: \d+\.\n\n1\. /)])
  expect(stdout).toMatch(/^\d\. (in place|read worker|server): [\d.]+ ms, waited [\d.]+ ms, rows: 1\nselect /m)
})

test('no value of the request or of the store is printed', async () => {
  const { explain, own } = await openExplained()
  const name = String(own.values('select name from person order by id limit 1')[0]?.[0])
  const text = encodeURIComponent("ZANZ'ibar\nUsing: zanz 4711")
  const runs = [
    await explain(`/v1/risks?search=${text}&minScore=13&owner=none&category=zanz,${text}&reviewBefore=2031-07-19`),
    await explain(`/v1/personnel?search=${encodeURIComponent(name)}&email=zanz@example.com`),
    await explain(
      '{ risks(first: 3, filter: { search: "zanz 4711", likelihood: 4, minResidualScore: 17 }) { nodes { id } } }',
    ),
  ]
  for (const { code, stdout, stderr } of runs) {
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).not.toMatch(/zanz|4711|2031|-130\b/i)
    // PostgreSQL's plans have conditions, with values.
    const conditions = stdout.split('\n').filter((line) => /^ +[A-Z][A-Za-z ]*: /.test(line))
    expect(conditions.filter((line) => /\d\d|'/.test(line))).toEqual([])
    expect(stdout).not.toContain(name)
    expect(stdout).toMatch(/Statements: [1-9]/)
  }
})

test('a mutation is refused with a sentence, and changes nothing', async () => {
  const { explain, own } = await openExplained()
  const before = own.dump()
  const { code, stdout, stderr } = await explain(
    'mutation { addPerson(input: { name: "Eve", externalId: "E-1" }) { id } }',
  )
  expect({ code, stdout, stderr }).toEqual({
    ...{ code: 1, stdout: '', stderr: 'Only what reads can be explained: this changes data.\n' },
  })
  expect(own.dump()).toEqual(before)
})

describe('what is wrong gets the sentence that a caller gets', () => {
  test.each(['/v1/risks?colour=red', '/v1/riskss', '/v2', '/v1/risks?limit=0'])('of the path %s', async (path) => {
    const { caller, explain } = await openExplained()
    const { detail } = (await caller.get(path)).body
    expect(await explain(path)).toEqual({ code: 1, stdout: '', stderr: `${detail}\n` })
  })

  test.each([
    '{ risks(',
    '{ risks { colour } }',
    '{ risks(first: 0) { nodes { id } } }',
    'query ($id: ID!) { risk(id: $id) { id } }',
  ])('of the query %s', async (query) => {
    const { caller, explain } = await openExplained()
    const messages = (await caller.graphql(query)).body.errors.map(({ message }: Error) => message)
    expect(await explain(query)).toEqual({ code: 1, stdout: '', stderr: `${messages.join('\n')}\n` })
  })

  test('and what was not found is explained besides', async () => {
    const { explain } = await openExplained()
    const { code, stdout, stderr } = await explain('/v1/risks/rsk_nothing')
    expect([code, stderr]).toEqual([1, 'There is no risk at /v1/risks/rsk_nothing.\n'])
    expect(stdout).toMatch(/Statements: 1/)
  })

  test.each(['x', '[1]', '{"key": 7}'])('of the variables %s', async (variables) => {
    const { caller, explain } = await openExplained()
    const query = 'query ($key: String) { project(key: $key) { id } }'
    const body = `{"query":${JSON.stringify(query)},"variables":${variables}}`
    const headers = { 'content-type': 'application/json' }
    const { body: answer } = await caller.request('/graphql', { method: 'POST', headers, body })
    const sentence = `${answer.errors[0].message}\n`
    expect(await explain(query, '--variables', variables)).toEqual({ code: 1, stdout: '', stderr: sentence })
  })
})

test.runIf(engine === 'sqlite')('--read-workers 0 reads in place what is read in a worker otherwise', async () => {
  const { own } = await prepareStore(newFolder(), 2_000)
  const places = async (...args: string[]) => {
    const { stdout } = await runHere(newFolder(), [
      'explain',
      '/v1/personnel',
      '--json',
      '--database',
      own.url,
      ...args,
    ])
    return JSON.parse(stdout).statements.map(({ where }: { where: string }) => where)
  }
  expect((await places()).at(-1)).toBe('read worker')
  expect((await places('--read-workers', '1')).at(-1)).toBe('read worker')
  expect(new Set(await places('--read-workers', '0'))).toEqual(new Set(['in place']))
})
