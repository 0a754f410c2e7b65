import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { mintKey } from '../../src/auth/keys.js'
import { ROUTES } from '../../src/http/rest/routes.js'
import { LIMITS } from '../../src/limits.js'
import { dumpOf } from '../access/matrix/stage.js'
import { ada, type Company, grace } from '../support/fixtures.js'
import type { Caller, TestResponse } from '../support/harness.js'
import {
  ADA,
  openCompany,
  outcomeOf,
  type Repeatable,
  replayed,
  STILL_RUNNING,
  sendWithToken,
  TOKEN,
} from './idempotent.js'

/** The person is not in the group to begin with. */
const member = ({ groupIds: [group], personIds: [, person] }: Company) => `/v1/groups/${group}/members/${person}`

const CASES: Readonly<Record<string, (company: Company) => Repeatable>> = {
  'POST /v1/personnel': () => ADA,
  'PATCH /v1/personnel/{id}': ({ personIds: [id] }) => ({ path: `/v1/personnel/${id}`, body: { title: 'Lead' } }),
  'POST /v1/groups': () => ({ path: '/v1/groups', body: { name: 'Divers' } }),
  'PATCH /v1/groups/{id}': ({ groupIds: [id] }) => ({ path: `/v1/groups/${id}`, body: { name: 'Climbers' } }),
  'DELETE /v1/groups/{id}': ({ groupIds: [id] }) => ({ path: `/v1/groups/${id}` }),
  'PUT /v1/groups/{id}/members/{personId}': (company) => ({ path: member(company) }),
  'DELETE /v1/groups/{id}/members/{personId}': ({ groupIds: [group], personIds: [person] }) => ({
    path: `/v1/groups/${group}/members/${person}`,
  }),
  'POST /v1/personnel/batch': () => ({
    path: '/v1/personnel/batch',
    body: { people: [{ name: 'Ada', email: 'ada@example.com' }] },
  }),
  'POST /v1/projects': () => ({
    path: '/v1/projects',
    body: { key: 'new', name: 'New', risks: [{ reference: 'R-1', title: 'Fog', owner: 'A stranger' }] },
  }),
}
const WRITES = ROUTES.filter(({ method }) => method !== 'GET').map(({ method, path, status }) => ({
  name: `${method} ${path}`,
  method,
  status,
}))

describe('the same again', () => {
  test('is tried of every route that changes something', () => {
    expect(Object.keys(CASES).sort()).toEqual(WRITES.map(({ name }) => name).sort())
  })

  test.each(WRITES)('$name replays the response, and nothing is written', async ({ name, method, status }) => {
    const { gateway, company, caller } = await openCompany()
    const sent = { method, ...(CASES[name]?.(company) ?? { path: '' }) }
    let first: TestResponse | undefined
    const lines = await gateway.historyOf(async () => {
      first = await sendWithToken(caller, sent)
    })
    expect({ status: first?.status, replayed: first && replayed(first) }).toEqual({ status, replayed: null })
    // A project is created with a risk, and the members of a group leave before it is removed.
    expect(lines).toHaveLength({ 'POST /v1/projects': 2, 'DELETE /v1/groups/{id}': 5 }[name] ?? 1)
    const before = dumpOf(gateway)
    for (let i = 0; i < 3; i++) {
      const again = await sendWithToken(caller, sent)
      expect({ ...outcomeOf(again), replayed: replayed(again) }).toEqual({
        ...(first && outcomeOf(first)),
        replayed: 'true',
      })
    }
    expect(dumpOf(gateway)).toBe(before)
  })

  test('does nothing even when something else has been done since', async () => {
    const { company, caller } = await openCompany()
    const path = member(company)
    const put = { method: 'PUT', path }
    expect((await sendWithToken(caller, put)).status).toBe(204)
    expect((await caller.delete(path)).status).toBe(204)
    expect(await sendWithToken(caller, put)).toMatchObject({ status: 204, text: '' })
    const { groups } = (await caller.get(path.replace(/.*members/, '/v1/personnel'))).body
    expect(groups).toEqual([{ id: company.groupIds[1], name: 'alpha Team' }])
  })

  test.each([
    ['with its members in another order', { title: 'Engineer', email: 'ada@example.com', name: 'Ada Lovelace' }, TOKEN],
    ['with its key in quotes', ada, `"${TOKEN}"`],
    ['with blanks around its key', ada, `  ${TOKEN} `],
  ])('may be written otherwise: %s', async (_, body, token) => {
    const { caller } = await openCompany()
    const first = await sendWithToken(caller, ADA)
    const again = await sendWithToken(caller, { ...ADA, body, token })
    expect([outcomeOf(again), replayed(again)]).toEqual([outcomeOf(first), 'true'])
  })

  test('200 times at once makes one person, and every response has the same one', async () => {
    const { gateway, caller } = await openCompany()
    let answers: TestResponse[] = []
    const lines = await gateway.historyOf(async () => {
      answers = await Promise.all(Array.from({ length: 200 }, () => sendWithToken(caller, ADA)))
    })
    expect(lines).toMatchObject([{ action: 'CREATED' }])
    const made = answers.filter(({ status }) => status === 201)
    expect(answers.filter((one) => one.status !== 201 && one.body.detail !== STILL_RUNNING).map(outcomeOf)).toEqual([])
    expect(new Set(made.map(({ text }) => text)).size).toBe(1)
    expect(made.filter((one) => replayed(one) === null)).toHaveLength(1)
    expect((await sendWithToken(caller, ADA)).text).toBe(made[0]?.text)
  })
})

describe('the same key', () => {
  const USED = 'This Idempotency-Key was used for another request. Take a new one for a new request.'

  test.each<[string, (company: Company) => Repeatable]>([
    ['another body', () => ({ ...ADA, body: grace })],
    ['one member more', () => ({ ...ADA, body: { ...ada, department: 'Engines' } })],
    ['another path', () => ({ path: '/v1/groups', body: { name: 'Divers' } })],
    [
      'another path of the same body',
      ({ personIds: [id] }) => ({ method: 'PATCH', path: `/v1/personnel/${id}`, body: ada }),
    ],
    ['another method', (company) => ({ method: 'PUT', path: member(company) })],
  ])('with %s is refused, and nothing is done', async (_, other) => {
    const { gateway, company, caller } = await openCompany()
    const first = await sendWithToken(caller, ADA)
    const before = dumpOf(gateway)
    const answer = await sendWithToken(caller, other(company))
    expect(answer).toMatchProblem(422, 'VALIDATION_FAILED')
    expect([answer.body.detail, replayed(answer)]).toEqual([USED, null])
    expect(dumpOf(gateway)).toBe(before)
    expect(outcomeOf(await sendWithToken(caller, ADA))).toEqual(outcomeOf(first))
  })

  test('for the same of another person is refused', async () => {
    const { gateway, company, caller } = await openCompany()
    const patch = (id = '') => ({ method: 'PATCH', path: `/v1/personnel/${id}`, body: { title: 'Lead' } })
    const [one, other] = company.personIds
    expect((await sendWithToken(caller, patch(one))).status).toBe(200)
    const before = dumpOf(gateway)
    expect(await sendWithToken(caller, patch(other))).toMatchProblem(422, 'VALIDATION_FAILED')
    expect(dumpOf(gateway)).toBe(before)
  })

  test('for PUT and for DELETE of one path is refused', async () => {
    const { company, caller } = await openCompany()
    expect((await sendWithToken(caller, { method: 'PUT', path: member(company) })).status).toBe(204)
    expect(await sendWithToken(caller, { method: 'DELETE', path: member(company) })).toMatchProblem(
      422,
      'VALIDATION_FAILED',
    )
  })

  test('from another API key is another request', async () => {
    const { gateway, caller } = await openCompany()
    const other = await gateway.as('personnel.manage')
    const mine = await sendWithToken(caller, ADA)
    const theirs = await sendWithToken(other, { ...ADA, body: grace })
    expect([mine.status, theirs.status, theirs.body.name]).toEqual([201, 201, 'Grace Hopper'])
    expect(await sendWithToken(other, ADA)).toMatchProblem(422, 'VALIDATION_FAILED')
    expect((await sendWithToken(caller, ADA)).text).toBe(mine.text)
  })

  test('is of no use to an API key that may do less, or no more', async () => {
    const { gateway, caller } = await openCompany()
    await sendWithToken(caller, ADA)
    expect(await sendWithToken(await gateway.as('personnel.read'), ADA)).toMatchProblem(403, 'INSUFFICIENT_SCOPE')
    expect(await sendWithToken(gateway.with(undefined), ADA)).toMatchProblem(401, 'UNAUTHENTICATED')
  })
})

test('a key that has lost a scope since is refused, and nothing is done', async () => {
  const { gateway } = await openCompany()
  const caller = await gateway.as('personnel.manage', 'projects.read')
  const first = await sendWithToken(caller, ADA)
  const { name } = (await caller.get('/v1/key')).body
  const holding = (scopes: string) =>
    gateway.write(({ db, t }) => db.update(t.apiKey).set({ scopes }).where(eq(t.apiKey.name, name)))
  await holding('personnel.manage')
  const before = dumpOf(gateway)
  const less = await sendWithToken(caller, ADA)
  expect(less).toMatchProblem(403, 'INSUFFICIENT_SCOPE')
  expect([less.body.requiredScope, replayed(less), dumpOf(gateway)]).toEqual(['projects.read', null, before])
  await holding('personnel.manage projects.manage')
  const more = await sendWithToken(caller, ADA)
  expect([more.status, more.text, replayed(more)]).toEqual([201, first.text, 'true'])
})

describe('what is refused is not kept, and may be mended under the same key', () => {
  async function mended(caller: Caller, bad: Repeatable, good: Repeatable, status: number): Promise<TestResponse> {
    for (let i = 0; i < 2; i++) {
      const refused = await sendWithToken(caller, bad)
      expect([refused.status, replayed(refused)]).toEqual([status, null])
    }
    const answer = await sendWithToken(caller, good)
    expect([answer.status < 300, replayed(answer)]).toEqual([true, null])
    expect(outcomeOf(await sendWithToken(caller, good))).toEqual(outcomeOf(answer))
    return answer
  }

  test.each<[number, string, Repeatable]>([
    [400, 'a body that is no JSON', { ...ADA, headers: { 'content-type': 'application/json' } }],
    [400, 'a parameter that there is not', { ...ADA, path: '/v1/personnel?bogus=1' }],
    [406, 'a type that cannot be had', { ...ADA, headers: { accept: 'image/png' } }],
    [409, 'an e-mail that is taken', { ...ADA, body: { name: 'Ada', email: 'p0@example.com' } }],
    [415, 'a body of another type', { ...ADA, headers: { 'content-type': 'text/plain' } }],
    [422, 'a body of the wrong shape', { ...ADA, body: { name: 7 } }],
    [422, 'a body of the wrong content', { ...ADA, body: { name: 'Ada' } }],
  ])('%i: %s', async (status, what, bad) => {
    const { caller } = await openCompany()
    const broken = what.includes('no JSON') ? { path: bad.path, headers: bad.headers ?? {} } : bad
    await mended(caller, broken, ADA, status)
  })

  test('403: a project that the API key is not bound to', async () => {
    const { gateway } = await openCompany()
    const draft = { name: 'Bound', scopes: ['projects.manage'], projects: ['APOLLO'], expiresAt: undefined } as const
    const { secret } = await gateway.write((write) => mintKey(write, draft))
    const sync = (key: string) => ({ path: '/v1/projects', body: { key, name: 'Renamed' } })
    await mended(gateway.with(`Bearer ${secret}`), sync('HARBOR-2'), sync('APOLLO'), 403)
  })

  test('404: a person who is not there', async () => {
    const { company, caller } = await openCompany()
    const patch = (id = 'nobody') => ({ method: 'PATCH', path: `/v1/personnel/${id}`, body: { title: 'Lead' } })
    await mended(caller, patch(), patch(company.personIds[0]), 404)
  })

  test('412: what has changed meanwhile; and once done, it stays done', async () => {
    const { company, caller } = await openCompany()
    const path = `/v1/personnel/${company.personIds[0]}`
    const etag = (await caller.get(path)).headers.get('etag') ?? ''
    const patch = (tag: string) => ({ method: 'PATCH', path, body: { title: 'Lead' }, headers: { 'if-match': tag } })
    const done = await mended(caller, patch('"stale"'), patch(etag), 412)
    // The ETag is stale by now, and still this is the stored response to that request.
    expect((await caller.get(path)).headers.get('etag')).not.toBe(etag)
    expect(outcomeOf(await sendWithToken(caller, patch(etag)))).toEqual(outcomeOf(done))
  })
})

describe('the key itself', () => {
  const longest = LIMITS.idempotencyKeyCharactersMax

  test.each([
    ['is empty', ''],
    ['is empty in quotes', '""'],
    ['is blank', '   '],
    ['has a blank in it', 'two words'],
    ['has a tab in it', 'two\twords'],
    ['has a control character in it', 'one\u0001two'],
    ['has a DEL in it', 'one\u007ftwo'],
    ['is not ASCII', 'clé'],
    ['has more than 255 characters', 'x'.repeat(longest + 1)],
    ['has more than 255 characters in quotes', `"${'x'.repeat(longest + 1)}"`],
  ])('is refused when it %s, and nothing is done', async (_, token) => {
    const { gateway, caller } = await openCompany()
    const lines = await gateway.historyOf(async () => {
      const answer = await sendWithToken(caller, { ...ADA, token })
      expect(answer).toMatchProblem(400, 'BAD_REQUEST')
      expect(answer.body.detail).toBe(
        'The header Idempotency-Key must hold 1 to 255 visible ASCII characters, such as a UUID.',
      )
    })
    expect(lines).toEqual([])
  })

  test.each(['x', '"', '~!@#$%^&*()_+{}|:<>?', 'x'.repeat(longest), `"${'x'.repeat(longest)}"`])(
    'may be any visible ASCII: %s',
    async (token) => {
      const { caller } = await openCompany()
      const first = await sendWithToken(caller, { ...ADA, token })
      const again = await sendWithToken(caller, { ...ADA, token })
      expect([first.status, again.text, replayed(again)]).toEqual([201, first.text, 'true'])
    },
  )

  test.each(['GET', 'HEAD'])('is nothing to %s, whatever it is', async (method) => {
    const { gateway, caller } = await openCompany()
    await sendWithToken(caller, ADA)
    const before = dumpOf(gateway)
    for (const token of [TOKEN, 'another', '', 'x'.repeat(longest + 1)]) {
      const answer = await sendWithToken(caller, { method, path: '/v1/personnel', token })
      expect([answer.status, replayed(answer)]).toEqual([200, null])
    }
    expect(dumpOf(gateway)).toBe(before)
  })
})
