import { describe, expect, onTestFinished, test } from 'vitest'
import type { Store, Write } from '../../src/store/store.js'
import { ada } from '../support/fixtures.js'
import { type Gateway, openGateway, type TestResponse } from '../support/harness.js'
import { newStore, type TestStore } from '../support/stores.js'

const isSelection = (text: string) => / from "person" "r1" where "r1"."id" = \S+$/.test(text)
const CAUSE = 'a plan that no engine can make'

/** A store that fails to read what is selected of a changed person, until it is mended. */
function failing(store: Store, isMended: () => boolean): Store {
  const unlessSelection =
    (read: Write['rows']): Write['rows'] =>
    async (statement) => {
      if (isSelection(statement.text) && !isMended()) throw new Error(CAUSE)
      return read(statement)
    }
  return {
    ...store,
    write: (as, work) =>
      store.write(as, (write) => work(Object.assign(Object.create(write), { rows: unlessSelection(write.rows) }))),
  }
}

async function openFailing() {
  const own = newStore()
  let isMended = false
  const broken: TestStore = Object.create(own, {
    open: { value: (options: Parameters<TestStore['open']>[0]) => failing(own.open(options), () => isMended) },
  })
  const gateway = openGateway({}, onTestFinished, broken)
  const caller = await gateway.as('personnel.manage')
  const mend = () => {
    isMended = true
  }
  return { gateway, caller, mend }
}

/** How many people, groups and changes there are. */
const stored = ({ own }: Gateway) =>
  ['person', 'groups', 'change'].map((table) => Number(own.values(`select count(*) from ${table}`)[0]?.[0]))

const recordsIn = ({ own }: Gateway) => Number(own.values('select count(*) from kept_answer')[0]?.[0])

/** The causes that the log has under the id of a request. */
function causesIn({ log }: Gateway, { headers }: TestResponse): string[] {
  const lines = log.map((line) => JSON.parse(line) as { requestId?: string; err?: { message: string } })
  return lines.flatMap(({ requestId, err }) => (err && requestId === headers.get('request-id') ? err.message : []))
}

const QUERY = `mutation { before: addGroup(input: { name: "A" }) { name }
  person: addPerson(input: { name: "B", email: "b@c.d" }) { name } after: addGroup(input: { name: "C" }) { name } }`

const ONCE: Record<string, string>[] = [{}, { 'idempotency-key': 'one' }]

describe.each(ONCE)('a change whose selection fails, with %j', (headers) => {
  const init = (body: object) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

  test('is a 500 of REST and not made, and a retry makes it once', async () => {
    const { gateway, caller, mend } = await openFailing()
    const failed = await caller.request('/v1/personnel', init(ada))
    expect(failed).toMatchProblem(500, 'INTERNAL')
    expect(failed.text).not.toContain(CAUSE)
    expect(stored(gateway)).toEqual([0, 0, 0])
    expect(recordsIn(gateway)).toBe(0)
    expect(causesIn(gateway, failed)).toEqual([CAUSE])
    mend()
    const retried = await caller.request('/v1/personnel', init(ada))
    expect([retried.status, retried.body.name]).toEqual([201, ada.name])
    expect(retried.headers.get('idempotency-replayed')).toBe(null)
    expect((await caller.get('/v1/personnel')).body.data).toEqual([retried.body])
  })

  test('is an error of GraphQL at its root field and not made, the others are, and a retry makes it once', async () => {
    const { gateway, caller, mend } = await openFailing()
    const failed = await caller.request('/graphql', init({ query: QUERY }))
    expect(failed.body).toEqual({
      data: { before: { name: 'A' }, person: null, after: { name: 'C' } },
      errors: [
        {
          message: expect.any(String),
          path: ['person'],
          locations: [{ line: 2, column: 3 }],
          extensions: { code: 'INTERNAL' },
        },
      ],
    })
    expect(failed.text).not.toContain(CAUSE)
    expect(stored(gateway)).toEqual([0, 2, 2])
    expect(causesIn(gateway, failed)).toEqual([CAUSE])
    if (!('idempotency-key' in headers)) return
    mend()
    const retried = await caller.request('/graphql', init({ query: QUERY }))
    expect(retried.body).toEqual({ data: { before: { name: 'A' }, person: { name: 'B' }, after: { name: 'C' } } })
    expect(retried.headers.get('idempotency-replayed')).toBe(null)
    expect(stored(gateway)).toEqual([1, 2, 3])
  })
})
