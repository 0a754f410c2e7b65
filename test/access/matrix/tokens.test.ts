import { expect, test } from 'vitest'
import type { Company } from '../../support/fixtures.js'
import { type Caller, openFilled } from '../../support/harness.js'
import { acceptingTokens, fakeProvider } from '../../support/identity.js'
import { CASES } from '../cases.js'
import { scopeSets } from './stage.js'

/** Not the empty one, with which a token is refused. */
const SETS = scopeSets().filter(({ length }) => length > 0)

/** The responses to every case in both APIs, without what is new in each run. */
async function responsesTo(caller: Caller, company: Company): Promise<string[]> {
  const seen: string[] = []
  for (const one of CASES) {
    const operation = one.field.startsWith('mutation') ? 'mutation' : 'query'
    const answers = [
      await caller.graphql(`${operation} { result: ${one.selection(company)} }`),
      await one.request(caller, company),
    ]
    for (const { status, headers, text } of answers) {
      const written = text.replaceAll(/\b([a-z]{3})_[0-9a-z]{26}|"requestId":"[^"]+"/g, '$1')
      seen.push(`${one.route} ${status} ${headers.get('www-authenticate')} ${written}`)
    }
  }
  return seen
}

test.each(SETS.map((scopes) => ({ scopes })))('a token with $scopes gets what a key gets', async ({ scopes }) => {
  const provider = await fakeProvider()
  const [{ gateway, company }, other] = [await openFilled(), await openFilled(acceptingTokens(provider.issuer).options)]
  const key = await gateway.as(...scopes)
  const token = other.gateway.with(`Bearer ${await provider.token({ scope: scopes.join(' ') })}`)
  expect(await responsesTo(token, other.company)).toEqual(await responsesTo(key, company))
  // The feed has random cursors, so both read it from one store.
  const [byToken, byKey] = [token, await other.gateway.as(...scopes)].map((caller) => caller.get('/v1/changes?limit=9'))
  expect((await byToken)?.text).toBe((await byKey)?.text)
})
