import { expect, test } from 'vitest'
import { LIMITS } from '../../src/limits.js'
import { DETAILS_MAX, TEXT_MAX } from '../../src/vocabulary.js'
import { lines, openDesk } from '../ingest/importing.js'
import { addProject, addRisk, details, project, risk } from '../support/fixtures.js'
import { openGateway } from '../support/harness.js'

const ROCKET = '🚀'
/** Within the limit of each text and of the number of details, but not of all together. */
const WIDE = Array.from({ length: DETAILS_MAX }, (_, n) => ({
  name: `Name ${n}`,
  text: ROCKET.repeat(TEXT_MAX.detailText),
}))
const LIMIT = `at most ${LIMITS.rowBytesMax} bytes together`

test('a row that would be longer than its limit is refused by REST and GraphQL, at its longest field', async () => {
  const gateway = openGateway()
  const caller = await gateway.as('personnel.manage', 'projects.manage')
  const wide = { reference: 'R-2', title: 'x', details: WIDE }
  const state = { key: 'A', name: 'Apollo', risks: [{ reference: 'R-1', title: 'x' }, wide] }
  const synced = await caller.post('/v1/projects', state)
  expect(synced).toMatchProblem(422, 'VALIDATION_FAILED')
  expect(synced.body.errors).toEqual([{ pointer: '/risks/1/details', detail: expect.stringContaining(LIMIT) }])
  const added = await caller.graphql('mutation ($input: AddPersonInput!) { addPerson(input: $input) { id } }', {
    input: { name: 'Ada', email: 'ada@example.com', details: WIDE },
  })
  expect(added.body.errors[0].extensions.errors).toEqual([
    { pointer: '/details', detail: expect.stringContaining(LIMIT) },
  ])
  for (const path of ['/v1/projects', '/v1/risks', '/v1/personnel']) {
    expect((await caller.get(path)).body.data).toEqual([])
  }
})

test('control characters count as long as they are in JSON', async () => {
  const gateway = openGateway()
  const caller = await gateway.as('projects.manage')
  const fits = { description: 'x'.repeat(TEXT_MAX.description), cause: '\u0001'.repeat(9_000) }
  const state = (texts: object) => ({ key: 'A', name: 'Apollo', risks: [{ reference: 'R', title: 'x', ...texts }] })
  expect((await caller.post('/v1/projects', state(fits))).status).toBe(200)
  const longer = { ...fits, cause: '\u0001'.repeat(TEXT_MAX.description) }
  const answer = await caller.post('/v1/projects', state(longer))
  expect(answer.body.errors).toEqual([{ pointer: '/risks/0/cause', detail: expect.stringContaining(LIMIT) }])
})

test('an import refuses such a row by its place, and stores nothing', async () => {
  const desk = openDesk()
  const texts = [1, 2, 3].map(() => ROCKET.repeat(TEXT_MAX.description)).join()
  const name = desk.put('risks.csv', lines('project,reference,title,description,mitigation,cause', `A,R-1,x,${texts}`))
  const { code, stderr } = await desk.importSheet('risks', '--create-projects', name)
  expect(code).toBe(1)
  expect(stderr).toContain(LIMIT)
  expect(stderr).toContain('line 2, description')
  expect(desk.list('select reference from risk')).toEqual([])
})

test('an older, longer row stays readable, and may change as long as it does not grow', async () => {
  const gateway = openGateway()
  const caller = await gateway.as('projects.manage')
  const texts = Object.fromEntries(WIDE.map(({ name, text }) => [name, text]))
  await gateway.write(async (write) => {
    const id = await addProject(write, project({ key: 'A' }))
    await addRisk(write, risk(id, { details: details(texts), cause: 'old' }))
  })
  const [stored] = (await caller.get('/v1/risks')).body.data
  expect(stored.details).toEqual(WIDE)
  const state = (changed: object) => ({ key: 'A', mode: 'PARTIAL', risks: [{ reference: 'R-1', ...changed }] })
  expect((await caller.post('/v1/projects', state({ cause: 'new' }))).status).toBe(200)
  const grown = await caller.post('/v1/projects', state({ cause: 'longer' }))
  expect(grown.body.errors).toEqual([{ pointer: '/risks/0/cause', detail: expect.stringContaining(LIMIT) }])
  expect((await caller.post('/v1/projects', state({ cause: 'longer', details: WIDE.slice(1) }))).status).toBe(200)
})
