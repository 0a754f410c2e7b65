import { expect, test } from 'vitest'
import { mintKey, revokeKey } from '../../src/auth/keys.js'
import type { Scope } from '../../src/auth/scopes.js'
import { newSecret } from '../../src/auth/secrets.js'
import { ada } from '../support/fixtures.js'
import { openGateway, openOffice } from '../support/harness.js'

const PLAIN = 'Bearer realm="operations"'
const INVALID = 'Bearer realm="operations", error="invalid_token"'

// RFC 6750, 3.1: without credentials, or with another scheme, there is no error code.
test.each<[string, string | undefined, string]>([
  ['no header', undefined, PLAIN],
  ['an empty header', ' ', PLAIN],
  ['another scheme', 'Basic YWRhOnNlY3JldA==', PLAIN],
  ['no key after the scheme', 'Bearer', INVALID],
  ['two keys', 'Bearer ops_a ops_b', INVALID],
  ['nonsense', 'Bearer nonsense', INVALID],
  ['a key that nobody made', `Bearer ${newSecret()}`, INVALID],
])('%s is refused by both APIs, with the right challenge', async (_, authorization, challenge) => {
  const caller = openGateway().with(authorization)
  const answer = await caller.get('/v1/personnel')
  expect(answer).toMatchProblem(401, 'UNAUTHENTICATED')
  expect(answer.headers.get('www-authenticate')).toBe(challenge)
  expect(answer.body.detail).not.toMatch(/expired|revoked|\d{4}-/)
  const { status, headers, body } = await caller.graphql('{ __schema { queryType { name } } }')
  expect([status, headers.get('www-authenticate')]).toEqual([401, challenge])
  expect(body).toEqual({ errors: [{ message: answer.body.detail, extensions: { code: 'UNAUTHENTICATED' } }] })
})

test.each(['expired', 'revoked'])('the error for a key that is %s has the reason and the time', async (end) => {
  const gateway = openGateway()
  const endsAt = new Date('2026-11-03T00:00:00.000Z')
  const expiresAt = end === 'expired' ? endsAt : undefined
  const key = await gateway.write((write) => mintKey(write, { name: 'x', scopes: ['personnel.read'], expiresAt }))
  const caller = gateway.with(`Bearer ${key.secret}`)
  gateway.clock.now = new Date(endsAt.getTime() - 1)
  expect((await caller.get('/v1/personnel')).status).toBe(200)
  gateway.clock.now = endsAt
  if (end === 'revoked') await gateway.write((write) => revokeKey(write, key.id))
  const { status, headers, body } = await caller.get('/v1/personnel')
  expect([status, body.code, headers.get('www-authenticate')]).toEqual([401, 'UNAUTHENTICATED', INVALID])
  expect(body.detail).toMatch(new RegExp(`${end} at 2026-11-03T00:00:00.000Z`))
  expect((await caller.graphql('{ __typename }')).body.errors[0].message).toBe(body.detail)
  expect(gateway.log.join()).not.toContain(key.secret)
})

test.each<[string, string, Scope, Scope]>([
  ['GET', '/v1/personnel', 'projects.manage', 'personnel.read'],
  ['GET', '/v1/personnel/usr_nobody', 'projects.manage', 'personnel.read'],
  ['POST', '/v1/personnel', 'personnel.read', 'personnel.manage'],
  ['GET', '/v1/groups', 'projects.manage', 'personnel.read'],
  ['GET', '/v1/projects/APOLLO', 'personnel.manage', 'projects.read'],
  ['GET', '/v1/projects/NOWHERE', 'personnel.manage', 'projects.read'],
  ['GET', '/v1/risks', 'personnel.manage', 'projects.read'],
  ['GET', '/v1/issues', 'personnel.manage', 'projects.read'],
])('%s %s with %s gets an error that names the missing scope', async (method, path, held, requiredScope) => {
  const { gateway } = await openOffice()
  const caller = await gateway.as(held)
  const answer = await (method === 'POST' ? caller.post(path, ada) : caller.get(path))
  expect(answer).toMatchProblem(403, 'INSUFFICIENT_SCOPE')
  expect(answer.body).toMatchObject({ requiredScope, detail: `This needs a key with the scope ${requiredScope}.` })
  const challenge = `Bearer realm="operations", error="insufficient_scope", scope="${requiredScope}"`
  expect(answer.headers.get('www-authenticate')).toBe(challenge)
})
