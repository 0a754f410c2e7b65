import { exportJWK, generateKeyPair, type JWK } from 'jose'
import { Provider } from 'oidc-provider'
import * as client from 'openid-client'
import { expect, test } from 'vitest'
import { createTokens } from '../../src/auth/tokens.js'
import { openFilled, openOffice } from '../support/harness.js'
import { AUDIENCE, acceptingTokens, fakeProvider, listening } from '../support/identity.js'

const CLIENT = { id: 'nightly', secret: 'a secret of the nightly program' }
const LIFE_S = 300

async function newJwk(kid: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  return { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' }
}

/** oidc-provider on loopback, with a program as its client; `serve` replaces its signing keys. */
async function openProvider() {
  let handle: ReturnType<Provider['callback']> | undefined
  const issuer = await listening((request, response) => handle?.(request, response))
  const resource = { scope: 'projects.read personnel.manage', audience: AUDIENCE, accessTokenFormat: 'jwt' }
  const serve = (...keys: JWK[]) => {
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          grant_types: ['client_credentials'],
          redirect_uris: [],
          response_types: [],
        },
      ],
      jwks: { keys },
      ttl: { ClientCredentials: LIFE_S },
      features: {
        clientCredentials: { enabled: true },
        devInteractions: { enabled: false },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: () => ({ ...resource, accessTokenTTL: LIFE_S, jwt: { sign: { alg: 'RS256' } } }),
        },
      },
    })
    handle = provider.callback()
  }
  const first = await newJwk('first')
  serve(first)
  const options = { execute: [client.allowInsecureRequests] }
  const program = await client.discovery(new URL(issuer), CLIENT.id, CLIENT.secret, undefined, options)
  const token = async (scope: string) =>
    (await client.clientCredentialsGrant(program, { scope, resource: AUDIENCE })).access_token
  return { issuer, serve, first, token }
}

async function open() {
  const provider = await openProvider()
  const time = { aheadMs: 0, ms: 0 }
  const clock = () => new Date(Date.now() + time.aheadMs)
  const tokens = createTokens({ issuer: provider.issuer, audience: AUDIENCE }, { clock, nowMs: () => time.ms })
  const { gateway } = await openFilled({ tokens, clock })
  const as = async (scope: string) => gateway.with(`Bearer ${await provider.token(scope)}`)
  return { ...provider, time, gateway, as }
}

test('a program with client credentials reads and writes by its scopes, and its id is in the history', async () => {
  const { gateway, as, issuer } = await open()
  const reader = await as('projects.read')
  expect((await reader.get('/v1/risks?limit=1')).body.data).toHaveLength(1)
  expect(await reader.get('/v1/personnel')).toMatchProblem(403, 'INSUFFICIENT_SCOPE')
  expect((await reader.get('/v1/key')).body).toMatchObject({ name: CLIENT.id, scopes: ['projects.read'] })
  const manager = await as('personnel.manage')
  const changes = await gateway.historyOf(() => manager.post('/v1/personnel', { name: 'New', email: 'n@example.com' }))
  expect(changes).toMatchObject([{ by: `oidc:${issuer}:${CLIENT.id}`, action: 'CREATED' }])
  const { body } = await manager.graphql('{ personnel(first: 1) { nodes { id } } risks { totalCount } }')
  expect(body.data).toEqual({ personnel: { nodes: [{ id: expect.any(String) }] }, risks: null })
})

test('signing keys are replaced while it runs: tokens of the old one are accepted until it is withdrawn', async () => {
  const { as, serve, first, time } = await open()
  const old = await as('projects.read')
  expect((await old.get('/v1/risks')).status).toBe(200)
  const second = await newJwk('second')
  serve(second, first)
  time.ms = 30_000
  const fresh = await as('projects.read')
  expect((await fresh.get('/v1/risks')).status).toBe(200)
  expect((await old.get('/v1/risks')).status).toBe(200)
  serve(second)
  time.ms += 600_001
  await expect.poll(async () => (await old.get('/v1/risks')).status).toBe(401)
  expect((await fresh.get('/v1/risks')).status).toBe(200)
})

test('a token that expires while it waits for a change ends the wait with 401', async () => {
  const { as, time, gateway } = await open()
  const follower = await as('projects.read')
  const { body } = await follower.get('/v1/changes?limit=1000')
  const { expiresAt } = (await follower.get('/v1/key')).body
  time.aheadMs = Date.parse(expiresAt) - Date.now() - 3_000
  const began = performance.now()
  const waiting = follower.get(`/v1/changes?wait=30&cursor=${body.page.next}`)
  await expect.poll(() => gateway.app.gauges().waitingPolls).toBe(1)
  const answer = await waiting
  expect(answer).toMatchProblem(401, 'UNAUTHENTICATED')
  expect(answer.body.detail).toMatch(/^This token expired at /)
  // Before the wait itself is over.
  expect(performance.now() - began).toBeLessThan(30_000)
})

test('a provider whose keys never come: 503, a notice, and API keys work meanwhile', async () => {
  const provider = await fakeProvider()
  provider.jwks = () => undefined
  const { options, notices } = acceptingTokens(provider.issuer)
  const { gateway, caller } = await openOffice(options)
  const waiting = gateway.with(`Bearer ${await provider.token()}`).get('/v1/risks')
  expect((await caller.get('/v1/risks')).status).toBe(200)
  expect(notices).toEqual([])
  expect(await waiting).toMatchProblem(503, 'UNAVAILABLE')
  expect(notices).toEqual([expect.stringMatching(/cannot be used: .*timeout/)])
})
