import { expect, test } from 'vitest'
import { addGroup } from '../support/fixtures.js'
import { type Caller, type Gateway, NOW, openGateway } from '../support/harness.js'
import { runHere } from '../support/inProcess.js'
import { BRIDGE, numbered, synced } from '../support/syncing.js'

const day = (number: number) => new Date(NOW.getTime() + number * 86_400_000)

interface HistoryStage {
  readonly gateway: Gateway
  readonly caller: Caller
  readonly ids: Readonly<Record<'person' | 'group' | 'project' | 'risk' | 'issue', string>>
}

/** One of each noun, added by the caller, except for the group, which the CLI added. */
async function openHistory(at = NOW): Promise<HistoryStage> {
  const gateway = openGateway()
  gateway.clock.now = at
  const caller = await gateway.as('personnel.manage', 'projects.manage')
  const group = await gateway.write((write) => addGroup(write, { name: 'Divers' }))
  const person = (await caller.post('/v1/personnel', { name: 'Ada', email: 'ada@example.com' })).body.id
  await synced(caller, BRIDGE)
  const first = async (path: string) => (await caller.get(path)).body.data[0].id
  const [project, risk, issue] = [await first('/v1/projects'), await first('/v1/risks'), await first('/v1/issues')]
  return { gateway, caller, ids: { person, group, project, risk, issue } }
}

/** The history of one entity, with this selection. */
async function history(caller: Caller, noun: string, id: string, args = '', selection = 'nodes { id }') {
  const { body } = await caller.graphql(`query ($id: ID!) { ${noun}(id: $id) { history${args} { ${selection} } } }`, {
    id,
  })
  expect(body.errors).toBeUndefined()
  return body.data[noun].history
}

test('the score of a risk over time can be read, the oldest change first', async () => {
  const { gateway, caller, ids } = await openHistory()
  const assess = async (number: number, likelihood: number | null, impact: number | null) => {
    gateway.clock.now = day(number)
    await synced(caller, { key: 'BRIDGE', risks: [{ ...BRIDGE.risks[0], likelihood, impact }, BRIDGE.risks[1] ?? {}] })
  }
  await assess(1, 4, 2)
  await assess(1.5, 4, 2)
  await assess(2, null, null)
  const selection = 'nodes { action recordedAt effectiveOn fields { field from to } }'
  const { nodes } = await history(caller, 'risk', ids.risk, '', selection)
  const change = (number: number, fields: [string, string | null, string | null][]) => ({
    action: 'UPDATED',
    recordedAt: day(number).toISOString(),
    effectiveOn: day(number).toISOString().slice(0, 10),
    fields: fields.map(([field, from, to]) => ({ field, from, to })),
  })
  expect(nodes.slice(1)).toEqual([
    change(1, [
      ['impact', '5', '2'],
      ['score', '20', '8'],
    ]),
    change(2, [
      ['likelihood', '4', null],
      ['impact', '2', null],
      ['score', '8', '0'],
    ]),
  ])
  expect(nodes[0]).toMatchObject({ action: 'CREATED', recordedAt: NOW.toISOString() })
  expect(nodes[0].fields).toContainEqual({ field: 'score', from: null, to: '20' })
})

test('the history of a person has their groups by name, and no nulls', async () => {
  const { gateway, caller, ids } = await openHistory()
  const [path, other] = [
    `/members/${ids.person}`,
    await gateway.write((write) => addGroup(write, { name: 'Cooks; chefs' })),
  ]
  for (const group of [ids.group, other]) await caller.put(`/v1/groups/${group}${path}`)
  for (const group of [ids.group, other]) await caller.delete(`/v1/groups/${group}${path}`)
  const { nodes } = await history(caller, 'person', ids.person, '', 'nodes { action fields { field from to } }')
  const moved = (from: string | null, to: string | null) => ({
    action: 'UPDATED',
    fields: [{ field: 'groups', from, to }],
  })
  expect(nodes.slice(1)).toEqual([
    moved(null, 'Divers'),
    moved('Divers', 'Cooks; chefs; Divers'),
    moved('Cooks; chefs; Divers', 'Cooks; chefs'),
    moved('Cooks; chefs', null),
  ])
})

const NOUNS = [
  ['person', 'personnel'],
  ['group', 'personnel'],
  ['project', 'projects'],
  ['risk', 'projects'],
  ['issue', 'projects'],
] as const

const lacks = (requiredScope: string, path: (string | number)[]) => [
  {
    ...{ path, message: expect.any(String), locations: expect.any(Array) },
    extensions: { code: 'INSUFFICIENT_SCOPE', requiredScope },
  },
]

test('a history is for the scope of its thing, and who did it for the .manage of that', async () => {
  const { gateway, ids } = await openHistory()
  for (const [noun, area] of NOUNS) {
    const other = area === 'personnel' ? 'projects' : 'personnel'
    const query = `query ($id: ID!) { ${noun}(id: $id) { history { nodes { by action recordedAt } } } }`
    const answerTo = async (caller: Caller) => (await caller.graphql(query, { id: ids[noun] })).body
    const line = { action: 'CREATED', recordedAt: NOW.toISOString() }
    const by = noun === 'group' ? 'cli' : expect.stringMatching(/^key_/)
    expect(await answerTo(await gateway.as(`${area}.manage`))).toEqual({
      data: { [noun]: { history: { nodes: [{ by, ...line }] } } },
    })
    expect(await answerTo(await gateway.as(`${area}.read`, `${other}.manage`))).toEqual({
      data: { [noun]: { history: { nodes: [{ by: null, ...line }] } } },
      errors: lacks(`${area}.manage`, [noun, 'history', 'nodes', '@', 'by']),
    })
    expect(await answerTo(await gateway.as(`${other}.manage`))).toEqual({
      data: { [noun]: null },
      errors: lacks(`${area}.read`, [noun]),
    })
  }
})

test('who did it is refused once, wherever the history is', async () => {
  const { gateway, ids } = await openHistory()
  const caller = await gateway.as('projects.read')
  const by = 'history { nodes { by } }'
  const refusedIn = async (query: string) => {
    const { errors } = (await caller.graphql(query)).body
    expect(errors).toEqual(lacks('projects.manage', errors[0].path))
    return errors[0].path.join('.')
  }
  expect(await refusedIn(`{ risks { nodes { ${by} } } }`)).toBe('risks.nodes.@.history.nodes.@.by')
  expect(await refusedIn(`{ node(id: "${ids.risk}") { ... on Risk { ${by} } } }`)).toBe('node.history.nodes.@.by')
  expect(await refusedIn(`{ movements(since: "2026-11-01") { risks { risk { ${by} } } } }`)).toBe(
    'movements.risks.@.risk.history.nodes.@.by',
  )
  expect(await refusedIn('{ changes(filter: { entity: RISK }) { nodes { by } } }')).toBe('changes.nodes.@.by')
  const reference = `{ __typename: "Risk", id: "${ids.risk}" }`
  expect(
    await refusedIn(`{ _entities(representations: [${reference}, ${reference}]) { ... on Risk { ${by} } } }`),
  ).toBe('_entities.@.history.nodes.@.by')
})

test('a history is read in pages, and from an instant on', async () => {
  const { gateway, caller, ids } = await openHistory()
  for (const number of [1, 2, 3, 4]) {
    gateway.clock.now = day(number)
    await caller.patch(`/v1/personnel/${ids.person}`, { title: `T${number}` })
  }
  const selection = 'nodes { id recordedAt } pageInfo { hasNextPage endCursor } totalCount'
  const page = (args: string) => history(caller, 'person', ids.person, args, selection)
  const all = await page('')
  const days = (nodes: { recordedAt: string }[]) => nodes.map(({ recordedAt }) => recordedAt)
  expect([days(all.nodes), all.totalCount]).toEqual([[0, 1, 2, 3, 4].map((number) => day(number).toISOString()), 5])
  expect(all.nodes.map(({ id }: { id: string }) => Number(id))).toEqual(
    all.nodes.map(({ id }: { id: string }) => Number(id)).toSorted((one: number, next: number) => one - next),
  )
  const pages = [await page('(first: 2)')]
  while (pages.at(-1).pageInfo.hasNextPage)
    pages.push(await page(`(first: 2, after: "${pages.at(-1).pageInfo.endCursor}")`))
  expect(pages.map(({ nodes }) => nodes.length)).toEqual([2, 2, 1])
  expect(pages.flatMap(({ nodes }) => nodes)).toEqual(all.nodes)
  const since = async (instant: string) => {
    const { nodes, totalCount } = await page(`(filter: { since: "${instant}" })`)
    return [nodes.length, totalCount]
  }
  expect(await since(day(3).toISOString())).toEqual([2, 2])
  expect(await since('2026-11-05T11:30:00.001+02:00')).toEqual([1, 1])
  expect(await since(day(5).toISOString())).toEqual([0, 0])
})

test('a page that cannot be is refused with the thing that it is in, and others are there', async () => {
  const { caller, ids } = await openHistory()
  for (const args of ['first: 0', 'first: 1001', 'after: "nonsense"']) {
    const { body } = await caller.graphql(
      `{ risk(id: "${ids.risk}") { id history(${args}) { totalCount } } other: risk(id: "${ids.risk}") { id } }`,
    )
    expect(body.data).toEqual({ risk: null, other: { id: ids.risk } })
    expect(body.errors).toMatchObject([{ path: ['risk'], extensions: { code: 'BAD_REQUEST' } }])
  }
})

test('a history inside a list works, in a page and in the whole list', async () => {
  const { caller } = await openHistory()
  const fields = 'nodes { reference history { nodes { action } } }'
  const created = { nodes: [{ action: 'CREATED' }] }
  const nodes = [
    { reference: 'R-1', history: created },
    { reference: 'R-2', history: created },
  ]
  for (const page of ['', '(first: 10)', '(first: 1000)']) {
    const { body } = await caller.graphql(`{ risks${page} { ${fields} } }`)
    expect(body).toEqual({ data: { risks: { nodes } } })
  }
})

test('the command prints all changes or those of one entity, since a time, as text or as one JSON document', async () => {
  const { gateway, caller, ids } = await openHistory(new Date('2020-02-01T09:30:00.000Z'))
  gateway.clock.now = new Date()
  await caller.patch(`/v1/personnel/${ids.person}`, { title: 'Lead' })
  await synced(caller, { key: 'BRIDGE', risks: numbered(1_100), closeLimit: 9 })
  const run = (...args: string[]) => runHere('.', ['history', ...args, '--database', gateway.own.url])
  const { db, t } = gateway.store.read
  const rows = await db.select().from(t.change).orderBy(t.change.id)
  const inJson = ({
    fields,
    nonce: _,
    stateFrom: __,
    stateTo: ___,
    projectId,
    importId,
    ...row
  }: (typeof rows)[number]) => {
    const changed: [string, [unknown, unknown]][] = Object.entries(JSON.parse(fields))
    const called = { title: expect.any(String), reference: expect.toSatisfy((it) => projectId === null || it !== null) }
    const project = projectId && 'BRIDGE'
    const source = 'personnel.manage projects.manage'
    const run = { import: importId && { id: importId, source, file: null, operator: null } }
    return { ...row, ...run, ...called, project, fields: changed.map(([field, [from, to]]) => ({ field, from, to })) }
  }
  const [all, since, one, words, none] = await Promise.all([
    run('--json'),
    run('--json', '--since', '24h'),
    run(ids.person, '--json', '--since', '2020-02-01T09:30:00Z'),
    run(ids.person),
    run('--json', '--since', '2999-01-31'),
  ])
  expect([all.code, JSON.parse(all.stdout)]).toEqual([0, rows.map(inJson)])
  expect(JSON.parse(since.stdout)).toEqual(rows.slice(7).map(inJson))
  const ofPerson = rows.filter(({ entityId }) => entityId === ids.person)
  expect(JSON.parse(one.stdout)).toEqual(ofPerson.map(inJson))
  const [added, changed] = ofPerson
  const author = 'by key personnel.manage projects.manage'
  expect(words.stdout.trim().split('\n')).toEqual([
    `${added?.recordedAt}  created person Ada, ${author}: name nothing → Ada, email nothing → ada@example.com, status nothing → ACTIVE`,
    `${changed?.recordedAt}  updated person Ada, ${author}: title nothing → Lead`,
  ])
  expect([none.code, JSON.parse(none.stdout)]).toEqual([0, []])
})

test('the command refuses what is no time, and says when there is no such thing', async () => {
  const { gateway } = await openHistory()
  const run = (...args: string[]) => runHere('.', ['history', ...args, '--database', gateway.own.url])
  const bad = await Promise.all(['2026-02-30', '2026-11-02T09:30:00'].map((text) => run('--since', text)))
  expect(bad).toEqual(bad.map(() => ({ code: 2, stdout: '', stderr: expect.stringMatching(/--since is ".*24h/) })))
  const unknown = await run('rsk_nothing')
  expect(unknown).toEqual({ code: 1, stdout: '', stderr: 'There is no history of rsk_nothing.\n' })
})

test('the command takes what people know, and prints it', async () => {
  const { gateway, caller, ids } = await openHistory()
  await synced(caller, { key: 'QUAY', name: 'Quay', risks: [{ ...BRIDGE.risks[0], owner: 'ada@example.com' }] })
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runHere('.', ['history', ...args, '--database', gateway.own.url])
    return { code, lines: stdout.split('\n').filter((line) => line !== ''), stderr }
  }
  const [byId, byReference, inProject] = [
    await run(ids.risk),
    await run('bridge/R-1'),
    await run('R-1', '--project', 'bridge'),
  ]
  expect(byId.lines).toHaveLength(1)
  expect(byId.lines[0]).toMatch(
    / {2}created risk BRIDGE R-1 .*, by key personnel\.manage projects\.manage \(sync, imp_\w{26}\): .*score nothing → 20/,
  )
  expect([byReference, inProject]).toEqual([byId, byId])
  expect((await run('QUAY/R-1')).lines[0]).toMatch(/ownerId nothing → Ada\b/)
  expect((await run('ada@EXAMPLE.com')).lines).toEqual((await run(ids.person)).lines)
  expect((await run('quay')).lines[0]).toMatch(/ {2}created project QUAY Quay, by key /)
  expect((await run('--entity', 'group')).lines).toEqual([
    expect.stringMatching(/created group Divers, by the command line: /),
  ])
  const risks = await run('--project', 'QUAY', '--entity', 'risk,issue')
  expect(risks.lines.every((line) => line.includes('created risk QUAY R-'))).toBe(true)
  const vague = await run('R-1')
  expect([vague.code, vague.stderr]).toEqual([
    1,
    expect.stringMatching(/R-1 is ambiguous: risk BRIDGE\/R-1 \(rsk_.*QUAY\/R-1/),
  ])
  expect(await run('--project', 'PIER')).toMatchObject({
    code: 1,
    stderr: 'There is no project with the key or id "PIER".\n',
  })
  expect((await run('--entity', 'planet')).stderr).toMatch(/--entity is "planet"; the kinds are person, group, /)
})
