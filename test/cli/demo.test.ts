import { describe, expect, test } from 'vitest'
import { prepareDemo } from '../../src/cli/serve/demo.js'
import { NOW, openGateway } from '../support/harness.js'

const DAY_MS = 86_400_000

test('two demos that start at once on one store fill it once', async () => {
  const gateway = openGateway()
  const keys = await Promise.all([1, 2].map(() => prepareDemo(gateway.store, () => NOW)))
  expect(new Set(keys).size).toBe(2)
  const { body } = await gateway.with(`Bearer ${keys[0]}`).get('/v1/groups?total=true')
  expect(body.page.total).toBe(8)
})

describe('a later start of the demo', () => {
  test('writes and warns of nothing: at once, a day, a week and ten weeks later', async () => {
    const gateway = openGateway()
    const start = () => prepareDemo(gateway.store, () => gateway.clock.now)
    const caller = gateway.with(`Bearer ${await start()}`)
    const { body } = await caller.get('/v1/groups?limit=1')
    await caller.patch(`/v1/groups/${body.data[0].id}`, { name: 'Ours' })
    for (const days of [0, 1, 7, 70]) {
      gateway.clock.now = new Date(NOW.getTime() + days * DAY_MS)
      expect(await gateway.historyOf(start)).toEqual([])
    }
    expect(gateway.notices()).toEqual([])
  })

  test('keeps the data of an older version, which had less', async () => {
    const gateway = openGateway()
    const caller = await gateway.as('projects.manage')
    const risks = [{ reference: 'R-1', title: 'Crane late', likelihood: 2, impact: 3 }]
    await caller.post('/v1/projects', { key: 'APOLLO', name: 'Apollo', risks })
    expect(await gateway.historyOf(() => prepareDemo(gateway.store, () => NOW))).toEqual([])
    expect(gateway.notices()).toEqual([])
  })
})

test('the past of the demo is recorded in order', async () => {
  const gateway = openGateway()
  await prepareDemo(gateway.store, () => NOW)
  const { change } = gateway.store.read.t
  const rows = await gateway.store.read.db.select({ at: change.recordedAt }).from(change).orderBy(change.id)
  const instants = rows.map(({ at }) => at)
  expect(instants).toEqual([...instants].sort())
  expect(new Set(instants).size).toBe(8)
  expect(gateway.notices()).toEqual([])
})

/** The live risks of the demo as it is first filled on a day. */
async function filledOn(day: string) {
  const gateway = openGateway()
  const key = await prepareDemo(gateway.store, () => new Date(`${day}T12:00:00.000Z`))
  const risksBy = async (query: string) => (await gateway.with(`Bearer ${key}`).get(`/v1/risks?${query}`)).body.data
  return { risksBy, due: (await risksBy('project=APOLLO')).map(({ dueOn }: { dueOn: string | null }) => dueOn) }
}

test('the days of the demo are around the day of its first start, on the same days of the week', async () => {
  const [written, later] = [await filledOn('2026-11-18'), await filledOn('2027-11-20')]
  expect(written.due.slice(0, 3)).toEqual(['2026-12-15', '2026-12-01', '2027-02-01'])
  expect(later.due.slice(0, 3)).toEqual(['2027-12-14', '2027-11-30', '2028-01-31'])
})

test('the demo has one of everything that the overview can show', async () => {
  const { risksBy } = await filledOn('2026-11-18')
  expect(await risksBy('level=HIGH,CRITICAL&mitigated=false')).toEqual([])
  const shown = [
    'mitigated=false',
    'dueBefore=2026-11-18',
    'dueAfter=2026-11-18',
    'ownership=LEFT',
    'ownership=NONE',
    'ownership=NAMED',
    'status=OCCURRED',
    'projectStatus=CLOSED',
    'projectStatus=ON_HOLD',
  ]
  const counts = await Promise.all(shown.map(async (query) => [query, (await risksBy(query)).length > 0]))
  expect(counts).toEqual(shown.map((query) => [query, true]))
})
