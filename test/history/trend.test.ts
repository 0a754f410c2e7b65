import { describe, expect, test } from 'vitest'
import { POINTS_MAX } from '../../src/history/trend.js'
import { openFilled, openGateway } from '../support/harness.js'
import { newStore, type TestStore } from '../support/stores.js'
import { synced } from '../support/syncing.js'

describe('the days of a trend', () => {
  test.each([
    ['from=2026-11-02&to=2026-11-04', ['2026-11-02', '2026-11-03', '2026-11-04']],
    ['from=2026-11-02&to=2026-11-02', ['2026-11-02']],
    ['from=2026-11-02&to=2026-11-18&step=week', ['2026-11-02', '2026-11-09', '2026-11-16', '2026-11-18']],
    ['from=2026-12-31&to=2027-03-31&step=MONTH', ['2026-12-31', '2027-01-31', '2027-02-28', '2027-03-31']],
    ['from=9999-12-30&to=9999-12-31&step=WEEK', ['9999-12-30', '9999-12-31']],
  ])('%s', async (query, days) => {
    const caller = await openGateway().as('projects.read')
    const { body } = await caller.get(`/v1/risks/trend?${query}`)
    expect(body.points.map(({ on }: { on: string }) => on)).toEqual(days)
  })

  test('at most 400', async () => {
    const caller = await openGateway().as('projects.read')
    const whole = await caller.get('/v1/risks/trend?from=2026-01-01&to=2027-02-04')
    expect(whole.body.points).toHaveLength(POINTS_MAX)
    const more = await caller.get('/v1/risks/trend?from=2026-01-01&to=2027-02-05')
    expect(more).toMatchProblem(400, 'BAD_REQUEST')
    expect(more.body.errors).toEqual([
      {
        parameter: 'step',
        detail:
          'From 2026-01-01 to 2027-02-05 there are more than 400 points. Take a longer step, such as WEEK, or fewer days.',
      },
    ])
  })
})

test('what cannot be asked is refused by name', async () => {
  const { gateway } = await openFilled()
  const caller = await gateway.as('projects.read')
  const violationsOf = async (query: string) => (await caller.get(`/v1/risks/trend?${query}`)).body.errors
  expect(await violationsOf('to=soon')).toEqual([
    { parameter: 'to', detail: 'Must be a day such as 2027-01-31.' },
    { parameter: 'from', detail: 'Must be given.' },
  ])
  expect(await violationsOf('from=2026-11-02&to=2026-11-01')).toEqual([
    { parameter: 'to', detail: 'Must not be before `from`.' },
  ])
  expect(await violationsOf('from=2026-11-02&to=2026-11-03&step=YEAR')).toEqual([
    { parameter: 'step', detail: 'Must be one of DAY, MONTH, WEEK.' },
  ])
  const unknown = await violationsOf('from=2026-11-02&to=2026-11-03&project=APOLO')
  expect(unknown).toEqual([{ parameter: 'project', detail: "There is no project 'APOLO'. Did you mean APOLLO?" }])
})

test('a finished day stays, whatever happens later and whatever the clock says', async () => {
  const gateway = openGateway({ responseCacheBytesMax: 0 })
  const manager = await gateway.as('projects.manage')
  const caller = await gateway.as('projects.read')
  const until = async (to: string) => (await caller.get(`/v1/risks/trend?from=2026-10-31&to=${to}`)).body.points
  const written = async (at: string, likelihood: number) => {
    gateway.clock.now = new Date(at)
    await synced(manager, { key: 'A', name: 'A', risks: [{ reference: 'R', title: 'T', likelihood, impact: 5 }] })
  }
  await written('2026-11-01T00:00:00.000Z', 1)
  await written('2026-11-01T23:59:59.999Z', 2)
  const before = await until('2026-11-01')
  expect(before.map(({ score }: { score: number }) => score)).toEqual([0, 10])
  await written('2026-11-02T00:00:00.000Z', 4)
  expect(await until('2026-11-01')).toEqual(before)
  gateway.clock.now = new Date('2027-11-02T00:00:00.000Z')
  expect((await until('2026-11-04')).map(({ score }: { score: number }) => score)).toEqual([0, 10, 20, 20, 20])
})

test('a long history, and what is overdue of many, is read outside the event loop, with the same result', async () => {
  const { gateway } = await openFilled()
  const own: TestStore = gateway.own
  const lent: TestStore = Object.create(own, {
    open: { value: (options = {}) => own.open({ ...options, inPlaceRowsMax: 1 }) },
    remove: { value: () => undefined },
  })
  const [inPlace, offloaded] = [
    await gateway.as('projects.read'),
    await openGateway({}, undefined, lent).as('projects.read'),
  ]
  for (const path of [
    '/v1/risks/trend?from=2026-11-01&to=2026-11-04',
    '/v1/movements?since=2026-11-01&until=2026-12-01',
    '/v1/overdue?on=2040-01-01&projectStatus=active',
    '/v1/projects?on=2040-01-01',
  ]) {
    expect((await offloaded.get(path)).text).toBe((await inPlace.get(path)).text)
  }
})

test('a store without a change has nothing to show', async () => {
  const caller = await openGateway({}, undefined, newStore()).as('projects.read')
  const { body } = await caller.get('/v1/risks/trend?from=2026-11-01&to=2026-11-01')
  expect(body.points).toEqual([
    { on: '2026-11-01', live: 0, unassessed: 0, low: 0, medium: 0, high: 0, critical: 0, score: 0 },
  ])
  expect((await caller.get('/v1/movements?since=2026-11-01')).body).toMatchObject({
    risks: [],
    issues: [],
    projects: [],
  })
})

test('a trend ends with what the register has in projects of the same statuses', async () => {
  const { gateway } = await openFilled()
  const caller = await gateway.as('projects.read')
  for (const status of ['ACTIVE', 'CLOSED,ON_HOLD']) {
    const { body } = await caller.get(`/v1/risks/trend?from=2030-01-01&to=2030-01-01&projectStatus=${status}`)
    const { body: list } = await caller.get(`/v1/risks?limit=1&total=true&projectStatus=${status}`)
    expect(list.page.total).toBeGreaterThan(0)
    expect(body.points[0].live).toBe(list.page.total)
  }
})
