import { expect, test } from 'vitest'
import { erasePerson } from '../../src/personnel/erasure.js'
import { cursorAt } from '../../src/store/query/cursors.js'
import { inOneWrite } from '../../src/store/shortWrites.js'
import { type Caller, openFilled, openOffice, sharedByTests, type TestResponse } from '../support/harness.js'

interface Entry {
  readonly id: string
  readonly entity: string
  readonly entityId: string
  readonly action: string
  readonly title: string | null
  readonly reference: string | null
  readonly project: { readonly key: string } | null
  readonly fields: readonly { field: string; from: string | null; to: string | null }[]
}

/** Every entry, page by page, as a follower reads them. */
async function follow(caller: Caller, query: Record<string, string> = {}): Promise<Entry[]> {
  const all: Entry[] = []
  for (let cursor: string | undefined, more = true; more; ) {
    const given = new URLSearchParams({ ...query, limit: '7', ...(cursor && { cursor }) })
    const { status, body } = await caller.get(`/v1/changes?${given}`)
    expect(status).toBe(200)
    all.push(...body.data)
    cursor = body.page.next
    more = body.page.more
  }
  return all
}

test('a follower reads every change once, oldest first, and resumes where it was', async () => {
  const { gateway, caller } = await openOffice()
  const all = await follow(caller)
  const stored = gateway.own.rows('select id, entity_id from change order by id')
  expect(all.map(({ id, entityId }) => [Number(id), entityId])).toEqual(
    stored.map((row) => [row['id'], row['entity_id']]),
  )
  const { body } = await caller.get('/v1/changes?limit=1000')
  expect(body).toEqual({ data: all, page: { next: expect.any(String), more: false } })
  const resumed = `/v1/changes?cursor=${body.page.next}`
  expect((await caller.get(resumed)).body).toEqual({ data: [], page: body.page })
  const added = await caller.post('/v1/personnel', { name: 'Ada Lovelace', email: 'ada@example.com' })
  const { data } = (await caller.get(resumed)).body
  expect(data).toEqual([
    {
      ...{
        id: expect.any(String),
        cursor: expect.any(String),
        recordedAt: expect.any(String),
        effectiveOn: '2026-11-02',
      },
      ...{ action: 'CREATED', entity: 'PERSON', entityId: added.body.id, reference: null, title: 'Ada Lovelace' },
      ...{ project: null, by: expect.stringMatching(/^key_/), import: null },
      fields: [
        { field: 'name', from: null, to: 'Ada Lovelace' },
        { field: 'email', from: null, to: 'ada@example.com' },
        { field: 'status', from: null, to: 'ACTIVE' },
      ],
    },
  ])
})

test('page.next and Link are there on every page, on an empty one and in an empty store', async () => {
  const { caller } = await openOffice()
  const paths = ['/v1/changes', '/v1/changes?limit=1000', '/v1/changes?since=2030-01-01T00:00:00Z&entity=group']
  for (const path of paths) {
    const { body, headers } = await caller.get(path)
    const given = new URLSearchParams(path.split('?')[1])
    given.set('cursor', body.page.next)
    expect(headers.get('link')).toBe(`</v1/changes?${given}>; rel="next"`)
    expect((await caller.get(`/v1/changes?${given}`)).status).toBe(200)
  }
  const { gateway } = await openOffice()
  gateway.own.run('delete from change')
  const reader = await gateway.as('projects.read')
  const { body } = await reader.get('/v1/changes')
  expect(body).toEqual({ data: [], page: { next: expect.any(String), more: false } })
  expect((await reader.get(`/v1/changes?cursor=${body.page.next}`)).body).toEqual(body)
})

test('since begins with the first change of that time, and an empty page resumes at the end of all changes', async () => {
  const { gateway, caller } = await openOffice()
  const before = await follow(caller)
  gateway.clock.now = new Date('2026-11-03T08:00:00.000Z')
  await caller.post('/v1/groups', { name: 'Later' })
  const later = await follow(caller, { since: '2026-11-03T07:00:00Z' })
  expect(later.map(({ title }) => title)).toEqual(['Later'])
  expect(await follow(caller, { since: '2026-11-01T00:00:00Z' })).toHaveLength(before.length + 1)
  const { page } = (await caller.get('/v1/changes?since=2026-11-04T00:00:00Z')).body
  expect((await caller.get(`/v1/changes?cursor=${page.next}`)).body.data).toEqual([])
})

const FILTERS: readonly [query: Record<string, string>, matches: (entry: Entry) => boolean][] = [
  [{ entity: 'risk' }, ({ entity }) => entity === 'RISK'],
  [{ entity: 'risk,group' }, ({ entity }) => entity === 'RISK' || entity === 'GROUP'],
  [{ project: 'apollo' }, ({ project }) => project?.key === 'APOLLO'],
  [{ project: 'APOLLO,OLD' }, ({ project }) => project?.key === 'APOLLO' || project?.key === 'OLD'],
  [{ project: 'OLD', entity: 'issue,risk' }, ({ project, entity }) => project?.key === 'OLD' && entity !== 'PROJECT'],
  [{ project: 'OLD', entity: 'person' }, () => false],
  [{ project: 'OLD', since: '2026-01-01T00:00:00Z' }, ({ project }) => project?.key === 'OLD'],
]

const sharedFeed = sharedByTests(async (atEnd) => {
  const { caller } = await openOffice({}, atEnd)
  return { caller, all: await follow(caller) }
})

test.each(FILTERS)('the filter %j shows exactly what matches, in the same order', async (query, matches) => {
  const { caller, all } = await sharedFeed()
  expect(await follow(caller, query)).toEqual(all.filter(matches))
})

test('a project that is named by its key and by its id is shown once', async () => {
  const { gateway, company } = await openFilled()
  const caller = await gateway.as('projects.read')
  const once = await follow(caller, { project: 'APOLLO' })
  expect(await follow(caller, { project: `APOLLO,${company.projectIds[0]}` })).toEqual(once)
})

test('GraphQL shows the same, with the entity of each change', async () => {
  const { gateway } = await openOffice()
  const caller = await gateway.as('personnel.manage', 'projects.manage')
  const [project] = (await caller.get('/v1/changes?entity=project&limit=1')).body.data
  const fields =
    'id entity entityId reference title by project { key } person { name } group { name } risk { id } issue { id }'
  const { body } = await caller.graphql(
    `{ changes(first: 1, filter: { entity: [PROJECT] }) { nodes { ${fields} } pageInfo { endCursor hasNextPage } } }`,
  )
  const { id, entity, entityId, reference, title, by } = project
  const node = { id, entity, entityId, reference, title, by, project: { key: 'APOLLO' } }
  const none = { person: null, group: null, risk: null, issue: null }
  expect(body).toEqual({
    data: {
      changes: { nodes: [{ ...node, ...none }], pageInfo: { endCursor: expect.any(String), hasNextPage: true } },
    },
  })
  const { endCursor } = body.data.changes.pageInfo
  const next = await caller.graphql(
    `{ changes(first: 1, after: "${endCursor}", filter: { entity: [PROJECT] }) { edges { cursor node { title } } } }`,
  )
  expect(next.body.data.changes.edges).toEqual([{ cursor: expect.any(String), node: { title: 'Harbour' } }])
})

test('a key sees the kinds that it may read, and asking for another by name is refused', async () => {
  const { gateway } = await openFilled()
  const [personnel, projects] = [await gateway.as('personnel.read'), await gateway.as('projects.manage')]
  const kinds = async (caller: Caller) => [...new Set((await follow(caller)).map(({ entity }) => entity))]
  expect(await kinds(personnel)).toEqual(['GROUP', 'PERSON'])
  expect(await kinds(projects)).toEqual(['PROJECT', 'RISK', 'ISSUE'])
  const refused = (scope: string) => [
    403,
    scope,
    `Bearer realm="operations", error="insufficient_scope", scope="${scope}"`,
  ]
  const shown = ({ status, body, headers }: TestResponse) => [
    status,
    body.requiredScope,
    headers.get('www-authenticate'),
  ]
  expect(shown(await personnel.get('/v1/changes?entity=group,risk'))).toEqual(refused('projects.read'))
  expect(shown(await personnel.get('/v1/changes?project=APOLLO'))).toEqual(refused('projects.read'))
  expect(shown(await projects.get('/v1/changes?entity=person'))).toEqual(refused('personnel.read'))
  expect(shown(await (await gateway.as()).get('/v1/changes'))).toEqual(refused('personnel.read'))
})

test('a key without scopes is refused also when it asks for no kind at all', async () => {
  const { gateway } = await openFilled()
  const { body } = await (await gateway.as()).graphql(
    '{ changes(filter: { entity: [] }) { totalCount pageInfo { endCursor } } }',
  )
  expect(body.data).toEqual({ changes: null })
  expect(body.errors[0].extensions).toMatchObject({ code: 'INSUFFICIENT_SCOPE', requiredScope: 'personnel.read' })
})

test('the groups of a person are named in the order in which the lists show them', async () => {
  const { gateway } = await openFilled()
  const caller = await gateway.as('personnel.manage')
  const names = ['\u{1F469}', '\uFFFD']
  for (const name of names) await caller.post('/v1/groups', { name })
  const { body } = await caller.post('/v1/personnel', { name: 'Ada', externalId: 'HR-99', groupIds: names })
  const [entry] = (await follow(caller, { entity: 'person' })).filter(({ entityId }) => entityId === body.id)
  const shown = body.groups.map(({ name }: { name: string }) => name)
  expect(shown).toEqual(names.toReversed())
  expect(entry?.fields).toContainEqual({ field: 'groups', from: null, to: shown.join('; ') })
})

test('after an erasure the older entries are blank, and an ERASED entry says so', async () => {
  const { gateway, company } = await openFilled()
  const caller = await gateway.as('personnel.read')
  const [id = ''] = company.personIds
  await gateway.write((write) => erasePerson(inOneWrite(write), id))
  const entries = (await follow(caller, { entity: 'person' })).filter(({ entityId }) => entityId === id)
  expect(entries.map(({ action, title }) => [action, title])).toEqual([
    ['CREATED', 'Erased person'],
    ['ERASED', 'Erased person'],
  ])
  expect(entries[0]?.fields).toContainEqual({ field: 'name', from: null, to: '(erased)' })
})

test('a cursor of another store or of lost writes is CURSOR_GONE, never a gap', async () => {
  const [{ caller, gateway }, other] = [await openOffice(), await openOffice()]
  const { next } = (await caller.get('/v1/changes?limit=3')).body.page
  expect((await caller.get(`/v1/changes?cursor=${next}`)).status).toBe(200)
  other.gateway.own.run('update change set nonce = nonce + 1')
  expect(await other.caller.get(`/v1/changes?cursor=${next}`)).toMatchProblem(410, 'CURSOR_GONE')
  const future = cursorAt({ name: 'feed' }, [999_999, 7])
  expect(await caller.get(`/v1/changes?cursor=${future}`)).toMatchProblem(410, 'CURSOR_GONE')
  gateway.own.run('delete from change where id > 2')
  await caller.post('/v1/groups', { name: 'A write that takes the number of a lost one' })
  expect(await caller.get(`/v1/changes?cursor=${next}`)).toMatchProblem(410, 'CURSOR_GONE')
  const history = cursorAt({ name: 'changes' }, [1])
  expect(await caller.get(`/v1/changes?cursor=${history}`)).toMatchProblem(400, 'BAD_REQUEST')
})
