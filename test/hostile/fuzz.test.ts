import fc from 'fast-check'
import { getIntrospectionQuery } from 'graphql'
import { beforeAll, expect, test } from 'vitest'
import { CATALOGUE } from '../../src/errors.js'
import { compiledRoute } from '../../src/http/rest/compiledRoutes.js'
import { ROUTES } from '../../src/http/rest/routes.js'
import { schema } from '../../src/schema.js'
import { reportFigure } from '../support/figures.js'
import type { TestResponse } from '../support/harness.js'
import { isShort, openArena, posted, WAIT_MS } from './support/arena.js'
import { Documents, damaged, number, text } from './support/generate.js'
import { requireClean } from './support/verdicts.js'
import { bytesOf, type Sent } from './support/wire.js'

const arena = openArena(import.meta.url)

/** The time for each of eight properties; HOSTILE_FUZZ_MS sets a longer one. */
const BUDGET_MS = Number(process.env['HOSTILE_FUZZ_MS'] ?? (isShort ? 500 : 2_500))
/** How many are tried side by side. */
const AT_ONCE = 12
const seed = Number(process.env['HOSTILE_SEED'] ?? Date.now() % 2 ** 31)

/** Runs it with random values until the time is over, while the watcher measures. */
async function tried<T>(values: fc.Arbitrary<T>, holds: (value: T) => Promise<void>): Promise<void> {
  const since = performance.timeOrigin + performance.now()
  let runs = 0
  const property = fc.asyncProperty(
    fc.array(values, { minLength: 1, maxLength: AT_ONCE, size: 'max' }),
    async (several) => {
      runs += several.length
      await Promise.all(several.map(holds))
    },
  )
  await fc.assert(property, { seed, numRuns: 1_000_000, interruptAfterTimeLimit: BUDGET_MS, endOnFailure: isShort })
  const { longestMs, failure } = await arena.longestWait(since)
  expect(failure).toBe(undefined)
  reportFigure(`${expect.getState().currentTestName}: ${runs} tries; others waited`, longestMs, WAIT_MS, 'ms')
}

/** Over keep-alive connections, which is faster. */
async function responseTo(path: string, init: RequestInit = {}): Promise<TestResponse> {
  const headers = { authorization: arena.authorization(), ...(init.headers as Record<string, string>) }
  const response = await fetch(`${arena.origin}${path}`, { ...init, headers })
  const answer = { status: response.status, headers: response.headers, text: await response.text() }
  const isJson = /json/.test(response.headers.get('content-type') ?? '') && answer.text !== ''
  const whole = { ...answer, body: isJson ? JSON.parse(answer.text) : undefined }
  requireClean({ answers: [whole], rest: '', end: 'closed', ms: 0 })
  return whole
}

const postedTo = (path: string, body: string, method = 'POST') =>
  responseTo(path, { method, headers: { 'content-type': 'application/json' }, body })

const OPERATIONS = ROUTES.map(compiledRoute)
/** Those at a fixed path: the others need the id of an entity. */
const LISTS = OPERATIONS.filter(({ isList, route }) => isList && !route.path.includes('{'))

const requireProblem = (answer: TestResponse) => {
  expect(answer).toMatchProblem(answer.status, answer.body?.code)
}

test('no parameters of a list, whatever their names and values, give more than a page or a problem', async () => {
  const list = fc.constantFrom(...LISTS)
  const parameters = list.chain(({ route, parameters: known }) => {
    const name = fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...known.map((one) => one.name)) },
      { weight: 1, arbitrary: text },
    )
    const value = fc.oneof(
      text,
      number.map(String),
      fc.array(text, { maxLength: 4 }).map((all) => all.join(',')),
      fc.constantFrom('true', 'false', '1', '25', 'HIGH', 'low,medium'),
    )
    return fc.record({ path: fc.constant(route.path), pairs: fc.array(fc.tuple(name, value), { maxLength: 4 }) })
  })
  await tried(parameters, async ({ path, pairs }) => {
    const answer = await responseTo(
      `${path}?${new URLSearchParams(pairs.map(([name, value]) => [name, value.toWellFormed()]))}`,
    )
    if (answer.status !== 200) return requireProblem(answer)
    if (path.endsWith('.csv')) return expect(answer.headers.get('content-type')).toMatch(/^text\/csv/)
    const { data, page } = answer.body
    const limit = Number(pairs.find(([name]) => name === 'limit')?.[1] ?? 1_000)
    expect(data.length).toBeLessThanOrEqual(limit)
    // A feed has no total.
    if (page.total != null) expect(page.total).toBeGreaterThanOrEqual(data.length)
  })
})

test('no query string, whatever its bytes, gives more than a page or a problem', async () => {
  const query = fc.tuple(
    fc.constantFrom(...LISTS),
    fc.string({ unit: fc.constantFrom(...'abl=&%0123456789+;,[]limitstatus.~'), maxLength: 60 }),
  )
  await tried(query, async ([{ route }, string]) => {
    const answer = await responseTo(`${route.path}?${string}`)
    if (answer.status !== 200) requireProblem(answer)
  })
})

interface Start {
  readonly path: string
  readonly cursor: string
  readonly page: string
}
const starts: Start[] = []

/** A cursor of each list, and the page after it. */
beforeAll(async () => {
  for (const { route } of LISTS) {
    for (const limit of [1, 3]) {
      const { body } = await responseTo(`${route.path}?limit=${limit}`)
      // CSV has no cursor: it stands in the list of the same rows as JSON.
      const cursor = body?.page.next ?? ''
      if (cursor === '') continue
      starts.push({ path: route.path, cursor, page: (await responseTo(`${route.path}?limit=2&cursor=${cursor}`)).text })
    }
  }
})

test('a cursor that was changed is refused, or gives what the original gives', async () => {
  const cursors = fc
    .constant(null)
    .chain(() => fc.constantFrom(...starts))
    .chain((start) => damaged(fc.constant(start.cursor)).map(({ changed }) => ({ ...start, changed })))
  await tried(cursors, async ({ path, page, changed }) => {
    const answer = await responseTo(`${path}?limit=2&cursor=${encodeURIComponent(changed.toWellFormed())}`)
    if (answer.status === 200) return expect(answer.text).toBe(page)
    expect(answer).toMatchProblem(400, 'BAD_REQUEST')
    expect(answer.body.errors).toMatchObject([{ parameter: 'cursor' }])
  })
})

test('a cursor of another list, or of none, is refused', async () => {
  const cursors = fc
    .constant(null)
    .chain(() =>
      fc.tuple(
        fc.constantFrom(...starts),
        fc.oneof(fc.constantFrom(...starts.map(({ cursor }) => cursor)), text, fc.base64String()),
      ),
    )
  await tried(cursors, async ([{ path }, cursor]) => {
    const isOwn = starts.some((start) => start.path === path && start.cursor === cursor)
    const answer = await responseTo(`${path}?limit=2&cursor=${encodeURIComponent(cursor.toWellFormed())}`)
    expect(answer.status).toBe(isOwn ? 200 : 400)
  })
})

const CODES = Object.keys(CATALOGUE).filter((code) => code !== 'INTERNAL' && code !== 'UNAVAILABLE')

function requireGraphql(answer: TestResponse): void {
  expect([200, 400]).toContain(answer.status)
  for (const error of answer.body.errors ?? [])
    expect(CODES, answer.text.slice(0, 500)).toContain(error.extensions.code)
}

test('the schema itself, in its descriptions too, shows nothing of the inside', async () => {
  for (const query of ['{ _service { sdl } }', getIntrospectionQuery({ inputValueDeprecation: true })]) {
    const answer = await postedTo('/graphql', JSON.stringify({ query }))
    expect(answer.body.errors).toBe(undefined)
  }
})

const documents = () => {
  const { groupIds, personIds, projectIds, riskIds, issueIds } = arena.company
  const known = [
    ...groupIds,
    ...personIds,
    ...projectIds,
    ...riskIds.slice(0, 5),
    ...issueIds.slice(0, 5),
    ...starts.map(({ cursor }) => cursor),
  ]
  const all = new Documents(schema, known)
  return fc.gen().map((g) => all.operation(g))
}

test('no query of fields and arguments that there are fails on our side', async () => {
  await tried(documents(), async (query) => requireGraphql(await postedTo('/graphql', JSON.stringify({ query }))))
})

test('no query with a few letters changed fails on our side', async () => {
  await tried(damaged(documents()), async ({ changed }) =>
    requireGraphql(await postedTo('/graphql', JSON.stringify({ query: changed }))),
  )
})

const TAKING = OPERATIONS.filter(({ input }) => input)

test('no body, whatever it holds, fails on our side, and what was taken is there', async () => {
  const value = fc.oneof(
    text,
    number,
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom('ACTIVE', '2026-01-01', 'APOLLO', 3),
  )
  const member = fc.constantFrom(
    ...'name email externalId title department groupIds description key url status risks issues closeLimit x __proto__'.split(
      ' ',
    ),
  )
  const known = fc.record(
    { name: text, externalId: text, key: fc.constantFrom('APOLLO', 'x', 'NEW-1') },
    { requiredKeys: [] },
  )
  const body = fc.oneof(
    fc.jsonValue(),
    fc.dictionary(member, value),
    fc.tuple(known, fc.dictionary(member, value)).map(([one, other]) => ({ ...one, ...other })),
  )
  const paths: Record<string, string> = {
    '/v1/personnel/{id}': `/v1/personnel/${arena.company.personIds[0]}`,
    '/v1/groups/{id}': `/v1/groups/${arena.company.groupIds[0]}`,
  }
  await tried(fc.tuple(fc.constantFrom(...TAKING), body), async ([{ route }, sent]) => {
    const answer = await postedTo(paths[route.path] ?? route.path, JSON.stringify(sent), route.method)
    if (answer.status >= 400) return requireProblem(answer)
    const location = answer.headers.get('location')
    if (location) expect((await responseTo(location)).body).toEqual(answer.body)
  })
})

test('no request with a few bytes changed fails on our side', async () => {
  const requests: Sent[] = [
    posted('/graphql', '{"query":"{ __typename }"}', { 'Idempotency-Key': 'a' }),
    posted('/v1/personnel?x=1', '{"name":5}', { Accept: 'application/json;q=0.5, */*;q=0.1' }),
  ]
  const original = fc.constantFrom(...requests.map((sent) => bytesOf(sent).toString('latin1')))
  await tried(damaged(original), async ({ changed }) => {
    const talk = await arena.send({ bytes: changed, isHalfClosed: true, withinMs: 15_000, quietMs: 50 })
    requireClean(talk)
    expect(talk.rest).toBe('')
  })
})
