import { describe, expect, test } from 'vitest'
import { mintKey } from '../../src/auth/keys.js'
import { SCOPE_NAMES, type Scope } from '../../src/auth/scopes.js'
import { ROUTES } from '../../src/http/rest/routes.js'
import { schema } from '../../src/schema.js'
import { ada, type Company } from '../support/fixtures.js'
import {
  type AtEnd,
  type Caller,
  openFilled,
  openGateway,
  sharedByTests,
  type TestResponse,
} from '../support/harness.js'
import { CASES, type Case } from './cases.js'

/** The rule as a table: the single scopes that suffice where this one is needed. */
const ENOUGH: Record<Scope, Scope[]> = {
  'personnel.read': ['personnel.read', 'personnel.manage'],
  'personnel.manage': ['personnel.manage'],
  'projects.read': ['projects.read', 'projects.manage'],
  'projects.manage': ['projects.manage'],
}

/** The scopes that must be refused: each other scope alone, and all of those together. */
function tooLittle(needed: Scope): Scope[][] {
  const others = SCOPE_NAMES.filter((scope) => !ENOUGH[needed].includes(scope))
  return [...others.map((scope) => [scope]), others]
}

/** The company, with one key for each set of scopes. */
async function openCompany(atEnd?: AtEnd) {
  const { gateway, company } = await openFilled({}, atEnd)
  const callers = new Map<string, Caller>()
  const as = async (...scopes: Scope[]) => {
    const caller = callers.get(scopes.join()) ?? (await gateway.as(...scopes))
    callers.set(scopes.join(), caller)
    return caller
  }
  return { company, as }
}
/** For reading, and for what is refused. */
const sharedCompany = sharedByTests(openCompany)

const isChange = ({ field }: Case) => field.startsWith('mutation')

/** A document with the case's field as `result`, beside a field without a scope. */
function documentOf(one: Case, company: Company): string {
  const beside = isChange(one) ? 'mutation { __typename' : 'query { key: apiKey { name }'
  return `${beside} result: ${one.selection(company)} }`
}

function beside(one: Case, scopes: Scope[]): object {
  return isChange(one) ? { __typename: 'Mutation' } : { key: { name: scopes.join(' ') } }
}

/** The error of a field in a one-line document. */
function refusal(requiredScope: Scope, path: (string | number)[], column: number) {
  const message = `This needs a key with the scope ${requiredScope}.`
  return { message, locations: [{ line: 1, column }], path, extensions: { code: 'INSUFFICIENT_SCOPE', requiredScope } }
}

/** The number of different responses, ignoring the Request-Id. */
function kinds(answers: TestResponse[]): number {
  const texts = answers.map(({ status, headers, text }) =>
    JSON.stringify([status, ...headers, text]).replaceAll(headers.get('request-id') ?? 'none', 'REQUEST-ID'),
  )
  return new Set(texts).size
}

/** Not here: what concerns the key itself, and the feed, which shows each key what it may read (matrix/feed.test.ts). */
const ELSEWHERE = ['query apiKey', 'query node', 'query _entities', 'query _service', 'query changes']
const ROUTES_ELSEWHERE = ['GET /v1/key', 'GET /v1/changes']

test('the cases here are every root field and every route with one scope', () => {
  const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.keys(type?.getFields() ?? {}).map((field) => `${type?.name.toLowerCase()} ${field}`),
  )
  expect([...new Set(CASES.map(({ field }) => field))].sort()).toEqual(
    fields.filter((field) => !ELSEWHERE.includes(field)).sort(),
  )
  const routes = ROUTES.filter(({ type }) => !type).map(({ method, path }) => `${method} ${path}`)
  expect(CASES.map(({ route }) => route).sort()).toEqual(
    routes.filter((route) => !ROUTES_ELSEWHERE.includes(route)).sort(),
  )
})

test.each(CASES)('$field and $route serve a key with $scope, or with the .manage that includes it', async (one) => {
  const { company, as } = await (isChange(one) ? openCompany() : sharedCompany())
  for (const scope of ENOUGH[one.scope]) {
    const caller = await as(scope)
    const { status, body } = await caller.graphql(documentOf(one, company))
    const data = { ...beside(one, [scope]), result: one.answer(company) }
    expect({ scope, status, body }).toEqual({ scope, status: 200, body: { data } })
    const answer = await one.request(caller, company)
    expect({ scope, status: answer.status }).toEqual({ scope, status: one.status })
    if (one.status === 204) expect(answer.text).toBe('')
    else expect(answer.body).toMatchObject(one.shown(company))
  }
})

test.each(CASES)('$field and $route refuse a key without $scope, and nothing beside them', async (one) => {
  const { company, as } = await sharedCompany()
  const document = documentOf(one, company)
  for (const scopes of tooLittle(one.scope)) {
    const caller = await as(...scopes)
    const { status, body } = await caller.graphql(document)
    const errors = [refusal(one.scope, ['result'], document.indexOf('result') + 1)]
    const data = { ...beside(one, scopes), result: null }
    expect({ scopes, status, body }).toEqual({ scopes, status: 200, body: { data, errors } })
    const answer = await one.request(caller, company)
    expect(answer).toMatchProblem(403, 'INSUFFICIENT_SCOPE')
    expect({ scopes, named: answer.body.requiredScope }).toEqual({ scopes, named: one.scope })
    const challenge = `Bearer realm="operations", error="insufficient_scope", scope="${one.scope}"`
    expect(answer.headers.get('www-authenticate')).toBe(challenge)
  }
})

test.each([...SCOPE_NAMES.map((scope) => [scope]), SCOPE_NAMES, []].map((scopes) => ({ scopes })))(
  'any valid key may look at itself: $scopes',
  async ({ scopes }) => {
    const gateway = openGateway()
    const key = await gateway.write((write) => mintKey(write, { name: 'Mine', scopes, expiresAt: undefined }))
    const caller = gateway.with(`Bearer ${key.secret}`)
    const self = { name: 'Mine', scopes, projects: null, expiresAt: null }
    expect((await caller.graphql('{ apiKey { name scopes projects expiresAt } }')).body).toEqual({
      data: { apiKey: self },
    })
    expect((await caller.get('/v1/key')).body).toEqual(self)
  },
)

test.each([undefined, 'Bearer nonsense', 'Basic YTpi', `Bearer ops_${'0'.repeat(36)}`])(
  'without a valid key nothing is looked at, in either API: %s',
  async (header) => {
    const { gateway, company } = await openFilled()
    const caller = gateway.with(header)
    gateway.statements()
    // RFC 6750: without a bearer token the challenge has only the scheme.
    const challenge = `Bearer realm="operations"${header?.startsWith('Bearer') ? ', error="invalid_token"' : ''}`
    const documents = ['{ __typename }', '{ __schema { queryType { name } } }', '{ apiKey { name } }', '{ bad', '']
    for (const document of documents) {
      const { status, headers, body } = await caller.graphql(document)
      const errors = [{ message: expect.any(String), extensions: { code: 'UNAUTHENTICATED' } }]
      expect({ document, status, body }).toEqual({ document, status: 401, body: { errors } })
      expect(headers.get('www-authenticate')).toBe(challenge)
    }
    for (const { request } of CASES) expect(await request(caller, company)).toMatchProblem(401, 'UNAUTHENTICATED')
    for (const path of ['/v1/key', '/v1/nothing', '/v1/risks?bogus=1']) {
      const answer = await caller.get(path)
      expect(answer).toMatchProblem(401, 'UNAUTHENTICATED')
      expect(answer.headers.get('www-authenticate')).toBe(challenge)
    }
    expect(gateway.statements()).toEqual([])
  },
)

describe('a person behind a risk or an issue', () => {
  const PEOPLE = [
    { name: 'risk', list: 'risks', person: 'owner', ids: 'riskIds' },
    { name: 'issue', list: 'issues', person: 'assignee', ids: 'issueIds' },
  ] as const
  const LACKS_PERSONNEL = { code: 'INSUFFICIENT_SCOPE', requiredScope: 'personnel.read' }

  test.each(PEOPLE)('a key without personnel.read sees the $name, but not its $person', async (one) => {
    const { gateway, company } = await openFilled()
    const [narrow, wide] = [await gateway.as('projects.read'), await gateway.as('projects.read', 'personnel.read')]
    const id = company[one.ids][1]
    const personId = company.personIds[1]
    const document = `{ ${one.name}(id: "${id}") { id who: ${one.person}Id ${one.person} { name } } }`
    const seen = (person: object | null) => ({ [one.name]: { id, who: personId, [one.person]: person } })
    const errors = [refusal('personnel.read', [one.name, one.person], document.indexOf(`${one.person} {`) + 1)]
    expect((await narrow.graphql(document)).body).toEqual({ data: seen(null), errors })
    expect((await wide.graphql(document)).body).toEqual({ data: seen({ name: 'bea' }) })
    for (const path of [`/v1/${one.list}/${id}`, `/v1/${one.list}?limit=9`]) {
      const { text } = await wide.get(path)
      expect(text).toMatch(new RegExp(`"${one.person}":\\{"id":"usr_\\w+","name":"\\w+"}`))
      const withheld = text.replaceAll(new RegExp(`"${one.person}":\\{.*?}`, 'g'), `"${one.person}":null`)
      expect((await narrow.get(path)).text).toBe(withheld)
    }
    const [named, nameless] = [await wide.get(`/v1/${one.list}.csv`), await narrow.get(`/v1/${one.list}.csv`)]
    expect([named.text.includes(`,bea,${personId},`), nameless.text.includes(`,,${personId},`)]).toEqual([true, true])
  })

  test.each(PEOPLE)('in a list, $person is refused once, whether or not there is one', async (one) => {
    const { gateway } = await openFilled()
    const caller = await gateway.as('projects.read')
    const selection = `id who: ${one.person}Id ${one.person} { __typename }`
    const { data, errors } = (await caller.graphql(`{ ${one.list} { nodes { ${selection} } } }`)).body
    const whole: { id: string; who: string | null }[] = data[one.list].nodes
    expect(new Set(whole.map(({ who }) => who === null))).toEqual(new Set([true, false]))
    expect(whole).toEqual(whole.map(({ id, who }) => ({ id, who, [one.person]: null })))
    const refused = [{ path: [one.list, 'nodes', '@', one.person], extensions: LACKS_PERSONNEL }]
    expect(errors).toMatchObject(refused)
    const empty = await caller.graphql(`{ ${one.list}(filter: { search: "none such" }) { nodes { ${selection} } } }`)
    expect(empty.body).toMatchObject({ data: { [one.list]: { nodes: [] } }, errors: refused })
    expect(empty.body.errors).toHaveLength(1)
  })

  test.each([
    ['risk owner person', '{ risk(id: $r) { owner { name } id } person(id: $p) { name } }'],
    ['risk owner person', '{ person(id: $p) { name } risk(id: $r) { id owner { name } } }'],
    ['risk owner person', '{ risk(id: $r) { id owner { __typename } } person(id: $p) { __typename } }'],
    ['risk owner person', '{ risk(id: $r) { id } person(id: $p) { id } risk(id: $r) { owner { name } } }'],
    ['risk owner person', '{ risk(id: $r) { ... { owner { id } } ... on Risk { id } } ... { person(id: $p) { id } } }'],
    ['risk owner person', '{ ...Q } fragment Q on Query { person(id: $p) { id } risk(id: $r) { id owner { id } } }'],
    ['a b c', '{ a: risk(id: $r) { id b: owner { name } } c: person(id: $p) { id: name } }'],
    ['apiKey id2 risk', '{ apiKey: risk(id: $r) { id id2: owner { id } } risk: person(id: $p) { id } }'],
  ])('neither order nor aliases nor fragments open a way around it: %s: %s', async (names, selection) => {
    const { company, as } = await sharedCompany()
    const [risk = '', owner = '', person = ''] = names.split(' ')
    const variables = { r: company.riskIds[1], p: company.personIds[1] }
    const caller = await as('projects.read')
    const { body } = await caller.graphql(`query ($r: ID!, $p: ID!) ${selection}`, variables)
    expect(body.data).toEqual({ [risk]: { id: variables.r, [owner]: null }, [person]: null })
    const refusalAt = (path: string[]) => expect.objectContaining({ path, extensions: LACKS_PERSONNEL })
    expect(body.errors).toHaveLength(2)
    expect(body.errors).toEqual(expect.arrayContaining([refusalAt([risk, owner]), refusalAt([person])]))
  })
})

describe('a refusal reveals nothing', () => {
  const SINGLES = CASES.filter(({ route }) => /^GET .*\}$/.test(route))
  const LISTS_BELOW = CASES.filter(({ route }) => /^GET .*\}\//.test(route))
  const TABLES = /"(person|groups|membership|project|risk|issue)"/

  test.each(SINGLES)('$field and $route are refused alike for what exists and what does not, unread', async (one) => {
    const { gateway, company } = await openFilled()
    const id = String(Object.values(one.answer(company))[0])
    const field = one.field.replace('query ', '')
    const ids = [id, `${id.slice(0, 4)}${'0'.repeat(26)}`, 'nonsense', 'APOLLO']
    for (const scopes of tooLittle(one.scope)) {
      const caller = await gateway.as(...scopes)
      gateway.statements()
      for (const selection of ['id', '__typename', 'id createdAt']) {
        const document = `query ($id: ID!) { ${field}(id: $id) { ${selection} } }`
        const answers = await Promise.all(ids.map((each) => caller.graphql(document, { id: each })))
        expect(answers[0]?.body.errors).toMatchObject([{ path: [field], extensions: { code: 'INSUFFICIENT_SCOPE' } }])
        expect(kinds(answers)).toBe(1)
      }
      const path = one.route.replace(/GET (.+)\{.+/, '$1')
      const answers = await Promise.all(ids.map((each) => caller.get(`${path}${each}`)))
      expect(answers[0]).toMatchProblem(403, 'INSUFFICIENT_SCOPE')
      expect(kinds(answers)).toBe(1)
      expect(gateway.statements().filter((sql) => TABLES.test(sql))).toEqual([])
    }
    await one.request(await gateway.as(one.scope), company)
    expect(gateway.statements().filter((sql) => TABLES.test(sql))).not.toEqual([])
  })

  test.each(LISTS_BELOW)('$route is refused alike below what exists and what does not, unread', async (one) => {
    const { gateway, company } = await openFilled()
    const known = Object.values(company).map((ids: readonly string[]) => ids[0] ?? '')
    const paths = [...known, 'usr_none', 'APOLLO'].map((id) => one.route.slice('GET '.length).replace(/\{\w+\}/, id))
    for (const scopes of tooLittle(one.scope)) {
      const caller = await gateway.as(...scopes)
      gateway.statements()
      const answers = await Promise.all(paths.map((path) => caller.get(path)))
      expect(answers[0]).toMatchProblem(403, 'INSUFFICIENT_SCOPE')
      expect(kinds(answers)).toBe(1)
      expect(gateway.statements().filter((sql) => TABLES.test(sql))).toEqual([])
    }
  })

  test.each(tooLittle('personnel.manage').map((scopes) => ({ scopes })))(
    'and a refused addPerson writes nothing, nor says which e-mails are taken: $scopes',
    async ({ scopes }) => {
      const { gateway } = await openFilled()
      const [caller, reader] = [await gateway.as(...scopes), await gateway.as('personnel.read')]
      const roster = async () => (await reader.get('/v1/personnel?status=active,inactive')).text
      const [before, version] = [await roster(), await gateway.store.version()]
      const document = 'mutation ($input: AddPersonInput!) { addPerson(input: $input) { id } }'
      const inputs = [ada, { ...ada, email: 'p0@example.com' }]
      const answers = await Promise.all(inputs.map((input) => caller.graphql(document, { input })))
      expect(answers[0]?.body.data).toEqual({ addPerson: null })
      expect(kinds(answers)).toBe(1)
      const posts = await Promise.all(inputs.map((input) => caller.post('/v1/personnel', input)))
      expect(posts[0]).toMatchProblem(403, 'INSUFFICIENT_SCOPE')
      expect(kinds(posts)).toBe(1)
      expect([await roster(), await gateway.store.version()]).toEqual([before, version])
    },
  )
})

test('a refused addPerson keeps what the same request added before it', async () => {
  const { gateway } = await openFilled()
  const caller = await gateway.as('personnel.manage')
  const add = (email: string) => `addPerson(input: { name: "Ada", email: "${email}" }) { email }`
  const { status, body } = await caller.graphql(`mutation { one: ${add('a@x.org')} two: ${add('A@X.org')} }`)
  expect({ status, data: body.data }).toEqual({ status: 200, data: { one: { email: 'a@x.org' }, two: null } })
  expect(body.errors).toMatchObject([{ path: ['two'], extensions: { code: 'CONFLICT' } }])
  expect((await caller.get('/v1/personnel?email=a@x.org')).body.data).toMatchObject([{ email: 'a@x.org' }])
})
