import { describe, expect, test } from 'vitest'
import { mint } from '../support/inProcess.js'
import { newFolder, serve } from '../support/process.js'

describe('a real server', () => {
  const WRONG_MAX = 60

  test('returns 429 to the 61st wrong key from one address in a minute, and still serves valid keys', async () => {
    const folder = newFolder()
    const { key } = await mint(folder, '--name', 'right', '--scope', 'personnel.read')
    const { origin } = await serve(folder)
    const call = async (path: string, authorization?: string) => {
      const response = await fetch(`${origin}${path}`, { headers: authorization ? { authorization } : {} })
      return { status: response.status, headers: response.headers, body: await response.json() }
    }
    const startedAt = Date.now()
    let wrong = 0
    const callWrongly = () =>
      call(wrong < WRONG_MAX / 2 ? '/graphql?query={__typename}' : '/v1/key', `Bearer wrong-${wrong}`)
    let answer = await callWrongly()
    while (answer.status === 401) {
      wrong += 1
      answer = await callWrongly()
    }
    // One more unit for each elapsed second.
    const more = Math.ceil((Date.now() - startedAt) / 1000)
    expect(wrong).toBeGreaterThanOrEqual(WRONG_MAX)
    expect(wrong).toBeLessThanOrEqual(WRONG_MAX + more)
    const { status, headers, body } = answer
    expect({ status, code: body.code }).toEqual({ status: 429, code: 'RATE_LIMITED' })
    expect(body.detail).toBe('Too many wrong keys came from your address. Try again in 1 s.')
    expect([headers.get('retry-after'), headers.get('www-authenticate')]).toEqual(['1', null])
    for (let i = 0; i < 20; i++) {
      expect((await call('/v1/key', `Bearer ${key}`)).status).toBe(200)
      expect((await call('/v1/key')).status).toBe(401)
    }
  })

  test('limits a key as --rate-limit says, and 0 means not at all', async () => {
    const folder = newFolder()
    const { key } = await mint(folder, '--name', 'one', '--scope', 'personnel.read')
    const headers = { authorization: `Bearer ${key}` }
    const call = async (origin: string) =>
      (await fetch(`${origin}/v1/key`, { headers })).headers.get('ratelimit-policy')
    expect(await call((await serve(folder, ['--rate-limit', '120'])).origin)).toBe('"key";q=120;w=60')
    expect(await call((await serve(folder, ['--rate-limit', '0'])).origin)).toBe(null)
    expect(await call((await serve(folder)).origin)).toBe('"key";q=6000;w=60')
  })
})
