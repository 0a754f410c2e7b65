import { expect, test } from 'vitest'
import { newId } from '../../src/ids.js'
import { changeGroup } from '../../src/personnel/groups.js'
import { addPerson } from '../../src/personnel/people.js'
import { addProject, addRisk, project, risk } from '../support/fixtures.js'
import { NOW, openFilled } from '../support/harness.js'

/** A company in which one person is known by e-mail. */
async function openNamed(options: Parameters<typeof openFilled>[0] = {}) {
  const { gateway, company } = await openFilled(options)
  const ada = await gateway.write((write) => addPerson(write, { name: 'Ada', email: 'ada@names.example' }))
  return { gateway, company, ada }
}

const owned = (owner: string) => `{ risks(filter: { owner: "${owner}" }) { totalCount nodes { id } } }`

test('an e-mail tells a key without personnel.read nothing, whether or not somebody has it', async () => {
  const { gateway } = await openNamed()
  const caller = await gateway.as('projects.read')
  const [there, missing] = await Promise.all(
    ['ada@names.example', 'nobody@names.example'].map((email) => caller.graphql(owned(email))),
  )
  expect(there?.body.errors[0].extensions).toEqual({ code: 'INSUFFICIENT_SCOPE', requiredScope: 'personnel.read' })
  expect(there?.body).toEqual(missing?.body)
  expect(there?.headers.get('ratelimit')).toEqual(missing?.headers.get('ratelimit'))
  for (const path of ['risks?owner=', 'issues?assignee=', 'risks?limit=1&owner=none,']) {
    const answers = await Promise.all(
      ['ada@names.example', 'nobody@names.example'].map((email) => caller.get(`/v1/${path}${email}`)),
    )
    for (const answer of answers) expect(answer).toMatchProblem(403, 'INSUFFICIENT_SCOPE')
    expect(answers[0]?.body.detail).toBe(answers[1]?.body.detail)
  }
})

test('an id that is not there matches nothing, and needs no scope but that of the list', async () => {
  const { gateway } = await openNamed()
  const caller = await gateway.as('projects.read')
  const { body } = await caller.graphql(owned(newId('person', NOW)))
  expect(body).toEqual({ data: { risks: { totalCount: 0, nodes: [] } } })
  const reader = await gateway.as('projects.read', 'personnel.read')
  const { body: misnamed } = await reader.graphql(owned('Nobody'))
  expect(misnamed.errors[0].message).toBe("owner: There is no person 'Nobody'. Name it by e-mail, name or user id.")
})

test('a name in a list inside another thing is refused at the root field, and the others stay', async () => {
  const { gateway } = await openNamed()
  const caller = await gateway.as('personnel.read', 'projects.read')
  const query = `{ person(email: "ADA@names.example") { name risks(filter: { project: "NOWHERE" }) { nodes { id } } }
    other: person(email: "ADA@names.example") { name } }`
  const { body } = await caller.graphql(query)
  expect(body.data).toEqual({ person: null, other: { name: 'Ada' } })
  expect(body.errors).toMatchObject([{ path: ['person'], extensions: { code: 'BAD_REQUEST' } }])
  expect(body.errors[0].message).toMatch(/^project: There is no project 'NOWHERE'/)
})

test('a name is looked up once, and again when what it names has changed', async () => {
  const { gateway, company } = await openNamed({ responseCacheBytesMax: 0 })
  const caller = await gateway.as('personnel.read')
  const [id = ''] = company.groupIds
  const { body: group } = await caller.graphql(`{ group(id: "${id}") { name } }`)
  const query = `{ personnel(first: 5, filter: { group: "${group.data.group.name.toUpperCase()}" }) { nodes { id } } }`
  const first = await caller.graphql(query)
  expect(first.body.errors).toBeUndefined()
  gateway.statements()
  expect((await caller.graphql(query)).body).toEqual(first.body)
  expect(gateway.statements().filter((statement) => /from "?groups"?\b/.test(statement))).toHaveLength(1)
  await gateway.write((write) => changeGroup(write, id, { name: 'Another name' }))
  const { body } = await caller.graphql(query)
  expect(body.errors[0].message).toEqual(expect.stringMatching(/^group: There is no group '/))
})

test('a list of what is not there is a 404 for those who may know, and empty for others', async () => {
  const { gateway, ada } = await openNamed()
  const [both, projects] = [await gateway.as('personnel.read', 'projects.read'), await gateway.as('projects.read')]
  const gone = newId('person', NOW)
  for (const named of [ada.id, ada.email])
    expect((await both.get(`/v1/personnel/${named}/risks`)).body.data).toEqual([])
  // Filters take names of people, and paths do not, whether or not the list has an entry.
  await gateway.write(async (write) => {
    const { id: ownerId } = await addPerson(write, { name: 'Zuzana', email: 'z@names.example' })
    await addRisk(write, risk(await addProject(write, project({ key: 'OTHER' })), { ownerId }))
  })
  expect((await both.get('/v1/risks?owner=Zuzana')).body.data).toHaveLength(1)
  for (const list of ['risks', 'issues']) {
    const { status, body } = await both.get(`/v1/personnel/Zuzana/${list}`)
    expect([status, body.detail]).toEqual([404, expect.stringContaining('There is no person at /v1/personnel/Zuzana.')])
  }
  expect(await both.get(`/v1/personnel/${gone}/risks`)).toMatchProblem(404, 'NOT_FOUND')
  expect((await projects.get(`/v1/personnel/${gone}/risks`)).body.data).toEqual([])
  expect((await projects.get(`/v1/personnel/${ada.id}/risks`)).body.data).toEqual([])
  expect(await projects.get('/v1/projects/NOWHERE/risks')).toMatchProblem(404, 'NOT_FOUND')
})

test('suggestions are for callers with a valid key alone', async () => {
  const { gateway } = await openNamed()
  const { status, text } = await gateway.with(undefined).graphql('{ people { name } }')
  expect([status, text.includes('personnel')]).toEqual([401, false])
})
