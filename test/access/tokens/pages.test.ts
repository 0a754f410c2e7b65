import { expect, test } from 'vitest'
import { openGateway } from '../../support/harness.js'
import { acceptingTokens, fakeProvider } from '../../support/identity.js'

const SIGN_IN = { clientId: 'page', parameters: { scope: 'openid projects.read', resource: 'https://ops' } }
const HTML = { accept: 'text/html' }
const PAGES = ['/', '/graphql', '/v1', '/signed-in']

async function open(isSigningIn: boolean) {
  const provider = await fakeProvider()
  provider.discovery = {
    authorization_endpoint: 'https://login.example.com/auth',
    token_endpoint: 'https://tokens.example.com/token',
    end_session_endpoint: 'javascript:alert(1)',
  }
  const { options, tokens } = acceptingTokens(provider.issuer, isSigningIn ? { signIn: SIGN_IN } : {})
  const anyone = openGateway({ ...options, basePath: '/ops' }).with(undefined)
  const connects = async (path: string) =>
    /connect-src ([^;]+)/.exec((await anyone.get(path, HTML)).headers.get('content-security-policy') ?? '')?.[1]
  return { provider, tokens, anyone, connects }
}

test('the pages may call the token endpoint of the provider once it is known, and say where to read how to sign in', async () => {
  const { provider, anyone, connects } = await open(true)
  // Where a code is exchanged, the provider is awaited if it is not known yet.
  expect(await connects('/signed-in')).toBe("'self' https://tokens.example.com")
  expect(await Promise.all(PAGES.map(connects))).toEqual(PAGES.map(() => "'self' https://tokens.example.com"))
  expect((await anyone.get('/', HTML)).text).toContain('data-sign-in="/ops/sign-in"')
  const { status, headers, body } = await anyone.get('/sign-in')
  expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
  expect(body).toEqual({
    issuer: provider.issuer,
    ...SIGN_IN,
    authorizationEndpoint: 'https://login.example.com/auth',
    tokenEndpoint: 'https://tokens.example.com/token',
  })
})

test('a page asks for a provider that was away at the start, for the next one', async () => {
  const { connects } = await open(true)
  expect(await connects('/')).toBe("'self'")
  await expect.poll(() => connects('/')).toBe("'self' https://tokens.example.com")
})

test('how to sign in is a 503 while the provider is down', async () => {
  const { provider, anyone } = await open(true)
  provider.isDown = true
  expect(await anyone.get('/sign-in')).toMatchProblem(503, 'UNAVAILABLE')
})

test('without a client for the pages they stay as they are', async () => {
  const { tokens, anyone, connects } = await open(false)
  await tokens.provider.read()
  expect(await connects('/')).toBe("'self'")
  const plain = openGateway({ basePath: '/ops' }).with(undefined)
  expect((await anyone.get('/', HTML)).text).toBe((await plain.get('/', HTML)).text)
  for (const path of ['/sign-in', '/signed-in']) expect(await anyone.get(path)).toMatchProblem(404, 'NOT_FOUND')
})
