import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { LIMITS } from '../../src/limits.js'
import { GROUP_IDS_MAX } from '../../src/personnel/people.js'
import { TEXT_MAX } from '../../src/vocabulary.js'
import { ada, addGroup, grace } from '../support/fixtures.js'
import { type Caller, type Gateway, NOW, openGateway, type TestResponse } from '../support/harness.js'

interface PeopleStage {
  readonly gateway: Gateway
  readonly caller: Caller
  readonly alphaId: string
  readonly zuluId: string
}

async function openPeople(): Promise<PeopleStage> {
  const gateway = openGateway()
  const [alphaId, zuluId] = await gateway.write(async (write) => [
    await addGroup(write, { name: 'alpha Team', description: null }),
    await addGroup(write, { name: 'Zulu team', description: null }),
  ])
  return { gateway, caller: await gateway.as('personnel.manage'), alphaId, zuluId }
}

/** All rows about a person. */
async function traces({ gateway, caller }: PeopleStage): Promise<unknown> {
  const roster = await caller.get('/v1/personnel?status=active,inactive')
  const groups = await caller.get('/v1/groups')
  return { roster: roster.body, groups: groups.body, version: await gateway.store.version() }
}

/** Posts an invalid body, and checks that nothing was stored. */
async function refused(stage: PeopleStage, body: unknown): Promise<TestResponse> {
  const before = await traces(stage)
  const answer = await stage.caller.post('/v1/personnel', body)
  expect(await traces(stage)).toEqual(before)
  return answer
}

const violation = (pointer: string, detail: RegExp) => ({ pointer, detail: expect.stringMatching(detail) })

test('a person is added, trimmed and once to each group, by id or by name, and is then where Location says and on the roster', async () => {
  const { caller, alphaId, zuluId } = await openPeople()
  const texts = { name: ' Grace Hopper\n', email: '\tGrace@Example.com ', externalId: null, department: '  ' }
  const answer = await caller.post('/v1/personnel', {
    ...texts,
    title: ' Admiral ',
    groupIds: [zuluId, alphaId, 'ZULU team', ' alpha team '],
  })
  expect(answer.status).toBe(201)
  expect(answer.body).toEqual({
    id: expect.stringMatching(/^usr_[0-9a-hjkmnp-tv-z]{26}$/),
    name: 'Grace Hopper',
    email: 'Grace@Example.com',
    externalId: null,
    title: 'Admiral',
    department: null,
    status: 'ACTIVE',
    groups: [
      { id: alphaId, name: 'alpha Team' },
      { id: zuluId, name: 'Zulu team' },
    ],
    details: [],
    mergedInto: null,
    createdAt: NOW.toISOString(),
    updatedAt: NOW.toISOString(),
  })
  expect(answer.headers.get('location')).toBe(`/v1/personnel/${answer.body.id}`)
  expect((await caller.get(`/v1/personnel/${answer.body.id}`)).body).toEqual(answer.body)
  expect((await caller.get('/v1/personnel')).body.data).toEqual([answer.body])
})

test.each([
  ['an e-mail alone', { email: 'ada@example.com' }],
  ['an externalId alone', { externalId: 'HR-1' }],
  ['an externalId and a blank e-mail, as forms send it', { externalId: 'HR-1', email: ' ' }],
])('%s is enough beside a name', async (_, texts) => {
  const { caller } = await openPeople()
  const { status, body } = await caller.post('/v1/personnel', { name: 'Ada', ...texts })
  expect([status, body.email, body.externalId]).toEqual([
    201,
    'email' in texts && texts.email !== ' ' ? texts.email : null,
    'externalId' in texts ? texts.externalId : null,
  ])
})

test.each([
  ['e-mail', '/email', { email: 'grace@example.com' }],
  ['e-mail in another case', '/email', { email: 'GRACE@Example.Com' }],
  ['e-mail with spaces around it', '/email', { email: ' grace@example.com ' }],
  ['e-mail in full-width letters', '/email', { email: 'ｇｒａｃｅ@example.com' }],
  ['externalId', '/externalId', { externalId: 'HR-7' }],
  ['externalId beside a new e-mail', '/externalId', { email: 'new@example.com', externalId: ' HR-7 ' }],
])('a taken %s is a conflict that names its holder', async (_, pointer, texts) => {
  const stage = await openPeople()
  const { id } = (await stage.caller.post('/v1/personnel', grace)).body
  const answer = await refused(stage, { name: 'Someone else', ...texts })
  const words = pointer === '/email' ? 'e-mail' : 'externalId'
  const detail = `The ${words} belongs to Grace Hopper (${id}).`
  expect(answer.status).toBe(409)
  expect(answer.body).toEqual({
    type: 'urn:operations-gateway:problem:conflict',
    title: 'Already exists',
    status: 409,
    detail: `A person with this ${words} is already there. ${detail}`,
    code: 'CONFLICT',
    requestId: answer.headers.get('request-id'),
    existingId: id,
    errors: [{ pointer, detail }],
  })
})

test('the e-mail of someone who has left is still taken', async () => {
  const stage = await openPeople()
  const { id } = (await stage.caller.post('/v1/personnel', grace)).body
  await stage.gateway.write(async ({ db, t }) => {
    await db.update(t.person).set({ status: 'INACTIVE' }).where(eq(t.person.id, id))
  })
  const answer = await refused(stage, { name: 'Grace again', email: grace.email })
  expect(answer).toMatchProblem(409, 'CONFLICT')
  expect(answer.body.existingId).toBe(id)
})

test('of many who claim one e-mail at the same time, one gets it', async () => {
  const stage = await openPeople()
  const emails = ['ada@example.com', 'Ada@example.com', 'ADA@example.com', 'ada@Example.com']
  const answers = await Promise.all(emails.map((email) => stage.caller.post('/v1/personnel', { name: email, email })))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
  const [added] = answers.filter(({ status }) => status === 201)
  expect((await stage.caller.get('/v1/personnel')).body.data).toEqual([added?.body])
})

test('each unknown group is pointed at, and nobody is added to the known ones', async () => {
  const stage = await openPeople()
  const first = await refused(stage, { ...ada, groupIds: ['grp_nowhere'] })
  expect(first).toMatchProblem(422, 'VALIDATION_FAILED')
  expect(first.body.errors).toEqual([violation('/groupIds/0', /'grp_nowhere'/)])
  const others = await refused(stage, { ...ada, groupIds: [stage.alphaId, 'nonsense', stage.zuluId, '\ud800', 'a\0'] })
  const pointed = ['/groupIds/1', '/groupIds/3', '/groupIds/4'].map((pointer) =>
    violation(pointer, /There is no group/),
  )
  expect(others.body.errors).toEqual(pointed)
  const endless = await refused(stage, { ...ada, groupIds: ['\ufdfa'.repeat(100_000)] })
  expect(endless.body.errors).toEqual([violation('/groupIds/0', /Must be at most \d+ characters long/)])
})

test('group ids that are not a list are refused, be the one id known or not', async () => {
  const stage = await openPeople()
  for (const groupIds of [stage.alphaId, 'grp_nowhere']) {
    const answer = await refused(stage, { ...ada, groupIds })
    expect(answer).toMatchProblem(422, 'VALIDATION_FAILED')
    expect(answer.body.errors).toEqual([violation('/groupIds', /list|array/i)])
  }
})

const long = (kind: keyof typeof TEXT_MAX) => new RegExp(`at most ${TEXT_MAX[kind]} characters.*${TEXT_MAX[kind] + 1}`)
const email = (length: number) => `${'a'.repeat(length - '@example.com'.length)}@example.com`

test.each<[string, unknown, ReturnType<typeof violation>[]]>([
  ['neither an e-mail nor an externalId', { name: 'Ada' }, [violation('/email', /e-mail or an externalId/)]],
  ['both blank', { name: 'Ada', email: '', externalId: ' ' }, [violation('/email', /e-mail or an externalId/)]],
  ['an empty name', { ...ada, name: '' }, [violation('/name', /empty/)]],
  ['a blank name', { ...ada, name: ' \t\n' }, [violation('/name', /empty/)]],
  ['NUL in the name', { ...ada, name: 'A\0da' }, [violation('/name', /NUL/)]],
  ['NUL in the title', { ...ada, title: '\0' }, [violation('/title', /NUL/)]],
  ['a lone surrogate in the name', { ...ada, name: 'Ada \ud800' }, [violation('/name', /surrogate/)]],
  ['a lone surrogate in the externalId', { ...ada, externalId: '\udc00' }, [violation('/externalId', /surrogate/)]],
  ['a name that is too long', { ...ada, name: '😀'.repeat(201) }, [violation('/name', long('name'))]],
  ['an e-mail that is too long', { ...ada, email: email(255) }, [violation('/email', long('email'))]],
  [
    'an externalId that is too long',
    { ...ada, externalId: 'x'.repeat(201) },
    [violation('/externalId', long('externalId'))],
  ],
  ['a title that is too long', { ...ada, title: 'é'.repeat(201) }, [violation('/title', long('title'))]],
  [
    'a department that is too long',
    { ...ada, department: 'x'.repeat(201) },
    [violation('/department', long('department'))],
  ],
  ['no domain', { name: 'Ada', email: 'ada@' }, [violation('/email', /e-mail address/)]],
  ['no local part', { name: 'Ada', email: '@example.com' }, [violation('/email', /e-mail address/)]],
  ['a name in the e-mail', { name: 'Ada', email: 'Ada <ada@example.com>' }, [violation('/email', /e-mail address/)]],
  ['two e-mails', { name: 'Ada', email: 'a@example.com,b@example.com' }, [violation('/email', /e-mail address/)]],
  [
    'too many groups',
    { ...ada, groupIds: Array(GROUP_IDS_MAX + 1).fill('grp_x') },
    [violation('/groupIds', /the most is 100/)],
  ],
  ['no name', { email: 'ada@example.com' }, [violation('/name', /needed/)]],
  ['a name that is null', { ...ada, name: null }, [violation('/name', /needed/)]],
  ['a name that is a number', { ...ada, name: 5 }, [violation('/name', /must be a text/i)]],
  ['an e-mail that is a list', { ...ada, email: ['ada@example.com'] }, [violation('/email', /must be a text/i)]],
  [
    'a group id that is an object',
    { ...ada, groupIds: [{ id: 'grp_x' }] },
    [violation('/groupIds/0', /must be a text/i)],
  ],
  ['a group id that is null', { ...ada, groupIds: [null] }, [violation('/groupIds/0', /needed/)]],
  ['an unknown member', { ...ada, nickname: 'A' }, [violation('/nickname', /Unknown member.*email.*name/)]],
  ['an unknown member with a slash and a tilde', { ...ada, 'a/b~c': 1 }, [violation('/a~1b~0c', /Unknown member/)]],
  ['a member that only the service sets', { ...ada, status: 'INACTIVE' }, [violation('/status', /Unknown member/)]],
  [
    'two violations of content',
    { name: ' ', email: 'nobody' },
    [violation('/name', /empty/), violation('/email', /e-mail address/)],
  ],
  [
    'two violations of shape',
    { ...ada, name: 1, title: true },
    [violation('/name', /must be a text/i), violation('/title', /must be a text/i)],
  ],
])('a person with %s is refused, each violation with its place', async (_, body, errors) => {
  const answer = await refused(await openPeople(), body)
  expect(answer).toMatchProblem(422, 'VALIDATION_FAILED')
  expect(answer.body.errors).toEqual(errors)
})

test.each([[[]], [[ada]], [null], ['Ada'], [5], [true]])('a body that is %j is refused as a whole', async (body) => {
  const answer = await refused(await openPeople(), body)
  expect(answer).toMatchProblem(422, 'VALIDATION_FAILED')
  expect(answer.body.errors).toEqual([violation('', /object|needed/)])
})

test('a text of exactly the longest length is kept, each emoji counted once and spaces around it not at all', async () => {
  const { caller } = await openPeople()
  const longest = {
    name: '😀'.repeat(TEXT_MAX.name),
    email: email(TEXT_MAX.email),
    externalId: '𝒳'.repeat(TEXT_MAX.externalId),
    title: 'é'.repeat(TEXT_MAX.title),
    department: '部'.repeat(TEXT_MAX.department),
  }
  const answer = await caller.post('/v1/personnel', { ...longest, name: `  ${longest.name}  ` })
  expect(answer.status).toBe(201)
  expect(answer.body).toMatchObject(longest)
})

const JSON_TYPE = { 'content-type': 'application/json' }
const send = ({ caller }: PeopleStage, body: string, headers: Record<string, string> = JSON_TYPE) =>
  caller.request('/v1/personnel', { method: 'POST', headers, body })

test('a body of exactly the largest size is taken, and one byte more is not, whatever Content-Length says', async () => {
  const stage = await openPeople()
  const largest = JSON.stringify(ada).padEnd(LIMITS.bodyBytesMax)
  expect(await send(stage, `${largest} `)).toMatchProblem(413, 'PAYLOAD_TOO_LARGE')
  const claimed = { ...JSON_TYPE, 'content-length': String(LIMITS.bodyBytesMax + 1) }
  expect(await send(stage, '{}', claimed)).toMatchProblem(413, 'PAYLOAD_TOO_LARGE')
  expect((await send(stage, largest)).status).toBe(201)
})

test.each<[Record<string, string>, number]>([
  [{ 'content-type': 'text/plain' }, 415],
  [{ 'content-type': 'application/x-www-form-urlencoded' }, 415],
  [{ 'content-type': 'application/json-patch+json' }, 415],
  [{ 'content-type': 'application/json; charset=iso-8859-1' }, 415],
  [{ 'content-type': 'application/json', 'content-encoding': 'gzip' }, 415],
  [{ 'content-type': 'Application/JSON; Charset="UTF-8"' }, 201],
])('a person sent with %j gets %i', async (headers, status) => {
  const stage = await openPeople()
  const answer = await send(stage, JSON.stringify(ada), headers)
  expect([answer.status, answer.body.code]).toEqual([status, status === 415 ? 'UNSUPPORTED_MEDIA_TYPE' : undefined])
})

test('who was refused can be added once the violation is mended', async () => {
  const stage = await openPeople()
  expect(await refused(stage, { ...grace, groupIds: [stage.alphaId, 'grp_nowhere'] })).toMatchProblem(
    422,
    'VALIDATION_FAILED',
  )
  const { status, body } = await stage.caller.post('/v1/personnel', { ...grace, groupIds: [stage.alphaId] })
  expect([status, body.groups]).toEqual([201, [{ id: stage.alphaId, name: 'alpha Team' }]])
})

test('a key without personnel.manage adds nobody, and does not learn whose e-mail is taken', async () => {
  const stage = await openPeople()
  await stage.caller.post('/v1/personnel', grace)
  const reader = await stage.gateway.as('personnel.read', 'projects.manage')
  for (const body of [ada, grace, { name: ' ' }]) {
    const answer = await refused({ ...stage, caller: reader }, body)
    expect(answer).toMatchProblem(403, 'INSUFFICIENT_SCOPE')
    expect(answer.body.requiredScope).toBe('personnel.manage')
  }
})

test('a department is found in any case, also beyond ASCII', async () => {
  const caller = await openGateway().as('personnel.manage')
  const asked = {
    ÉTUDES: 'études',
    'études de sol': 'ÉTUDES DE SOL',
    "École d'été": "école d'été",
    'Отдел продаж': 'отдел продаж',
    'ОТДЕЛ КАДРОВ': 'Отдел Кадров',
    Öffentlichkeitsarbeit: 'öffentlichkeitsARBEIT',
    'éÀûÎö ÉàÛîÖ': 'ÉàÛîÖ éÀûÎö',
    Ｂau: 'bAU',
  }
  for (const [index, department] of Object.keys(asked).entries()) {
    await caller.post('/v1/personnel', { name: 'Ada', email: `p${index}@example.com`, department })
  }
  const found = await Promise.all(
    Object.values(asked).map(
      async (text) => (await caller.get(`/v1/personnel?department=${encodeURIComponent(text)}`)).body,
    ),
  )
  expect(found.map(({ data }) => data.map((one: { department: string }) => one.department))).toEqual(
    Object.keys(asked).map((department) => [department]),
  )
})
