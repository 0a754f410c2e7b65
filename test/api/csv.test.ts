import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { ROUTES } from '../../src/http/rest/routes.js'
import { LIMITS } from '../../src/limits.js'
import { addPerson } from '../../src/personnel/people.js'
import { addGroup, addIssue, addProject, addRisk, issue, project, risk } from '../support/fixtures.js'
import { type Caller, type Gateway, NOW, openGateway } from '../support/harness.js'

const CSV = { accept: 'text/csv' }
const TYPE = 'text/csv; charset=utf-8; header=present'
const AT = NOW.toISOString()

interface HardCellsStage {
  readonly gateway: Gateway
  readonly caller: Caller
  /** The ids of stored rows, by the names in the expected texts. */
  readonly ids: Readonly<Record<string, string>>
}

/** A few rows with all difficult cells: quotes, line breaks, separators, umlauts, formulas, spaces at an end. */
async function openHardCells(): Promise<HardCellsStage> {
  const gateway = openGateway()
  const ids: Record<string, string> = {}
  await gateway.write(async (write) => {
    ids['bau'] = await addGroup(write, { name: 'Bau "Süd", Ost', description: 'Erste Zeile\nzweite; Zeile' })
    ids['odd'] = await addGroup(write, { name: 'One; two', externalId: '+49', description: '@home' })
    const both = { groupIds: [ids['odd'], ids['bau']] }
    ids['ada'] = (
      await addPerson(write, { name: 'Ärzte, Ünal', email: 'u@example.com', title: '=1+1', department: '-x', ...both })
    ).id
    ids['bob'] = (await addPerson(write, { name: '"Bob"', externalId: '007', title: "'quoted" })).id
    ids['apollo'] = await addProject(write, project({ description: 'Über\r\nden Fluß', url: 'https://x.org/?a=1,2' }))
    const [projectId, ownerId] = [ids['apollo'], ids['ada'] ?? null]
    ids['r1'] = await addRisk(
      write,
      risk(projectId, {
        title: '=HYPERLINK("x")',
        likelihood: 5,
        impact: 4,
        category: 'A, B',
        ownerId,
        response: 'AVOID',
      }),
    )
    const unassessed = { likelihood: null, impact: null, reviewOn: '2027-01-31' }
    ids['r2'] = await addRisk(write, risk(projectId, { reference: '-2', ...unassessed, ownerName: 'Jörg "J" Maß' }))
    const riskId = ids['r1']
    ids['i1'] = await addIssue(
      write,
      issue(projectId, { title: 'Größe\tfehlt', severity: 'HIGH', assigneeId: ownerId, riskId }),
    )
    ids['i2'] = await addIssue(write, issue(projectId, { reference: 'I-2', dueOn: '2027-02-01', status: 'BLOCKED' }))
  })
  return { gateway, caller: await gateway.as('personnel.manage', 'projects.read'), ids }
}

const EXPECTED: Record<string, string[]> = {
  '/v1/personnel': [
    'id,name,email,externalId,title,department,status,groups,createdAt,updatedAt',
    `{bob},"""Bob""",,007,'quoted,,ACTIVE,,${AT},${AT}`,
    `{ada},"Ärzte, Ünal",u@example.com,,'=1+1,'-x,ACTIVE,"Bau ""Süd"", Ost;{odd}",${AT},${AT}`,
  ],
  '/v1/groups': [
    'id,name,externalId,description,memberCount,createdAt,updatedAt',
    `{bau},"Bau ""Süd"", Ost",,"Erste Zeile\nzweite; Zeile",1,${AT},${AT}`,
    `{odd},One; two,'+49,'@home,1,${AT},${AT}`,
  ],
  '/v1/projects': [
    'id,key,name,description,url,status,openRiskCount,criticalRiskCount,openIssueCount,topRiskScore,syncedAt,createdAt,updatedAt',
    `{apollo},APOLLO,Apollo bridge,"Über\r\nden Fluß","https://x.org/?a=1,2",ACTIVE,2,1,2,20,SYNCED,${AT},${AT}`,
  ],
  '/v1/risks': [
    [
      'id,project,reference,title,description,category,likelihood,impact,scoreGiven,score,level,rank,status,response',
      'mitigation,cause,residualLikelihood,residualImpact,residualScore,residualLevel',
      'owner,ownerId,ownerName,url,raisedOn,reviewOn,dueOn,createdAt,updatedAt',
    ].join(),
    `{r1},APOLLO,R-1,"'=HYPERLINK(""x"")",,"A, B",5,4,,20,CRITICAL,1,OPEN,AVOID,,,,,,,"Ärzte, Ünal",{ada},,,2026-03-01,,,${AT},${AT}`,
    `{r2},APOLLO,'-2,Steel arrives late,,,,,,0,UNASSESSED,2,OPEN,,,,,,,,,,"Jörg ""J"" Maß",,2026-03-01,2027-01-31,,${AT},${AT}`,
  ],
  '/v1/issues': [
    'id,project,reference,title,description,severity,status,assignee,assigneeId,assigneeName,riskId,url,raisedOn,dueOn,createdAt,updatedAt',
    `{i1},APOLLO,I-1,Größe\tfehlt,,HIGH,OPEN,"Ärzte, Ünal",{ada},,{r1},,2026-03-01,,${AT},${AT}`,
    `{i2},APOLLO,I-2,Crane permit refused,,MEDIUM,BLOCKED,,,,,,2026-03-01,2027-02-01,${AT},${AT}`,
  ],
}
const LISTS = Object.keys(EXPECTED)

test.each(LISTS)('%s is had as CSV, every cell as a spreadsheet takes it', async (path) => {
  const { caller, ids } = await openHardCells()
  const { status, headers, text } = await caller.get(path, CSV)
  const [{ syncedAt }] = (await caller.get('/v1/projects')).body.data
  const lines = EXPECTED[path]?.map((line) => line.replace(/\{(\w+)\}/g, (_, word) => ids[word] ?? word))
  expect([status, headers.get('content-type')]).toEqual([200, TYPE])
  expect(text).toBe(lines?.map((line) => `${line.replace('SYNCED', syncedAt ?? '')}\r\n`).join(''))
})

test('a comma after a backslash belongs to the value of a parameter, and a backslash elsewhere is one', async () => {
  const { caller } = await openHardCells()
  const titlesOf = async (category: string) => {
    const { body } = await caller.get(`/v1/risks?category=${encodeURIComponent(category)}`)
    return body.data.map(({ reference }: { reference: string }) => reference)
  }
  expect(await titlesOf('A\\, B')).toEqual(['R-1'])
  expect(await titlesOf('C, A\\, B')).toEqual(['R-1'])
  for (const other of ['A, B', 'A\\\\, B', '"A, B"', 'A\\B']) expect(await titlesOf(other)).toEqual([])
})

test('the lists that can be had as CSV are these, and a list without entries is its names', async () => {
  expect(ROUTES.filter(({ sheet, type }) => sheet && !type).map(({ path }) => path)).toEqual(LISTS)
  const caller = await openGateway().as('personnel.read', 'projects.read')
  for (const path of LISTS) expect((await caller.get(path, CSV)).text).toBe(`${EXPECTED[path]?.[0]}\r\n`)
})

describe('at its own path', () => {
  test.each(LISTS)('%s.csv is what the list is with Accept: text/csv, filtered and page by page', async (path) => {
    const { caller } = await openHardCells()
    for (const accept of [undefined, '*/*', 'text/csv', 'text/html, */*;q=0.8']) {
      const own = await caller.get(`${path}.csv`, accept === undefined ? {} : { accept })
      const listed = await caller.get(path, CSV)
      expect([own.status, own.headers.get('content-type'), own.headers.get('etag'), own.text]).toEqual([
        200,
        TYPE,
        listed.headers.get('etag'),
        listed.text,
      ])
    }
    const query = '?limit=1&updatedSince=2026-01-01T00:00:00Z'
    const own = await caller.get(`${path}.csv${query}`)
    const listed = await caller.get(`${path}${query}`, CSV)
    expect([own.text, own.headers.get('link')]).toEqual([
      listed.text,
      listed.headers.get('link')?.replace(path, `${path}.csv`) ?? null,
    ])
  })

  test('it is cached, like every other list', async () => {
    const gateway = openGateway({ responseCacheBytesMax: LIMITS.responseCacheBytesMax })
    const caller = await gateway.as('personnel.read')
    const first = await caller.get('/v1/groups.csv')
    gateway.statements()
    expect((await caller.get('/v1/groups.csv')).text).toBe(first.text)
    expect(gateway.statements().filter((sql) => sql.includes('"groups"'))).toEqual([])
  })

  test('it is CSV alone, counts nothing, and is only read', async () => {
    const { caller } = await openHardCells()
    const json = await caller.get('/v1/risks.csv', { accept: 'application/json' })
    expect(json).toMatchProblem(406, 'NOT_ACCEPTABLE')
    expect(json.body.detail).toBe('Only text/csv is available here. Change the Accept header.')
    const counted = await caller.get('/v1/risks.csv?total=true')
    expect(counted).toMatchProblem(400, 'BAD_REQUEST')
    expect(counted.body.errors[0].detail).toContain('There is no parameter "total" here.')
    expect(await caller.post('/v1/personnel.csv', {})).toMatchProblem(405, 'METHOD_NOT_ALLOWED')
    expect(await caller.get('/v1/key.csv')).toMatchProblem(404, 'NOT_FOUND')
  })
})

test.each([
  [undefined, 'application/json'],
  ['', 'application/json'],
  ['*/*', 'application/json'],
  ['text/csv, application/json', 'application/json'],
  ['text/csv, */*', 'application/json'],
  ['text/html, application/xhtml+xml, */*;q=0.8', 'application/json'],
  ['text/csv;q=0.5, application/json;q=0.9', 'application/json'],
  ['text/*;q=0.5, application/*;q=0.5', 'application/json'],
  ['text/csv;q=0, */*;q=0.1', 'application/json'],
  ['text/csv', TYPE],
  ['TEXT/CSV; charset=utf-8', TYPE],
  ['text/*', TYPE],
  ['text/csv, application/json;q=0.9', TYPE],
  ['application/json;q=0.2, text/csv;header=present;q=0.3', TYPE],
  ['text/csv, */*;q=0.1', TYPE],
  ['application/json;q=0, */*', TYPE],
  ['application/json; q=0.001, text/*; q=0.01', TYPE],
])('Accept: %s gets %s', async (accept, type) => {
  const { caller } = await openHardCells()
  const { status, headers } = await caller.get('/v1/groups', accept === undefined ? {} : { accept })
  expect([status, headers.get('content-type')]).toEqual([200, type])
  expect(headers.get('vary')).toContain('Accept,')
})

test.each(['text/html', 'text/csv;q=0', 'text/csv;q=0.0, application/json;q=0.000', 'image/*'])(
  'a client that accepts neither gets the list of both: %s',
  async (accept) => {
    const { caller } = await openHardCells()
    const answer = await caller.get('/v1/groups', { accept })
    expect(answer).toMatchProblem(406, 'NOT_ACCEPTABLE')
    expect(answer.body.detail).toBe('Only application/json or text/csv is available here. Change the Accept header.')
  },
)

test('what is no list is JSON alone', async () => {
  const { caller, ids } = await openHardCells()
  const answers = [
    await caller.get(`/v1/personnel/${ids['ada']}`, CSV),
    await caller.get('/v1/key', CSV),
    await caller.patch(`/v1/personnel/${ids['ada']}`, {}, CSV),
  ]
  for (const answer of answers) {
    expect(answer).toMatchProblem(406, 'NOT_ACCEPTABLE')
    expect(answer.body.detail).toBe('Only application/json is available here. Change the Accept header.')
  }
})

test('filters and pages work as in JSON, one Link after the other', async () => {
  const { caller } = await openHardCells()
  const whole = (await caller.get('/v1/risks', CSV)).text
  const first = await caller.get('/v1/risks?limit=1&total=true', CSV)
  const { page } = (await caller.get('/v1/risks?limit=1&total=true')).body
  const link = `/v1/risks?limit=1&total=true&cursor=${page.next}`
  expect(first.headers.get('link')).toBe(`<${link}>; rel="next"`)
  const second = await caller.get(link, CSV)
  expect(second.headers.get('link')).toBeNull()
  expect(first.text + second.text.split('\r\n').slice(1).join('\r\n')).toBe(whole)
  expect((await caller.get('/v1/risks?level=critical', CSV)).text).toBe(first.text)
  expect(await caller.get('/v1/risks?level=grave', CSV)).toMatchProblem(400, 'BAD_REQUEST')
})

test('CSV has a tag of its own, and is not sent again while nothing has changed', async () => {
  const { caller, ids } = await openHardCells()
  const tag = (await caller.get('/v1/groups', CSV)).headers.get('etag') ?? ''
  expect(tag).toMatch(/^"[\w-]{27}"$/)
  expect((await caller.get('/v1/groups')).headers.get('etag')).not.toBe(tag)
  expect((await caller.get('/v1/groups', { ...CSV, 'if-none-match': tag })).status).toBe(304)
  expect((await caller.get('/v1/groups', { 'if-none-match': tag })).status).toBe(200)
  await caller.patch(`/v1/groups/${ids['odd']}`, { name: 'Even' })
  expect((await caller.get('/v1/groups', { ...CSV, 'if-none-match': tag })).status).toBe(200)
})

test('HEAD is like GET, and a large response is compressed', async () => {
  const { gateway, caller } = await openHardCells()
  const plain = await caller.get('/v1/risks', CSV)
  const head = await caller.request('/v1/risks', { method: 'HEAD', headers: CSV })
  for (const name of ['content-type', 'content-length', 'etag']) {
    expect(head.headers.get(name)).toBe(plain.headers.get(name))
  }
  expect([head.status, head.text]).toEqual([200, ''])
  await gateway.write(async (write) => {
    for (let n = 0; n < 20; n++) await addPerson(write, { name: `Worker ${n}`, externalId: `W-${n}` })
  })
  // Without the harness, which reads every response as plain text.
  const headers = { authorization: caller.authorization ?? '', ...CSV, 'accept-encoding': 'gzip' }
  const packed = await gateway.app.fetch(new Request('http://localhost/v1/personnel', { headers }))
  expect(packed.headers.get('content-encoding')).toBe('gzip')
  const text = gunzipSync(Buffer.from(await packed.arrayBuffer())).toString()
  // The harness takes the byte order mark away, as decoders do.
  expect(text).toBe(`\ufeff${(await caller.get('/v1/personnel', CSV)).text}`)
})

test('an error is problem+json, whatever was requested', async () => {
  const { gateway } = await openHardCells()
  expect(await gateway.with(undefined).get('/v1/risks', CSV)).toMatchProblem(401, 'UNAUTHENTICATED')
  const reader = await gateway.as('personnel.read')
  expect(await reader.get('/v1/risks', CSV)).toMatchProblem(403, 'INSUFFICIENT_SCOPE')
  expect((await reader.get('/v1/personnel', CSV)).status).toBe(200)
})
