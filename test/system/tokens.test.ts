import { generateKeyPairSync } from 'node:crypto'
import { exportJWK, SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { AUDIENCE, claimsWith, fakeProvider, listening, newKey, signed } from '../support/identity.js'
import { newFolder, operations, serve } from '../support/process.js'

const ISSUER = ['--oidc-issuer', 'https://login.example.com']

test.each([
  [ISSUER, '--oidc-issuer also needs --oidc-audience.'],
  [['--oidc-audience', 'ops'], '--oidc-audience also needs --oidc-issuer.'],
  [['--oidc-scope-map', 'A=projects.read'], '--oidc-scope-map also needs --oidc-issuer and --oidc-audience.'],
  [['--oidc-issuer', 'http://login.example.com'], '--oidc-issuer is "http://login.example.com"; it must be a URL with'],
  [[...ISSUER, '--oidc-audience', 'ops', '--oidc-client-id', 'page'], '--oidc-client-id and --oidc-request are needed'],
  [
    [...ISSUER, '--oidc-audience', 'ops', '--oidc-scope-map', 'A=project.read'],
    '--oidc-scope-map: there is no scope "project.read". There are personnel.read, ',
  ],
  [[...ISSUER, '--oidc-audience', 'ops', '--oidc-scope-map', 'projects.read'], 'it must be names with their scopes'],
  [
    [...ISSUER, '--oidc-audience', 'ops', '--oidc-client-id', 'ops', '--oidc-request', 'openid'],
    '--oidc-audience must be another than --oidc-client-id',
  ],
])('serve %j is wrong usage that says what to change', async (args, sentence) => {
  const { code, stderr } = await operations(newFolder(), ['serve', '--port', '0', ...args])
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(sentence) })
})

test('serve starts while its provider is down, says so, and accepts tokens once it is there', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  let isDown = true
  const issuer = await listening(async ({ url }, response) => {
    if (isDown) return void response.writeHead(502).end()
    const keys = [{ ...(await exportJWK(publicKey)), kid: 'one' }]
    response.end(JSON.stringify(url === '/jwks' ? { keys } : { issuer, jwks_uri: `${issuer}/jwks` }))
  })
  const claims = { groups: ['Readers of risks', 'Others'], sub: 'ada' }
  const token = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'EdDSA', kid: 'one' })
    .setIssuer(issuer)
    .setAudience(AUDIENCE)
    .setExpirationTime('5m')
    .sign(privateKey)
  const maps = ['Readers of risks=projects.read', 'Managers=personnel.manage'].flatMap((map) => [
    '--oidc-scope-map',
    map,
  ])
  const flags = ['--oidc-issuer', issuer, '--oidc-audience', AUDIENCE, '--oidc-scope-claim', 'groups', ...maps]
  const { origin, finished } = await serve(newFolder(), flags)
  const read = () => fetch(`${origin}/v1/key`, { headers: { authorization: `Bearer ${token}` } })
  expect((await read()).status).toBe(503)
  // The line comes through a pipe of its own.
  const log = () => finished().stdout
  await expect.poll(log).toMatch(/"level":40.*The identity provider http.* cannot be used: .*status 502/)
  isDown = false
  await expect.poll(async () => (await read()).status, { timeout: 15_000, interval: 500 }).toBe(200)
  expect(await (await read()).json()).toMatchObject({ name: 'ada', scopes: ['projects.read'] })
  expect(finished().stdout).not.toContain(token.split('.')[2])
})

/** Of a service that trusts this proxy, the statuses for one request from each of these addresses. */
async function statusesFrom(issuer: string, requests: readonly { address: string; token: string }[]) {
  const flags = ['--oidc-issuer', issuer, '--oidc-audience', AUDIENCE, '--trusted-proxies', '127.0.0.1']
  const { origin } = await serve(newFolder(), flags)
  const statuses: number[] = []
  for (const { address, token } of requests) {
    const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': address }
    statuses.push((await fetch(`${origin}/v1/key`, { headers })).status)
  }
  return statuses
}

/** Enough to exceed the limit on wrong keys while it refills. */
const MANY = 150

test('tokens of an office that have expired are a 401 each; forged ones are too many wrong keys', async () => {
  const provider = await fakeProvider()
  const expired = await provider.token({ exp: 1_000 })
  const ours = Array.from({ length: MANY }, () => ({ address: '203.0.113.7', token: expired }))
  const foreign = signed(claimsWith(provider.issuer), await newKey('first'))
  const forged = await Promise.all(ours.map(async () => ({ address: '203.0.113.7', token: await foreign })))
  const statuses = await statusesFrom(provider.issuer, [...ours, ...forged])
  expect(new Set(statuses.slice(0, MANY))).toEqual(new Set([401]))
  expect(new Set(statuses.slice(MANY))).toEqual(new Set([401, 429]))
})

test('wrong keys from one /64 of IPv6 are counted together, and others are not', async () => {
  const token = 'ops_wrong'
  const same = Array.from({ length: MANY }, (_, at) => ({ address: `2001:db8:1:2::${at.toString(16)}`, token }))
  const others = Array.from({ length: MANY }, (_, at) => ({ address: `2001:db8:2:${at.toString(16)}::1`, token }))
  const statuses = await statusesFrom('https://login.example.com', [...others, ...same])
  expect(new Set(statuses.slice(0, MANY))).toEqual(new Set([401]))
  expect(new Set(statuses.slice(MANY))).toEqual(new Set([401, 429]))
})
