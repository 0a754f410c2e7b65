import { expect, test } from 'vitest'
import { openFilled, openOffice } from '../support/harness.js'

const ALPHA = '/v1/groups/ALPHA%20team'
const REFERENCES = [
  ['a group', '/v1/groups?search=alpha', ALPHA, ['', '/members', '/history']],
  ['a group without members', '/v1/groups?search=empty', '/v1/groups/empty', ['', '/members']],
  ['a person', '/v1/personnel?email=p1@example.com', '/v1/personnel/P1@example.com', ['', '/risks', '/history']],
  ['a project', '/v1/projects?search=apollo', '/v1/projects/apollo', ['', '/risks', '/issues', '/history']],
] as const

test.each(REFERENCES)('%s is read by name as by id, at each of its paths', async (_, list, byName, below) => {
  const { caller } = await openOffice()
  const { id } = (await caller.get(list)).body.data[0]
  for (const rest of below) {
    const byId = await caller.get(`${byName.replace(/[^/]*$/, id)}${rest}`)
    expect(byId.status).toBe(200)
    expect((await caller.get(`${byName}${rest}`)).body).toEqual(byId.body)
  }
})

/** A project with an entry of each reference in one of its lists. */
async function openBridge(list: string, references: readonly string[]) {
  const { caller } = await openOffice()
  const entry = { title: 'Fog', ...(list === 'issues' && { severity: 'HIGH' }) }
  const entries = references.map((reference) => ({ ...entry, reference }))
  await caller.post('/v1/projects', { key: 'BRIDGE', name: 'Bridge', [list]: entries })
  return caller
}

const REFERRED = ['R-7', 'QA/2026 Übergang?', '100%', 'history', 'matrix', 'a+b;c=d#e']

test.each(['risks', 'issues'])('%s are read by project and reference, whatever characters it has', async (list) => {
  const caller = await openBridge(list, REFERRED)
  const { data } = (await caller.get(`/v1/projects/BRIDGE/${list}`)).body
  expect(data).toHaveLength(REFERRED.length)
  for (const { id, reference, project } of data) {
    for (const [name, rest] of ['bridge', project.id].flatMap((one) => [
      [one, ''],
      [one, '/history'],
    ])) {
      const path = `/v1/projects/${name}/${list}/${encodeURIComponent(reference)}${rest}`
      const [byId, found] = [await caller.get(`/v1/${list}/${id}${rest}`), await caller.get(path)]
      const etag = byId.headers.get('etag') ?? ''
      expect([found.status, found.body, found.headers.get('etag')]).toEqual([200, byId.body, etag])
      expect((await caller.get(path, { 'if-none-match': etag })).status).toBe(304)
      expect((await caller.request(path, { method: 'HEAD' })).status).toBe(200)
    }
  }
})

test.each(['risks', 'issues'])(
  'what is not there among %s by reference is a 404, and nothing else is taken',
  async (list) => {
    const caller = await openBridge(list, ['R-7'])
    const missing = ['BRIDGE/?/R-8', 'BRIDGE/?/r-7', 'BRIDGE/?/%20', 'BRIDGE/?/a%00b', 'BRIDGE/?/%FF']
    for (const path of missing.flatMap((one) => [one, `${one}/history`])) {
      const at = `/v1/projects/${path.replace('?', list)}`
      const { status, body } = await caller.get(at)
      expect([status, body.detail]).toEqual([
        404,
        expect.stringContaining(`There is no ${list.slice(0, -1)} at ${at}.`),
      ])
    }
    for (const path of ['', '/history']) {
      const { status, body } = await caller.get(`/v1/projects/NONE/${list}/R-7${path}`)
      expect([status, body.detail]).toEqual([404, expect.stringContaining('There is no project at /v1/projects/NONE.')])
    }
    const path = `/v1/projects/BRIDGE/${list}/R-7`
    expect(await caller.get(`${path}${'7'.repeat(200)}`)).toMatchProblem(404, 'NOT_FOUND')
    expect(await caller.get(`${path}?limit=1`)).toMatchProblem(400, 'BAD_REQUEST')
    expect(await caller.get(path, { accept: 'text/csv' })).toMatchProblem(406, 'NOT_ACCEPTABLE')
    const posted = await caller.post(path, {})
    expect(posted).toMatchProblem(405, 'METHOD_NOT_ALLOWED')
    expect([posted.headers.get('allow'), posted.body.detail]).toEqual([
      'GET, HEAD, OPTIONS',
      expect.stringContaining('POST /v1/projects'),
    ])
  },
)

test('a group is changed by name, and its members by name and e-mail', async () => {
  const { caller } = await openOffice()
  const members = async () => (await caller.get(`${ALPHA}/members?search=bea`)).body.data.length
  expect((await caller.request(`${ALPHA}/members/p1@example.com`, { method: 'DELETE' })).status).toBe(204)
  expect(await members()).toBe(0)
  expect((await caller.request(`${ALPHA}/members/P1@example.com`, { method: 'PUT' })).status).toBe(204)
  expect(await members()).toBe(1)
  const etag = (await caller.get(ALPHA)).headers.get('etag') ?? ''
  const patch = (tag: string) => caller.patch(ALPHA, { description: 'Renewed.' }, { 'if-match': tag })
  expect(await patch('"other"')).toMatchProblem(412, 'PRECONDITION_FAILED')
  expect((await patch(etag)).body).toMatchObject({ name: 'alpha Team', description: 'Renewed.' })
  const { body } = await caller.patch('/v1/personnel/P1@example.com', { title: 'Countess' })
  expect(body).toMatchObject({ email: 'p1@example.com', title: 'Countess' })
})

test('a text in the form of an id is an id, also if a group has it as its name', async () => {
  const { caller } = await openOffice()
  const { id } = (await caller.get(ALPHA)).body
  const other = (await caller.post('/v1/groups', { name: id })).body
  expect((await caller.get(`/v1/groups/${id}`)).body.name).toBe('alpha Team')
  expect((await caller.get(`/v1/groups/${other.id}`)).body.name).toBe(id)
  expect((await caller.patch(`/v1/groups/${id}`, { description: 'Mine' })).body.name).toBe('alpha Team')
})

test('the longest name refers to its group, in a path and in a filter', async () => {
  const { caller } = await openOffice()
  const name = 'Ü'.repeat(200)
  await caller.post('/v1/groups', { name })
  expect((await caller.get(`/v1/groups/${encodeURIComponent(name)}`)).body.name).toBe(name)
  expect((await caller.get(`/v1/personnel?group=${encodeURIComponent(name)}`)).body.data).toEqual([])
})

test('GraphQL takes the same references as `id`, and still exactly one key', async () => {
  const { caller } = await openOffice()
  const { body } = await caller.graphql(`{ group(id: "ALPHA team") { name } person(id: "p1@example.com") { email }
    nobody: person(id: "bea") { id } both: group(id: "alpha Team", name: "Empty") { id } }`)
  expect(body.data).toEqual({
    group: { name: 'alpha Team' },
    person: { email: 'p1@example.com' },
    nobody: null,
    both: null,
  })
  expect(body.errors).toEqual([expect.objectContaining({ path: ['both'] })])
  const changed = await caller.graphql(
    'mutation { changeGroup(id: "empty", input: { description: "No one" }) { name } }',
  )
  expect(changed.body).toEqual({ data: { changeGroup: { name: 'Empty' } } })
})

const nothingAt = (list: string, given: string, noun: string, how: string) =>
  `There is no ${noun} at ${list}/${given}. ${how} find it with ${list}?search=${given}.`

test.each([
  ['/v1/groups/Nope', 'PATCH', "There is no group 'Nope'. Name it by its name or its id."],
  ['/v1/personnel/no@example.com', 'PATCH', "There is no person 'no@example.com'. Name it by e-mail or user id."],
  [`${ALPHA}/members/no@example.com`, 'PUT', "There is no person 'no@example.com'. Name it by e-mail or user id."],
  ['/v1/groups/Nope', 'GET', nothingAt('/v1/groups', 'Nope', 'group', 'Name it by its name or its id, or')],
  ['/v1/personnel/Bea', 'GET', nothingAt('/v1/personnel', 'Bea', 'person', 'Name it by e-mail or user id, or')],
  ['/v1/projects/NOPE', 'GET', nothingAt('/v1/projects', 'NOPE', 'project', 'Name it by its key or its id, or')],
  ['/v1/risks/R-7', 'GET', nothingAt('/v1/risks', 'R-7', 'risk', 'Its id begins with rsk_:')],
  ['/v1/groups/a%00b', 'GET', expect.stringMatching(/^There is no group at /)],
  ['/v1/groups/a%00b', 'PATCH', expect.stringMatching(/^There is no group 'a/)],
])('%s does not exist for %s', async (path, method, detail) => {
  const { caller } = await openOffice()
  const given = method === 'PATCH' ? { body: '{}', headers: { 'content-type': 'application/json' } } : {}
  const response = await caller.request(path, { method, ...given })
  expect(response).toMatchProblem(404, 'NOT_FOUND')
  expect(response.body.detail).toEqual(detail)
})

test('an e-mail in a path is neither in the log nor a way to ask who is there', async () => {
  const { gateway } = await openFilled()
  const stranger = await gateway.as('projects.read')
  const [known, unknown] = [
    await stranger.get('/v1/personnel/p1@example.com'),
    await stranger.get('/v1/personnel/nobody%40example.com'),
  ]
  expect(known).toMatchProblem(403, 'INSUFFICIENT_SCOPE')
  expect({ ...known.body, requestId: '' }).toEqual({ ...unknown.body, requestId: '' })
  expect(gateway.log.join('')).toContain('"path":"/v1/personnel/{id}"')
  expect(gateway.log.join('')).not.toContain('example.com')
})
