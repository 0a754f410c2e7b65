import { exportSPKI, importJWK, SignJWT, UnsecuredJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { openFilled, openGateway } from '../../support/harness.js'
import { acceptingTokens, claimsWith, type FakeProvider, fakeProvider, newKey, signed } from '../../support/identity.js'

async function open() {
  const provider = await fakeProvider()
  const accepting = acceptingTokens(provider.issuer)
  const gateway = openGateway(accepting.options)
  return { provider, gateway, ...accepting, with: (token: string) => gateway.with(`Bearer ${token}`) }
}

const MINUTE = 60

/** Each token with what is said of it; none may cost a look at the provider's keys but those whose keys decide. */
const REFUSED: Readonly<
  Record<string, [sentence: RegExp, make: (provider: FakeProvider) => Promise<string>, reads?: number]>
> = {
  'another audience': [/for another audience than https:\/\/operations/, (p) => p.token({ aud: ['https://other'] })],
  'no audience': [/another audience/, (p) => p.token({ aud: undefined })],
  'another issuer': [/of another issuer than http/, (p) => p.token({ iss: 'https://evil.example.com' })],
  'an issuer that only begins alike': [/another issuer/, (p) => p.token({ iss: `${p.issuer}/` })],
  'no end': [/does not say when it expires/, (p) => p.token({ exp: undefined })],
  'an end beyond all years': [/does not say when it expires/, (p) => p.token({ exp: 1e300 })],
  'a time to come': [/not valid yet/, (p) => p.token({ nbf: Number(claimsWith('').iat) + 2 * MINUTE })],
  'no subject': [/no subject/, (p) => p.token({ sub: undefined })],
  'a subject of 256 characters': [/no subject/, (p) => p.token({ sub: 'x'.repeat(256) })],
  'a subject with half a character': [/no subject/, (p) => p.token({ sub: '\ud800' })],
  'the type of another kind of token': [/`typ` must be at\+jwt or JWT/, (p) => p.token({}, { typ: 'logout+jwt' })],
  'a type that is no text': [/`typ` must be at\+jwt or JWT/, (p) => p.token({}, { typ: { toString: null } })],
  'alg none': [/must be signed with one of/, async (p) => new UnsecuredJWT(claimsWith(p.issuer)).encode()],
  'HS256 with the public key as its secret': [
    /must be signed with one of/,
    async (p) => {
      const key = await importJWK({ ...p.keys[0]?.jwk, ext: true }, 'ES256', { extractable: true })
      if (key instanceof Uint8Array) throw new Error('Not a public key.')
      const secret = new TextEncoder().encode(await exportSPKI(key))
      return new SignJWT(claimsWith(p.issuer)).setProtectedHeader({ alg: 'HS256', kid: 'first' }).sign(secret)
    },
  ],
  'an unknown key': [
    /a key that the identity provider does not have/,
    async (p) => signed(claimsWith(p.issuer), await newKey('other')),
    2,
  ],
  'another key under the same id': [
    /signature is not valid/,
    async (p) => signed(claimsWith(p.issuer), await newKey('first')),
    2,
  ],
  'a changed payload': [
    /signature is not valid/,
    async (p) => {
      const [header, , signature] = (await p.token()).split('.')
      const payload = Buffer.from(JSON.stringify(claimsWith(p.issuer, { scope: 'projects.manage' }))).toString(
        'base64url',
      )
      return [header, payload, signature].join('.')
    },
    2,
  ],
  'more than 8,192 characters': [/more than 8,192 characters/, (p) => p.token({ filling: 'x'.repeat(8_192) })],
  'three parts of nothing': [/neither an API key/, async () => 'three.parts-of-nothing.here'],
  'no parts at all': [/neither an API key/, async () => 'opaque-token-of-a-provider'],
}

describe.each(Object.entries(REFUSED))('a token with %s', (_, [sentence, make, reads = 0]) => {
  test('is a 401 that says so in both APIs, and nothing of it is logged', async () => {
    const { provider, gateway, with: as } = await open()
    const token = await make(provider)
    const answer = await as(token).get('/v1/risks')
    expect(answer).toMatchProblem(401, 'UNAUTHENTICATED')
    expect(answer.body.detail).toMatch(sentence)
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="operations", error="invalid_token"')
    const { status, body } = await as(token).graphql('{ __typename }')
    expect([status, body.errors[0].message]).toEqual([401, answer.body.detail])
    expect(provider.requests).toHaveLength(reads)
    const [, payload = token] = token.split('.')
    expect(gateway.log.join()).toContain('UNAUTHENTICATED')
    expect(gateway.log.join()).not.toContain(payload)
  })
})

test('a token is accepted for 60 s beyond its end, and then its end is told, also if it was known', async () => {
  const { provider, time, with: as } = await open()
  const token = await provider.token({ exp: Number(claimsWith('').iat) + 10 })
  const [known, unknown] = [as(token), as(await provider.token({ exp: Number(claimsWith('').iat) + 10, jti: '2' }))]
  time.now = new Date(time.now.getTime() + 69_000)
  expect((await known.get('/v1/risks')).status).toBe(200)
  time.now = new Date(time.now.getTime() + 1_000)
  for (const caller of [known, unknown]) {
    const answer = await caller.get('/v1/risks')
    expect(answer).toMatchProblem(401, 'UNAUTHENTICATED')
    expect(answer.body.detail).toBe('This token expired at 2026-11-02T09:30:10.000Z.')
  }
})

test('a response from the cache needs a token that is still valid', async () => {
  const { provider, gateway, time, with: as } = await open()
  const caller = as(await provider.token())
  for (const isCached of [false, true]) {
    expect((await caller.get('/v1/risks')).status).toBe(200)
    expect(JSON.parse(gateway.log.at(-1) ?? '').isCached).toBe(isCached)
  }
  time.now = new Date(time.now.getTime() + 3_600_000)
  expect(await caller.get('/v1/risks')).toMatchProblem(401, 'UNAUTHENTICATED')
})

test.each([
  [
    {},
    { scope: 'openid profile' },
    'its claim `scope` or `scp` has none of personnel.read, personnel.manage, projects',
  ],
  [
    { scopeClaim: 'realm_access.roles' },
    { scope: 'projects.read' },
    'its claim `realm_access.roles` has none of personnel',
  ],
  [
    { scopeMap: new Map([['Ops.Reader', ['projects.read'] as const]]) },
    { scope: 'projects.read' },
    'its claim `scope` or `scp` has none of Ops.Reader. Ask the administrator',
  ],
])('a token without a scope is a 403 that names the claim: %j', async (settings, claims, sentence) => {
  const provider = await fakeProvider()
  const gateway = openGateway(acceptingTokens(provider.issuer, settings).options)
  const caller = gateway.with(`Bearer ${await provider.token(claims)}`)
  for (const path of ['/v1/risks', '/v1/key', '/v1/risks']) {
    const answer = await caller.get(path)
    expect(answer).toMatchProblem(403, 'INSUFFICIENT_SCOPE')
    expect(answer.body.detail).toContain(sentence)
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="operations", error="insufficient_scope"')
  }
  expect((await caller.graphql('{ apiKey { name } }')).status).toBe(403)
  expect(JSON.parse(gateway.log.at(-1) ?? '').keyId).toBe(`oidc:${provider.issuer}:ada`)
})

test('what a token changes has the issuer and the subject in the history, and an Idempotency-Key of its own', async () => {
  const provider = await fakeProvider()
  const { gateway } = await openFilled(acceptingTokens(provider.issuer).options)
  const tokenOf = async (sub: string, name?: string) =>
    gateway.with(`Bearer ${await provider.token({ sub, scope: 'personnel.manage', ...(name && { name }) })}`)
  const [ada, again, bea] = [await tokenOf('ada', 'Ada L.'), await tokenOf('ada'), await tokenOf('bea')]
  const add = (caller: typeof ada, email: string) =>
    caller.request('/v1/personnel', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'same' },
      body: JSON.stringify({ name: 'New', email }),
    })
  const changes = await gateway.historyOf(async () => {
    const added = await add(ada, 'one@example.com')
    expect(added.status).toBe(201)
    const replayed = await add(again, 'one@example.com')
    expect([replayed.status, replayed.headers.get('idempotency-replayed'), replayed.text]).toEqual([
      201,
      'true',
      added.text,
    ])
    expect((await add(bea, 'two@example.com')).status).toBe(201)
  })
  const by = (sub: string) => `oidc:${provider.issuer}:${sub}`
  expect(changes.map((change) => change.by)).toEqual([by('ada'), by('bea')])
  expect((await ada.get('/v1/key')).body).toEqual({
    name: 'Ada L.',
    scopes: ['personnel.manage'],
    projects: null,
    expiresAt: '2026-11-02T09:36:00.000Z',
  })
})

test('a token changes the projects of its claim, and none without it', async () => {
  const provider = await fakeProvider()
  const { gateway } = await openFilled(acceptingTokens(provider.issuer, { projectsClaim: 'ops.projects' }).options)
  const sync = async (claims: object, key: string) => {
    const caller = gateway.with(`Bearer ${await provider.token({ scope: 'projects.manage', ...claims })}`)
    const { status, body } = await caller.post('/v1/projects', { key, name: 'Apollo' })
    return status === 200 ? status : body.detail
  }
  expect(await sync({ ops: { projects: ['apollo'] } }, 'APOLLO')).toBe(200)
  expect(await sync({ ops: { projects: ['apollo'] } }, 'GEMINI')).toBe('This key may change only APOLLO.')
  expect(await sync({}, 'APOLLO')).toContain('your credentials name none')
})

test('keys work as before beside tokens, and what looks like one is told what is wrong with it', async () => {
  const { gateway, provider, with: as } = await open()
  expect((await (await gateway.as('projects.read')).get('/v1/risks')).status).toBe(200)
  expect((await as('ops_wrong').get('/v1/risks')).body.detail).toContain('This API key is not valid')
  expect((await as('<API_KEY>').get('/v1/risks')).body.detail).toContain('Replace <API_KEY>')
  expect((await gateway.with(undefined).get('/v1/risks')).body.detail).toContain('An API key is needed')
  const token = await provider.token()
  for (const sent of [token, `Token ${token}`, `Bearer: ${token}`])
    expect((await gateway.with(sent).get('/v1/risks')).body.detail).toContain('must follow the word `Bearer`')
  expect(provider.requests).toEqual([])
})
