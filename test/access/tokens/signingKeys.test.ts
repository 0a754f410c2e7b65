import { expect, test, vi } from 'vitest'
import { openGateway } from '../../support/harness.js'
import { acceptingTokens, claimsWith, type FakeProvider, fakeProvider, newKey, signed } from '../../support/identity.js'

async function open(prepare: (provider: FakeProvider) => void = () => undefined) {
  const provider = await fakeProvider()
  prepare(provider)
  const accepting = acceptingTokens(provider.issuer)
  const gateway = openGateway(accepting.options)
  const status = async (token: string) => (await gateway.with(`Bearer ${token}`).get('/v1/risks')).status
  return { provider, gateway, status, ...accepting }
}

test.each(['RS256', 'PS256', 'ES256', 'EdDSA'])('a token signed with %s is accepted', async (alg) => {
  const key = await newKey('one', alg)
  const { provider, status } = await open((one) => {
    one.keys = [key]
  })
  expect(await status(await provider.token())).toBe(200)
})

test('requests that come while the keys are unknown share one look at the provider', async () => {
  const { provider, status } = await open()
  const tokens = await Promise.all(Array.from({ length: 20 }, (_, i) => provider.token({ jti: String(i) })))
  expect(new Set(await Promise.all(tokens.map(status)))).toEqual(new Set([200]))
  expect(provider.requests).toEqual(['/.well-known/openid-configuration', '/jwks'])
})

test('unknown keys are looked for at most every 30 s, whatever is forged; a new one is found then', async () => {
  const { provider, status, time } = await open()
  expect(await status(await provider.token())).toBe(200)
  const stranger = await newKey('forged')
  for (let i = 0; i < 50; i++) {
    expect(await status(await signed(claimsWith(provider.issuer, { jti: String(i) }), stranger))).toBe(401)
  }
  provider.keys = [await newKey('second')]
  expect(await status(await provider.token())).toBe(401)
  expect(provider.requests).toHaveLength(2)
  time.ms = 30_000
  expect(await status(await provider.token())).toBe(200)
  expect(provider.requests).toHaveLength(4)
})

test('a withdrawn key ends, also for tokens that are known', async () => {
  const { provider, status, time } = await open()
  const [first] = provider.keys
  if (!first) throw new Error('There is no key.')
  const known = await provider.token()
  expect(await status(known)).toBe(200)
  provider.keys = [await newKey('second')]
  time.ms = 600_001
  // Nobody waits for the look that this one begins.
  expect(await status(known)).toBe(200)
  await expect.poll(() => status(known)).toBe(401)
  expect(await status(await signed(claimsWith(provider.issuer, { jti: '2' }), first))).toBe(401)
})

test('a key that is withdrawn while a token of it is checked ends too', async () => {
  const { provider, status, time, tokens } = await open()
  const [first] = provider.keys
  if (!first) throw new Error('There is no key.')
  const second = await newKey('second')
  provider.keys = [first, second]
  expect(await status(await provider.token())).toBe(200)
  const before = tokens.provider.keys
  provider.keys = [second]
  time.ms = 600_001
  const importKey = crypto.subtle.importKey.bind(crypto.subtle)
  vi.spyOn(crypto.subtle, 'importKey').mockImplementationOnce(async (...given: Parameters<typeof importKey>) => {
    await vi.waitUntil(() => tokens.provider.keys !== before)
    return importKey(...given)
  })
  const token = await signed(claimsWith(provider.issuer), first)
  await status(token)
  expect(tokens.provider.keys).not.toBe(before)
  expect(await status(token)).toBe(401)
})

test('another key under the id of an old one is found, once 30 s have passed', async () => {
  const { provider, status, time } = await open()
  expect(await status(await provider.token())).toBe(200)
  provider.keys = [await newKey('first')]
  expect(await status(await provider.token({ jti: '2' }))).toBe(401)
  time.ms = 30_000
  expect(await status(await provider.token({ jti: '2' }))).toBe(200)
})

test('while the provider is down, known tokens and new ones of known keys work, and others get 503', async () => {
  const { provider, gateway, status, time, notices } = await open()
  const known = await provider.token()
  expect(await status(known)).toBe(200)
  provider.isDown = true
  time.ms = 700_000
  expect(await status(known)).toBe(200)
  expect(await status(await provider.token({ jti: '2' }))).toBe(200)
  const unknown = await signed(claimsWith(provider.issuer), await newKey('second'))
  const answer = await gateway.with(`Bearer ${unknown}`).get('/v1/risks')
  expect(answer).toMatchProblem(503, 'UNAVAILABLE')
  // The provider is asked again only then.
  expect(answer.headers.get('retry-after')).toBe('30')
  expect(notices).toEqual([expect.stringMatching(/cannot be used: .*openid-configuration responded with status 500/)])
})

test('a provider that is down at first is used soon after its return', async () => {
  const { provider, status, time } = await open((one) => {
    one.isDown = true
  })
  expect(await status(await provider.token())).toBe(503)
  provider.isDown = false
  expect(await status(await provider.token())).toBe(503)
  time.ms = 5_000
  expect(await status(await provider.token())).toBe(200)
})

const LONG = 10_000_000

test.each<[string, (provider: FakeProvider) => void, RegExp]>([
  [
    '10 MB of keys',
    (one) =>
      Object.assign(one, {
        jwks: (respond: (text: string) => void) => respond(`{"keys":[],"x":"${'x'.repeat(LONG)}"}`),
      }),
    /more than 1000000 bytes/,
  ],
  [
    'keys that are none',
    (one) => Object.assign(one, { jwks: (respond: (text: string) => void) => respond('[1]') }),
    /JSON Web Key Set malformed/,
  ],
  ['another issuer', (one) => Object.assign(one.discovery, { issuer: 'https://other.example.com' }), /another issuer/],
  [
    'keys over http',
    (one) => Object.assign(one.discovery, { jwks_uri: 'http://keys.example.com/' }),
    /no URL with https/,
  ],
  ['keys of a file', (one) => Object.assign(one.discovery, { jwks_uri: 'file:///etc/passwd' }), /no URL with https/],
])('a provider with %s: 503, a notice, and keys work meanwhile', async (_, prepare, notice) => {
  const { provider, gateway, status, notices } = await open(prepare)
  const waiting = provider.token().then(status)
  const caller = await gateway.as('projects.read')
  expect((await caller.get('/v1/risks')).status).toBe(200)
  expect(await waiting).toBe(503)
  expect(notices).toEqual([expect.stringMatching(notice)])
})
