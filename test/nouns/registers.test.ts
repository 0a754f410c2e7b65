import { expect, test } from 'vitest'
import { DETAILS_MAX, TEXT_MAX } from '../../src/vocabulary.js'
import { type Caller, type Office, openGateway } from '../support/harness.js'

async function open(): Promise<Office> {
  const gateway = openGateway()
  return { gateway, caller: await gateway.as('personnel.manage', 'projects.manage') }
}

const sync = (caller: Caller, ...risks: object[]) =>
  caller.post('/v1/projects', { key: 'APOLLO', name: 'Apollo', risks: risks.map((one) => ({ title: 'Late', ...one })) })

const risksOf = async (caller: Caller) => (await caller.get('/v1/risks?status=open,occurred,closed')).body.data

const SCORED: [name: string, given: object, score: number, level: string, warned: boolean][] = [
  ['factors', { likelihood: 4, impact: 5 }, 20, 'CRITICAL', false],
  ['a score alone', { scoreGiven: 17 }, 17, 'HIGH', false],
  ['a score of 0', { scoreGiven: 0 }, 0, 'UNASSESSED', false],
  ['neither', {}, 0, 'UNASSESSED', false],
  ['factors and their product', { likelihood: 3, impact: 4, scoreGiven: 12 }, 12, 'HIGH', false],
  ['factors and another score', { likelihood: 3, impact: 4, scoreGiven: 25 }, 12, 'HIGH', true],
]

test.each(SCORED)('a risk with %s is scored, levelled and ranked by it', async (_, given, score, level, isWarned) => {
  const { caller } = await open()
  const { status, body } = await sync(caller, { reference: 'R-1', ...given }, { reference: 'R-2', scoreGiven: 18 })
  const detail = expect.stringContaining('their product is 12')
  expect([status, body.warnings]).toEqual([200, isWarned ? [{ pointer: '/risks/0/scoreGiven', detail }] : []])
  const risks = await risksOf(caller)
  const scoreGiven = 'likelihood' in given ? null : 'scoreGiven' in given ? score : null
  expect(risks).toContainEqual(expect.objectContaining({ reference: 'R-1', score, level, scoreGiven }))
  expect(risks.map(({ reference, rank }: { reference: string; rank: number }) => [reference, rank])).toEqual(
    score > 18
      ? [
          ['R-1', 1],
          ['R-2', 2],
        ]
      : [
          ['R-2', 1],
          ['R-1', 2],
        ],
  )
})

test('factors replace a given score, and once they are cleared a score may be given again; ranks follow', async () => {
  const { caller } = await open()
  const shown = async (given: object) => {
    expect((await sync(caller, { reference: 'R-1', ...given }, { reference: 'R-2', scoreGiven: 5 })).status).toBe(200)
    const one = (await risksOf(caller)).find(({ reference }: { reference: string }) => reference === 'R-1')
    return [one.likelihood, one.scoreGiven, one.score, one.rank]
  }
  expect(await shown({ scoreGiven: 24 })).toEqual([null, 24, 24, 1])
  expect(await shown({ likelihood: 2, impact: 2 })).toEqual([2, null, 4, 2])
  expect(await shown({ scoreGiven: 24 })).toEqual([2, null, 4, 2])
  expect(await shown({ likelihood: null, impact: null, scoreGiven: 24 })).toEqual([null, 24, 24, 1])
  expect(await shown({ status: 'CLOSED' })).toEqual([null, 24, 24, null])
})

const REFUSED: [given: object, pointer: string, detail: RegExp][] = [
  [{ scoreGiven: 26 }, '/risks/0/scoreGiven', /0 to 25/],
  [{ scoreGiven: 9, likelihood: 3 }, '/risks/0/impact', /both likelihood and impact/],
  [{ residualImpact: 3 }, '/risks/0/residualLikelihood', /both residualLikelihood and residualImpact/],
  [{ dueOn: '2027-02-30' }, '/risks/0/dueOn', /2027-01-31/],
  [{ details: [{ name: ' ', text: 'x' }] }, '/risks/0/details/0/name', /not be empty/],
  [
    {
      details: [
        { name: 'a', text: '1' },
        { name: ' a', text: '2' },
      ],
    },
    '/risks/0/details/1/name',
    /another detail "a"/,
  ],
  [{ details: [{ name: 'n'.repeat(TEXT_MAX.detailName + 1), text: '1' }] }, '/risks/0/details/0/name', /at most 100/],
  [{ details: [{ name: 'a', text: 't'.repeat(TEXT_MAX.detailText + 1) }] }, '/risks/0/details/0/text', /at most 2,000/],
  [{ details: [{ name: 'a', text: 'b', more: 'c' }] }, '/risks/0/details/0/more', /Unknown member/],
  [{ details: 'Cost: 12' }, '/risks/0/details', /list/],
  [
    { details: Array.from({ length: DETAILS_MAX + 1 }, (_, i) => ({ name: `n${i}`, text: 't' })) },
    '/risks/0/details',
    /most is 50/,
  ],
]

test.each(REFUSED)('a risk with %j is refused at its place', async (given, pointer, detail) => {
  const { caller } = await open()
  const { status, body } = await sync(caller, { reference: 'R-1', ...given })
  expect([status, body.errors]).toEqual([422, [{ pointer, detail: expect.stringMatching(detail) }]])
  expect(await risksOf(caller)).toEqual([])
})

const WRITTEN = [
  { name: 'Trigger', text: 'Zeile\nzwei; "drei" \\ =1+1' },
  { name: 'Existing\ncontrols', text: '\u2028 \u0007 ü 😀' },
  { name: '2', text: 'numbers keep their place' },
  { name: '1', text: '=SUM(A1)' },
]

test('details are shown as written and in their order by every way of asking', async () => {
  const { caller } = await open()
  const person = (await caller.post('/v1/personnel', { name: 'Ada', email: 'a@example.com', details: WRITTEN })).body
  expect(person.details).toEqual(WRITTEN.map(({ name, text }) => ({ name, text: text.trim() })))
  const { details } = person
  await caller.post('/v1/projects', {
    ...{ key: 'APOLLO', name: 'Apollo', details: WRITTEN, issues: [] },
    risks: [{ reference: 'R-1', title: 'Late', details: WRITTEN }],
  })
  const query = `{ person(id: "${person.id}") { details { name text } swapped: details { text name } named: details { n: name } }
    risks { nodes { details { name text } project { details { text __typename } } } } }`
  const { data } = (await caller.graphql(query)).body
  expect(data.person).toEqual({
    details,
    swapped: details,
    named: details.map(({ name }: { name: string }) => ({ n: name })),
  })
  const ofProject = details.map(({ text }: { text: string }) => ({ text, __typename: 'Detail' }))
  expect(data.risks.nodes).toEqual([{ details, project: { details: ofProject } }])
  // Absent stays; an empty list, null or blank texts clear.
  const patched = async (change: object) => (await caller.patch(`/v1/personnel/${person.id}`, change)).body.details
  expect(await patched({ title: 'Engineer' })).toEqual(details)
  expect(
    await patched({
      details: [
        { name: 'a', text: ' ' },
        { name: 'b', text: 'c' },
      ],
    }),
  ).toEqual([{ name: 'b', text: 'c' }])
  expect(await patched({ details: [] })).toEqual([])
})

test('the history names each detail that changed, or the new order', async () => {
  const { caller } = await open()
  const { id } = (
    await caller.post('/v1/personnel', { name: 'Ada', email: 'a@example.com', details: WRITTEN.slice(2) })
  ).body
  const reordered = WRITTEN.slice(2).reverse()
  await caller.patch(`/v1/personnel/${id}`, { details: reordered })
  await caller.patch(`/v1/personnel/${id}`, { details: reordered })
  await caller.patch(`/v1/personnel/${id}`, {
    details: [
      { name: '1', text: 'new' },
      { name: 'Site', text: 'Süd' },
    ],
  })
  const { data } = (await caller.get(`/v1/personnel/${id}/history`)).body
  expect(data.map(({ fields }: { fields: object[] }) => fields.slice(-3))).toMatchObject([
    [
      { field: 'status' },
      { field: 'details.2', to: 'numbers keep their place' },
      { field: 'details.1', to: '=SUM(A1)' },
    ],
    [{ field: 'details', from: '2; 1', to: '1; 2' }],
    [
      { field: 'details.1', from: '=SUM(A1)', to: 'new' },
      { field: 'details.2', from: 'numbers keep their place', to: null },
      { field: 'details.Site', from: null, to: 'Süd' },
    ],
  ])
})
