import { graphql } from 'graphql'
import { expect, test } from 'vitest'
import { contextFor, type Store, schema } from '../../src/index.js'
import { addPerson } from '../../src/personnel/people.js'
import { ada, addIssues, addProject, addRisks, grace, issue, project, risk } from '../support/fixtures.js'
import { openGateway } from '../support/harness.js'

const DAY = '2026-11-18'
const [LATE, ON_THE_DAY] = ['2026-11-17', DAY]

/** Ada, Grace and two strangers of almost the same name, with entries before, on and without the day, closed and open. */
async function openLate() {
  const gateway = openGateway()
  const ids = await gateway.write(async (write) => {
    const [adaId, graceId] = [(await addPerson(write, ada)).id, (await addPerson(write, grace)).id]
    const quay = await addProject(write, project({ key: 'QUAY' }))
    const wharf = await addProject(write, project({ key: 'WHARF', status: 'ON_HOLD' }))
    await addIssues(write, [
      issue(quay, { reference: 'I-1', dueOn: LATE, assigneeId: adaId, assigneeName: 'A. Lovelace' }),
      issue(quay, { reference: 'I-2', dueOn: ON_THE_DAY, assigneeId: adaId }),
      issue(quay, { reference: 'I-3', dueOn: LATE, assigneeId: adaId, status: 'RESOLVED' }),
      issue(quay, { reference: 'I-4', dueOn: LATE, assigneeName: 'Bo' }),
      issue(quay, { reference: 'I-5', assigneeId: graceId }),
      issue(quay, { reference: 'I-6', dueOn: LATE }),
      issue(wharf, { reference: 'I-1', dueOn: LATE, assigneeName: 'bo' }),
    ])
    await addRisks(write, [
      risk(quay, { reference: 'R-1', likelihood: 4, impact: 5, ownerId: graceId }),
      risk(quay, { reference: 'R-2', likelihood: 5, impact: 5, status: 'CLOSED', dueOn: LATE, ownerId: graceId }),
      risk(quay, { reference: 'R-3', likelihood: null, impact: null, scoreGiven: 20 }),
      risk(quay, { reference: 'R-4', likelihood: null, impact: null, scoreGiven: 19, dueOn: LATE, ownerId: adaId }),
      risk(wharf, { reference: 'R-1', dueOn: LATE, ownerName: 'Bo', status: 'OCCURRED' }),
    ])
    return { adaId, graceId, quay }
  })
  return { gateway, ...ids }
}

const HEALTH =
  'criticalRiskCount none: overdueIssueCount late: overdueIssueCount(on: $on) all: overdueIssueCount(on: "2027-01-01")'
const QUAY = { criticalRiskCount: 2, none: null, late: 3, all: 4 }
const WHARF = { criticalRiskCount: 0, none: null, late: 1, all: 1 }

test('a project counts its critical risks and the issues that are overdue on a day, wherever it is shown', async () => {
  const { gateway, quay } = await openLate()
  const caller = await gateway.as('projects.manage')
  const dataOf = async (query: string) =>
    (await caller.graphql(`query ($on: Date) { ${query} }`, { on: DAY })).body.data
  expect(await dataOf(`projects { nodes { ${HEALTH} } }`)).toEqual({ projects: { nodes: [QUAY, WHARF] } })
  expect(await dataOf(`project(id: "QUAY") { ${HEALTH} }`)).toEqual({ project: QUAY })
  const references = `[{ __typename: "Project", key: "WHARF" }, { __typename: "Project", id: "${quay}" }]`
  const entities = await dataOf(`_entities(representations: ${references}) { ... on Project { ${HEALTH} } }`)
  expect(entities).toEqual({ _entities: [WHARF, QUAY] })
  const inside = await dataOf(`movements(since: "2020-01-01") { projects { project { ${HEALTH} } } }`)
  expect(inside.movements.projects).toEqual([{ project: QUAY }, { project: WHARF }])
  const change = `mutation ($on: Date) { syncProject(input: { key: "QUAY" }) { project { ${HEALTH} } } }`
  expect((await caller.graphql(change, { on: DAY })).body.data).toEqual({ syncProject: { project: QUAY } })
  // In the schema of a host, which completes the answer itself.
  const contextValue = contextFor(gateway.store as unknown as Store, { scopes: ['projects.read'] })
  const source = `query ($on: Date) { projects { nodes { ${HEALTH} } } }`
  const { data } = await graphql({ schema, source, contextValue, variableValues: { on: DAY } })
  expect(JSON.parse(JSON.stringify(data))).toEqual({ projects: { nodes: [QUAY, WHARF] } })
})

test('REST shows both counts of a project, the overdue issues only with a day', async () => {
  const { gateway } = await openLate()
  const caller = await gateway.as('projects.read')
  const countsOf = ({ key, criticalRiskCount, overdueIssueCount }: Record<string, unknown>) => [
    ...[key, criticalRiskCount, overdueIssueCount],
  ]
  const list = async (query: string) => (await caller.get(`/v1/projects${query}`)).body.data.map(countsOf)
  expect(await list('')).toEqual([
    ['QUAY', 2, null],
    ['WHARF', 0, null],
  ])
  expect(await list(`?on=${DAY}`)).toEqual([
    ['QUAY', 2, 3],
    ['WHARF', 0, 1],
  ])
  expect(countsOf((await caller.get(`/v1/projects/quay?on=${DAY}`)).body)).toEqual(['QUAY', 2, 3])
  const { body } = await caller.get('/v1/projects?on=today')
  expect(body.errors).toEqual([{ parameter: 'on', detail: 'Must be a day such as 2027-01-31.' }])
  expect(await caller.get(`/v1/projects.csv?on=${DAY}`)).toMatchProblem(400, 'BAD_REQUEST')
  expect(await caller.get(`/v1/projects?on=${DAY}`, { accept: 'text/csv' })).toMatchProblem(400, 'BAD_REQUEST')
})

const counts = (overdueIssueCount: number, openIssueCount: number, overdueRiskCount: number, riskCount: number) => ({
  ...{ overdueIssueCount, openIssueCount, overdueRiskCount, riskCount },
})

test('those with something overdue are listed with their counts, most overdue first, people by id and others by name', async () => {
  const { gateway, adaId } = await openLate()
  const caller = await gateway.as('projects.read', 'personnel.read')
  const get = async (query: string) => (await caller.get(`/v1/overdue?on=${query}`)).body
  const person = { id: adaId, name: ada.name }
  const [first, second, third] = [
    { person, personId: adaId, name: null, ...counts(1, 2, 1, 1) },
    { person: null, personId: null, name: 'Bo', ...counts(1, 1, 1, 1) },
    { person: null, personId: null, name: 'bo', ...counts(1, 1, 0, 0) },
  ]
  expect(await get(DAY)).toEqual({ total: 3, people: [first, second, third] })
  expect(await get(`${DAY}&limit=1`)).toEqual({ total: 3, people: [first] })
  expect(await get(LATE)).toEqual({ total: 0, people: [] })
  const onQuay = { total: 2, people: [first, { ...second, ...counts(1, 1, 0, 0) }] }
  for (const query of ['project=quay', 'projectStatus=active']) expect(await get(`${DAY}&${query}`)).toEqual(onQuay)
  // One overdue each, and then whoever has more open issues.
  const onWharf = { total: 2, people: [third, { ...second, ...counts(0, 0, 1, 1) }] }
  for (const query of ['project=WHARF', 'projectStatus=on_hold,closed'])
    expect(await get(`${DAY}&${query}`)).toEqual(onWharf)
  expect((await get(`${DAY}&project=QUAI`)).errors).toEqual([
    { parameter: 'project', detail: "There is no project 'QUAI'. Did you mean QUAY?" },
  ])
})

test('a key without personnel.read sees who is overdue only as issues and risks show it', async () => {
  const { gateway, adaId } = await openLate()
  const caller = await gateway.as('projects.read')
  const { body } = await caller.get(`/v1/overdue?on=${DAY}&limit=1`)
  expect(body.people).toEqual([{ person: null, personId: adaId, name: null, ...counts(1, 2, 1, 1) }])
  const answer = await caller.graphql(`{ overdueByPerson(on: "${DAY}") { people { name person { name } } } }`)
  expect(answer.body.errors).toMatchObject([
    { path: ['overdueByPerson', 'people', '@', 'person'], extensions: { code: 'INSUFFICIENT_SCOPE' } },
  ])
  expect(answer.body.data.overdueByPerson.people[0]).toEqual({ name: null, person: null })
})

test('movements of projects with a status are counted and listed as those of the same projects by key', async () => {
  const { gateway } = await openLate()
  const caller = await gateway.as('projects.read')
  const get = async (query: string) => (await caller.get(`/v1/movements?since=2020-01-01&${query}`)).body
  const onHold = await get('projectStatus=ON_HOLD')
  expect(onHold).toMatchObject({ counts: { new: 1, opened: 1 }, risks: [{ reference: 'R-1' }] })
  expect(onHold).toEqual(await get('project=WHARF'))
  expect(await get('projectStatus=active,on_hold')).toEqual(await get(''))
})
