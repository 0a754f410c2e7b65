/**
 * A repeated response with a token next to one with a key, and what a stream of forged tokens does to a key beside it.
 *
 *   npm run bench -- tokens [--seconds 3] [--rounds 3]
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { serve } from '../campaigns/served.js'
import { COMPANY, fill } from './speed/data.js'
import { load, pinning } from './speed/processes.js'

const { values: options } = parseArgs({
  options: { seconds: { type: 'string', default: '3' }, rounds: { type: 'string', default: '3' } },
})
const AUDIENCE = 'https://operations.example.com'
const FORGED = 200

const [ours, theirs] = [await generateKeyPair('RS256'), await generateKeyPair('RS256')]
const keys = [{ ...(await exportJWK(ours.publicKey)), kid: 'one' }]
const provider = createServer(({ url }, response) => {
  response.end(JSON.stringify(url === '/jwks' ? { keys } : { issuer, jwks_uri: `${issuer}/jwks` }))
}).listen(0, '127.0.0.1')
await once(provider, 'listening')
const issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`

const tokenBy = ({ privateKey }: typeof ours, kid: string, claims: JWTPayload = {}) =>
  new SignJWT({ scope: 'personnel.manage projects.manage', sub: 'ada', ...claims })
    .setProtectedHeader({ alg: 'RS256', kid, typ: 'at+jwt' })
    .setIssuer(issuer)
    .setAudience(AUDIENCE)
    .setExpirationTime('1h')
    .sign(privateKey)

const { folder, key } = fill(COMPANY)
const flags = ['--rate-limit', '0', '--log-level', 'silent', '--oidc-issuer', issuer, '--oidc-audience', AUDIENCE]
const { origin, pid } = await serve(folder, flags)
const port = Number(new URL(origin).port)

const requestWith = (credential: string) =>
  `GET /v1/risks?limit=50 HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${credential}\r\n\r\n`

const loadWith = (credentials: readonly string[], clients: number) =>
  load({
    ...{ port, pid, clients, warmMs: 1_000, warmAnswers: 200, measureMs: Number(options.seconds) * 1_000 },
    ...{
      requestsMax: 1_000_000,
      reads: credentials.map(requestWith),
      write: '',
      unique: '#',
      writeShare: 0,
      mix: 'even',
    },
  })

console.log(`8 connections, ${pinning.words}; a page of 50 risks from the response cache`)
const token = await tokenBy(ours, 'one')
const best = { key: 0, token: 0 }
for (let round = 0; round < Number(options.rounds); round++) {
  best.key = Math.max(best.key, (await loadWith([key], 8)).perSecond)
  best.token = Math.max(best.token, (await loadWith([token], 8)).perSecond)
}
const ratio = (best.token / best.key).toFixed(2)
console.log(`requests a second: key ${best.key.toFixed(0)}, token ${best.token.toFixed(0)}, ratio ${ratio}`)

/** The bodies of refused requests are small; what they cost is the check of the signature, or of nothing. */
const forged = {
  'of a known key': await Promise.all(
    Array.from({ length: FORGED }, (_, i) => tokenBy(theirs, 'one', { jti: `${i}` })),
  ),
  'of unknown keys': await Promise.all(Array.from({ length: FORGED }, (_, i) => tokenBy(theirs, `k${i}`))),
}
const alone = await loadWith([key], 1)
console.log(`p99 of a key alone: ${alone.p99Ms.toFixed(2)} ms`)
for (const [kind, tokens] of Object.entries(forged)) {
  const [innocent, stream] = await Promise.all([loadWith([key], 1), loadRefused(tokens)])
  console.log(
    `p99 of a key beside ${stream.toFixed(0)} forged tokens a second ${kind}: ${innocent.p99Ms.toFixed(2)} ms`,
  )
}
process.exit(0)

/** Sends forged tokens on 8 connections, and returns how many were refused a second. */
async function loadRefused(tokens: readonly string[]): Promise<number> {
  const until = performance.now() + (Number(options.seconds) + 1) * 1_000
  const began = performance.now()
  let refused = 0
  const stream = async (first: number) => {
    for (let i = first; performance.now() < until; i++) {
      const headers = { authorization: `Bearer ${tokens[i % tokens.length]}` }
      const { status, body } = await fetch(`${origin}/v1/risks?limit=50`, { headers })
      await body?.cancel()
      if (status !== 401 && status !== 429) throw new Error(`A forged token got ${status}.`)
      refused += 1
    }
  }
  await Promise.all(Array.from({ length: 8 }, (_, i) => stream(i * 17)))
  return (refused * 1_000) / (performance.now() - began)
}
