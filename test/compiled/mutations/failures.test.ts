import { expect, onTestFinished, test } from 'vitest'
import type { Store, Write } from '../../../src/store/store.js'
import { ada } from '../../support/fixtures.js'
import { openGateway } from '../../support/harness.js'
import { newStore, type TestStore } from '../../support/stores.js'

const isSelection = (text: string) => / from "(person|groups)" "r1" where "r1"."id" = \S+$/.test(text)

/** A store that fails to read the selection of a compiled mutation. */
function failing(store: Store): Store {
  const unlessSelection =
    (read: Write['rows']): Write['rows'] =>
    async (statement) => {
      if (isSelection(statement.text)) throw new Error('a plan that no engine can make')
      return read(statement)
    }
  return {
    ...store,
    write: (as, work) =>
      store.write(as, (write) =>
        work({
          ...write,
          db: write.db,
          rows: unlessSelection(write.rows),
          lastRows: unlessSelection(write.lastRows),
        }),
      ),
  }
}

async function openFailing() {
  const own = newStore()
  const broken: TestStore = Object.create(own, {
    open: { value: (options: Parameters<TestStore['open']>[0]) => failing(own.open(options)) },
  })
  const executed: (string | undefined)[] = []
  const onFinished = ({ executedFor }: { executedFor?: string }) => void executed.push(executedFor)
  const gateway = openGateway({ onFinished, isCompiled: true }, onTestFinished, broken)
  return { gateway, executed, caller: await gateway.as('personnel.manage') }
}

const query =
  'mutation { a: addGroup(input: { name: "A" }) { name } b: addPerson(input: { name: "B", email: "b@c.d" }) { name } }'

const ONCE: Record<string, string>[] = [{}, { 'idempotency-key': 'one' }]

test.each(ONCE)('a mutation by REST whose selection fails is done once, executed, with %j', async (headers) => {
  const { gateway, executed, caller } = await openFailing()
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(ada),
  }
  const answer = await caller.request('/v1/personnel', init)
  expect([answer.status, answer.body.name]).toEqual([201, ada.name])
  expect((await caller.get('/v1/personnel')).body.data).toEqual([answer.body])
  expect(executed[0]).toBe('failed')
  expect(gateway.log.join()).toContain('a plan that no engine can make')
})

test.each(ONCE)('a mutation by GraphQL whose selections fail is done once, executed, with %j', async (headers) => {
  const { gateway, executed, caller } = await openFailing()
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query }),
  }
  const answer = await caller.request('/graphql', init)
  expect(answer.body).toEqual({ data: { a: { name: 'A' }, b: { name: 'B' } } })
  expect((await caller.get('/v1/personnel?total=true')).body.page.total).toBe(1)
  expect(executed[0]).toBe('failed')
  expect(gateway.log.join()).toContain('a plan that no engine can make')
})
