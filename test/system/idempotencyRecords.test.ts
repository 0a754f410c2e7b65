import { describe, expect, test } from 'vitest'
import { LIMITS } from '../../src/limits.js'
import { erasePerson } from '../../src/personnel/erasure.js'
import { inOneWrite } from '../../src/store/shortWrites.js'
import { TEXT_MAX } from '../../src/vocabulary.js'
import { ADA, openCompany, outcomeOf, replayed, STILL_RUNNING, sendWithToken } from '../api/idempotent.js'
import { ada, addProject, addRisks, grace, project, risk } from '../support/fixtures.js'
import type { Gateway } from '../support/harness.js'
import { mint, runHere } from '../support/inProcess.js'
import { newFolder, serve, storeOf } from '../support/process.js'

describe('how long', () => {
  const DAY = LIMITS.idempotencyMs
  const later = (gateway: Gateway, ms: number) => {
    gateway.clock.now = new Date(gateway.clock.now.getTime() + ms)
  }

  test('a response is stored for a day, and then the same key is a new one', async () => {
    const { gateway, caller } = await openCompany()
    const first = await sendWithToken(caller, ADA)
    later(gateway, DAY)
    expect(outcomeOf(await sendWithToken(caller, ADA))).toEqual(outcomeOf(first))
    later(gateway, 1)
    expect(await sendWithToken(caller, ADA)).toMatchProblem(409, 'CONFLICT')
    const other = await sendWithToken(caller, { ...ADA, body: grace })
    expect([other.status, replayed(other)]).toEqual([201, null])
    expect(outcomeOf(await sendWithToken(caller, { ...ADA, body: grace }))).toEqual(outcomeOf(other))
  })

  test('what is no longer kept is gone from the store when something else is', async () => {
    const { gateway, caller } = await openCompany()
    const tokens = async () =>
      (await gateway.store.read.db.select().from(gateway.store.read.t.idempotencyRecord)).map((row) => row.token)
    await sendWithToken(caller, { ...ADA, token: 'one' })
    later(gateway, DAY + 1)
    await sendWithToken(caller, { path: '/v1/groups', body: { name: 'Divers' }, token: 'two' })
    expect(await tokens()).toEqual(['two'])
  })
})

describe('what names a person', () => {
  const retained = async ({ store: { read } }: Gateway) =>
    JSON.stringify(await read.db.select().from(read.t.idempotencyRecord))

  test('is forgotten with them', async () => {
    const { gateway, caller } = await openCompany()
    const { id } = (await sendWithToken(caller, ADA)).body
    await sendWithToken(caller, {
      method: 'PATCH',
      path: `/v1/personnel/${id}`,
      body: { title: 'Countess' },
      token: 'two',
    })
    await sendWithToken(caller, { ...ADA, body: grace, token: 'three' })
    await gateway.write((write) => erasePerson(inOneWrite(write), id))
    expect(await retained(gateway)).not.toMatch(/Lovelace|Countess/)
    expect(await retained(gateway)).toContain('Hopper')
    const again = await sendWithToken(caller, ADA)
    expect([again.status, replayed(again), again.body.id === id]).toEqual([201, null, false])
  })

  test.each([
    ['Ada Lovelace', 'Ada Lovelace'],
    ['Gül Çağlı', 'Gül Çağlı'],
    ['GÜL ÇAĞLI', 'Gül Çağlı'],
    ['İNCİ ŞAHİN', 'İnci Şahin'],
    ['HEINZ STRAßER', 'Heinz Strasser'],
  ])('is forgotten with %s where a project named them too', async (owner, name) => {
    const { gateway, caller } = await openCompany()
    const risks = [{ reference: 'R-1', title: 'Fog', owner }]
    const { body } = await sendWithToken(caller, { path: '/v1/projects', body: { key: 'NEW', name: 'New', risks } })
    expect(body.warnings).toMatchObject([{ detail: expect.stringContaining(owner) }])
    const { id } = (await caller.post('/v1/personnel', { ...ada, name })).body
    await gateway.write((write) => erasePerson(inOneWrite(write), id))
    expect(await retained(gateway)).not.toContain(owner)
  })
})

interface Received {
  readonly status: number
  readonly location: string | null
  readonly replayed: string | null
  readonly body: { readonly id?: string; readonly detail?: string }
}

/** A folder with a key for personnel.manage, and a function to add Ada through any server on it. */
async function openFolder() {
  const folder = newFolder()
  const { key } = await mint(folder, '--name', 'one', '--scope', 'personnel.manage')
  const add = async (origin: string, token: string, body: object = ada): Promise<Received> => {
    const response = await fetch(`${origin}/v1/personnel`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': token },
      body: JSON.stringify(body),
    })
    const { status, headers } = response
    const replayed = headers.get('idempotency-replayed')
    return { status, location: headers.get('location'), replayed, body: await response.json() }
  }
  const history = async () => {
    const { stdout } = await runHere(folder, ['history', '--json'])
    const lines: { action: string; entityId: string }[] = JSON.parse(stdout)
    return lines.map(({ action, entityId }) => ({ action, entityId }))
  }
  return { folder, key, add, history }
}

test.each(['SIGTERM', 'SIGKILL'] as const)('a stored response survives the end of the server by %s', async (signal) => {
  const { folder, add, history } = await openFolder()
  const first = await serve(folder)
  const made = await add(first.origin, 'token')
  await first.stop(signal)
  expect(made).toMatchObject({ status: 201, replayed: null, location: `/v1/personnel/${made.body.id}` })
  const second = await serve(folder)
  expect(await add(second.origin, 'token')).toEqual({ ...made, replayed: 'true' })
  expect(await add(second.origin, 'token', { ...ada, title: 'Countess' })).toMatchObject({ status: 422 })
  expect(await history()).toEqual([{ action: 'CREATED', entityId: made.body.id }])
})

test('what was cut off by the end of the server is done once, whether or not it had been done', async () => {
  const { folder, add, history } = await openFolder()
  const made: string[] = []
  let server = await serve(folder)
  for (const delayMs of [2, 8]) {
    const token = `token-${delayMs}`
    const body = { name: 'Ada', email: `ada${delayMs}@example.com` }
    const cut = add(server.origin, token, body).catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve, delayMs))
    await server.stop('SIGKILL')
    const before = await cut
    server = await serve(folder)
    const after = await add(server.origin, token, body)
    expect({ ...after, replayed: null }).toEqual(before ?? { ...after, status: 201, replayed: null })
    made.push(after.body.id ?? '')
  }
  expect(await history()).toEqual(made.map((entityId) => ({ action: 'CREATED', entityId })))
})

test('a mutation of many fields that kill -9 cuts off is finished by the same request, and no field is done twice', async () => {
  const { folder, history, key } = await openFolder()
  const field = (index: number) => `p${index}: addPerson(input: { name: "P", email: "p${index}@example.com" }) { id }`
  const query = `mutation { ${Array.from({ length: 40 }, (_, index) => field(index)).join(' ')} }`
  const send = async (origin: string): Promise<Record<string, { id: string } | null> | undefined> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': 'many' }
    const response = await fetch(`${origin}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) })
    return ((await response.json()) as { data?: Record<string, { id: string }> }).data
  }
  const first = await serve(folder)
  const cut = send(first.origin).catch(() => undefined)
  const own = storeOf(folder)
  while (own.rows('select id from change').length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
  await first.stop('SIGKILL')
  await cut
  const before = await history()
  const data = await send((await serve(folder)).origin)
  const made = Object.values(data ?? {}).map((person) => ({ action: 'CREATED', entityId: person?.id }))
  expect(made).toHaveLength(40)
  expect(await history()).toEqual(made)
  // Writes before the end come first.
  expect(made.slice(0, before.length)).toEqual(before)
})

test('two servers on one store make one person of the same request at the same time', async () => {
  const { folder, add, history } = await openFolder()
  const servers = [await serve(folder), await serve(folder)]
  const ids: string[] = []
  for (let round = 0; round < 5; round++) {
    const body = { name: `Person ${round}`, email: `p${round}@example.com` }
    const origins = Array.from({ length: 40 }, (_, index) => servers[index % 2]?.origin ?? '')
    // Connections are opened before, so that the requests arrive together.
    await Promise.all(origins.map((origin) => fetch(`${origin}/healthz`).then((response) => response.text())))
    const answers = await Promise.all(origins.map((origin) => add(origin, `token-${round}`, body)))
    const made = answers.filter(({ status }) => status === 201)
    expect(answers.filter((one) => one.status !== 201 && one.body.detail !== STILL_RUNNING)).toEqual([])
    expect(new Set(made.map(({ body: { id } }) => id)).size).toBe(1)
    expect(made.filter((one) => one.replayed === null)).toHaveLength(1)
    ids.push(made[0]?.body.id ?? '')
  }
  expect(await history()).toEqual(ids.map((entityId) => ({ action: 'CREATED', entityId })))
})

describe('a result that is too long to be stored', () => {
  const TEXT = 'x'.repeat(TEXT_MAX.description)
  const ROWS = Math.ceil(LIMITS.idempotencyBytesMax / TEXT.length) + 1

  async function openLong() {
    const { gateway, company, caller } = await openCompany()
    const [ownerId = ''] = company.personIds
    await gateway.write(async (write) => {
      const id = await addProject(write, project({ key: 'LONG' }))
      const drafts = Array.from({ length: ROWS }, (_, n) =>
        risk(id, { reference: `R-${n}`, description: TEXT, ownerId }),
      )
      await addRisks(write, drafts)
    })
    const send = (query: string) => sendWithToken(caller, { path: '/graphql', body: { query } })
    const recorded = async () => {
      const { read } = gateway.store
      return (await read.db.select().from(read.t.idempotencyRecord)).map(({ answer }) => answer.length)
    }
    return { gateway, caller, ownerId, send, recorded }
  }

  test('is a conflict with the id of what was changed, whatever a client calls id, and nothing is changed twice', async () => {
    const { gateway, ownerId, send, recorded } = await openLong()
    const owned = 'risks(first: 1000) { nodes { ...Long } }'
    const change = `mutation { renamed: changePerson(id: "${ownerId}", input: { title: "Countess" }) { id: title ${owned} } }
      fragment Long on Risk { reference description }`
    const first = await send(change)
    expect(first.body.data.renamed.risks.nodes.length).toBeGreaterThanOrEqual(ROWS)
    expect((await recorded()).every((length) => length < 1_000)).toBe(true)
    const changes = await gateway.historyOf(async () => {
      const { body } = await send(change)
      expect(body.data.renamed).toBeNull()
      expect(body.errors[0].extensions).toMatchObject({ code: 'CONFLICT', existingId: ownerId })
    })
    expect(changes).toEqual([])
  })

  test('is not confused with one that a client names like it', async () => {
    const { ownerId, send } = await openLong()
    const named = `mutation { changePerson(id: "${ownerId}", input: { title: "Countess" }) { unrecorded: title } }`
    for (const times of [1, 2])
      expect([times, (await send(named)).body.data.changePerson]).toEqual([times, { unrecorded: 'Countess' }])
  })

  test('is one that finds the responses of its key together at their bound', async () => {
    const { gateway, caller } = await openCompany()
    const { read } = gateway.store
    const keys = await read.db.select({ id: read.t.apiKey.id }).from(read.t.apiKey)
    const EACH = 4_000_000
    await gateway.write(async ({ insertAll, t, at }) => {
      const full = Array.from({ length: LIMITS.idempotencyKeyBytesMax / EACH }, (_, i) => `full-${i}`)
      const row = { fingerprint: 'x', answer: 'x'.repeat(EACH), createdAt: at }
      await insertAll(
        t.idempotencyRecord,
        keys.flatMap(({ id }) => full.map((token) => ({ ...row, keyId: id, token }))),
      )
    })
    const first = await sendWithToken(caller, ADA)
    expect(first.status).toBe(201)
    const again = await sendWithToken(caller, ADA)
    expect(again).toMatchProblem(409, 'CONFLICT')
    expect(again.body.existingId).toBe(first.body.id)
    const other = await gateway.as('personnel.manage')
    const hers = { path: '/v1/groups', body: { name: 'Divers' } }
    expect([replayed(await sendWithToken(other, hers)), replayed(await sendWithToken(other, hers))]).toEqual([
      null,
      'true',
    ])
  })

  test('is a conflict in words if it has no id', async () => {
    const { gateway, send } = await openLong()
    const sync = `mutation { syncProject(input: { key: "LONG", name: "Long", mode: PARTIAL }) {
      project { key risks(first: 1000) { nodes { description } } } } }`
    expect((await send(sync)).body.errors).toBeUndefined()
    const changes = await gateway.historyOf(async () => {
      const { body } = await send(sync)
      expect(body.data.syncProject).toBeNull()
      expect(body.errors[0].extensions.code).toBe('CONFLICT')
      expect(body.errors[0].message).toMatch(/has been carried out, but its response of [\d,]+ bytes was too long/)
    })
    expect(changes).toEqual([])
  })
})
