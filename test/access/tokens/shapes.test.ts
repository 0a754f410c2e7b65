import { readFileSync } from 'node:fs'
import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { tokenSettingsOf } from '../../../src/auth/tokenSettings.js'
import { commandWith } from '../../../src/cli/command.js'
import { type Flags, readConfig, SETTINGS, type SettingName } from '../../../src/config.js'
import { openGateway } from '../../support/harness.js'
import { acceptingTokens, fakeProvider } from '../../support/identity.js'

const PAGE = readFileSync(new URL('../../../docs/signing-in.md', import.meta.url), 'utf8')

interface Shape {
  /** Its heading in docs/signing-in.md, and the provider's own page about it. */
  readonly heading: string
  readonly source: string
  readonly header: object
  /** Without `iss`, `iat` and `exp`. */
  readonly claims: Readonly<Record<string, unknown>>
  readonly scopes: readonly string[]
  readonly projects?: readonly string[]
}

const TENANT = '11111111-2222-3333-4444-555555555555'

/** Access tokens as their providers document them, with names of the examples in docs/signing-in.md. */
const SHAPES: readonly Shape[] = [
  {
    heading: 'Microsoft Entra ID, v2.0 tokens',
    source: 'https://learn.microsoft.com/entra/identity-platform/access-token-claims-reference',
    header: { typ: 'JWT' },
    claims: {
      aud: '6e74172b-be56-4843-9ff4-e66a39bb12e3',
      nbf: 1,
      aio: 'AXQAi/8TAAAA',
      azp: '7fcd2b7e-5a6f-4d3b-8d1c-000000000000',
      azpacr: '0',
      name: 'Ada Lovelace',
      oid: '690222be-ff1a-4d56-abd1-7e4f7d38e474',
      preferred_username: 'ada@example.com',
      rh: '0.ATcA',
      roles: ['Ops.Reader'],
      scp: 'access_as_user',
      sub: 'HKZpfaHyWadeOouYlitjrI-KffTm222X5rrV3xDqfKQ',
      tid: TENANT,
      uti: 'fqiBqXLPj0eQa82S-IYFAA',
      ver: '2.0',
    },
    scopes: ['projects.read', 'personnel.read'],
  },
  {
    heading: 'Microsoft Entra ID, v1.0 tokens',
    source: 'https://learn.microsoft.com/entra/identity-platform/access-token-claims-reference',
    header: { typ: 'JWT', x5t: 'i6lGk3FZzxRcUb2C3nEQ7syHJlY' },
    claims: {
      aud: 'api://operations',
      nbf: 1,
      acr: '1',
      amr: ['pwd'],
      appid: '75dbe77f-10a3-4e59-85fd-8c127544f17c',
      appidacr: '0',
      family_name: 'Lovelace',
      given_name: 'Ada',
      ipaddr: '203.0.113.7',
      name: 'Ada Lovelace',
      oid: '690222be-ff1a-4d56-abd1-7e4f7d38e474',
      roles: ['Ops.Reader', 'Ops.Manager'],
      scp: 'user_impersonation',
      sub: 'l3_roISQU222bULS9yi2k0XpqpOiMz5H3ZACo1GeXA',
      tid: TENANT,
      unique_name: 'ada@example.com',
      ver: '1.0',
    },
    scopes: ['projects.read', 'personnel.read', 'projects.manage'],
  },
  {
    heading: 'Okta',
    source: 'https://developer.okta.com/docs/guides/customize-tokens-static/',
    // A custom authorization server sends no `typ`.
    header: { typ: undefined },
    claims: {
      ver: 1,
      jti: 'AT.MNAoEQ_jbKqoinrQo1D0XKjMX28U5d7ZszBceot7-Ts',
      aud: 'api://operations',
      cid: '0oabv6kx4qq6h1U5l0h7',
      uid: '00uid4BxXw6I6TV4m0g3',
      scp: ['openid', 'projects.read'],
      auth_time: 1,
      sub: 'ada@example.com',
    },
    scopes: ['projects.read'],
  },
  {
    heading: 'Keycloak',
    source: 'https://www.keycloak.org/docs/latest/server_admin/#_audience',
    header: { typ: 'JWT' },
    claims: {
      jti: 'd58f5dc8-fd8f-462b-8a19-716f8f83985b',
      aud: ['operations', 'account'],
      sub: '36fa0f91-f94d-4a0c-afed-6b7d952e47da',
      typ: 'Bearer',
      azp: 'operations-page',
      acr: '1',
      realm_access: { roles: ['offline_access', 'uma_authorization', 'ops-reader'] },
      resource_access: { account: { roles: ['manage-account', 'view-profile'] } },
      scope: 'openid email profile',
      email_verified: true,
      name: 'Ada Lovelace',
      preferred_username: 'ada',
      email: 'ada@example.com',
    },
    scopes: ['projects.read', 'personnel.read'],
  },
  {
    heading: 'Auth0',
    source: 'https://auth0.com/docs/secure/tokens/access-tokens/access-token-profiles',
    header: { typ: 'at+jwt' },
    claims: {
      sub: 'auth0|123456',
      aud: ['https://operations.example.com', 'https://example.eu.auth0.com/userinfo'],
      client_id: 'my_client_id',
      jti: '73WakrfVbNJBaAmhQtEeDv',
      scope: 'openid profile projects.read',
      permissions: ['projects.read', 'personnel.read'],
    },
    scopes: ['projects.read', 'personnel.read'],
  },
]

/** The settings of a section of the page, by the flags of its `operations serve`. */
function documented(heading: string) {
  const section = PAGE.split(`\n### ${heading}\n`)[1]?.split('\n### ')[0]?.split('\n## ')[0] ?? ''
  const [, line = ''] = /operations serve((?:.*\\\n)*.*)/.exec(section) ?? []
  const words = [...line.replaceAll('\\\n', ' ').matchAll(/"([^"]*)"|(\S+)/g)].map(
    ([, quoted, word]) => quoted ?? word ?? '',
  )
  const names = Object.keys(SETTINGS) as SettingName[]
  const command = commandWith('serve', '', names).parse(words, { from: 'user' })
  const settings = tokenSettingsOf(readConfig(command.opts<Flags>(), names))
  if (!settings) throw new Error(`docs/signing-in.md has no command for ${heading}.`)
  return { settings, lines: section.trim().split('\n').length }
}

test.each(SHAPES)('a token of $heading is accepted with the flags of docs/signing-in.md', async (shape) => {
  const { settings, lines } = documented(shape.heading)
  expect(lines).toBeLessThanOrEqual(12)
  const provider = await fakeProvider()
  // Everything as documented, but for the address: the provider is on loopback here.
  const gateway = openGateway(acceptingTokens(provider.issuer, { ...settings, issuer: provider.issuer }).options)
  const token = await provider.token({ scope: undefined, ...shape.claims }, shape.header)
  expect(decodeJwt(token)).toMatchObject(shape.claims)
  const caller = gateway.with(`Bearer ${token}`)
  const { status, body } = await caller.get('/v1/key')
  expect({ status, scopes: body.scopes?.toSorted() }).toEqual({ status: 200, scopes: shape.scopes.toSorted() })
})
