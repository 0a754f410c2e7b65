import { expect, test } from 'vitest'
import { addPerson } from '../../src/personnel/people.js'
import { addRisks, risk } from '../support/fixtures.js'
import { NOW, openFilled } from '../support/harness.js'

const ORDERS = {
  personnel: ['NAME', 'UPDATED'],
  risks: ['RANK', 'DUE', 'UPDATED'],
  issues: ['SEVERITY', 'DUE', 'UPDATED'],
} as const
const LISTS = Object.entries(ORDERS).flatMap(([list, orders]) => orders.map((order) => [list, order] as const))

/** Due days of which some are equal, and some are missing. */
async function openDue() {
  const { gateway, company } = await openFilled()
  const [projectId = ''] = company.projectIds
  const days = [null, '2026-12-01', '2026-11-30', '2026-12-01', null, '9999-12-31', '2026-11-30']
  await gateway.write((write) =>
    addRisks(
      write,
      days.map((dueOn, index) => risk(projectId, { reference: `DUE-${index}`, dueOn, impact: 1 + (index % 5) })),
    ),
  )
  return { gateway, caller: await gateway.as('personnel.read', 'projects.read') }
}

test.each(LISTS)('the pages of %s by %s are the whole list, each entry once', async (list, order) => {
  const { caller } = await openDue()
  const whole = await caller.get(`/v1/${list}?order=${order}`)
  const ids = whole.body.data.map(({ id }: { id: string }) => id)
  const paged: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await caller.get(`/v1/${list}?order=${order}&limit=3${cursor && `&cursor=${cursor}`}`)
    paged.push(...body.data.map(({ id }: { id: string }) => id))
    cursor = body.page.next
  }
  expect([new Set(ids).size, paged]).toEqual([ids.length, ids])
  const key = order === 'DUE' ? 'dueOn' : 'updatedAt'
  const keys: string[] = whole.body.data.map((one: Record<string, string | null>) => one[key] ?? 'none')
  if (order === 'DUE') expect(keys).toEqual(keys.toSorted())
  if (order === 'UPDATED') expect(keys).toEqual(keys.toSorted().reverse())
})

test('a cursor of one order is refused in another, and a new answer comes after a change', async () => {
  const { gateway, caller } = await openDue()
  const { body } = await caller.get('/v1/risks?order=due&limit=2')
  for (const other of ['', '&order=updated', '&order=rank']) {
    const answer = await caller.get(`/v1/risks?limit=2&cursor=${body.page.next}${other}`)
    expect(answer).toMatchProblem(400, 'BAD_REQUEST')
    expect(answer.body.detail).toMatch(/same order/)
  }
  const named = await caller.graphql('{ risks(first: 2, orderBy: DUE) { nodes { id } } }')
  expect(named.body.data.risks.nodes).toEqual(body.data.map(({ id }: { id: string }) => ({ id })))
  const later = () => new Date(NOW.getTime() + 1_000)
  await gateway.store.write({ by: 'cli', at: later }, (write) =>
    addPerson(write, { name: 'Newest', externalId: 'N-1' }),
  )
  const { body: people } = await caller.get('/v1/personnel?order=updated&limit=1')
  expect(people.data[0].name).toBe('Newest')
})

test('a name that several people have is refused with those who have it', async () => {
  const { gateway } = await openFilled()
  await gateway.write(async (write) => {
    for (const email of ['one@names.example', 'two@names.example'])
      await addPerson(write, { name: 'Leila Haddad', email })
  })
  const caller = await gateway.as('personnel.read', 'projects.read')
  const answer = await caller.get('/v1/risks?owner=leila%20haddad')
  expect(answer).toMatchProblem(400, 'BAD_REQUEST')
  expect(answer.body.errors[0].detail).toMatch(/'leila haddad': one@names.example, two@names.example/)
  expect(await (await gateway.as('projects.read')).get('/v1/risks?owner=leila%20haddad')).toMatchProblem(
    403,
    'INSUFFICIENT_SCOPE',
  )
})

test.each(['risks', 'issues'])('days filter %s alike in every order', async (list) => {
  const { caller } = await openDue()
  for (const filter of ['dueAfter=2026-11-30', 'dueBefore=2026-12-01', 'dueAfter=2026-01-01&dueBefore=2026-12-01']) {
    const found = async (order: string) => {
      const { body } = await caller.get(`/v1/${list}?${filter}${order}`)
      return body.data.map(({ id }: { id: string }) => id).toSorted()
    }
    const own = await found('')
    expect(own.length).toBeGreaterThan(0)
    expect([filter, await found('&order=DUE'), await found('&order=UPDATED')]).toEqual([filter, own, own])
  }
})
